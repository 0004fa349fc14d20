import { effectiveOf, type WeeklyToFiveHourMultiplier } from '../account/account-quota.ts'
import { type EpochMs, HOUR_MS, plusMs } from '../facts/time.ts'
import {
  FIVE_HOUR,
  type MainWindowId,
  mainWindows,
  type PerWindow,
  perWindow,
  WEEK,
} from '../facts/window.ts'

/** Horizon of the forecast, in hours. */
export const RUNWAY_HOURS_MAX = 48

export interface WindowLevel {
  /** Percent 0..100. */
  readonly percent: number
  /** The next reset; null if unknown, then assumed one period from now. */
  readonly resetAt: EpochMs | null
  /** Time between resets; that of the substitute if the plan lacks the window. */
  readonly periodMs: number
}

/** Quota left of one account. */
export interface AccountQuota {
  readonly weight: number
  readonly windows: PerWindow<WindowLevel>
  /** Time until which it is blocked and its quota held; infinite if no end is known, null if it may be used. */
  readonly heldUntil: EpochMs | null
  /** End of its subscription, after which it contributes nothing; null if no end is known. */
  readonly lapsesAt: EpochMs | null
}

/** Forecast window, its cap by the week, and the start of the forecast. */
export interface RunwayContext {
  readonly windowId: MainWindowId
  readonly multiplier: WeeklyToFiveHourMultiplier
  readonly now: EpochMs
}

/** Usable quota of the pool in one window over one step of the forecast, in Plus units. */
export interface WalkStep {
  readonly startAt: EpochMs
  readonly endAt: EpochMs
  /** Units on blocked accounts at the start. */
  readonly held: number
  /** Units left at the start, before resets return units, accounts become free and subscriptions end. */
  readonly before: number
  /** Units left at the start, after these. */
  readonly start: number
  readonly end: number
  /** Instant within the step at which nothing is left; null if the quota lasts. */
  readonly dryAt: EpochMs | null
}

const UNITS_OFF = 1e-9
/** A reset counts from the next step on, so steps are shorter in the first hours, in which 5h is drawn. */
const TICKS_PER_HOUR = 12
const FINE_HOURS = 6
const COARSE_TICKS = 3

/**
 * Simulates accounts for `RUNWAY_HOURS_MAX`: they burn evenly once they are free, refill at resets and leave when their subscriptions end. Demand while
 * nothing is left is lost. `unitsWithin(h)`: Plus units the pool is expected to use in the first `h` hours.
 */
export function* walkOf(
  accounts: readonly AccountQuota[],
  unitsWithin: (hours: number) => number,
  context: RunwayContext,
): Generator<WalkStep> {
  const { now, windowId, multiplier } = context
  let staying = accounts.map(({ weight, windows, heldUntil, lapsesAt }) => ({
    weight,
    freeAt: heldUntil ?? now,
    lapsesAt: lapsesAt ?? Number.POSITIVE_INFINITY,
    tanks: perWindow(({ id }): Tank => {
      const { percent, resetAt, periodMs } = windows[id]
      return { percent, resetAt: resetAt ?? now + periodMs, periodMs }
    }),
  }))
  const rule = tankRules[windowId]
  let burned = 0
  let left: number | null = null
  for (let tick = 0; tick < RUNWAY_HOURS_MAX * TICKS_PER_HOUR; ) {
    const ticks = tick < FINE_HOURS * TICKS_PER_HOUR ? 1 : COARSE_TICKS
    const stepMs = (ticks * HOUR_MS) / TICKS_PER_HOUR
    const startAt = plusMs(now, (tick * HOUR_MS) / TICKS_PER_HOUR)
    staying = staying.filter(({ lapsesAt }) => lapsesAt > startAt)
    let units = 0
    let held = 0
    for (const { weight, tanks, freeAt } of staying) {
      for (const { id } of mainWindows) refill(tanks[id], startAt)
      const left = (weight * rule.left(tanks, multiplier)) / 100
      if (freeAt <= startAt) units += left
      else held += left
    }
    tick += ticks
    const total = Math.max(burned, unitsWithin(tick / TICKS_PER_HOUR))
    const wanted = total - burned
    burned = total
    // Quota used up exactly when it comes back was enough; the tolerance covers rounding in sums of steps.
    const isDry = units <= 0 ? wanted > 0 || startAt === now : wanted > units + UNITS_OFF
    const end = Math.max(0, units - wanted)
    yield {
      startAt,
      endAt: plusMs(startAt, stepMs),
      held,
      before: left ?? units,
      start: units,
      end,
      dryAt: isDry ? plusMs(startAt, units <= 0 ? 0 : (units / wanted) * stepMs) : null,
    }
    left = end
    const share = units <= 0 ? 0 : Math.min(1, wanted / units)
    for (const { tanks, freeAt } of staying)
      if (freeAt <= startAt) rule.burn(tanks, rule.left(tanks, multiplier) * share, multiplier)
  }
}

/** Instant at which `walkOf` has no units left; null if after `RUNWAY_HOURS_MAX`. */
export function dryInstant(...walk: Parameters<typeof walkOf>): EpochMs | null {
  for (const { dryAt } of walkOf(...walk)) if (dryAt !== null) return dryAt
  return null
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

function refill(tank: Tank, atMs: number): void {
  while (tank.resetAt <= atMs) {
    tank.percent = 100
    tank.resetAt += tank.periodMs
  }
}

function drain(tank: Tank, percent: number): void {
  tank.percent = Math.max(0, tank.percent - percent)
}
