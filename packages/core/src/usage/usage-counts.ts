import type { UsageMeasures } from '../facts/observation.ts'
import { addedCost, type Cost, noCost } from './usage-cost.ts'

/**
 * Tokens of one or several requests, by class of cost. Each token is in one class; reasoning is part of the output. Whole numbers, >= 0. If
 * the classes of some requests are unknown, the classes add up to less than all tokens.
 */
export interface TokenClasses {
  /** Input that was neither read from a cache nor written to one. */
  readonly tokensIn: number
  /** Input read from a cache. */
  readonly tokensCached: number
  /** Input written to a cache. */
  readonly tokensWritten: number
  readonly tokensOut: number
}

const REQUESTS_MIN = 5
/** Smallest failure ratio that counts as failing. See docs/rules.md#statistics. */
const FAILED_RATIO_MIN = 0.1

/** True if so many requests fail that an operator should look. */
export function isFailing({ requests, failed }: UsageMeasures): boolean {
  return requests >= REQUESTS_MIN && failed / requests >= FAILED_RATIO_MIN
}

/**
 * Failed requests by the answer they failed with. Whole numbers, >= 0. If the answers of some failures are unknown, the classes add up to less than all
 * failures.
 */
interface FailureClasses {
  /** 401 or 403. */
  readonly failedAuth: number
  /** 429. */
  readonly failedLimit: number
  /** 500 to 599. */
  readonly failedVendor: number
  readonly failedOther: number
}
/** Class of one failed request. */
export type FailureClass = keyof FailureClasses

/** Class of a failure with this HTTP status. */
export function failureClassOf(httpStatus: number): FailureClass {
  if (httpStatus === 401 || httpStatus === 403) return 'failedAuth'
  if (httpStatus === 429) return 'failedLimit'
  return httpStatus >= 500 && httpStatus <= 599 ? 'failedVendor' : 'failedOther'
}

/** All counts of usage that can be summed. */
export interface UsageCounts extends UsageMeasures, TokenClasses, FailureClasses {
  /** Left out where no question asks for it. */
  readonly cost?: Cost
}
/** A count that is a whole number. */
export type UsageCount = Exclude<keyof UsageCounts, 'cost'>
/** A mutable sum. */
export type UsageSum = { -readonly [Count in keyof UsageCounts]: UsageCounts[Count] }

const ZERO = {
  requests: 0,
  tokens: 0,
  failed: 0,
  tokensIn: 0,
  tokensCached: 0,
  tokensWritten: 0,
  tokensOut: 0,
  failedAuth: 0,
  failedLimit: 0,
  failedVendor: 0,
  failedOther: 0,
} satisfies UsageCounts
const countNames = Object.keys(ZERO) as readonly UsageCount[]

/** A sum of zeros. */
export function emptySum(): UsageSum {
  return { ...ZERO }
}

/** Usage whose token and failure classes are omitted if unknown. */
export type CountedUsage = UsageMeasures & Partial<UsageCounts>

/** Adds to a sum in place; no member exceeds the largest exact number. Written without a loop, because it runs six times for each stored request. */
export function addTo(sum: UsageSum, more: CountedUsage): void {
  sum.requests = exact(sum.requests + more.requests)
  sum.tokens = exact(sum.tokens + more.tokens)
  sum.failed = exact(sum.failed + more.failed)
  sum.tokensIn = exact(sum.tokensIn + (more.tokensIn ?? 0))
  sum.tokensCached = exact(sum.tokensCached + (more.tokensCached ?? 0))
  sum.tokensWritten = exact(sum.tokensWritten + (more.tokensWritten ?? 0))
  sum.tokensOut = exact(sum.tokensOut + (more.tokensOut ?? 0))
  sum.failedAuth = exact(sum.failedAuth + (more.failedAuth ?? 0))
  sum.failedLimit = exact(sum.failedLimit + (more.failedLimit ?? 0))
  sum.failedVendor = exact(sum.failedVendor + (more.failedVendor ?? 0))
  sum.failedOther = exact(sum.failedOther + (more.failedOther ?? 0))
  if (more.cost !== undefined) sum.cost = addedCost(sum.cost ?? noCost, more.cost)
}

function exact(count: number): number {
  return Math.min(count, Number.MAX_SAFE_INTEGER)
}

/** Adds up all given usage. */
export function sumOfUsage(all: Iterable<CountedUsage>): UsageCounts {
  const sum = emptySum()
  for (const one of all) addTo(sum, one)
  return sum
}

/** Counts of `whole` that are not in `part`; never below zero. */
export function restOf(whole: UsageCounts, part: UsageCounts): UsageCounts {
  const rest = emptySum()
  for (const name of countNames) rest[name] = Math.max(0, whole[name] - part[name])
  if (whole.cost !== undefined) rest.cost = addedCost(whole.cost, part.cost ?? noCost, -1)
  return rest
}

/** Cost of counts; without one, all of their tokens are unpriced. */
export function costIn({ cost, tokens }: Pick<UsageCounts, 'cost' | 'tokens'>): Cost {
  return cost ?? { ...noCost, unpricedTokens: tokens }
}

/** Each count times a factor, as a whole number, without a cost. */
export function scaled(counts: UsageCounts, factor: number): UsageCounts {
  const sum = emptySum()
  for (const name of countNames) sum[name] = Math.round(counts[name] * factor)
  return sum
}
