import { type EpochMs, epochMs } from '../facts/time.ts'
import {
  dimensionsOf,
  isByResult,
  type UsageDimension,
  type UsageQuestion,
} from './usage-question.ts'
import { bucketWidths, coarserSpanOf, type UsageSpan } from './usage-span.ts'

/** Width of kept sums, and the time that a sum is kept after its end. */
export interface Tier {
  readonly seconds: number
  /** Infinity: no limit. */
  readonly keptSeconds: number
}

const DAY_SECONDS = 86_400

/**
 * Tiers, finest first; each width divides the next. For every range of a chart, including its first bucket, a tier still has all buckets, so
 * that no sum is computed from single rows: at 5,000 requests a second the last hour alone has 18 million.
 */
export const tiers: readonly Tier[] = [
  { seconds: 60, keptSeconds: 25 * 3600 },
  { seconds: 900, keptSeconds: 2 * DAY_SECONDS },
  { seconds: 7_200, keptSeconds: 33 * DAY_SECONDS },
  { seconds: DAY_SECONDS, keptSeconds: Number.POSITIVE_INFINITY },
]

/** Tiers of the total. Quarter hours are kept for more than a week, so that a weekly chart has hourly buckets. */
export const tiersOfTotal: readonly Tier[] = tiers.map((tier) =>
  tier.seconds === 900 ? { ...tier, keptSeconds: 8 * DAY_SECONDS } : tier,
)

/** Tiers of sums by rate. */
export const tiersOfRates: readonly Tier[] = tiers.filter(({ seconds }) => seconds >= 7_200)

/** Sums by rate, which is provider, proxy, model and all else that a price depends on: of each account, of each client, and of everything. */
const rateSums = ['account_rate', 'client_rate', 'total_rate'] as const
type RateSums = (typeof rateSums)[number]

/** Kept sums: of everything, of each dimension, and by rate. */
export type KeptSums = 'total' | UsageDimension | RateSums

/** Source of an answer: sums, or single requests. */
export type AnswerSource = KeptSums | 'rows'

/** Whether sums are by rate. */
export function isByRate(source: AnswerSource): source is RateSums {
  return rateSums.some((sums) => sums === source)
}

function tiersOf(sums: KeptSums): readonly Tier[] {
  if (sums === 'total') return tiersOfTotal
  return isByRate(sums) ? tiersOfRates : tiers
}

/** Maximum number of requests in the time of a question that is answered from single requests. */
export const QUESTION_REQUESTS_MAX = 1_000_000

/** State of a store at the moment of a question. */
export interface PlanFacts {
  readonly now: EpochMs
  /** Time before which single requests were deleted; null if none were. */
  readonly rowsSince: EpochMs | null
  /** Time before which there are no sums by rate; null if they begin with the history. */
  readonly pairsSince: EpochMs | null
  /** Number of all requests in the span. */
  readonly requests: number
  /** Whether the cost of a request depends on its account. */
  readonly isPricedByAccount?: boolean
}

/** Way to answer a question, exactly or not at all. */
export interface QuestionPlan {
  readonly source: AnswerSource
  /** Time and buckets of the answer. */
  readonly span: UsageSpan
  /** Whether the time was widened to whole sums, because the requests at its edges are gone. */
  readonly widened: boolean
  /** Whether the buckets are wider than those asked for. */
  readonly coarser: boolean
}

/** Reasons why nothing answers a question. */
export const planRefusals = ['rows_gone', 'too_many_requests'] as const
export type PlanRefusal = (typeof planRefusals)[number]

