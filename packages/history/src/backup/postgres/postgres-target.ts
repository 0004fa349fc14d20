import { epochMs } from '@svc/core'
import type { UpstreamName } from '@svc/core/service'
import { providerOfUsage, type UsageDetail } from '@svc/core/usage'
import { connectionOf } from '../../postgres/address.ts'
import { createMeta } from '../../postgres/meta.ts'
import { migrate } from '../../postgres/migrate.ts'
import { createPartitions, type Partitions } from '../../postgres/partitions.ts'
import { type Bucket, putBuckets } from '../../postgres/rollups.ts'
import { openSession, type Session } from '../../postgres/session.ts'
import { insertRows, type UsageRow } from '../../postgres/usage-rows.ts'
import { measuresOf, statedOf } from '../../usage/measures.ts'
import { DAY_TIER_SECONDS, groupings } from '../../usage/tiers.ts'
import type { BackupRow } from '../format/backup-format.ts'
import type { BackupLine } from '../format/backup-reader.ts'
import type { BackupMeta } from '../format/backup-values.ts'
import type { ImportOrigin, ImportTarget, WithImportTarget } from '../format/import-target.ts'
import { createDays, dayOf, type ImportDays } from './import-days.ts'
import { createNames, type ImportNames, memberIdOf } from './import-names.ts'
import { addObserved, rowsOf } from './import-observed.ts'

const ROWS_PER_TRANSACTION = 5_000

/** The target for a database, whose schema is created if missing. Monitors may keep writing to it. Rejects with HistoryError. */
export function postgresTarget(location: string, passwordFile: string | null): WithImportTarget {
  return async (origin, write) => {
    const session = await openSession(connectionOf(location, passwordFile))
    try {
      await migrate(session)
      return await write(await importTarget(session, origin))
    } finally {
      await session.close()
    }
  }
}

/** The target in an open database; `upstreams` are the proxies of the rows, if known. Rejects with HistoryError. */
export async function importTarget(
  session: Session,
  { meta, certainAt }: ImportOrigin,
  upstreams: readonly UpstreamName[] | null = null,
): Promise<ImportTarget> {
  await session.transaction('write', () => settleMeta(session, meta))
  const names = createNames(session)
  const partitions = createPartitions(session)
  const days = createDays(session, certainAt, upstreams)
  return {
    rowsMax: ROWS_PER_TRANSACTION,
    async add(lines) {
      const usage = await prepare(lines, names, partitions)
      return session.transaction('write', async () => {
        await names.raiseTitles(rowsOf(lines, 'accounts'))
        const added = await addUsage(session, usage, days)
        if (lines.some(({ table }) => AFTER_ROWS.has(table))) await days.end(null)
        await putBuckets(session, bucketsOf(rowsOf(lines, 'days'), names), 'larger')
        await addObserved(session, names, lines)
        return added
      })
    },
    end: () => session.transaction('write', () => days.end(null)),
  }
}

/** Tables after `usage` in a backup: once one begins, no more usage rows follow. */
const AFTER_ROWS: ReadonlySet<BackupLine['table']> = new Set([
  'days',
  'quotaSamples',
  'capacityPoints',
  'recentChanges',
  'gaps',
  'meta',
])

/** Learns the names and creates the partitions of these lines. Call before a transaction. */
async function prepare(
  lines: readonly BackupLine[],
  names: ImportNames,
  partitions: Partitions,
): Promise<readonly UsageRow[]> {
  await names.learn(lines)
  const rows = new Map(
    rowsOf(lines, 'usage').map((row) => [`${row[0]} ${row[1]}`, storedRowOf(row, names)]),
  )
  const inOrder = [...rows.values()].sort(
    ({ detail: one }, { detail: other }) => one.at - other.at || (one.key < other.key ? -1 : 1),
  )
  await partitions.ensure(inOrder.map(({ detail }) => detail.at))
  return inOrder
}

async function addUsage(
  session: Session,
  rows: readonly UsageRow[],
  days: ImportDays,
): Promise<number> {
  const last = rows.at(-1)
  if (last === undefined) return 0
  await days.begin(rows.map(({ detail }) => detail.at))
  const stored = await insertRows(session, rows)
  await days.added(stored)
  await days.end(dayOf(last.detail.at))
  return stored.length
}

function storedRowOf(row: BackupRow<'usage'>, names: ImportNames): UsageRow {
  const [at, key, instance, accountKey, apiName, model, tokens, failed, upstream, provider] = row
  const detail: UsageDetail = {
    at: epochMs(at),
    key: BigInt(key),
    accountKey,
    apiName,
    model,
    tokens,
    failed: failed === 1,
    provider,
    ...statedOf(row.slice(10)),
  }
  return {
    detail,
    members: {
      account: names.accountId(instance, accountKey),
      api: names.idOf('apiNames', apiName),
      model: names.idOf('models', model),
      upstream: names.idOf('upstreams', upstream),
      provider: names.idOf('providers', providerOfUsage(detail)),
    },
  }
}

/** Keeps the larger sum of names that were merged. */
function bucketsOf(rows: readonly BackupRow<'days'>[], names: ImportNames): readonly Bucket[] {
  const sums = new Map<string, Bucket>()
  for (const row of rows) {
    const bucket = bucketOf(row, names, DAY_TIER_SECONDS)
    const { grouping, bucketS, memberId } = bucket.place
    const key = `${grouping} ${bucketS} ${memberId}`
    const known = sums.get(key)
    if (known === undefined || known.sum.requests < bucket.sum.requests) sums.set(key, bucket)
  }
  return [...sums.values()]
}

export function bucketOf(row: BackupRow<'days'>, names: ImportNames, tierSeconds: number): Bucket {
  const [grouping, bucketS, , , ...measures] = row
  const place = {
    grouping: groupings[grouping],
    tierSeconds,
    bucketS,
    memberId: memberIdOf(names, row),
  }
  return { place, sum: measuresOf(measures) }
}

/** Takes over identity and first poll of the backup. Only an empty store takes over the cut: it continues the other one. */
async function settleMeta(
  session: Session,
  { cut, firstPoll, identity }: BackupMeta,
): Promise<void> {
  const meta = createMeta(session)
  const [found] = await session.rows<{ is_empty: boolean }>(
    'SELECT NOT EXISTS (SELECT 1 FROM svc_quota_monitor.usage) AND NOT EXISTS (SELECT 1 FROM svc_quota_monitor.rollup_86400) AS is_empty',
  )
  if (found?.is_empty === true && cut !== null) await meta.setFirst({ cut_ms: cut })
  // A new store keeps the identity of the backup, so that fingerprints of clients stay the same.
  await meta.setFirst(Object.fromEntries(identity))
  await meta.giveIdentity()
  const known = (await meta.read()).instant('first_poll_ms')
  if (firstPoll !== null && (known === null || firstPoll < known))
    await meta.set({ first_poll_ms: firstPoll })
}
