import { DAY_MS, type EpochMs } from '@svc/core'
import type { UpstreamName } from '@svc/core/service'
import type { Tier } from '@svc/core/usage'
import { migrate } from '../../postgres/migrate.ts'
import { lockCutIn } from '../../postgres/postgres-store.ts'
import { type Session, withSession } from '../../postgres/session.ts'
import { EXACT_SUMS, PROVIDER_COLUMN, tierMembers } from '../../postgres/usage-query.ts'
import { createRowWriter } from '../../postgres/usage-rows.ts'
import { createDictionaries } from '../../sql/dictionary.ts'
import { measureColumns, measuresOfRows, statedColumns } from '../../usage/measures.ts'
import { allGroupings, groupings, tiersOf } from '../../usage/tiers.ts'
import type { WithImportTarget } from '../format/import-target.ts'
import { createImportTarget, type ImportEngine } from '../target/import-target.ts'

/** The target for a database, whose schema is created if missing. Monitors may keep writing to it. Rejects with HistoryError. */
export function postgresTarget(location: string, passwordFile: string | null): WithImportTarget {
  return (origin, write) =>
    withSession(location, passwordFile, async (session) => {
      await migrate(session)
      return await write(await createImportTarget(importInto(session), origin))
    })
}

/** Import engine of an open database. */
export function importInto(session: Session): ImportEngine {
  return {
    db: session,
    rows: createRowWriter(session),
    lockCut: (against) => lockCutIn(session, against),
    rowsPerTransaction: 5_000,
    dictionariesOf: (instance) => createDictionaries(session, instance),
    isDayExact: (startMs, upstreams) => isDayExact(session, startMs, upstreams),
    recountDay: (startMs, certainAt) => recount(session, startMs, certainAt),
  }
}

/**
 * Compares the sums of a day with its rows. A total per grouping is enough, because no member's sum is ever less than that of its rows. One
 * statement, so that no other writer comes between.
 */
const IS_EXACT = `WITH of_rows AS (
    SELECT ${measureColumns.map((column, index) => `${measuresOfRows[index]}::numeric AS ${column}`).join(', ')}
    FROM svc_quota_monitor.usage WHERE at_ms >= $1 AND at_ms < $2),
  of_days AS (
    SELECT ${measureColumns.map((column) => `sum(${column})::numeric AS ${column}`).join(', ')}
    FROM svc_quota_monitor.rollup_86400 WHERE grouping = ANY ($4::smallint[]) AND bucket_s = $3 GROUP BY grouping)
  SELECT (SELECT count(*) FROM of_days) = CASE WHEN r.requests = 0 THEN 0 ELSE cardinality($4::smallint[]) END
    AND NOT EXISTS (SELECT 1 FROM of_days d WHERE (${columnsIn('d')}) IS DISTINCT FROM (${columnsIn('r')})) AS is_exact
  FROM of_rows r`

const OWN = 'IN (SELECT id FROM svc_quota_monitor.upstreams WHERE name = ANY ($4::text[]))'

/** Compares only the sums of some proxies with their rows. */
const IS_EXACT_OF_UPSTREAMS = `WITH of_rows AS (
    SELECT ${measureColumns.map((column, index) => `${measuresOfRows[index]}::numeric AS ${column}`).join(', ')}
    FROM svc_quota_monitor.usage WHERE at_ms >= $1 AND at_ms < $2 AND upstream_id ${OWN}),
  of_days AS (
    SELECT ${measureColumns.map((column) => `coalesce(sum(${column}), 0)::numeric AS ${column}`).join(', ')}
    FROM svc_quota_monitor.rollup_86400 WHERE grouping = ${groupings.upstream} AND bucket_s = $3 AND member_id ${OWN})
  SELECT (${columnsIn('d')}) IS NOT DISTINCT FROM (${columnsIn('r')}) AS is_exact FROM of_rows r, of_days d`

async function isDayExact(
  session: Session,
  startMs: number,
  upstreams: readonly UpstreamName[] | null,
): Promise<boolean> {
  const [sql, scope] =
    upstreams === null
      ? [IS_EXACT, Object.values(allGroupings)]
      : [IS_EXACT_OF_UPSTREAMS, upstreams]
  const values = [startMs, startMs + DAY_MS, startMs / 1000, scope]
  const [row] = await session.rows<{ is_exact: boolean }>(sql, values)
  return row?.is_exact === true
}

function columnsIn(table: string): string {
  return measureColumns.map((column) => `${table}.${column}`).join(', ')
}

/** Raises a day's sums to those of its rows if they are lower, in the locking order shared by all writers. */
async function recount(session: Session, startMs: number, certainAt: EpochMs): Promise<void> {
  // The tiers that keep most; what another grouping keeps for less time is pruned.
  for (const tier of tiersOf(groupings.total)) {
    const keptFromS = firstKeptBucketS(tier, certainAt)
    const times = [startMs, startMs + DAY_MS, keptFromS]
    if (keptFromS * 1000 >= startMs + DAY_MS) continue
    // Waits for writers adding to these sums, so that their rows are counted here.
    await session.rows(
      `SELECT bucket_s FROM svc_quota_monitor.rollup_${tier.seconds} WHERE grouping = ${groupings.total} AND bucket_s >= $1 AND bucket_s < $2 ORDER BY bucket_s FOR UPDATE`,
      [startMs / 1000, (startMs + DAY_MS) / 1000],
    )
    await session.run(recountOf(tier), times)
  }
}

/** Start of the first bucket that is still kept at `now`, by the rule of `isKept`. */
function firstKeptBucketS({ seconds, keptSeconds }: Tier, now: EpochMs): number {
  if (!Number.isFinite(keptSeconds)) return 0
  return Math.max(0, Math.floor(now / 1000 - keptSeconds - seconds) + 1)
}

function recountOf({ seconds }: Tier): string {
  const updates = measureColumns.map(
    (column) => `${column} = greatest(t.${column}, excluded.${column})`,
  )
  return `INSERT INTO svc_quota_monitor.rollup_${seconds} AS t (grouping, bucket_s, member_id, ${measureColumns.join(', ')})
    SELECT m.grouping, r.bucket_s, m.member_id, ${EXACT_SUMS}
    FROM (
      SELECT at_ms / ${seconds * 1000} * ${seconds} AS bucket_s, account_id, model_id, api_name_id, upstream_id, ${PROVIDER_COLUMN} AS provider_id,
        failed, tokens, ${statedColumns.join(', ')}
      FROM svc_quota_monitor.usage WHERE at_ms >= $1 AND at_ms < $2) AS r,
      LATERAL (VALUES ${tierMembers(seconds, 'provider_id')}) AS m (grouping, member_id)
    WHERE r.bucket_s >= $3 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (grouping, bucket_s, member_id) DO UPDATE SET ${updates.join(', ')}`
}
