import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import { subscriptionOf } from '../account/lapses.ts'
import { resetAtOf } from '../account/quota-window.ts'
import type { ProviderId } from '../facts/provider.ts'
import { type EpochMs, epochMs, HOUR_MS, plusMs } from '../facts/time.ts'
import { mainWindows, meteringWindows, type PerWindow, perWindow } from '../facts/window.ts'
import { type BurnHours, burnForecastOf, forecastSpreadOf } from './burn-forecast.ts'
import type { CapacityPoint } from './capacity-point.ts'
import type { ProviderPool } from './evaluated-pool.ts'
import {
  type ExpectedLevel,
  expectedLevelsOf,
  type ForecastSpan,
  type ForecastWalks,
  forecastSpansOf,
  worstSpansOf,
} from './expected-levels.ts'
import { ownWindows } from './provider-pool.ts'
import {
  type AccountQuota,
  dryInstant,
  RUNWAY_HOURS_MAX,
  type RunwayContext,
  type WalkStep,
  walkOf,
} from './quota-walk.ts'

/**
 * Forecast of the instant at which one window of the pool runs dry at the expected burn. Instants are null if they lie beyond
 * `RUNWAY_HOURS_MAX`, or are unknown.
 */
export interface Runway {
  /** Plus units expected to be used in the next hour; null when unknown. */
  readonly burnPerHour: number | null
  readonly runsDryAt: EpochMs | null
  /** Time the window runs dry if no reset returns units from now on; never later than `runsDryAt`. */
  readonly runsDryWithoutResetsAt: EpochMs | null
  /** Early estimate: in one of four cases the pool runs dry sooner. */
  readonly p25: EpochMs | null
  /** Late estimate: in one of four cases the pool runs dry later. */
  readonly p75: EpochMs | null
  readonly verdict: 'safe' | 'tight' | 'runs-dry' | 'unknown'
  readonly confidence: 'none' | 'low' | 'high'
  /** Number of accounts whose subscription ends within the forecast; they contribute nothing afterwards. */
  readonly lapsingCount: number
  /** Quota expected to be left, oldest first; empty if the burn is unknown. */
  readonly levels: readonly ExpectedLevel[]
  /** The forecast as spans over `RUNWAY_HOURS_MAX`; empty if the burn is unknown. */
  readonly spans: readonly ForecastSpan[]
}

export const unknownRunway: Runway = {
  burnPerHour: null,
  runsDryAt: null,
  runsDryWithoutResetsAt: null,
  p25: null,
  p75: null,
  verdict: 'unknown',
  confidence: 'none',
  lapsingCount: 0,
  levels: [],
  spans: [],
}

/** A pool that runs dry within this time is short of quota now. */
export const SHORT_RUNWAY_MS = 2 * HOUR_MS

const NEVER = epochMs(Number.POSITIVE_INFINITY)

/** Quota of each account that counts and whose quota is known. */
export function accountQuotasOf(
  accounts: readonly EvaluatedAccount[],
  now: EpochMs,
): readonly AccountQuota[] {
  return accounts.flatMap((account) => {
    const { quota, capacityWeight, countedInCapacity, blockedReasons, routable } = account
    if (!countedInCapacity || capacityWeight === 0 || blockedReasons.includes('auth_invalid'))
      return []
    if (mainWindows.some(({ id }) => quota[id].percent === null)) return []
    const windows = perWindow(({ id, seconds }) => {
      const { percent, metered } = quota[id]
      const periodMs = (meteringWindows.get(metered.id) ?? seconds) * 1000
      return { percent: percent ?? 0, resetAt: resetAtOf(metered), periodMs }
    })
    const heldUntil = routable ? null : (account.status.until ?? NEVER)
    return [{ weight: capacityWeight, windows, heldUntil, lapsesAt: lapseOf(account, now) }]
  })
}

/** End of a subscription according to its login; null without one, or if it was renewed and its end is unknown. */
function lapseOf(account: EvaluatedAccount, now: EpochMs): EpochMs | null {
  const subscription = subscriptionOf(account, now)
  return subscription === null || subscription.state === 'renewed' ? null : subscription.until
}

