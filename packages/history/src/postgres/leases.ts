import { LEASE_MS, type Lease, type LeaseName, type Leases } from '@svc/core/service'
import { connectionOf } from './address.ts'
import { openSession, type Session } from './session.ts'

export interface LeasesOptions {
  readonly location: string
  readonly passwordFile?: string | null
  /** Name of this process, unique among all monitors of the store. */
  readonly holder: string
}

/** Time-out for an answer. A later answer would be useless, because the lease has to be renewed by then. */
const ANSWER_MS_MAX = 2_000

const REMAINING = `greatest(0, extract(epoch FROM leases.expires_at - clock_timestamp()) * 1000)::float8 AS remaining_ms`

/** Takes leases in the order of their names, so that two monitors never deadlock. */
const TAKE = `
INSERT INTO svc_quota_monitor.leases (name, holder, term, expires_at)
SELECT name, $2, 1, clock_timestamp() + $3 * interval '1 millisecond'
FROM unnest($1::text[]) AS name ORDER BY name
ON CONFLICT (name) DO UPDATE SET
  holder = excluded.holder,
  term = CASE WHEN leases.holder = excluded.holder THEN leases.term ELSE leases.term + 1 END,
  expires_at = clock_timestamp() + $3 * interval '1 millisecond'
WHERE leases.holder = excluded.holder OR leases.expires_at < clock_timestamp()
RETURNING name, holder, term, ${REMAINING}`

const STANDING = `
SELECT name, holder, term, ${REMAINING}
FROM svc_quota_monitor.leases AS leases WHERE name = ANY($1::text[])`

const RELEASE = `
UPDATE svc_quota_monitor.leases SET expires_at = clock_timestamp()
WHERE name = ANY($1::text[]) AND holder = $2`

interface LeaseRow {
  readonly name: LeaseName
  readonly holder: string
  readonly term: number
  readonly remaining_ms: number
}

/** Leases in a database, over a separate connection, so that no slow commit delays them. Connects at the first call and again after a failure. */
export function openPostgresLeases({
  location,
  passwordFile = null,
  holder,
}: LeasesOptions): Leases {
  let session: Promise<Session> | null = null

  const connect = async () =>
    openSession({
      ...(await connectionOf(location, passwordFile)),
      connectionTimeoutMillis: ANSWER_MS_MAX,
      query_timeout: ANSWER_MS_MAX,
    })
  const drop = (lost: Promise<Session>) => {
    if (session === lost) session = null
    // On a cut network even closing the connection never ends.
    void lost.then((open) => open.close()).catch(() => undefined)
  }
  const asked = async <Answer>(ask: (open: Session) => Promise<Answer>): Promise<Answer> => {
    session ??= connect()
    const own = session
    try {
      return await ask(await own)
    } catch (error) {
      drop(own)
      throw error
    }
  }
  const standing = async (names: readonly LeaseName[]): Promise<readonly Lease[]> => {
    if (names.length === 0) return []
    const rows = await asked((open) => open.rows<LeaseRow>(STANDING, [names]))
    return rows.map((row) => leaseOfRow(row, holder))
  }

  return {
    async take(names) {
      if (names.length === 0) return []
      const rows = await asked((open) => open.rows<LeaseRow>(TAKE, [names, holder, LEASE_MS]))
      const taken = new Set(rows.map(({ name }) => name))
      const others = await standing(names.filter((name) => !taken.has(name)))
      return [...rows.map((row) => leaseOfRow(row, holder)), ...others]
    },
    standing,
    async release(names) {
      if (names.length > 0) await asked((open) => open.run(RELEASE, [names, holder]))
    },
    async close() {
      const closing = session
      session = null
      await (await closing?.catch(() => null))?.close()
    },
  }
}

function leaseOfRow({ remaining_ms: remainingMs, ...row }: LeaseRow, holder: string): Lease {
  return { ...row, remainingMs, isOurs: row.holder === holder && remainingMs > 0 }
}
