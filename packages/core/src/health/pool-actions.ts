import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import { lapseTone, type Subscription, subscriptionOf } from '../account/lapses.ts'
import { ASSUMED_PROVIDER, type ProviderId } from '../facts/provider.ts'
import { type EpochMs, epochMs, HOUR_MS, plusMs } from '../facts/time.ts'
import { FIVE_HOUR, WEEK, type WindowId } from '../facts/window.ts'
import { isLowShare, type WindowCapacity } from '../pool/capacity.ts'
import type { EvaluatedPool } from '../pool/evaluated-pool.ts'
import { allAccountsOf, otherPools, ownWindows } from '../pool/provider-pool.ts'
import { type Runway, SHORT_RUNWAY_MS, type TrendsByProvider, trendsOf } from '../pool/runway.ts'
import {
  badAction,
  GROUPED_ABOVE,
  type HealthAction,
  type LapsingResets,
  type NamedAccount,
  namedAccount,
  type ToneAction,
  warnAction,
} from './health-actions.ts'
import type { DatedAction } from './open-actions.ts'

/** Limits below which an action is raised, named as their settings. */
export interface HealthThresholds {
  readonly alertFiveHourMinPlus: number | 'off'
  readonly alertWeeklyMinPlus: number | 'off'
  readonly alertRoutableMin: number | 'off'
}

/** Actions for limits set by the operator. A shortfall that unread quota could cover raises no action. */
export function thresholdActions(
  { available, capacity, routableCount, provider }: EvaluatedPool,
  thresholds: HealthThresholds,
): readonly ToneAction[] {
  if (!available) return []
  const minimumCount = thresholds.alertRoutableMin
  // The limits are in Plus units, which no other provider has.
  const [fiveHour, week] =
    provider === ASSUMED_PROVIDER
      ? [thresholds.alertFiveHourMinPlus, thresholds.alertWeeklyMinPlus]
      : (['off', 'off'] as const)
  return [
    ...belowMinimum('five_hour_below_minimum', capacity[FIVE_HOUR], fiveHour),
    ...belowMinimum('weekly_below_minimum', capacity[WEEK], week),
    ...(minimumCount === 'off' || routableCount >= minimumCount
      ? []
      : [badAction({ code: 'routable_below_minimum', routableCount, minimumCount })]),
  ]
}

function belowMinimum(
  code: 'five_hour_below_minimum' | 'weekly_below_minimum',
  { knownUnits, unknownUnits }: WindowCapacity,
  minimumUnits: number | 'off',
): readonly ToneAction[] {
  if (minimumUnits === 'off' || knownUnits + unknownUnits >= minimumUnits) return []
  return [badAction({ code, knownUnits, minimumUnits })]
}

/**
 * An account fails if more than this share of its requests in the last hour failed, given at least `FAILING_REQUESTS_MIN`. See docs/rules.md#health.
 */
const FAILING_SHARE = 0.2
const FAILING_REQUESTS_MIN = 20
const FAILING_SPAN_MS = HOUR_MS

/** Actions about subscriptions and banked resets that lapse soon. A disabled or deactivated account has none. */
export function lapseActions(pool: EvaluatedPool): readonly ToneAction[] {
  const now = pool.evaluatedAt
  const owned = allAccountsOf(pool).filter(
    ({ deactivated, blockedReasons }) =>
      !deactivated && !blockedReasons.includes('operator_disabled'),
  )
  // Of several logins of an account, the one that names the latest end was written after a renewal.
  const latest = new Map<string, NamedAccount & Subscription>()
  const banked: (NamedAccount & LapsingResets)[] = []
  for (const account of owned) {
    const subscription = subscriptionOf(account, now)
    const { accountKey } = account.selector
    if (subscription !== null && subscription.until > (latest.get(accountKey)?.until ?? 0))
      latest.set(accountKey, { ...namedAccount(account), ...subscription })
    const lapsing = lapsingResetsOf(account, now)
    if (lapsing !== null && account.countedInCapacity)
      banked.push({ ...namedAccount(account), ...lapsing })
  }
  return [
    ...soonestFirst([...latest.values()], now, (accounts) => ({
      code: 'subscription_ends',
      accounts,
    })),
    ...soonestFirst(banked, now, (accounts) => ({ code: 'banked_reset_lapses', accounts })),
  ]
}

/** One action per account for up to `GROUPED_ABOVE`, and one joint action for more, of those that lapse within a week. */
function soonestFirst<Lapsing extends { readonly until: EpochMs }>(
  all: readonly Lapsing[],
  now: EpochMs,
  actionOf: (accounts: readonly Lapsing[]) => HealthAction,
): readonly ToneAction[] {
  const lapsing = all
    .filter(({ until }) => lapseTone(until, now) !== null)
    .sort((one, other) => one.until - other.until)
  const groups = lapsing.length > GROUPED_ABOVE ? [lapsing] : lapsing.map((one) => [one])
  return groups.map((group) => ({
    tone: lapseTone(group[0]?.until ?? now, now) ?? 'warn',
    action: actionOf(group),
  }))
}