/** Chooses what answers a question over a span. See docs/rules.md#statistics. */
export function planUsage(
  question: UsageQuestion,
  span: UsageSpan,
  facts: PlanFacts,
): QuestionPlan | PlanRefusal {
  const byRow = (): QuestionPlan | PlanRefusal => {
    const { rowsSince, requests } = facts
    if (rowsSince !== null && span.from < rowsSince) return 'rows_gone'
    if (requests > QUESTION_REQUESTS_MAX) return 'too_many_requests'
    return { source: 'rows', span, widened: false, coarser: false }
  }
  const sums = sumsOf(question, facts)
  if (sums === null) return byRow()
  if (isByRate(sums) && facts.pairsSince !== null && span.from < facts.pairsSince) {
    const rows = byRow()
    // Sums of one dimension tell what has no price.
    const isTold = question.metric === 'cost' && dimensionsOf(question).size === 1
    if (typeof rows !== 'string' || !isTold) return rows
  }
  const fine = fromSums(sums, span, facts)
  if (fine !== null) return fine
  const rows = byRow()
  if (typeof rows !== 'string') return rows
  for (const seconds of bucketWidths) {
    if (seconds <= span.bucketSeconds) continue
    const coarse = fromSums(sums, coarserSpanOf(span, seconds), facts)
    if (coarse !== null) return { ...coarse, coarser: true }
  }
  return rows
}

/** Maximum number of members of a facet. */
const FACET_TOP = 20

/** A question's usage by another dimension, with what tells all of it over an answered span; null if nothing does. */
export function planFacet(
  { second: _second, compare: _compare, ...question }: UsageQuestion,
  group: UsageDimension,
  span: UsageSpan,
  facts: PlanFacts,
): { readonly question: UsageQuestion; readonly plan: QuestionPlan } | null {
  const facet = { ...question, group, top: FACET_TOP }
  // One sum of the whole time needs no fine buckets.
  const plan = planUsage(facet, coarserSpanOf(span, DAY_SECONDS), facts)
  return typeof plan === 'string' || plan.widened ? null : { question: facet, plan }
}

/** Sums that tell apart what a question asks about; null if only single requests do. */
function sumsOf(question: UsageQuestion, { isPricedByAccount }: PlanFacts): KeptSums | null {
  const { filter = {}, group, listed, metric } = question
  if (isByResult(filter)) return null
  const asked = dimensionsOf(question)
  if (metric === 'cost') return rateSumsOf(asked, isPricedByAccount)
  const isTotalAlone = group === 'total' && Object.keys(filter).length === 0
  if (isTotalAlone) return 'total'
  const [only, ...others] = asked
  if (only !== undefined && others.length === 0) return only
  // The list tells the provider of each account.
  if (
    listed !== undefined &&
    asked.size === 2 &&
    asked.has('account') &&
    asked.has('provider') &&
    question.second === undefined &&
    filter.account === undefined
  )
    return 'account'
  return rateSumsOf(asked)
}

/** Fewest sums by rate that tell these dimensions apart; null if none do. */
export function rateSumsOf(
  dimensions: ReadonlySet<UsageDimension>,
  isPricedByAccount = false,
): RateSums | null {
  const isOfClients = dimensions.has('client')
  if (dimensions.has('account') || isPricedByAccount) return isOfClients ? null : 'account_rate'
  return isOfClients ? 'client_rate' : 'total_rate'
}

/** The plan that reads sums, with the edges from single requests; null if the buckets are finer than what is kept. */
function fromSums(
  source: KeptSums,
  span: UsageSpan,
  { now, rowsSince }: PlanFacts,
): QuestionPlan | null {
  const finest = finestKept(source, span.from, now)
  if (span.bucketSeconds % finest.seconds !== 0) return null
  const tierMs = finest.seconds * 1000
  const isGone = (at: number) => rowsSince !== null && at < rowsSince
  const [fromDown, endDown] = [span.from, span.end].map(
    (at) => Math.floor(at / tierMs) * tierMs,
  ) as [number, number]
  const from = span.from > fromDown && isGone(span.from) ? fromDown : span.from
  const end = span.end > endDown && isGone(endDown) ? Math.min(now, endDown + tierMs) : span.end
  const widened = from !== span.from || end !== span.end
  if (!widened) return { source, span, widened, coarser: false }
  const wide = coarserSpanOf(
    { ...span, from: epochMs(from), end: epochMs(end) },
    span.bucketSeconds,
  )
  return { source, span: wide, widened, coarser: false }
}

