import type { Account } from '../facts/account.ts'
import {
  type AccountEvidence,
  allSamplesOf,
  type ProbeFailure,
  type QuotaClass,
} from '../facts/account-evidence.ts'
import { capacityWeightOf, type PlanKind } from '../facts/plan.ts'
import { type ProviderId, providerRowOf } from '../facts/provider.ts'
import { type EpochMs, plusMs } from '../facts/time.ts'
import { FIVE_HOUR, isMainWindow } from '../facts/window.ts'
import { planOf } from './account-plan.ts'
import { type AccountState, accountStateOf } from './blocked-reasons.ts'
import { limitMessageOf } from './lasting-verdict.ts'
import { mergeEvidence, newestDirectSample } from './merge-evidence.ts'
import { percentOf, type QuotaWindow, resetAtOf, windowOf } from './quota-window.ts'
import { RECLAIM_PERCENT_MIN, RECLAIM_RESET_SECONDS_MAX } from './reclaim-window.ts'

export interface ProbeSchedule {
  readonly quotaClass: QuotaClass
  /** Seconds from the last query to the next, without jitter; a never-queried account is due at once. Infinity for class `none`. */
  readonly intervalSeconds: number
}

/** See docs/rules.md#quota-query-schedule. */
const PRIMARY_SECONDS_MIN = 5 * 60
const DISCOVERY_SECONDS = 6 * 3600
const EDGE_SECONDS = 60
/** Ratio of query rates in a pool too large for the usual interval: accounts near an edge are queried this many times as often as the rest. */
const EDGE_FACTOR = 5
/** Seconds between two queries of an account that is blocked without a known end. */
export const BLOCKED_PROBE_SECONDS = 5 * 60
const AUTH_INVALID_SECONDS = 30 * 60
const FAILURE_SECONDS_MIN = 60
const FAILURE_SECONDS_MAX = 30 * 60
/** Time before a reset or retry from which it counts as passed. */
const IMMINENT_SECONDS = 2 * 60
/** Distance to a reset, or to the reclaim threshold, below which an account is queried more often. */
const NEAR_EDGE_SECONDS = 5 * 60
const NEAR_EDGE_PERCENT = 2

/** Seconds between two direct queries of one account in a pool of this size, within its vendor's budget. A sample is stale after three intervals. */
export function plannedIntervalSeconds(
  { quotaClass, provider }: { readonly quotaClass: QuotaClass; readonly provider: ProviderId },
  poolSize: number,
  quotaProbesPerMinute: number,
): number {
  if (quotaClass === 'discovery') return DISCOVERY_SECONDS
  const { queriesApartSeconds } = providerRowOf(provider)
  return Math.max(PRIMARY_SECONDS_MIN, queriesApartSeconds, (poolSize / quotaProbesPerMinute) * 60)
}

/** The class of an account and its query interval. `evidence` is null if it was never queried. */
export function probeScheduleOf(
  account: Account,
  evidence: AccountEvidence | null,
  now: EpochMs,
): ProbeSchedule {
  const windows = mergeEvidence(allSamplesOf(evidence), limitMessageOf(account, evidence, now), {
    now,
    plannedIntervalSeconds: evidence?.plannedIntervalSeconds ?? 0,
  })
  const state = accountStateOf(account, evidence, windows, now)
  return scheduleFromState({
    account,
    evidence,
    windows,
    state,
    plan: planOf(account, evidence),
    now,
  })
}

export interface ScheduledAccount {
  readonly account: Account
  readonly evidence: AccountEvidence | null
  readonly windows: readonly QuotaWindow[]
  readonly state: AccountState
  readonly plan: PlanKind
  readonly now: EpochMs
}

/** Query schedule of an account whose state is already known. No interval is shorter than the vendor's budget allows. */
export function scheduleFromState(scheduled: ScheduledAccount): ProbeSchedule {
  const schedule = usualSchedule(scheduled)
  const { queriesApartSeconds } = providerRowOf(scheduled.account.provider)
  return schedule.intervalSeconds >= queriesApartSeconds
    ? schedule
    : { ...schedule, intervalSeconds: queriesApartSeconds }
}

