import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import { resetAtOf } from '../account/quota-window.ts'
import { subscriptionOf } from '../account/subscription.ts'
import type { ProviderId } from '../facts/provider.ts'
import { type EpochMs, epochMs, HOUR_MS, plusMs } from '../facts/time.ts'
import { mainWindows, meteringWindows, type PerWindow, perWindow } from '../facts/window.ts'
import { type BurnHours, burnForecastOf, forecastSpreadOf } from './burn-forecast.ts'
import type { CapacityPoint } from './capacity-point.ts'
import { type ExpectedLevel, expectedLevelsOf, LEVEL_HOURS } from './expected-levels.ts'
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
}

/** A pool that runs dry within this time is short of quota now. */
export const SHORT_RUNWAY_MS = 2 * HOUR_MS

/** Quota of each account that counts and whose quota is known. */
export function accountQuotasOf(
  accounts: readonly EvaluatedAccount[],
  now: EpochMs,
): readonly AccountQuota[] {
  return accounts.flatMap((account) => {
    const { quota, capacityWeight, countedInCapacity, blockedReasons } = account
    if (!countedInCapacity || capacityWeight === 0 || blockedReasons.includes('auth_invalid'))
      return []
    if (mainWindows.some(({ id }) => quota[id].percent === null)) return []
    const windows = perWindow(({ id, seconds }) => {
      const { percent, metered } = quota[id]
      const periodMs = (meteringWindows.get(metered.id) ?? seconds) * 1000
      return { percent: percent ?? 0, resetAt: resetAtOf(metered), periodMs }
    })
    return [{ weight: capacityWeight, windows, lapsesAt: lapseOf(account, now) }]
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
  const walk = (scaleAt: (hours: number) => number) =>
    walked(
      walkOf(accounts, (ahead) => forecast.unitsWithin(ahead) * scaleAt(ahead), context),
      plusMs(context.now, LEVEL_HOURS[context.windowId] * HOUR_MS),
    )
  const expected = walk(() => 1)
  const upperBurn = walk((ahead) => spread.quartiles(ahead).upper)
  const lowerBurn = walk((ahead) => spread.quartiles(ahead).lower)
  const [p25, p75] = inOrder(upperBurn.dryAt, lowerBurn.dryAt)
  return {
    burnPerHour: forecast.unitsWithin(1),
    runsDryAt: expected.dryAt,
    runsDryWithoutResetsAt: dryInstant(accounts.map(neverReset), forecast.unitsWithin, context),
    p25,
    p75,
    verdict: p25 === null ? 'safe' : p75 === null ? 'tight' : 'runs-dry',
    confidence: forecast.confidence,
    lapsingCount: accounts.filter(({ lapsesAt }) => lapsesAt !== null && lapsesAt < endsAt).length,
    levels: expectedLevelsOf(
      { expected: expected.steps, upperBurn: upperBurn.steps, lowerBurn: lowerBurn.steps },
      context,
    ),
  }
}

/** Steps of a walk before `endAt`, and the instant the walk runs dry, even if later. */
function walked(
  walk: ReturnType<typeof walkOf>,
  endAt: EpochMs,
): { readonly dryAt: EpochMs | null; readonly steps: readonly WalkStep[] } {
  const steps: WalkStep[] = []
  let dryAt: EpochMs | null = null
  for (const step of walk) {
    dryAt ??= step.dryAt
    if (step.startAt < endAt) steps.push(step)
    else if (dryAt !== null) break
  }
  return { dryAt, steps }
}

function neverReset(account: AccountQuota): AccountQuota {
  const resetAt = epochMs(Number.POSITIVE_INFINITY)
  return { ...account, windows: perWindow(({ id }) => ({ ...account.windows[id], resetAt })) }
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
