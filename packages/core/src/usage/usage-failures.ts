import type { ProviderId } from '../facts/provider.ts'
import { DAY_MS, type EpochMs, epochMs, type Interval } from '../facts/time.ts'
import type { FailureCause } from './failure-cause.ts'
import { failureClassOf } from './usage-counts.ts'
import {
  countOfStatus,
  type FailureStatus,
  failureStatuses,
  type UsageFilter,
} from './usage-question.ts'

/** Which failures are counted; the days are those of UTC that the time touches. */
export interface FailuresQuestion {
  readonly between: Interval
  readonly filter: Pick<UsageFilter, 'account' | 'provider' | 'upstream' | 'status'>
}

/** Failed requests of one cause. */
export interface CauseCount extends FailureCause {
  readonly provider: ProviderId
  readonly requests: number
  /** Number of accounts whose requests failed so. */
  readonly accounts: number
  /** Starts of the first and the last day with such a failure. */
  readonly firstDay: EpochMs
  readonly lastDay: EpochMs
}

/** Why requests failed, in whole days. */
export interface UsageFailures {
  readonly span: Interval
  /** Largest first. */
  readonly causes: readonly CauseCount[]
  readonly failed: number
  /** All requests of the days; null if no sums tell them. */
  readonly ofRequests: number | null
  /** Start of the first day of which causes are counted; null without any. */
  readonly since: EpochMs | null
}

/** The whole UTC days that a time touches. */
export function daysOf({ from, to }: Interval): Interval {
  return {
    from: epochMs(Math.floor(from / DAY_MS) * DAY_MS),
    to: epochMs(Math.ceil(to / DAY_MS) * DAY_MS),
  }
}

/** Class of a cause; null if its status is not known. */
export function statusClassOf({ status }: Pick<FailureCause, 'status'>): FailureStatus | null {
  const found = failureClassOf(status)
  return status === 0 ? null : (failureStatuses.find((one) => countOfStatus[one] === found) ?? null)
}

/** Causes of the classes that are asked for, largest first. */
export function rankFailures(
  causes: readonly CauseCount[],
  { status }: FailuresQuestion['filter'],
): Pick<UsageFailures, 'causes' | 'failed'> {
  const asked = causes.filter((cause) => {
    const found = statusClassOf(cause)
    return status === undefined || (found !== null && status.includes(found))
  })
  const order = ({ provider, status: number, code }: CauseCount) => `${provider} ${number} ${code}`
  const ranked = asked.toSorted(
    (one, other) => other.requests - one.requests || (order(one) < order(other) ? -1 : 1),
  )
  return { causes: ranked, failed: ranked.reduce((sum, { requests }) => sum + requests, 0) }
}
