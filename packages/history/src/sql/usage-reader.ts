import { type EpochMs, epochMs, type Interval, mainWindows } from '@svc/core'
import type { CourseMoment, CourseQuery } from '@svc/core/account'
import {
  type HealthHistory,
  type HealthMoment,
  healthHistoryOf,
  healthSpanOf,
  QUARTER_MS,
  type QuarterShares,
} from '@svc/core/health'
import type { PriceSettings } from '@svc/core/money'
import { UNKNOWN_SHARE_MAX, windowNameOf } from '@svc/core/pool'
import {
  daysOf,
  type FailuresQuestion,
  rankFailures,
  type UsageFailures,
  type UsageReader,
} from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import { CHANGES_MAX } from '../pool/quota-rows.ts'
import { pricesSeen } from '../usage/priced-usage.ts'
import { rowFilterOf, storedSeries, storedSummary } from '../usage/stored-usage.ts'
import type { UsageQueries, UsageTables } from '../usage/usage-queries.ts'
import type { Connection } from './connection.ts'
import { readCourse, readFirstRead, readPoolCycles, readUnwatched } from './course-reader.ts'
import { failuresSince, readFailures } from './failure-reader.ts'
import { quotaReads } from './quota-store.ts'
import { type AnswerSettings, usageTables } from './usage-tables.ts'

/** A connection for reading, with the queries that differ by engine. */
interface ReadConnection {
  readonly db: Connection
  readonly queries: UsageQueries
  readonly measured: UsageTables['measured']
}

export type StoredUsage = ReturnType<typeof createUsageReader>

/**
 * Reads usage, quota courses and the pool's health over connections that each serve one answer at a time, and never writes. Each answer reflects one
 * moment. Every method rejects with HistoryError.
 */
export function createUsageReader(
  use: <Answer>(read: (connection: ReadConnection) => Promise<Answer>) => Promise<Answer>,
  retentionDays: number,
  close: () => Promise<void>,
) {
  let settings: AnswerSettings = {
    labels: new Map(),
    prices: { own: { rates: [], multipliers: [] }, refused: new Map() },
  }
  const atOneMoment = <Answer>(read: (db: Connection) => Promise<Answer>) =>
    use(({ db }) => db.transaction('read', () => read(db)))
  const ofTables = <Answer>(read: (tables: UsageTables, db: Connection) => Promise<Answer>) =>
    use(({ db, queries, measured }) =>
      db.transaction('read', async () =>
        read(await usageTables(db, settings, { ...queries, measured }), db),
      ),
    )
  const usage: UsageReader = {
    series: (query, now) => ofTables((tables) => storedSeries(tables, query, now)),
    summary: (now) =>
      ofTables(async (tables) => {
        const { history, ...recent } = await storedSummary(tables, now)
        return { ...recent, history: { ...history, retentionDays } }
      }),
    requests: (question, left) => ofTables((tables) => tables.requests(question, left)),
    failures: (question, now) =>
      ofTables((tables, db) => storedFailures(tables, db, question, now)),
  }
  return {
    ...usage,
    /** One course for each main window; null if the store has no reading of the account. */
    course: (query: CourseQuery, moment: CourseMoment) =>
      atOneMoment((db) => readCourse(db, query, moment)),
    /** Time of the first reading of each account, by its key, as far as readings are kept. */
    firstRead: () => atOneMoment(readFirstRead),
    health: (moment: HealthMoment) => atOneMoment((db) => readHealthHistory(db, moment)),
    /**
     * The windows of these accounts in a span that ends now or earlier; `weights`: Plus units of a full window, by account key. A hundred accounts
     * take as long as a slow chart, so split the accounts of a large pool over several calls.
     */
    cycles: (weights: ReadonlyMap<string, number>, span: Interval, silentMsMax: number) =>
      atOneMoment((db) => readPoolCycles(db, weights, span, silentMsMax)),
    useLabels(labels: ReadonlyMap<string, string>): void {
      settings = { ...settings, labels }
    },
    usePrices(prices: PriceSettings): void {
      settings = { ...settings, prices }
    },
    /** Models of the last 30 days with their prices. */
    prices: (now: EpochMs) => ofTables((tables) => pricesSeen(tables, now)),
    close,
  }
}

/** Why requests failed, in the whole days of a time. */
async function storedFailures(
  tables: UsageTables,
  db: Connection,
  { between, filter }: FailuresQuestion,
  now: EpochMs,
): Promise<UsageFailures> {
  const span = daysOf(between)
  const { status: _, ...members } = filter
  const until = epochMs(Math.min(now, span.to))
  const all = await storedSeries(
    tables,
    {
      range: 'custom',
      between: { from: span.from, to: until },
      bucket: '1d',
      group: 'total',
      metric: 'requests',
      top: 1,
      filter: members,
    },
    now,
  )
  const counts = await readFailures(db, span, await rowFilterOf(tables, members))
  return {
    span: { from: span.from, to: until },
    ...rankFailures(counts, filter),
    ofRequests: all.refused === null ? all.totals.requests : null,
    since: await failuresSince(db),
  }
}

/** Reads the pool's state in quarter-hours. Call inside a transaction. */
async function readHealthHistory(
  db: Connection,
  { now, silentMsMax, provider }: HealthMoment,
): Promise<HealthHistory> {
  const span = healthSpanOf(now)
  const unwatched = await readUnwatched(db, span, silentMsMax)
  const windows: (readonly QuarterShares[])[] = []
  for (const { id: windowId } of mainWindows)
    windows.push(await readShares(db, windowNameOf({ provider, windowId }), span, silentMsMax))
  const changes = await quotaReads(db).changes(CHANGES_MAX)
  const oldest = changes.length < CHANGES_MAX ? null : (changes.at(-1)?.at ?? null)
  const changesSince = oldest !== null && oldest > span.from ? oldest : null
  return healthHistoryOf({ windows, unwatched, changes, changesSince }, span)
}

/** Computes shares in the database, because there may be a point per second. Also covers the point in effect at the start of the span. */
async function readShares(
  { tables: { capacityPoints }, rows }: Connection,
  name: string,
  { from, to }: Interval,
  silentMsMax: number,
): Promise<readonly QuarterShares[]> {
  const { atMs, windowId, knownUnits, trackedUnits, unknownUnits } = capacityPoints
  const share = sql`CASE WHEN ${unknownUnits} <= ${UNKNOWN_SHARE_MAX} * ${trackedUnits} THEN ${knownUnits} / nullif(${trackedUnits}, 0) END`
  const found = await rows<{ quarter: number; lowest: number | null; last: number | null }>(
    sql`SELECT quarter, lowest, ${share} AS "last" FROM (
         SELECT ${atMs} / CAST(${QUARTER_MS} AS bigint) AS quarter, min(${share}) AS lowest, max(${atMs}) AS last_at_ms
         FROM ${capacityPoints}
         WHERE ${windowId} = ${name} AND ${atMs} >= ${from - silentMsMax} AND ${atMs} <= ${to} GROUP BY 1) AS quarters
       JOIN ${capacityPoints} ON ${windowId} = ${name} AND ${atMs} = last_at_ms ORDER BY quarter`,
  )
  return found.map(({ quarter, lowest, last }) => ({
    at: epochMs(quarter * QUARTER_MS),
    lowest,
    last,
  }))
}
