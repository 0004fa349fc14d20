import { DAY_MS, type EpochMs, type Interval, instantToIso, type ProviderId } from '@svc/core'
import type { CourseQuery } from '@svc/core/account'
import {
  type AccountPlan,
  dayOf,
  type PaidBack,
  paidBackOf,
  type SubscriptionPrice,
} from '@svc/core/money'
import type { PoolCycles } from '@svc/core/pool'
import {
  costIn,
  emptySum,
  type FailuresQuestion,
  noCost,
  QUESTION_REQUESTS_MAX,
  type QuestionRefused,
  type RequestsPage,
  type RowsLeft,
  type UsageFilter,
  type UsageMetric,
  type UsageRangeId,
  type UsageReader,
  type UsageRow,
  type UsageSeries,
  type UsageSummary,
  usageSpanOf,
} from '@svc/core/usage'
import {
  type AskedSpan,
  type Catalogue,
  type SeriesQuery,
  statsSeriesCsv,
  statsSeriesView,
  type UsagePageFormat,
  usageRowLines,
} from '@svc/views'
import { encodeJson, readyText } from './encode-json.ts'
import type { ReadyAnswer, Refusal } from './ready-answer.ts'
import { CSV_TYPE } from './response-headers.ts'

/** Usage of a span by account; ids are account keys. */
interface AccountRows extends Pick<UsageSeries, 'coverage'> {
  readonly rows: readonly UsageRow[]
  /** Whether the rows tell their cost. */
  readonly isPriced: boolean
}

/** Usage by account, over the spans of a 24 h, a 7 d and a 30 d chart, and what subscriptions cost. */
export interface UsageByAccount {
  /** Start of the kept usage; null if there is none yet. */
  readonly since: EpochMs | null
  readonly lastDay: AccountRows
  readonly lastWeek: AccountRows
  /** Null without prices, or if the cost is unknown. */
  readonly lastMonth: AccountRows | null
  /** Time of the first reading of each account, by its key. */
  readonly firstRead: ReadonlyMap<string, EpochMs>
  readonly subscriptions: readonly SubscriptionPrice[]
}

export async function usageByAccount(
  reader: Pick<UsageReader, 'series'> & { firstRead(): Promise<UsageByAccount['firstRead']> },
  subscriptions: readonly SubscriptionPrice[],
  now: EpochMs,
): Promise<UsageByAccount> {
  const read = (range: UsageRangeId, metric: UsageMetric): Promise<UsageSeries> => {
    const { from, end: to } = usageSpanOf(range, now, null)
    const asked = { range: 'custom', group: 'total', top: Number.POSITIVE_INFINITY } as const
    // In wide buckets, which sums tell.
    return reader.series({ ...asked, between: { from, to }, bucket: '1d', metric }, now)
  }
  const rowsOf = ({ breakdown: { rows }, coverage }: UsageSeries, isPriced = false) => {
    return { rows, coverage, isPriced }
  }
  // What is stored meanwhile may be in the week alone, never in the day alone.
  const day = await read('24h', 'tokens')
  const priced = async (range: UsageRangeId) => {
    const series = day.isPriced ? await read(range, 'cost') : null
    return series === null || series.refused !== null ? null : rowsOf(series, true)
  }
  return {
    since: day.coverage.since,
    lastDay: (await priced('24h')) ?? rowsOf(day),
    lastWeek: (await priced('7d')) ?? rowsOf(await read('7d', 'tokens')),
    lastMonth: await priced('30d'),
    firstRead: await reader.firstRead(),
    subscriptions,
  }
}

/** Worth of the subscriptions of these accounts; null without any, and without prices. */
export function worthOf(
  accounts: readonly AccountPlan[],
  { lastMonth, firstRead, subscriptions }: UsageByAccount,
  now: EpochMs,
): PaidBack | null {
  if (lastMonth === null) return null
  const { percent } = lastMonth.coverage
  const coverage = percent === null ? null : percent / 100
  const used = new Map(lastMonth.rows.map((row) => [row.id, row]))
  const costs = accounts.map((one) => {
    const { cost = noCost, tokens } = used.get(one.account) ?? emptySum()
    const daysSeen = (now - (firstRead.get(one.account) ?? now)) / DAY_MS
    return { ...one, cost, tokens, coverage, daysSeen }
  })
  return paidBackOf(costs, subscriptions, dayOf(now))
}

/** Part of the tokens of the last 7 days that have no price, 0..1; null without prices or tokens. */
export async function unpricedShare(
  reader: Pick<UsageReader, 'series'>,
  now: EpochMs,
): Promise<number | null> {
  const { totals, isPriced, refused } = await reader.series(
    { range: '7d', bucket: '1d', group: 'total', metric: 'cost', top: 1 },
    now,
  )
  if (!isPriced || refused !== null || totals.tokens === 0) return null
  return costIn(totals).unpricedTokens / totals.tokens
}

