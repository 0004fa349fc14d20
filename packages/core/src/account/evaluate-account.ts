import type { Account } from '../facts/account.ts'
import { type AccountEvidence, allSamplesOf } from '../facts/account-evidence.ts'
import type { UsageMeasures } from '../facts/observation.ts'
import { capacityWeightOf, type PlanKind, planKindOf } from '../facts/plan.ts'
import { providerRow, providerRowOf } from '../facts/provider.ts'
import type { EpochMs } from '../facts/time.ts'
import { isMainWindow } from '../facts/window.ts'
import { isPlanUnasked, planNameOf } from './account-plan.ts'
import { type WeeklyToFiveHourMultiplier, windowQuotasOf } from './account-quota.ts'
import { refusedQueryOf } from './account-status.ts'
import { accountStateOf } from './blocked-reasons.ts'
import type { EvaluatedAccount } from './evaluated-account.ts'
import { bankedResetsOf } from './lapses.ts'
import { limitMessageOf, provenAtOf } from './lasting-verdict.ts'
import { mergeEvidence, newestDirectSample, newestSample } from './merge-evidence.ts'
import { scheduleFromState } from './probe-schedule.ts'
import { percentOf, type QuotaWindow } from './quota-window.ts'
import { reclaimWindowOf } from './reclaim-window.ts'
import { NO_SCORE, type ScoringPolicy, scoreComponentsOf, scoreOf } from './routing-score.ts'

/** Minimum number of requests for which a failure ratio is meaningful. See docs/rules.md#routing-score. */
const FAILURE_RATIO_REQUESTS_MIN = 5
/** Number of the proxy's newest request slots that the failure ratio covers. */
const FAILURE_RATIO_SLOTS = 2

/** Settings of the rules for one account that an operator or caller may change. */
export interface AccountPolicy {
  readonly multiplier: WeeklyToFiveHourMultiplier
  readonly scoring: ScoringPolicy
}

/**
 * Evaluates one account by all rules, before it is ranked among others. `evidence` is null if the account was never read. `usage`: its requests of
 * the last 15 min, null if unknown. `usualPlan`: the usual plan of its pool, used for the score until the vendor was asked for the account's own
 * plan.
 */
export function evaluateAccount(
  account: Account,
  evidence: AccountEvidence | null,
  policy: AccountPolicy,
  now: EpochMs,
  usage: UsageMeasures | null = null,
  usualPlan?: PlanKind,
): EvaluatedAccount {
  const samples = allSamplesOf(evidence)
  const merged = mergeEvidence(samples, limitMessageOf(account, evidence, now), {
    now,
    plannedIntervalSeconds: evidence?.plannedIntervalSeconds ?? 0,
  })
  const all = reportedWindows(merged, account, evidence)
  const windows = all.filter((window) => isMainWindow(window.id))
  const planName = planNameOf(account, evidence)
  const plan = planKindOf({ provider: account.provider, name: planName })
  const isUnasked = plan === planKindOf(null) && isPlanUnasked(account, evidence)
  const scoredPlan = isUnasked ? usualPlan : undefined
  const { furtherWindows, weekCapsFiveHour } = providerRowOf(account.provider)
  const multiplier = weekCapsFiveHour ? policy.multiplier : 'off'
  const state = accountStateOf(account, evidence, windows, now)
  const routable = state.blockedReasons.length === 0
  const quota = windowQuotasOf(windows, multiplier, furtherWindows)
  const reclaim = reclaimWindowOf(windows, !routable, now)
  const failureRatio = failureRatioOf(account, usage)
  const scoreComponents = routable
    ? scoreComponentsOf(
        {
          windows,
          provider: account.provider,
          plan: scoredPlan ?? plan,
          tone: state.status.tone,
          failureRatio,
          lastSuccessAt: lastSuccessAtOf(account, evidence),
          reclaim,
          multiplier,
          now,
        },
        policy.scoring,
        quota,
      )
    : NO_SCORE
  const unknownNames = samples.flatMap((one) => one.unknownNames ?? [])
  const sample = newestSample(samples)
  const schedule = { account, evidence, windows, state, plan, now }
  const { quotaClass, intervalSeconds } = scheduleFromState(schedule)
  const refusedQuery = refusedQueryOf(evidence)
  const bankedResets = bankedResetsOf(evidence, now)

  return {
    selector: account.selector,
    title: account.title,
    account,
    plan,
    planName,
    capacityWeight:
      state.blockedReasons.includes('operator_disabled') || state.deactivated
        ? 0
        : capacityWeightOf({ provider: account.provider, plan }),
    windows,
    quota,
    scopedWindows: all.filter((window) => !isMainWindow(window.id)),
    ...(unknownNames.length === 0 ? {} : { unknownNames }),
    status: state.status,
    blockedReasons: state.blockedReasons,
    routable,
    heldUntil: state.heldUntil,
    coolsUntil: state.coolsUntil,
    deactivated: state.deactivated,
    loginLoss: state.loginLoss,
    score: scoreOf(scoreComponents),
    scoreComponents,
    reclaim,
    failureRatio,
    quotaClass,
    sampleEverySeconds: Number.isFinite(intervalSeconds) ? intervalSeconds : null,
    lastSample: sample === null ? null : { at: sample.sampledAt, origin: sample.origin },
    disabledProbe: evidence?.disabledProbe ?? { state: 'unknown' },
    countedInCapacity: true,
    ...(scoredPlan !== undefined && { scoredPlan }),
    ...(isUnasked && { planUnasked: true }),
    ...(refusedQuery !== null && { refusedQuery }),
    ...(bankedResets !== null && { bankedResets }),
  }
}

