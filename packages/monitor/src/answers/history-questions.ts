import { DAY_MS, type EpochMs, type Interval, instantToIso, type ProviderId } from '@svc/core'
import type { CourseQuery, WindowCourse } from '@svc/core/account'
import type { HealthHistory } from '@svc/core/health'
import type { AccountCost, PricesSeen, SubscriptionPrice } from '@svc/core/money'
import type { PoolCycles } from '@svc/core/pool'
import {
  costIn,
  type FailuresQuestion,
  noCost,
  QUESTION_REQUESTS_MAX,
  type QuestionRefused,
  type RequestsPage,
  type RequestsQuery,
  type UsageFailures,
  type UsageFilter,
  type UsageQuestion,
  type UsageRangeId,
  type UsageReader,
  type UsageRow,
  type UsageSeries,
  type UsageSummary,
} from '@svc/core/usage'
import {
  type AskedSpan,
  type Catalogue,
  healthHistoryView,
  type NoCourseReason,
  pricesView,
  quotaCourseView,
  type SeriesQuery,
  statsSeriesCsv,
  statsSeriesView,
  type UsagePageFormat,
  usageFailuresView,
  usageRowLines,
} from '@svc/views'
import { encodeJson, readyText } from './encode-json.ts'
import type { ReadyAnswer, Refusal } from './ready-answer.ts'
import { CSV_TYPE } from './response-headers.ts'

/** Usage by account, over the spans of a 24 h and a 7 d chart; ids are account keys. */
export interface UsageByAccount {
  /** Start of the kept usage; null if there is none yet. */
  readonly since: EpochMs | null
  readonly lastDay: readonly UsageRow[]
  readonly lastWeek: readonly UsageRow[]
  /** With their cost; null without prices, or where nothing tells it. */
  readonly priced: Readonly<Record<PricedSpan, readonly UsageRow[] | null>>
}

type PricedSpan = 'lastDay' | 'lastWeek' | 'lastMonth'

const BY_ACCOUNT = {
  group: 'total',
  metric: 'tokens',
  top: Number.POSITIVE_INFINITY,
} as const satisfies Omit<UsageQuestion, 'range'>

export async function usageByAccount(
  reader: Pick<UsageReader, 'series'>,
  now: EpochMs,
): Promise<UsageByAccount> {
  // What is stored meanwhile may be in the week alone, never in the day alone.
  const day = await reader.series({ ...BY_ACCOUNT, range: '24h' }, now)
  const week = await reader.series({ ...BY_ACCOUNT, range: '7d' }, now)
  const pricedIn = async (span: Pick<UsageQuestion, 'range' | 'between'>) => {
    if (!week.isPriced) return null
    // In wide buckets, which sums tell.
    const { breakdown, refused } = await reader.series(
      { ...BY_ACCOUNT, ...span, metric: 'cost', bucket: '1d' },
      now,
    )
    return refused === null ? breakdown.rows : null
  }
  const spanOf = ({ span: { from, end } }: UsageSeries) => ({
    range: 'custom' as const,
    between: { from, to: end },
  })
  return {
    since: week.coverage.since,
    lastDay: day.breakdown.rows,
    lastWeek: week.breakdown.rows,
    priced: {
      lastDay: await pricedIn(spanOf(day)),
      lastWeek: await pricedIn(spanOf(week)),
      lastMonth: await pricedIn({ range: '30d' }),
    },
  }
}

/** What an account used in the last 30 days, and what subscriptions cost. */
export interface AccountWorth {
  readonly used: Pick<AccountCost, 'cost' | 'tokens' | 'coverage' | 'daysSeen'>
  readonly subscriptions: readonly SubscriptionPrice[]
}

/** `course`: of the account's last 30 days. Null without prices. */
export async function accountWorth(
  reader: Pick<UsageReader, 'series'>,
  accountKey: string,
  {
    course,
    subscriptions,
  }: {
    readonly course: readonly WindowCourse[] | null
    readonly subscriptions: readonly SubscriptionPrice[]
  },
  now: EpochMs,
): Promise<AccountWorth | null> {
  const { totals, isPriced, refused, coverage } = await reader.series(
    {
      ...{ range: '30d', bucket: '1d', group: 'account', metric: 'cost', top: 1 },
      filter: { account: [accountKey] },
    },
    now,
  )
  if (!isPriced || refused !== null) return null
  const { tokens, cost = noCost } = totals
  const { percent } = coverage
  const readAt = (course ?? []).flatMap(({ points: [first] }) => first?.at ?? [])
  const daysSeen = readAt.length === 0 ? 0 : (now - Math.min(...readAt)) / DAY_MS
  const used = { cost, tokens, coverage: percent === null ? null : percent / 100, daysSeen }
  return { used, subscriptions }
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

/** Encodes a history of health in one synchronous step; `history`: the states, or the reason for their absence. */
export function encodeHealthHistory(
  history: HealthHistory | NoCourseReason,
  now: EpochMs,
): ReadyAnswer {
  return encodeJson(healthHistoryView(history, now))
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

/** Encodes the causes of failures; `failures`: the counts, or the reason for their absence. */
export function encodeFailures(
  failures: UsageFailures | NoCourseReason,
  words: Catalogue,
): ReadyAnswer {
  return encodeJson(usageFailuresView(failures, words))
}

/** Encodes the prices of the models; `seen`: the models, or the reason for their absence. */
export function encodePrices(seen: PricesSeen | NoCourseReason, words: Catalogue): ReadyAnswer {
  return encodeJson(pricesView(seen, words))
}

/** Formats and encodes a course in one synchronous step; `course`: the windows, or the reason for their absence. */
export function encodeCourse(
  course: readonly WindowCourse[] | NoCourseReason,
  query: CourseQuery,
  asked: { readonly now: EpochMs; readonly words: Catalogue },
): ReadyAnswer {
  return encodeJson(quotaCourseView(course, query, asked))
}

/** Download, or page, of single requests. */
export interface RowsRequest {
  readonly range: UsageRangeId | 'custom'
  /** Null unless the range is `custom`. */
  readonly between: AskedSpan | null
  readonly format: UsagePageFormat
  readonly filter: UsageFilter
  /** Most requests of a part. */
  readonly limit: number
}

/** Rest of a download: the requests since `from` that come before the cursor `before`. */
export type RowsLeft = Pick<RequestsQuery, 'from' | 'before'>

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
  { format, filter, limit }: RowsRequest,
  { from, before }: RowsLeft,
): Promise<RowsPart> {
  const isFiltered = Object.keys(filter).length > 0
  const asked = { from, before, limit, ...(isFiltered ? { filter } : {}) }
  const { requests, next, ...rest } = await reader.requests(asked)
  return {
    ...rest,
    bytes: new TextEncoder().encode(usageRowLines(requests, format)),
    left: next === null ? null : { from, before: next },
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
  accountWorth(accountKey: string, now: EpochMs): Promise<AccountWorth | null>
  failures(question: FailuresQuestion, now: EpochMs): Promise<ReadyAnswer>
  prices(now: EpochMs): Promise<ReadyAnswer>
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
  accountWorth: true,
  failures: true,
  prices: true,
  rows: true,
  summary: true,
  unpricedShare: true,
}