/** The finest tier of which the sum at an instant is still kept. */
export function finestKept(source: KeptSums, at: EpochMs, now: EpochMs): Tier {
  const kept = tiersOf(source)
  const found = kept.find(({ seconds, keptSeconds }) => {
    const start = Math.floor(at / 1000 / seconds) * seconds
    return start + seconds > now / 1000 - keptSeconds
  })
  return found ?? (kept.at(-1) as Tier)
}

/** A stretch of a span, read from sums of one width, or from single requests if `seconds` is null; those of a negative sign are subtracted. */
export interface UsagePiece {
  readonly seconds: number | null
  readonly from: EpochMs
  readonly to: EpochMs
  readonly sign: 1 | -1
}

/** State of a store, and the width of buckets, at the moment of an answer. */
export interface PieceFacts {
  readonly now: EpochMs
  /** Width that no sum may exceed; null for the sum of the whole span. */
  readonly bucketSeconds: number | null
  /** Time before which sums by rate hold all requests, and from which they hold none; null if they hold all. */
  readonly ratesUntil: EpochMs | null
}

/** The pieces that add up to a span: wide sums inside, narrower ones towards the edges, and single requests for the rest. */
export function piecesOf(
  source: AnswerSource,
  { from, end }: Pick<UsageSpan, 'from' | 'end'>,
  { now, bucketSeconds, ratesUntil }: PieceFacts,
): readonly UsagePiece[] {
  const rows = (start: number, to: number, sign: 1 | -1 = 1): readonly UsagePiece[] =>
    start < to ? [{ seconds: null, from: epochMs(start), to: epochMs(to), sign }] : []
  if (source === 'rows') return rows(from, end)
  const kept = tiersOf(source)
  const finest = finestKept(source, from, now)
  const usable = kept.filter(
    ({ seconds }) =>
      seconds >= finest.seconds && (bucketSeconds === null || bucketSeconds % seconds === 0),
  )
  const [narrow] = usable
  if (narrow === undefined) return rows(from, end)
  const step = narrow.seconds * 1000
  const first = Math.ceil(from / step) * step
  const last = Math.floor(end / step) * step
  const heldTo = isByRate(source) && ratesUntil !== null ? ratesUntil : Number.POSITIVE_INFINITY
  // A sum that lasts beyond now has next to nothing to subtract, as only a proxy's fast clock dates requests later.
  const isOpen = last < end && last + step > now && first <= last
  const summedTo = heldTo <= end ? Math.ceil(heldTo / step) * step : isOpen ? last + step : last
  if (first >= summedTo) return rows(from, end)
  return [
    ...rows(from, first),
    ...runsOf(first, summedTo, usable),
    ...rows(end, Math.min(summedTo, heldTo), -1),
    ...rows(Math.min(summedTo, heldTo), end),
  ]
}

function runsOf(from: number, to: number, usable: readonly Tier[]): readonly UsagePiece[] {
  const [tier, wider] = usable
  if (tier === undefined || from >= to) return []
  const run = (start: number, end: number): readonly UsagePiece[] =>
    start < end ? [{ seconds: tier.seconds, from: epochMs(start), to: epochMs(end), sign: 1 }] : []
  if (wider === undefined) return run(from, to)
  const step = wider.seconds * 1000
  const [innerFrom, innerTo] = [Math.ceil(from / step) * step, Math.floor(to / step) * step]
  if (innerFrom >= innerTo) return run(from, to)
  return [
    ...run(from, innerFrom),
    ...runsOf(innerFrom, innerTo, usable.slice(1)),
    ...run(innerTo, to),
  ]
}