function usualSchedule(scheduled: ScheduledAccount): ProbeSchedule {
  const { account, evidence, windows, state, plan, now } = scheduled
  if (state.blockedReasons.includes('operator_disabled'))
    return { quotaClass: 'none', intervalSeconds: Number.POSITIVE_INFINITY }

  const recovery = (intervalSeconds: number): ProbeSchedule => ({
    quotaClass: 'recovery',
    intervalSeconds,
  })
  if (state.blockedReasons.includes('auth_invalid')) return recovery(AUTH_INVALID_SECONDS)
  const sample = newestDirectSample(allSamplesOf(evidence))
  const failure = evidence?.probeFailure ?? null
  // A query through another proxy may have succeeded since.
  if (failure !== null && (sample === null || sample.sampledAt <= failure.at))
    return recovery(secondsAfterFailure(failure))
  if (evidence === null || sample === null)
    return { quotaClass: 'discovery', intervalSeconds: DISCOVERY_SECONDS }

  const edgeSeconds = Math.max(EDGE_SECONDS, evidence.plannedIntervalSeconds / EDGE_FACTOR)
  if (becameFreeAfter(sample.sampledAt, scheduled) || isImminent(state.status.until, now))
    return recovery(edgeSeconds)
  if (state.blockedReasons.length > 0 && state.status.until === null)
    return recovery(BLOCKED_PROBE_SECONDS)
  if (capacityWeightOf({ provider: account.provider, plan }) === 0)
    return { quotaClass: 'discovery', intervalSeconds: DISCOVERY_SECONDS }
  return {
    quotaClass: 'primary',
    intervalSeconds: isNearEdge(windows, now) ? edgeSeconds : evidence.plannedIntervalSeconds,
  }
}

/**
 * Seconds from a failed query to the next, doubled with each consecutive failure. A 429 (`throttled`) is treated like any other failure; the
 * collector honours a longer Retry-After.
 */
function secondsAfterFailure({ inARow }: ProbeFailure): number {
  return Math.min(FAILURE_SECONDS_MAX, FAILURE_SECONDS_MIN * 2 ** (inARow - 1))
}

/** True if a reset or retry time has passed since the last direct query. */
function becameFreeAfter(sampledAt: EpochMs, { account, windows, now }: ScheduledAccount): boolean {
  const main = windows.filter((window) => isMainWindow(window.id))
  const passed = [
    account.nextRetryAt,
    ...main.map((window) => (window.state === 'known' ? window.rolledOverAt : null)),
  ]
  return passed.some((at) => at !== null && at <= now && at > sampledAt)
}

function isImminent(until: EpochMs | null, now: EpochMs): boolean {
  return until !== null && until <= plusMs(now, IMMINENT_SECONDS * 1000)
}

function isNearEdge(windows: readonly QuotaWindow[], now: EpochMs): boolean {
  const soon = plusMs(now, NEAR_EDGE_SECONDS * 1000)
  const nearReset = windows.some((window) => {
    const resetAt = resetAtOf(window)
    return isMainWindow(window.id) && resetAt !== null && resetAt <= soon
  })
  return nearReset || isNearReclaim(windowOf(windows, FIVE_HOUR), now)
}

/** True if the 5h window will soon become, or cease to be, worth reclaiming. */
function isNearReclaim(fiveHour: QuotaWindow, now: EpochMs): boolean {
  const percent = percentOf(fiveHour)
  const resetAt = resetAtOf(fiveHour)
  if (percent === null || resetAt === null || percent < RECLAIM_PERCENT_MIN - NEAR_EDGE_PERCENT)
    return false
  const secondsPastThreshold = RECLAIM_RESET_SECONDS_MAX - (resetAt - now) / 1000
  if (Math.abs(secondsPastThreshold) <= NEAR_EDGE_SECONDS) return true
  return secondsPastThreshold > 0 && percent <= RECLAIM_PERCENT_MIN + NEAR_EDGE_PERCENT
}
