import type { Account } from '../facts/account.ts'
import { type AccountEvidence, allSamplesOf } from '../facts/account-evidence.ts'
import { capacityWeightOf, type PlanKind, planKindOf } from '../facts/plan.ts'
import { providerRowOf } from '../facts/provider.ts'
import type { EpochMs } from '../facts/time.ts'
import type { UsageMeasures } from '../facts/usage-measures.ts'
import { isMainWindow } from '../facts/window.ts'
import { isPlanUnasked, planNameOf, planOf } from './account-plan.ts'
import { type WeeklyToFiveHourMultiplier, windowQuotasOf } from './account-quota.ts'
import { accountStateOf } from './blocked-reasons.ts'
import type { EvaluatedAccount } from './evaluated-account.ts'
import { limitMessageOf } from './lasting-verdict.ts'
import { mergeEvidence, newestSample } from './merge-evidence.ts'
import { scheduleFromState } from './probe-schedule.ts'
import { reclaimWindowOf } from './reclaim-window.ts'
import { refusedQueryOf } from './refused-query.ts'
import { reportedWindows } from './reported-windows.ts'
import { NO_SCORE, type ScoringPolicy, scoreComponentsOf, scoreOf } from './routing-score.ts'

/** With fewer requests than this a failure rate says nothing. See docs/rules.md#routing-score. */
const FAILURE_RATIO_REQUESTS_MIN = 5
/** Newest slots of the proxy's request counts that make up "lately". */
const FAILURE_RATIO_SLOTS = 2

/** Settings an operator or a caller may change about the rules for one account. */
export interface AccountPolicy {
  readonly multiplier: WeeklyToFiveHourMultiplier
  readonly scoring: ScoringPolicy
}

/**
 * Evaluates one account under all rules, before it is ranked among others. `evidence` is null if the account was never read. `usage`: its
 * requests of the last 15 min, null if unknown. `usualPlan`: that of its pool, with which the score counts until its own was asked for.
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
  const plan = planOf(account, evidence)
  const isUnasked = plan === planKindOf(null) && isPlanUnasked(account, evidence)
  const scoredPlan = isUnasked ? usualPlan : undefined
  const { furtherWindows, weekCapsFiveHour } = providerRowOf(account.provider)
  const multiplier = weekCapsFiveHour ? policy.multiplier : 'off'
  const state = accountStateOf(account, evidence, windows, now)
  const routable = state.blockedReasons.length === 0
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
      )
    : NO_SCORE
  const unknownNames = samples.flatMap((one) => one.unknownNames ?? [])
  const sample = newestSample(samples)
  const schedule = { account, evidence, windows, state, plan, now }
  const { quotaClass, intervalSeconds } = scheduleFromState(schedule)
  const refusedQuery = refusedQueryOf(evidence)

  return {
    selector: account.selector,
    title: account.title,
    account,
    plan,
    planName: planNameOf(account, evidence),
    capacityWeight:
      state.blockedReasons.includes('operator_disabled') || state.deactivated
        ? 0
        : capacityWeightOf({ provider: account.provider, plan }),
    windows,
    quota: windowQuotasOf(windows, multiplier, furtherWindows),
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
    ...(refusedQuery !== null && { refusedQuery }),
  }
}

/** A request through any proxy starts the clock of a window. */
function lastSuccessAtOf(account: Account, evidence: AccountEvidence | null): EpochMs | null {
  const elsewhere = evidence?.elsewhere?.lastSuccessAt ?? null
  const { lastSuccessAt } = account
  return lastSuccessAt === null || (elsewhere !== null && elsewhere > lastSuccessAt)
    ? elsewhere
    : lastSuccessAt
}

/** Ratio from the account's usage if there is any, else from the proxy's counters. Null with too few requests. */
function failureRatioOf(account: Account, usage: UsageMeasures | null): number | null {
  if (usage !== null)
    return usage.requests < FAILURE_RATIO_REQUESTS_MIN ? null : usage.failed / usage.requests
  const slots = account.recentRequests.slice(-FAILURE_RATIO_SLOTS)
  const failed = slots.reduce((sum, slot) => sum + slot.failed, 0)
  const requests = slots.reduce((sum, slot) => sum + slot.success, failed)
  return requests < FAILURE_RATIO_REQUESTS_MIN ? null : failed / requests
}