/** Time of the last successful request through any proxy, because each one starts the clock of a window. */
function lastSuccessAtOf(account: Account, evidence: AccountEvidence | null): EpochMs | null {
  const elsewhere = evidence?.elsewhere?.lastSuccessAt ?? null
  const { lastSuccessAt } = account
  return lastSuccessAt === null || (elsewhere !== null && elsewhere > lastSuccessAt)
    ? elsewhere
    : lastSuccessAt
}

/** Failure ratio from the account's usage if it is known, else from the proxy's counters; null with too few requests. */
function failureRatioOf(account: Account, usage: UsageMeasures | null): number | null {
  if (usage !== null)
    return usage.requests < FAILURE_RATIO_REQUESTS_MIN ? null : usage.failed / usage.requests
  const slots = account.recentRequests.slice(-FAILURE_RATIO_SLOTS)
  const failed = slots.reduce((sum, slot) => sum + slot.failed, 0)
  const requests = slots.reduce((sum, slot) => sum + slot.success, failed)
  return requests < FAILURE_RATIO_REQUESTS_MIN ? null : failed / requests
}

/**
 * Windows corrected for values that the vendor omits. A derived zero that requests contradict becomes unknown. A window that the vendor does not
 * report is absent if another window of the account is known and the provider's accounts differ in their windows; otherwise it is marked as not
 * reported.
 */
function reportedWindows(
  windows: readonly QuotaWindow[],
  account: Account,
  evidence: AccountEvidence | null,
): readonly QuotaWindow[] {
  if (windows.every(({ state, note }) => state !== 'unknown' && note !== 'derived')) return windows
  const isSilent = isNotReported(account, evidence)
  const { furtherWindows } = providerRowOf(account.provider)
  const other = windows.find((window) => isMainWindow(window.id) && percentOf(window) !== null)
  return windows.map((window): QuotaWindow => {
    const { id, periodSeconds } = window
    if (isSilent && window.state === 'unknown') {
      if (furtherWindows.length === 0 || other === undefined || other.state === 'unknown')
        return { ...window, reported: false }
      const { sampledAt, origin, stale } = other
      return { id, periodSeconds, state: 'absent', sampledAt, origin, stale }
    }
    return isDenied(window, account) ? { id, periodSeconds, state: 'unknown' } : window
  })
}

/** Whether the vendor reports no quota for this account or cannot be queried. */
function isNotReported({ provider }: Account, evidence: AccountEvidence | null): boolean {
  const samples = allSamplesOf(evidence)
  const direct = newestDirectSample(samples)
  if (evidence?.probeFailure?.kind === 'unavailable') return true
  if (direct !== null) return direct.reportsNone === true
  return providerRow(provider) === undefined && newestSample(samples) === null
}

/** Whether a successful request contradicts the vendor's omission of the used percent. */
function isDenied(window: QuotaWindow, account: Account): boolean {
  if (window.note !== 'derived' || window.state !== 'known') return false
  const { resetAt, periodSeconds, sampledAt } = window
  const provenAt = provenAtOf(account)
  if (provenAt === null) return false
  const beganAt =
    resetAt === null || periodSeconds === null ? sampledAt : resetAt - periodSeconds * 1000
  return provenAt > beganAt
}
