import { effectiveOf, type WeeklyToFiveHourMultiplier } from '../account/account-quota.ts'
import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import { resetAtOf } from '../account/quota-window.ts'
import { subscriptionOf } from '../account/subscription.ts'
import { type EpochMs, epochMs, HOUR_MS, plusMs } from '../facts/time.ts'
import {
  FIVE_HOUR,
  type MainWindowId,
  mainWindowOf,
  mainWindows,
  type PerWindow,
  perWindow,
  WEEK,
} from '../facts/window.ts'
import { type BurnHours, burnForecastOf, forecastSpreadOf } from './burn-forecast.ts'

/**
 * Forecast of the instant at which one window of the pool runs dry at the expected burn. Instants are null if they lie beyond
 * `RUNWAY_HOURS_MAX`, or are unknown.
 */
export interface Runway {
  /** Plus units expected to be used in the next hour; null when unknown. */
  readonly burnPerHour: number | null
  readonly runsDryAt: EpochMs | null
  /** The same instant if no reset returned units from now on; never later than `runsDryAt`. */
  readonly runsDryWithoutResetsAt: EpochMs | null
  /** Early estimate: in one of four cases the pool runs dry sooner. */
  readonly p25: EpochMs | null
  /** Late estimate: in one of four cases the pool runs dry later. */
  readonly p75: EpochMs | null
  readonly verdict: 'safe' | 'tight' | 'runs-dry' | 'unknown'
  readonly confidence: 'none' | 'low' | 'high'
  /** Accounts whose subscription ends before the forecast does; from then on they contribute nothing. */
  readonly lapsingCount: number
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
}

/** Horizon of the forecast, in hours. */
export const RUNWAY_HOURS_MAX = 48
/** A pool that runs dry within this time is short of quota now. */
export const SHORT_RUNWAY_MS = 2 * HOUR_MS
const UNITS_OFF = 1e-9
const STEPS_PER_HOUR = 4

/** Quota left in one window of an account. */
export interface WindowLevel {
  /** Percent 0..100. */
  readonly percent: number
  /** The next reset; null if unknown, which counts as one period from now. */
  readonly resetAt: EpochMs | null
  /** Time from reset to reset, of the substitute if the plan lacks the window. */
  readonly periodMs: number
}

/** Quota left of one account. */
export interface AccountQuota {
  readonly weight: number
  readonly windows: PerWindow<WindowLevel>
  /** End of its subscription, after which it contributes nothing; null if no end is known. */
  readonly lapsesAt: EpochMs | null
}

/** Forecast window, its cap by the week, and the start of the forecast. */
export interface RunwayContext {
  readonly windowId: MainWindowId
  readonly multiplier: WeeklyToFiveHourMultiplier
  readonly now: EpochMs
}

/** Accounts whose quota is known and that count; others are left out. */
export function accountQuotasOf(
  accounts: readonly EvaluatedAccount[],
  now: EpochMs,
): readonly AccountQuota[] {
  return accounts.flatMap((account) => {
    const { quota, capacityWeight, countedInCapacity, blockedReasons } = account
    if (!countedInCapacity || capacityWeight === 0 || blockedReasons.includes('auth_invalid'))
      return []
    if (mainWindows.some(({ id }) => quota[id].percent === null)) return []
    const windows = perWindow(({ id, substitute }) => {
      const { percent, window, metered } = quota[id]
      const { seconds } = mainWindowOf(window.state === 'absent' ? substitute : id)
      return { percent: percent ?? 0, resetAt: resetAtOf(metered), periodMs: seconds * 1000 }
    })
    return [{ weight: capacityWeight, windows, lapsesAt: lapseOf(account, now) }]
  })
}

/** End of a subscription according to its login; null for a renewed one, whose end is unknown. */
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
  const dryAt = (scaleAt: (hours: number) => number) =>
    dryInstant(accounts, (ahead) => forecast.unitsWithin(ahead) * scaleAt(ahead), context)
  const runsDryAt = dryAt(() => 1)
  const [p25, p75] = inOrder(
    dryAt((ahead) => spread.quartiles(ahead).upper),
    dryAt((ahead) => spread.quartiles(ahead).lower),
  )
  return {
    burnPerHour: forecast.unitsWithin(1),
    runsDryAt,
    runsDryWithoutResetsAt: dryInstant(accounts.map(neverReset), forecast.unitsWithin, context),
    p25,
    p75,
    verdict: p25 === null ? 'safe' : p75 === null ? 'tight' : 'runs-dry',
    confidence: forecast.confidence,
    lapsingCount: accounts.filter(({ lapsesAt }) => lapsesAt !== null && lapsesAt < endsAt).length,
  }
}

