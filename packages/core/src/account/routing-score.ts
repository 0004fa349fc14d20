import { capacityWeightOf, largestWeightOf, type PlanKind } from '../facts/plan.ts'
import { ASSUMED_PROVIDER, type ProviderId, providerRowOf } from '../facts/provider.ts'
import type { EpochMs } from '../facts/time.ts'
import {
  FIVE_HOUR,
  FIVE_HOUR_SECONDS,
  isMainWindow,
  type MainWindowId,
  meteringWindows,
  type PerWindow,
  perWindow,
  WEEK,
  WEEK_SECONDS,
  type WindowId,
} from '../facts/window.ts'
import {
  type MeteredQuota,
  meteredQuotasOf,
  meteringWindowOf,
  type WeeklyToFiveHourMultiplier,
} from './account-quota.ts'
import type { AccountStatus } from './account-status.ts'
import { isStale, percentOf, type QuotaWindow, resetAtOf } from './quota-window.ts'
import {
  RECLAIM_PERCENT_MIN,
  RECLAIM_RESET_SECONDS_MAX,
  type ReclaimWindow,
} from './reclaim-window.ts'

/** Parts of a routing score: integers whose sum is the score. */
export interface ScoreComponents {
  readonly capacity: number
  readonly health: number
  readonly plan: number
  readonly load: number
  readonly reclaim: number
}

/** All constants of the routing score. Callers of this package may pass their own. See docs/rules.md#routing-score. */
export interface ScoringPolicy {
  readonly capacityMax: number
  /** Pace (quota left ÷ time left) at which a window earns its full half of `capacityMax`. */
  readonly fiveHourPaceFull: number
  readonly weekPaceFull: number
  /** Percent below which the remaining quota no longer counts in full. */
  readonly scarcePercent: number
  /** Factor on the pace if only one window is known. */
  readonly oneKnownFactor: number
  readonly noneKnownCapacity: number
  readonly untrackedPlanFactor: number
  /** Lower bound of the share of a window's time that is left. */
  readonly timeShareMin: number
  readonly healthMax: number
  readonly healthWarn: number
  readonly healthUnknown: number
  readonly stalePenalty: number
  readonly failurePenaltyMax: number
  readonly planMax: number
  /** Capacity weight that earns `planMax`. */
  readonly planWeightFull: number
  readonly loadMax: number
  /** Largest difference, in seconds, between the time to a reset and a full period at which the window counts as not started. */
  readonly notStartedSlackSeconds: number
  readonly reclaimBase: number
  readonly reclaimRange: number
}

/** The constants used by the service. In a simulation they serve 99.6 % of the requests that perfect hindsight serves. */
export const scoringPolicy: ScoringPolicy = {
  capacityMax: 40,
  fiveHourPaceFull: 3,
  weekPaceFull: 1.5,
  scarcePercent: 5,
  oneKnownFactor: 0.7,
  noneKnownCapacity: 10,
  untrackedPlanFactor: 0.3,
  timeShareMin: 0.01,
  healthMax: 20,
  healthWarn: 11,
  healthUnknown: 8,
  stalePenalty: 5,
  failurePenaltyMax: 6,
  planMax: 5,
  planWeightFull: 20,
  loadMax: 25,
  notStartedSlackSeconds: 60,
  reclaimBase: 4,
  reclaimRange: 6,
}

export interface ScoringInput {
  readonly windows: readonly QuotaWindow[]
  /** Codex if omitted. */
  readonly provider?: ProviderId
  readonly plan: PlanKind
  readonly tone: AccountStatus['tone']
  /** Share of recently failed requests, 0..1; null with too few requests. */
  readonly failureRatio: number | null
  readonly lastSuccessAt: EpochMs | null
  readonly reclaim: ReclaimWindow | null
  readonly multiplier: WeeklyToFiveHourMultiplier
  readonly now: EpochMs
}

/** Score components of a blocked account. */
export const NO_SCORE: ScoreComponents = { capacity: 0, health: 0, plan: 0, load: 0, reclaim: 0 }