export interface SeriesRequest {
  readonly query: SeriesQuery
  /** Null unless the range is `custom`. */
  readonly between: AskedSpan | null
  readonly format: 'json' | 'csv'
  /** One sentence for each replaced or ignored parameter; never quotes a value. */
  readonly warnings: readonly string[]
}

/** Formats and encodes a chart in one synchronous step of some milliseconds, or says why there is none; `series` is null without a history. */
export function encodeChart(
  series: UsageSeries | null,
  { query, format, warnings }: SeriesRequest,
  words: Catalogue,
): ReadyAnswer | Refusal {
  if (series !== null && series.refused !== null) return refusalOf(series.refused)
  const view = statsSeriesView(series, query, { warnings, words })
  return format === 'json' ? encodeJson(view) : readyText(statsSeriesCsv(view), CSV_TYPE)
}

/** Error of a question that nothing answers. */
function refusalOf({ reason, requests, rowsSince, longestFrom }: QuestionRefused): Refusal {
  const iso = (at: EpochMs | null) => (at === null ? null : instantToIso(at))
  const details = { requests, limit: QUESTION_REQUESTS_MAX, longestFrom: iso(longestFrom) }
  return {
    refusal: {
      slug: reason,
      details:
        reason === 'rows_gone'
          ? { rowsSince: iso(rowsSince), longestFrom: iso(longestFrom) }
          : details,
    },
  }
}

/** Failures that are asked about; `between` is null for the last days. */
export interface FailuresRequest extends Pick<FailuresQuestion, 'filter'> {
  readonly between: AskedSpan | null
}

/** Windows that are asked about; `between` is null for the last 30 days. */
export interface WindowsRequest {
  readonly filter: UsageFilter
  readonly between: AskedSpan | null
  /** Providers that are named; of the accounts if omitted. */
  readonly providers?: readonly ProviderId[] | undefined
  /** One sentence for each ignored parameter. */
  readonly warnings: readonly string[]
}

/** Download, or page, of single requests. */
export interface RowsRequest {
  readonly range: UsageRangeId | 'custom'
  /** Null unless the range is `custom`. */
  readonly between: AskedSpan | null
  readonly format: UsagePageFormat
  readonly filter: UsageFilter
  /** Maximum number of requests of a part. */
  readonly limit: number
}

/** Part of a download; has no lines if none of the requests it read was wanted. */
export interface RowsPart extends Pick<RequestsPage, 'rowsSince' | 'unknownIds'> {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Null after the last part. */
  readonly left: RowsLeft | null
}

/** Requests in each part of a download; few, so that a part delays a waiting chart by only some milliseconds. */
export const REQUESTS_PER_PART = 500

export async function encodeRows(
  reader: Pick<UsageReader, 'requests'>,
  request: RowsRequest,
  left: RowsLeft,
): Promise<RowsPart> {
  const { requests, next, ...rest } = await reader.requests(request, left)
  return {
    ...rest,
    bytes: new TextEncoder().encode(usageRowLines(requests, request.format)),
    left: next === null ? null : { ...left, before: next },
  }
}

/**
 * Questions to the history of the store or of the sample. The thread with the readings encodes answers that readers get unchanged. Each rejects with
 * ReaderBusy, or with any other error if the history cannot be read.
 */
export interface HistoryQuestions {
  chart(request: SeriesRequest, now: EpochMs): Promise<ReadyAnswer | Refusal>
  /** Null if the history has no reading of the account. */
  course(query: CourseQuery, now: EpochMs): Promise<ReadyAnswer | null>
  health(now: EpochMs, provider: ProviderId): Promise<ReadyAnswer>
  /** Past windows of these accounts; `weights`: Plus units of a full window, by account key. */
  cycles(weights: ReadonlyMap<string, number>, span: Interval): Promise<PoolCycles>
  accountUsage(now: EpochMs): Promise<UsageByAccount>
  failures(question: FailuresQuestion, now: EpochMs): Promise<ReadyAnswer>
  /** `accounts`: whose subscriptions are added up. */
  prices(accounts: readonly AccountPlan[], now: EpochMs): Promise<ReadyAnswer>
  rows(request: RowsRequest, left: RowsLeft): Promise<RowsPart>
  summary(now: EpochMs): Promise<UsageSummary>
  unpricedShare(now: EpochMs): Promise<number | null>
}

/** Names of the questions, for a channel. */
export const historyQuestions: Readonly<Record<keyof HistoryQuestions, true>> = {
  chart: true,
  course: true,
  health: true,
  cycles: true,
  accountUsage: true,
  failures: true,
  prices: true,
  rows: true,
  summary: true,
  unpricedShare: true,
}