function lapsingResetsOf(account: EvaluatedAccount, now: EpochMs): LapsingResets | null {
  const coming = account.bankedResets?.expiresAt ?? []
  const lapsing = coming.filter((at) => lapseTone(at, now) !== null)
  const [until] = lapsing
  const { window } = account.quota[WEEK]
  const weekUsedUpUntil = window.state === 'exhausted' ? window.resetAt : null
  return until === undefined ? null : { until, resetCount: lapsing.length, weekUsedUpUntil }
}

/** Actions for the state of the pool, independent of configured limits. Each shows only once its cause has lasted. */
export function poolActions(pool: EvaluatedPool, trends: TrendsByProvider): readonly ToneAction[] {
  return [...quotaActions(pool, trends), ...failingActions(pool)]
}

function quotaActions(pool: EvaluatedPool, trends: TrendsByProvider): readonly ToneAction[] {
  if (!pool.available) return []
  return [pool, ...otherPools(pool)].flatMap((one) => {
    const { provider, capacity, routableCount } = one
    const own = ownWindows(one).flatMap((id) => [
      // For a pool without usable accounts there is another action.
      ...(routableCount === 0
        ? []
        : runwayActions(capacity[id], trendsOf(trends, provider)[id].runway, {
            provider,
            now: pool.evaluatedAt,
          })),
      ...lowActions(capacity[id], provider),
    ])
    return [...own, ...one.furtherCapacity.flatMap((further) => lowActions(further, provider))]
  })
}

function runwayActions(
  { windowId, returns }: WindowCapacity,
  { verdict, confidence, runsDryAt: expectedAt, p75 }: Runway,
  { now, provider }: { readonly now: EpochMs; readonly provider: ProviderId },
): readonly ToneAction[] {
  const runsDryAt = expectedAt ?? p75
  if (verdict !== 'runs-dry' || confidence !== 'high' || runsDryAt === null) return []
  const before = returns.filter(({ at }) => at <= runsDryAt)
  const [first] = before
  const units = before.reduce((sum, coming) => sum + coming.units, 0)
  return [
    {
      tone: runsDryAt - now <= SHORT_RUNWAY_MS ? 'bad' : 'warn',
      action: {
        code: 'runway_short',
        provider,
        windowId,
        runsDryAt,
        returnsBefore: first === undefined ? null : { units, firstAt: first.at },
        returnsAgainAt: returns[before.length]?.at ?? null,
      },
    },
  ]
}

function lowActions(
  capacity: WindowCapacity<WindowId>,
  provider: ProviderId,
): readonly ToneAction[] {
  const { windowId, knownUnits, trackedUnits } = capacity
  if (!isLowShare(knownUnits, capacity)) return []
  const low = { code: 'capacity_low', windowId, knownUnits, trackedUnits } as const
  return [{ tone: 'warn', action: { ...low, provider } }]
}

interface RequestTally {
  readonly requestCount: number
  readonly failedCount: number
}

/** One action per account with too many failed requests. Disabled accounts, and accounts that already have an action, get none. */
function failingActions(pool: EvaluatedPool): readonly ToneAction[] {
  const tallies = lastHourByAccountKey(pool)
  return allAccountsOf(pool).flatMap((account): ToneAction[] => {
    const tally = tallies.get(account.selector.accountKey)
    if (tally === undefined || !account.countedInCapacity) return []
    if (account.status.tone === 'bad' || account.blockedReasons.includes('operator_disabled'))
      return []
    const { requestCount, failedCount } = tally
    if (requestCount < FAILING_REQUESTS_MIN || failedCount <= FAILING_SHARE * requestCount)
      return []
    const accounts = [namedAccount(account)]
    return [warnAction({ code: 'failing_account', accounts, ...tally })]
  })
}

/** Requests of the last hour counted by the proxy, summed over the files of each account. */
function lastHourByAccountKey(pool: EvaluatedPool): ReadonlyMap<string, RequestTally> {
  const since = plusMs(pool.evaluatedAt, -FAILING_SPAN_MS)
  const tallies = new Map<string, RequestTally>()
  for (const { selector, account } of allAccountsOf(pool)) {
    let { requestCount, failedCount } = tallies.get(selector.accountKey) ?? NO_REQUESTS
    for (const { startAt, success, failed } of account.recentRequests) {
      if (startAt <= since) continue
      requestCount += success + failed
      failedCount += failed
    }
    tallies.set(selector.accountKey, { requestCount, failedCount })
  }
  return tallies
}

const NO_REQUESTS: RequestTally = { requestCount: 0, failedCount: 0 }

/** Merges the actions of failing accounts into one if there are more than `GROUPED_ABOVE`. */
export function groupedFailing(actions: readonly DatedAction[]): readonly DatedAction[] {
  const failing = actions.flatMap(({ action, since }) =>
    action.code === 'failing_account' ? [{ ...action, since }] : [],
  )
  if (failing.length <= GROUPED_ABOVE) return actions
  const action = {
    code: 'failing_account',
    accounts: failing.flatMap(({ accounts }) => accounts),
    requestCount: failing.reduce((sum, { requestCount }) => sum + requestCount, 0),
    failedCount: failing.reduce((sum, { failedCount }) => sum + failedCount, 0),
  } as const
  const since = epochMs(Math.min(...failing.map((one) => one.since)))
  const others = actions.filter((other) => other.action.code !== action.code)
  return [...others, { tone: 'warn', action, since }]
}