/** Score components of a routable account. `own`: the quota left in its main windows, if already known. */
export function scoreComponentsOf(
  input: ScoringInput,
  policy: ScoringPolicy = scoringPolicy,
  own: PerWindow<MeteredQuota> = ownQuotasOf(input),
): ScoreComponents {
  const { windows, provider = ASSUMED_PROVIDER } = input
  const quotas = scoredQuotasOf(own, windows, provider)
  return {
    capacity: clampedInteger(capacityPoints(input, quotas, policy), policy.capacityMax),
    health: clampedInteger(healthPoints(input, policy), policy.healthMax),
    plan: clampedInteger(
      (policy.planMax * Math.log2(1 + capacityWeightOf(input))) /
        Math.log2(1 + planWeightFullOf(input.provider, policy)),
      policy.planMax,
    ),
    load: hasNotStarted(input, policy) ? policy.loadMax : 0,
    reclaim: clampedInteger(
      reclaimPoints(input.reclaim, policy),
      policy.reclaimBase + policy.reclaimRange,
    ),
  }
}

function ownQuotasOf({ windows, provider = ASSUMED_PROVIDER, multiplier }: ScoringInput) {
  return meteredQuotasOf(windows, multiplier, providerRowOf(provider).furtherWindows)
}

/** Quotas that the score uses: those of the main windows, with the provider's window longer than a week, if any, in place of the week. */
export function scoredQuotasOf(
  quotas: PerWindow<MeteredQuota>,
  windows: readonly QuotaWindow[],
  provider: ProviderId,
): PerWindow<MeteredQuota> {
  const { furtherWindows } = providerRowOf(provider)
  if (furtherWindows.length === 0) return quotas
  const longer = windows.find(
    ({ id }) => furtherWindows.includes(id) && (meteringWindows.get(id) ?? 0) > WEEK_SECONDS,
  )
  if (longer === undefined) return quotas
  const percent = percentOf(longer)
  return { ...quotas, [WEEK]: { window: longer, metered: longer, percent, spendable: percent } }
}

/** Capacity weight that earns full points: the policy's value for Codex, scaled to the largest plan for other providers. */
function planWeightFullOf(provider: ProviderId | undefined, policy: ScoringPolicy): number {
  return (policy.planWeightFull * largestWeightOf(provider)) / largestWeightOf()
}

/** The score: the sum of its components, an integer 0..100 under the built-in policy. */
export function scoreOf(components: ScoreComponents): number {
  return Object.values<number>({ ...components }).reduce((sum, points) => sum + points, 0)
}

/** True if no request has started the window that meters this account, so that the next request would start it. */
export function hasNotStarted(
  input: Pick<ScoringInput, 'windows' | 'lastSuccessAt'>,
  policy: ScoringPolicy = scoringPolicy,
): boolean {
  return isNotStarted(meteringWindowOf(input.windows), input.lastSuccessAt, policy)
}

/** True if no request has started this window. Until one does, the reported reset, if any, keeps moving. */
export function isNotStarted(
  window: QuotaWindow,
  lastSuccessAt: EpochMs | null,
  policy: ScoringPolicy = scoringPolicy,
): boolean {
  if (window.state !== 'known' || window.percent < 100) return false
  const usedSince = (at: EpochMs) => lastSuccessAt !== null && lastSuccessAt > at
  if (window.rolledOverAt !== null) return !usedSince(window.rolledOverAt)
  // The proxy's own headers come with a request, and that request has started the clock.
  if (window.origin !== 'direct' || usedSince(window.sampledAt)) return false
  if (window.resetAt === null || window.periodSeconds === null) return true
  return (
    window.resetAt - window.sampledAt >=
    (window.periodSeconds - policy.notStartedSlackSeconds) * 1000
  )
}

/** The metering window if no request has started it; null if one has, or if this is unknown. */
export function notStartedWindowOf(
  input: Pick<ScoringInput, 'windows' | 'lastSuccessAt'>,
): WindowId | null {
  return hasNotStarted(input) ? meteringWindowOf(input.windows).id : null
}