/** The account as if its windows were never reset. */
function neverReset(account: AccountQuota): AccountQuota {
  const resetAt = epochMs(Number.POSITIVE_INFINITY)
  return { ...account, windows: perWindow(({ id }) => ({ ...account.windows[id], resetAt })) }
}

/**
 * Sorts two instants; null lies beyond the horizon, so it is the later one. The quartiles change with the hours ahead, so a smaller total
 * burn can still be larger at one time and run dry sooner.
 */
function inOrder(
  one: EpochMs | null,
  other: EpochMs | null,
): readonly [EpochMs | null, EpochMs | null] {
  return (one ?? Number.POSITIVE_INFINITY) <= (other ?? Number.POSITIVE_INFINITY)
    ? [one, other]
    : [other, one]
}

interface Tank {
  percent: number
  resetAt: number
  readonly periodMs: number
}
type Tanks = PerWindow<Tank>

/** Percent left to one account in the forecast window, and the effect of using some of it. */
interface TankRule {
  readonly left: (tanks: Tanks, multiplier: WeeklyToFiveHourMultiplier) => number
  readonly burn: (tanks: Tanks, percent: number, multiplier: WeeklyToFiveHourMultiplier) => void
}

const tankRules: PerWindow<TankRule> = {
  [FIVE_HOUR]: {
    left: (tanks, multiplier) =>
      effectiveOf(tanks[FIVE_HOUR].percent, tanks[WEEK].percent, multiplier).fiveHour ?? 0,
    // A full 5h window uses 1/`multiplier` of the week.
    burn: (tanks, percent, multiplier) => {
      drain(tanks[FIVE_HOUR], percent)
      if (multiplier !== 'off') drain(tanks[WEEK], percent / multiplier)
    },
  },
  [WEEK]: {
    left: (tanks) => tanks[WEEK].percent,
    burn: (tanks, percent) => drain(tanks[WEEK], percent),
  },
}

/**
 * Simulates accounts that burn evenly, refill at their resets and leave when they lapse. Returns the instant at which no units are left;
 * null if it lies beyond `RUNWAY_HOURS_MAX`. `unitsWithin(h)`: Plus units the pool is expected to use in the first `h` hours.
 */
export function dryInstant(
  accounts: readonly AccountQuota[],
  unitsWithin: (hours: number) => number,
  context: RunwayContext,
): EpochMs | null {
  const { now, windowId, multiplier } = context
  let staying = accounts.map(({ weight, windows, lapsesAt }) => ({
    weight,
    lapsesAt: lapsesAt ?? Number.POSITIVE_INFINITY,
    tanks: perWindow(({ id }): Tank => {
      const { percent, resetAt, periodMs } = windows[id]
      return { percent, resetAt: resetAt ?? now + periodMs, periodMs }
    }),
  }))
  const rule = tankRules[windowId]
  let burned = 0
  for (let step = 0; step < RUNWAY_HOURS_MAX * STEPS_PER_HOUR; step += 1) {
    const startMs = now + (step * HOUR_MS) / STEPS_PER_HOUR
    staying = staying.filter(({ lapsesAt }) => lapsesAt > startMs)
    let units = 0
    for (const { weight, tanks } of staying) {
      for (const { id } of mainWindows) refill(tanks[id], startMs)
      units += (weight * rule.left(tanks, multiplier)) / 100
    }
    const total = Math.max(burned, unitsWithin((step + 1) / STEPS_PER_HOUR))
    const wanted = total - burned
    if (units <= 0 && (wanted > 0 || step === 0)) return plusMs(now, startMs - now)
    // Quota used up exactly when it comes back was enough; the tolerance covers rounding in sums of steps.
    if (wanted > units + UNITS_OFF)
      return plusMs(now, startMs - now + ((units / wanted) * HOUR_MS) / STEPS_PER_HOUR)
    burned = total
    const share = units === 0 ? 0 : wanted / units
    for (const { tanks } of staying)
      rule.burn(tanks, rule.left(tanks, multiplier) * share, multiplier)
  }
  return null
}

function refill(tank: Tank, atMs: number): void {
  while (tank.resetAt <= atMs) {
    tank.percent = 100
    tank.resetAt += tank.periodMs
  }
}

function drain(tank: Tank, percent: number): void {
  tank.percent = Math.max(0, tank.percent - percent)
}
