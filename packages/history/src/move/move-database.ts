import type { UpstreamName } from '@svc/core/service'
import { emptySum, sumOfUsage, type UsageCounts } from '@svc/core/usage'
import type { Session } from '../postgres/session.ts'
import { EXACT_SUMS } from '../postgres/usage-query.ts'
import { createRowWriter } from '../postgres/usage-rows.ts'
import type { Bucket } from '../sql/engine.ts'
import type { BucketPlace } from '../usage/bucket-sums.ts'
import { measureColumns, measureNames, measuresOf } from '../usage/measures.ts'
import { allGroupings } from '../usage/tiers.ts'

/** Sums by grouping, bucket and member. */
export type Sums = ReadonlyMap<string, Bucket>

/** Adds up sums with the same place, because two names of a file may have become one. */
export function sumsOf(buckets: Iterable<Bucket>): Sums {
  const sums = new Map<string, Bucket>()
  for (const { place, sum } of buckets) {
    const key = keyOf(place)
    sums.set(key, { place, sum: sumOfUsage([sums.get(key)?.sum ?? emptySum(), sum]) })
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

const SCHEMA = 'svc_quota_monitor'
const OWN_ROWS = `FROM ${SCHEMA}.usage WHERE at_ms >= $1 AND at_ms < $2
  AND upstream_id IN (SELECT id FROM ${SCHEMA}.upstreams WHERE name = ANY ($3::text[]))`

export type MoveDatabase = ReturnType<typeof createMoveDatabase>

/** Target database of a move. A method that fails rejects with HistoryError. */
export function createMoveDatabase(session: Session, upstreams: readonly UpstreamName[]) {
  const sums = async (
    place: Pick<BucketPlace, 'tierSeconds'> & Partial<BucketPlace>,
    sql: string,
    values: readonly unknown[],
  ) => {
    const rows = await session.rows<Readonly<Record<string, number>>>(sql, values)
    return sumsOf(
      rows.map(({ grouping = 0, bucket_s: bucketS = 0, member_id: memberId = 0, ...row }) => ({
        place: { grouping, bucketS, memberId, ...place },
        sum: measuresOf(measureColumns.map((column) => row[column] ?? 0)),
      })),
    )
  }
  const startOf = (seconds: number) => `at_ms / ${seconds * 1000} * ${seconds} AS bucket_s`
  return {
    /** Sums of the moved proxies' single requests, by the hour. */
    hours: (fromMs: number, toMs: number) =>
      sums(HOUR, `SELECT ${startOf(HOUR_SECONDS)}, ${EXACT_SUMS} ${OWN_ROWS} GROUP BY 1`, [
        fromMs,
        toMs,
        upstreams,
      ]),
    buckets: (tierSeconds: number, fromMs: number, toMs: number) =>
      sums(
        { tierSeconds },
        `SELECT grouping, bucket_s, member_id, ${measureColumns.join(', ')}
         FROM ${SCHEMA}.rollup_${tierSeconds} WHERE grouping = ANY ($3::smallint[]) AND bucket_s >= $1 AND bucket_s < $2`,
        [fromMs / 1000, toMs / 1000, Object.values(allGroupings)],
      ),
    /** Stores sums of buckets of all widths, all or none. */
    async put(buckets: readonly Bucket[], onConflict: 'add' | 'larger'): Promise<void> {
      if (buckets.length > 0)
        await session.transaction('write', () => createRowWriter(session).put(buckets, onConflict))
    },
  }
}
