import { HOUR_MS } from '@svc/core'
import type { UpstreamName } from '@svc/core/service'
import type { BackupRow } from '../backup/format/backup-format.ts'
import { createNames, memberIdOf } from '../backup/postgres/import-names.ts'
import { putBuckets } from '../postgres/rollups.ts'
import { MEMBER_COLUMNS, SUMS_OF_ROWS } from '../postgres/row-columns.ts'
import type { Session } from '../postgres/session.ts'
import { storedText } from '../postgres/stored-text.ts'
import { measureColumns } from '../usage/measure-columns.ts'
import { groupings } from '../usage/tiers.ts'
import type { HourSums } from './move-file.ts'
import { groupingNames, measureNames, measuresOf, type NamedSum } from './moved-sums.ts'

/** Target database of a move. Every method rejects with HistoryError. */
export interface MoveDatabase {
  /** Sums of the rows of some proxies, by the hour. */
  hours(fromMs: number, toMs: number, upstreams: readonly UpstreamName[]): Promise<HourSums>
  /** Sums of one width of bucket. */
  sums(tierSeconds: number, fromMs: number, toMs: number): Promise<readonly NamedSum[]>
  /** Sums of the rows of some proxies, by buckets of one width. */
  sumsOfRows(
    tierSeconds: number,
    fromMs: number,
    toMs: number,
    upstreams: readonly UpstreamName[],
  ): Promise<readonly NamedSum[]>
  /** Stores sums of all widths, all or none. */
  put(
    sumsByTier: ReadonlyMap<number, readonly NamedSum[]>,
    onConflict: 'add' | 'larger',
  ): Promise<void>
}

const SCHEMA = 'svc_quota_monitor'
const MAX = Number.MAX_SAFE_INTEGER

type SumRow = Readonly<Record<string, string | number>>

/** The name of a member, and its instance. */
const MEMBER_NAME = `CASE s.grouping
    WHEN ${groupings.account} THEN (SELECT key FROM ${SCHEMA}.accounts WHERE id = s.member_id)
    WHEN ${groupings.model} THEN (SELECT name FROM ${SCHEMA}.models WHERE id = s.member_id)
    WHEN ${groupings.api} THEN (SELECT name FROM ${SCHEMA}.api_names WHERE id = s.member_id)
    WHEN ${groupings.upstream} THEN (SELECT name FROM ${SCHEMA}.upstreams WHERE id = s.member_id)
    WHEN ${groupings.provider} THEN (SELECT name FROM ${SCHEMA}.providers WHERE id = s.member_id)
    ELSE '' END AS member,
  CASE s.grouping WHEN ${groupings.account} THEN (SELECT instance FROM ${SCHEMA}.accounts WHERE id = s.member_id) ELSE '' END AS instance`

const EXACT_SUMS = measureColumns
  .map((column, index) => `least(${SUMS_OF_ROWS[index]}, ${MAX})::bigint AS ${column}`)
  .join(', ')
/** Each grouping with the column that names the member; the numbers of providers are shorter than the others. */
const MEMBERS = [...groupingNames]
  .map(([number, name]) => `(${number}, (${MEMBER_COLUMNS[name]})::int)`)
  .join(', ')

const OWN_ROWS = `FROM ${SCHEMA}.usage WHERE at_ms >= $1 AND at_ms < $2
  AND upstream_id IN (SELECT id FROM ${SCHEMA}.upstreams WHERE name = ANY ($3::text[]))`

export function createMoveDatabase(session: Session): MoveDatabase {
  const names = createNames(session)
  return {
    async hours(fromMs, toMs, upstreams) {
      const rows = await session.rows<SumRow>(
        `SELECT at_ms / ${HOUR_MS} * ${HOUR_MS} AS hour, count(*) AS requests, ${[
          'coalesce(sum(tokens), 0)',
          'count(*) FILTER (WHERE failed)',
          'coalesce(sum(tokens_in), 0)',
          'coalesce(sum(tokens_out), 0)',
        ]
          .map((sum, index) => `least(${sum}, ${MAX})::bigint AS sum_${index}`)
          .join(', ')} ${OWN_ROWS} GROUP BY 1`,
        [fromMs, toMs, upstreams],
      )
      return new Map(
        rows.map(({ hour, requests, sum_0, sum_1, sum_2, sum_3 }) => [
          Number(hour),
          [requests, sum_0, sum_1, sum_2, sum_3].join(' '),
        ]),
      )
    },
    async sums(tierSeconds, fromMs, toMs) {
      const rows = await session.rows<SumRow>(
        `SELECT s.grouping, s.bucket_s, ${measureColumns.map((column) => `s.${column}`).join(', ')}, ${MEMBER_NAME}
         FROM ${SCHEMA}.rollup_${tierSeconds} s WHERE s.grouping = ANY ($3::smallint[]) AND s.bucket_s >= $1 AND s.bucket_s < $2`,
        [fromMs / 1000, toMs / 1000, Object.values(groupings)],
      )
      return rows.flatMap(namedSum)
    },
    async sumsOfRows(tierSeconds, fromMs, toMs, upstreams) {
      const rows = await session.rows<SumRow>(
        `SELECT s.*, ${MEMBER_NAME} FROM (
           SELECT m.grouping, at_ms / ${tierSeconds * 1000} * ${tierSeconds} AS bucket_s, m.member_id, ${EXACT_SUMS}
           FROM (SELECT * ${OWN_ROWS}) AS own, LATERAL (VALUES ${MEMBERS}) AS m (grouping, member_id) GROUP BY 1, 2, 3) AS s`,
        [fromMs, toMs, upstreams],
      )
      return rows.flatMap(namedSum)
    },
    async put(sumsByTier, onConflict) {
      const sums = [...sumsByTier].flatMap(([tierSeconds, ofTier]) =>
        ofTier.map((sum) => ({ tierSeconds, sum, row: rowOf(sum) })),
      )
      if (sums.length === 0) return
      await names.learn(sums.map(({ row }) => ({ table: 'days', row, number: 0 })))
      const buckets = sums.map(({ tierSeconds, sum, row }) => ({
        place: {
          grouping: groupings[sum.grouping],
          tierSeconds,
          bucketS: sum.bucketS,
          memberId: memberIdOf(names, row),
        },
        sum: sum.measures,
      }))
      await session.transaction('write', () => putBuckets(session, buckets, onConflict))
    },
  }
}

function namedSum(row: SumRow): readonly NamedSum[] {
  const grouping = groupingNames.get(Number(row.grouping))
  if (grouping === undefined) return []
  const measures = measuresOf((name) =>
    Number(row[measureColumns[measureNames.indexOf(name)] ?? '']),
  )
  const [instance, member] = [String(row.instance), String(row.member)]
  return [{ grouping, bucketS: Number(row.bucket_s), instance, member, measures }]
}

/** The sum as a backup row, for any width of bucket. */
function rowOf({ grouping, bucketS, instance, member, measures }: NamedSum): BackupRow<'days'> {
  const { requests, tokens, failed, tokensIn, tokensCached, tokensWritten, tokensOut } = measures
  const place = [grouping, bucketS, storedText(instance), storedText(member)] as const
  return [...place, requests, tokens, failed, tokensIn, tokensCached, tokensWritten, tokensOut]
}
