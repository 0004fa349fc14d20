import { DAY_MS, type EpochMs, epochMs, type Interval } from '@svc/core'
import type { CauseCount } from '@svc/core/usage'
import { type Column, type SQL, sql } from 'drizzle-orm'
import type { RowFilter } from '../usage/usage-queries.ts'
import { type Connection, onlyValue } from './connection.ts'

/** Failed requests by cause in whole days, unordered. */
export async function readFailures(
  { tables: { causes, failureCauses: counts, providers }, rows }: Connection,
  { from, to }: Interval,
  { members }: RowFilter,
): Promise<readonly CauseCount[]> {
  const columns: Readonly<Record<string, Column>> = {
    account: counts.accountId,
    provider: counts.providerId,
    upstream: counts.upstreamId,
  }
  const conditions = members.flatMap(({ grouping, ids }): readonly SQL[] => {
    const column = columns[grouping]
    if (column === undefined) return []
    return [ids.length === 0 ? sql`1 = 0` : sql`${column} IN ${ids}`]
  })
  const days = sql`${counts.day} >= ${from / DAY_MS} AND ${counts.day} < ${to / DAY_MS}`
  type CauseRow = Omit<CauseCount, 'firstDay' | 'lastDay'> & { first: number; last: number }
  const found = await rows<CauseRow>(sql`
    SELECT ${providers.name} AS provider, ${causes.status}, ${causes.code}, CAST(sum(${counts.requests}) AS bigint) AS requests,
      count(DISTINCT ${counts.accountId}) AS accounts, min(${counts.day}) AS first, max(${counts.day}) AS last
    FROM ${counts} JOIN ${causes} ON ${causes.id} = ${counts.causeId} JOIN ${providers} ON ${providers.id} = ${causes.providerId}
    WHERE ${sql.join([days, ...conditions], sql` AND `)} GROUP BY ${providers.name}, ${causes.status}, ${causes.code}`)
  return found.map(({ first, last, ...count }) => ({
    ...count,
    firstDay: epochMs(first * DAY_MS),
    lastDay: epochMs(last * DAY_MS),
  }))
}

/** Start of the first day of which causes are counted; null without any. */
export async function failuresSince(db: Connection): Promise<EpochMs | null> {
  const { failureCauses: counts } = db.tables
  const day = await onlyValue(db, sql`SELECT min(${counts.day}) AS value FROM ${counts}`)
  return day === null ? null : epochMs(day * DAY_MS)
}
