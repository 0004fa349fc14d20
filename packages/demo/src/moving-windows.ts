import {
  DAY_MS,
  type EpochMs,
  epochMs,
  FIVE_HOUR_SECONDS,
  HOUR_MS,
  type Interval,
  MINUTE_MS,
  plusMs,
  WEEK_SECONDS,
  type WindowReading,
  windowIdOf,
} from '@svc/core'

/** First and last value of a cycle. */
type Span = readonly [start: number, end: number]

/** A window that burns down in cycles; all cycles start alike. */
export interface MovingWindow extends Omit<WindowReading, 'percent' | 'resetAt'> {
  /** Percent left at the two ends of a cycle; a used-up window stays at 0. */
  readonly percent: Span
  /** Minutes to the reset at the two ends of a cycle. Equal for a clock that has not started, whose reset moves with every answer. */
  readonly resetsInMinutes: Span
  /** True if the vendor reports no reset. */
  readonly hidesReset?: true
}

const DAY_SECONDS = 24 * 3600
const MONTH_SECONDS = 30 * DAY_SECONDS

/** Share of a cycle's quota used after each eighth of it: work comes in bursts. */
const BURNT_BY_EIGHTH = [0, 0.08, 0.3, 0.36, 0.42, 0.7, 0.86, 0.9, 1] as const

export const fiveHour = (percent: Span, resetsInMinutes: Span): MovingWindow => ({
  id: windowIdOf(FIVE_HOUR_SECONDS),
  periodSeconds: FIVE_HOUR_SECONDS,
  percent,
  resetsInMinutes,
})

export const week = (percent: Span, resetsInMinutes: Span): MovingWindow => ({
  id: windowIdOf(WEEK_SECONDS),
  periodSeconds: WEEK_SECONDS,
  percent,
  resetsInMinutes,
})

export const month = (percent: Span, resetsInMinutes: Span): MovingWindow => ({
  id: 'month',
  periodSeconds: MONTH_SECONDS,
  percent,
  resetsInMinutes,
})

/** A window over the last 24 hours, for which the vendor reports no reset. */
export const rollingDay = (percent: Span, resetsInMinutes: Span): MovingWindow => ({
  id: 'day',
  periodSeconds: DAY_SECONDS,
  hidesReset: true,
  percent,
  resetsInMinutes,
})

/** Copy of a window as a limit of another scope, such as `code_review`; includes the vendor's names if there are any. */
export function scoped(
  scope: string,
  window: MovingWindow,
  names: Pick<WindowReading, 'label' | 'models'> = {},
): MovingWindow {
  return { ...window, id: `${scope}:${window.id}`, ...names }
}

/** Paid use beyond the plan, by the calendar month. */
export function extraUsage(percent: Span, resetsInMinutes: Span): MovingWindow {
  const window = scoped('extra_usage', month(percent, resetsInMinutes), { label: 'Extra usage' })
  return { ...window, periodSeconds: null, hidesReset: true }
}

export const hours = (start: number, end: number): Span => [start * 60, end * 60]

export const days = (start: number, end: number): Span => hours(start * 24, end * 24)

/** The window as reported by an answer at `sampledAt`. Percents are whole, like the vendor's. */
export function readingAt(
  window: MovingWindow,
  sampledAt: EpochMs,
  phaseMs: number,
): WindowReading {
  const startedAt = cycleStartOf(window, sampledAt, phaseMs)
  const lengthMs = cycleLengthMs(window)
  const burnt = lengthMs === 0 ? 0 : burntShare((sampledAt - startedAt) / lengthMs)
  const { percent, resetsInMinutes: _, hidesReset, ...reading } = window
  const [first, last] = percent
  return {
    ...reading,
    percent: Math.round(first + (last - first) * burnt),
    resetAt: hidesReset ? null : movingResetAt(window, sampledAt, phaseMs),
  }
}

/** Start of the cycle that is running at `at`. */
export function cycleStartOf(window: MovingWindow, at: EpochMs, phaseMs: number): EpochMs {
  const lengthMs = cycleLengthMs(window)
  return lengthMs === 0 ? at : latestTick(at, lengthMs, phaseMs)
}

/** Reset of the window in the cycle that is running at `at`. */
export function movingResetAt(window: MovingWindow, at: EpochMs, phaseMs: number): EpochMs {
  return plusMs(cycleStartOf(window, at, phaseMs), window.resetsInMinutes[0] * MINUTE_MS)
}

/** The latest multiple of `everyMs` up to `now`, shifted by `phaseMs`. */
export function latestTick(now: EpochMs, everyMs: number, phaseMs: number): EpochMs {
  return plusMs(now, -((now + phaseMs) % everyMs))
}

function cycleLengthMs(window: MovingWindow): number {
  const [first, last] = window.resetsInMinutes
  return (first - last) * MINUTE_MS
}

/** Share of a cycle's quota used once `progress` of the cycle, 0..1, has passed. */
export function burntShare(progress: number): number {
  const position = progress * (BURNT_BY_EIGHTH.length - 1)
  const eighth = Math.floor(position)
  const before = BURNT_BY_EIGHTH[eighth] ?? 1
  const after = BURNT_BY_EIGHTH[eighth + 1] ?? 1
  return before + (after - before) * (position - eighth)
}

/** Times of the maintenance. The sample service is down every ninth night and misses the usage of that time. */
const EVERY_DAYS = 9
const START_MS = 3 * HOUR_MS + 20 * MINUTE_MS
const LENGTH_MS = 40 * MINUTE_MS

export function isUnderMaintenance(at: number): boolean {
  const day = Math.floor(at / DAY_MS)
  const sinceMidnight = at - day * DAY_MS
  return day % EVERY_DAYS === 0 && sinceMidnight >= START_MS && sinceMidnight < START_MS + LENGTH_MS
}

/** All maintenance that began between two instants, oldest first; the last one is cut off at `to`. */
export function maintenanceBetween(from: EpochMs, to: EpochMs): readonly Interval[] {
  const nights: Interval[] = []
  const everyMs = EVERY_DAYS * DAY_MS
  for (let night = Math.floor(from / everyMs) * everyMs; night <= to; night += everyMs) {
    const [start, end] = [
      Math.max(from, night + START_MS),
      Math.min(to, night + START_MS + LENGTH_MS),
    ]
    if (start < end) nights.push({ from: epochMs(start), to: epochMs(end) })
  }
  return nights
}

export function maintenanceMsBetween(from: EpochMs, to: EpochMs): number {
  return maintenanceBetween(from, to).reduce((sum, night) => sum + night.to - night.from, 0)
}
