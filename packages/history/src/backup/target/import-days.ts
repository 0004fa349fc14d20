import { DAY_MS, type EpochMs } from '@svc/core'
import type { UpstreamName } from '@svc/core/service'
import { sql } from 'drizzle-orm'
import type { Connection } from '../../sql/connection.ts'
import type { UsageRow } from '../../sql/engine.ts'
import { requestsIn, type Writing } from '../../sql/rate-sums.ts'
import { bucketsOf } from '../../sql/usage-rows.ts'
import { createBucketSums } from '../../usage/bucket-sums.ts'
import { measureColumns, measuresOfRow } from '../../usage/measures.ts'
import { allGroupings, DAY_TIER_SECONDS, groupings } from '../../usage/tiers.ts'

export type ImportDays = ReturnType<typeof createDays>

/**
 * Keeps daily sums consistent with rows that arrive day by day. If a day's sums equal its rows, each new row is added. If they are larger, some rows
 * were deleted and a new row may be one of them, so each sum becomes the larger of itself and the sum of the present rows. The result depends neither
 * on order nor on number of imports. Call each method inside a transaction that has locked the cut against being read.
 */
export function createDays(
  engine: Writing,
  certainAt: EpochMs,
  upstreams: readonly UpstreamName[] | null = null,
) {
  /** Whether the sums of each open day equalled its rows when the day began. */
  const isExact = new Map<number, boolean>()
  return {
    /** Call before adding rows with these times; batches come in time order. */
    async begin(times: Iterable<number>): Promise<void> {
      for (const startMs of new Set([...times].map(dayOf)))
        if (!isExact.has(startMs))
          isExact.set(startMs, await isDayExact(engine.db, startMs, upstreams))
    },
    /** Adds the sums of new rows to days whose sums are exact. */
    async added(rows: readonly UsageRow[]): Promise<void> {
      const sums = createBucketSums()
      for (const { detail, members } of rows)
        if (isExact.get(dayOf(detail.at)) === true) sums.add(detail, members)
      await engine.rows.put(bucketsOf(sums, certainAt), 'add')
    },
    /** Finishes the days before `nextDay`; null finishes all days. */
    async end(nextDay: number | null): Promise<void> {
      for (const [startMs, exact] of isExact) {
        if (nextDay !== null && startMs >= nextDay) continue
        if (!exact) await recountDay(engine, startMs, certainAt)
        isExact.delete(startMs)
      }
    },
  }
}

export function dayOf(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS
}

/**
 * Whether the sums of a day equal its rows in every grouping: a total per grouping is enough, because no member's sum is ever less than that of its rows.
 * `upstreams` limits the comparison to these proxies; null compares all.
 */
export async function isDayExact(
  { tables, rows }: Connection,
  startMs: number,
  upstreams: readonly UpstreamName[] | null,
): Promise<boolean> {
  const { usage } = tables
  const { sums, ofTier } = tables.sumsOfTier(DAY_TIER_SECONDS)
  const own = sql`IN (SELECT id FROM ${tables.upstreams} WHERE name IN ${upstreams})`
  const [ofRows, ofSums] =
    upstreams === null
      ? [sql`true`, sql`${sums.grouping} IN ${Object.values(allGroupings)}`]
      : [
          sql`${usage.upstreamId} ${own}`,
          sql`${sums.grouping} = ${groupings.upstream} AND ${sums.memberId} ${own}`,
        ]
  const [counted] = await rows<Readonly<Record<string, number>>>(
    sql`SELECT ${totalsOf(measuresOfRow)} FROM ${usage} WHERE ${usage.atMs} >= ${startMs} AND ${usage.atMs} < ${startMs + DAY_MS} AND ${ofRows}`,
  )
  const summed = await rows<Readonly<Record<string, number>>>(
    sql`SELECT ${totalsOf(measureColumns)} FROM ${sums} WHERE ${ofTier} AND ${sums.bucketS} = ${startMs / 1000} AND ${ofSums} GROUP BY ${sums.grouping}`,
  )
  if (counted?.requests === 0) return summed.length === 0
  return (
    summed.length === (upstreams === null ? Object.keys(allGroupings).length : 1) &&
    summed.every((sum) => measureColumns.every((column) => sum[column] === counted?.[column]))
  )
}

/** Sums that may be too large for an integer, under the names of measures. */
export function totalsOf(amounts: readonly string[]) {
  const totals = amounts.map(
    (amount, index) =>
      `coalesce(sum(CAST(${amount} AS double precision)), 0) AS ${measureColumns[index]}`,
  )
  return sql.raw(totals.join(', '))
}

/** Raises a day's sums to those of its rows if they are lower. */
export async function recountDay(
  engine: Writing,
  startMs: number,
  certainAt: EpochMs,
): Promise<void> {
  const sums = createBucketSums()
  for await (const part of requestsIn(engine, { from: startMs, end: startMs + DAY_MS }))
    for (const { detail, members } of part) sums.add(detail, members)
  await engine.rows.put(bucketsOf(sums, certainAt), 'larger')
}