/** The runway of one window. `hours` gives the burn, the accounts give the quota to burn. See docs/rules.md#runway. */
export function runwayOf(
  accounts: readonly AccountQuota[],
  hours: BurnHours,
  context: RunwayContext,
): Runway {
  const forecast = burnForecastOf(hours, context.now)
  if (forecast === null || accounts.length === 0) return unknownRunway
  const spread = forecastSpreadOf(hours, context.now)
  const endsAt = plusMs(context.now, RUNWAY_HOURS_MAX * HOUR_MS)
  const walk = (scaleAt: (hours: number) => number) => [
    ...walkOf(accounts, (ahead) => forecast.unitsWithin(ahead) * scaleAt(ahead), context),
  ]
  const walks: ForecastWalks = {
    expected: walk(() => 1),
    upperBurn: walk((ahead) => spread.quartiles(ahead).upper),
    lowerBurn: walk((ahead) => spread.quartiles(ahead).lower),
  }
  const [p25, p75] = inOrder(firstDryAt(walks.upperBurn), firstDryAt(walks.lowerBurn))
  return {
    burnPerHour: forecast.unitsWithin(1),
    runsDryAt: firstDryAt(walks.expected),
    runsDryWithoutResetsAt: dryInstant(accounts.map(neverReset), forecast.unitsWithin, context),
    p25,
    p75,
    verdict: p25 === null ? 'safe' : p75 === null ? 'tight' : 'runs-dry',
    confidence: forecast.confidence,
    lapsingCount: accounts.filter(({ lapsesAt }) => lapsesAt !== null && lapsesAt < endsAt).length,
    levels: expectedLevelsOf(walks, context),
    spans: forecastSpansOf(walks, forecast.confidence === 'low'),
  }
}

function firstDryAt(steps: readonly WalkStep[]): EpochMs | null {
  return steps.find(({ dryAt }) => dryAt !== null)?.dryAt ?? null
}

/** An account without resets; blocks end with them. */
function neverReset(account: AccountQuota): AccountQuota {
  return {
    ...account,
    heldUntil: account.heldUntil === null ? null : NEVER,
    windows: perWindow(({ id }) => ({ ...account.windows[id], resetAt: NEVER })),
  }
}

/**
 * Sorts two instants; null lies beyond the horizon and sorts last. Quartiles change with the hours ahead, so the walk with the smaller burn can run
 * dry sooner.
 */
function inOrder(
  one: EpochMs | null,
  other: EpochMs | null,
): readonly [EpochMs | null, EpochMs | null] {
  return (one ?? Number.POSITIVE_INFINITY) <= (other ?? Number.POSITIVE_INFINITY)
    ? [one, other]
    : [other, one]
}

/**
 * Whether a pool is expected to have usable quota, over `RUNWAY_HOURS_MAX` from now on: the worst of its windows. Without a forecast it is known of a
 * pool without a routable account alone, until one becomes free.
 */
export function poolSpansOf(
  pool: ProviderPool,
  trends: Trends,
  now: EpochMs,
): readonly ForecastSpan[] {
  const end = plusMs(now, RUNWAY_HOURS_MAX * HOUR_MS)
  const spans = worstSpansOf(
    ownWindows(pool).flatMap((id) => {
      const { spans } = trends[id].runway
      return spans.length === 0 ? [] : [spans]
    }),
  ).filter(({ to }) => to > now)
  if (spans.length > 0)
    return spans.map(({ from, to, state }, index) => ({
      from: index === 0 ? now : from,
      to: index === spans.length - 1 ? end : to,
      state,
    }))
  const until = pool.nextRoutableAt
  if (pool.routableCount > 0 || pool.blockedCount === 0)
    return [{ from: now, to: end, state: 'unknown' }]
  return until === null || until >= end
    ? [{ from: now, to: end, state: 'dry' }]
    : [
        { from: now, to: until, state: 'dry' },
        { from: until, to: end, state: 'unknown' },
      ]
}

/** Recent course and forecast of the pool in one window. */
export interface WindowTrend {
  readonly runway: Runway
  /** The last 24 h, oldest first. */
  readonly past: readonly CapacityPoint[]
}

/** The trend of each main window. */
export type Trends = PerWindow<WindowTrend>

/** The trends of each provider's pool. */
export type TrendsByProvider = ReadonlyMap<ProviderId, Trends>

/** The trends of one provider's pool; `noTrends` if it was not recorded. */
export function trendsOf(all: TrendsByProvider, provider: ProviderId): Trends {
  return all.get(provider) ?? noTrends
}

/** Trends before anything was recorded. */
export const noTrends: Trends = perWindow(() => ({ runway: unknownRunway, past: [] }))