/** Quota left ÷ time left of each window; 1 = even spending empties the window exactly at its reset. Null = unknown. */
export function paceOf(
  quotas: PerWindow<MeteredQuota>,
  now: EpochMs,
  policy: ScoringPolicy = scoringPolicy,
): PerWindow<number | null> {
  return perWindow(({ id }) => {
    const { metered, spendable } = quotas[id]
    return spendable === null ? null : spendable / 100 / timeShareLeft(metered, now, policy)
  })
}

/** Share of a window's time that is left, 0.01..1; 1 if its reset is unknown. */
export function timeShareLeft(
  window: QuotaWindow,
  now: EpochMs,
  policy: ScoringPolicy = scoringPolicy,
): number {
  const resetAt = resetAtOf(window)
  if (resetAt === null) return 1
  const seconds = meteringWindows.get(window.id) ?? FIVE_HOUR_SECONDS
  return Math.min(1, Math.max(policy.timeShareMin, (resetAt - now) / 1000 / seconds))
}

/** Maximum points of each component. */
export function scoreMaximaOf(policy: ScoringPolicy = scoringPolicy): ScoreComponents {
  return {
    capacity: policy.capacityMax,
    health: policy.healthMax,
    plan: policy.planMax,
    load: policy.loadMax,
    reclaim: policy.reclaimBase + policy.reclaimRange,
  }
}

function capacityPoints(
  input: ScoringInput,
  quotas: PerWindow<MeteredQuota>,
  policy: ScoringPolicy,
): number {
  const pace = paceOf(quotas, input.now, policy)
  const shareOf = (id: MainWindowId, full: number) => {
    const ratio = pace[id]
    return ratio === null ? null : Math.min(1, ratio / full)
  }
  const fiveHourShare = shareOf(FIVE_HOUR, policy.fiveHourPaceFull)
  const weekShare = shareOf(WEEK, policy.weekPaceFull)
  const trackedFactor = capacityWeightOf(input) === 0 ? policy.untrackedPlanFactor : 1

  const oneShare = fiveHourShare ?? weekShare
  if (oneShare === null) return policy.noneKnownCapacity * trackedFactor
  if (fiveHourShare === null || weekShare === null)
    return policy.capacityMax * oneShare * policy.oneKnownFactor * trackedFactor
  const scarcity = Math.min(
    1,
    spendablePercent(quotas[FIVE_HOUR], input.multiplier) / policy.scarcePercent,
  )
  return (policy.capacityMax / 2) * (weekShare + fiveHourShare) * scarcity * trackedFactor
}

/** Percent by which an account counts as nearly empty: of the 5h window, or the equivalent share of the week for a plan without 5h. */
function spendablePercent(
  { window, percent, spendable }: MeteredQuota,
  multiplier: WeeklyToFiveHourMultiplier,
): number {
  if (window.state !== 'absent') return spendable ?? 0
  return (percent ?? 0) * (multiplier === 'off' ? 1 : multiplier)
}

function healthPoints(input: ScoringInput, policy: ScoringPolicy): number {
  const base =
    input.tone === 'good'
      ? policy.healthMax
      : input.tone === 'warn'
        ? policy.healthWarn
        : policy.healthUnknown
  const stale = input.windows.some(
    (window) => window.state === 'known' && isMainWindow(window.id) && isStale(window),
  )
  return (
    base - (stale ? policy.stalePenalty : 0) - policy.failurePenaltyMax * (input.failureRatio ?? 0)
  )
}

function reclaimPoints(reclaim: ReclaimWindow | null, policy: ScoringPolicy): number {
  if (reclaim === null) return 0
  const percentShare = (reclaim.percent - RECLAIM_PERCENT_MIN) / (100 - RECLAIM_PERCENT_MIN)
  const urgency = (RECLAIM_RESET_SECONDS_MAX - reclaim.resetsInSeconds) / RECLAIM_RESET_SECONDS_MAX
  return policy.reclaimBase + policy.reclaimRange * percentShare * urgency
}

function clampedInteger(points: number, max: number): number {
  return Math.min(max, Math.max(0, Math.round(points)))
}
