import type { UpstreamName } from '@svc/core/service'
import { emptySum, sumOfUsage, type UsageCounts } from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import { totalsOf } from '../backup/target/import-days.ts'
import { type Connection, select } from '../sql/connection.ts'
import type { Bucket } from '../sql/engine.ts'
import type { BucketPlace } from '../usage/bucket-sums.ts'
import { measureColumns, measureNames, measuresOf, measuresOfRow } from '../usage/measures.ts'
import { allGroupings, DAY_TIER_SECONDS } from '../usage/tiers.ts'

/** Sums by grouping, bucket and member. */
export type Sums = ReadonlyMap<string, Bucket>

/** Adds up sums with the same place, because two names of a file may have become one. */
export function sumsOf(buckets: Iterable<Bucket>): Sums {
  const sums = new Map<string, Bucket>()
  for (const { place, sum } of buckets) {
    const key = keyOf(place)
    const known = sums.get(key)
    sums.set(key, { place, sum: known === undefined ? sum : sumOfUsage([known.sum, sum]) })
  }
  return sums
}

export function measuresIn(sums: Sums, { place }: Bucket): UsageCounts {
  return sums.get(keyOf(place))?.sum ?? emptySum()
}

function keyOf({ grouping, tierSeconds, bucketS, memberId }: BucketPlace): string {
  return `${grouping} ${tierSeconds} ${bucketS} ${memberId}`
}

export function totalOf(buckets: Iterable<Bucket>): UsageCounts {
  return sumOfUsage([...buckets].map(({ sum }) => sum))
}

/** Whether no measure of `wanted` exceeds that of `found`. */
export function isWithin(wanted: UsageCounts, found: UsageCounts): boolean {
  return measureNames.every((name) => wanted[name] <= found[name])
}

export function isEqual(one: UsageCounts, other: UsageCounts): boolean {
  return measureNames.every((name) => one[name] === other[name])
}

export const HOUR_SECONDS = 3_600
/** Place for the sum of an hour's single requests; no rollup uses it. */
export const HOUR = { grouping: -1, tierSeconds: HOUR_SECONDS, memberId: 0 } as const

/** Sums of single requests by the hour, of these proxies alone if any are given. */
export async function hoursOf(
  { tables, rows }: Connection,
  fromMs: number,
  toMs: number,
  upstreams?: readonly UpstreamName[],
): Promise<Sums> {
  const { usage } = tables
  const own = sql`AND ${usage.upstreamId} IN (SELECT id FROM ${tables.upstreams} WHERE name IN ${upstreams})`
  const found = await rows<Readonly<Record<string, number>>>(
    sql`SELECT at_ms / ${sql.raw(`${HOUR_SECONDS * 1000} * ${HOUR_SECONDS}`)} AS bucket_s, ${totalsOf(measuresOfRow)}
      FROM ${usage} WHERE ${usage.atMs} >= ${fromMs} AND ${usage.atMs} < ${toMs} ${upstreams === undefined ? sql`` : own} GROUP BY 1`,
  )
  return sumsOf(
    found.map(({ bucket_s: bucketS = 0, ...row }) => ({
      place: { ...HOUR, bucketS },
      sum: measuresOf(measureColumns.map((column) => row[column] ?? 0)),
    })),
  )
}

/** Stored sums of a day. */
export async function storedDay(db: Connection, startMs: number): Promise<Sums> {
  const tierSeconds = DAY_TIER_SECONDS
  const { sums, ofTier } = db.tables.sumsOfTier(tierSeconds)
  const ofDay = sql`WHERE ${ofTier} AND ${sums.grouping} IN ${Object.values(allGroupings)} AND ${sums.bucketS} = ${startMs / 1000}`
  const fields = ['grouping', 'bucketS', 'memberId', ...measureNames] as const
  return sumsOf(
    (await select(db, sums, fields, ofDay)).map(({ grouping, bucketS, memberId, ...sum }) => ({
      place: { grouping, tierSeconds, bucketS, memberId },
      sum,
    })),
  )
}
