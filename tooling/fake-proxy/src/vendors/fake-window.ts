import { type EpochMs, FIVE_HOUR_SECONDS, instantToIso, plusMs, WEEK_SECONDS } from '@svc/core'

export const MONTH_SECONDS = 30 * 86_400

/** State of a window's clock: not started, ending some seconds after the fake first sees the window, or ending at an instant. */
type WindowClock =
  | { readonly kind: 'idle' }
  | { readonly kind: 'ends_in'; readonly seconds: number }
  | { readonly kind: 'ends_at'; readonly at: EpochMs }

/** One simulated quota window; it moves with time and requests. `usedPercent` is 0..100 and keeps fractions. */
export interface FakeWindow {
  readonly seconds: number
  usedPercent: number
  /** Percent that one successful request burns. */
  percentPerRequest: number
  clock: WindowClock
}

/** A window of `seconds`; with `resetsInSeconds: null` its clock starts with the first request. */
export function aFakeWindow(shape: {
  readonly seconds: number
  readonly usedPercent?: number
  readonly percentPerRequest?: number
  readonly resetsInSeconds?: number | null
}): FakeWindow {
  const resetsInSeconds = shape.resetsInSeconds ?? null
  return {
    seconds: shape.seconds,
    usedPercent: shape.usedPercent ?? 0,
    percentPerRequest: shape.percentPerRequest ?? 0,
    clock:
      resetsInSeconds === null ? { kind: 'idle' } : { kind: 'ends_in', seconds: resetsInSeconds },
  }
}

/** Windows of an account of a vendor other than Codex, by the id the monitor gives them: `5h`, `week`, `gemini:5h`. */
export type FakeWindows = Readonly<Record<string, FakeWindow>>

/** Length and usual reset of a window, by the last part of its id. */
const PERIODS: Readonly<Record<string, readonly [seconds: number, resetsInSeconds: number]>> = {
  '5h': [FIVE_HOUR_SECONDS, 9_000],
  day: [86_400, 40_000],
  week: [WEEK_SECONDS, 400_000],
  month: [MONTH_SECONDS, 1_200_000],
}

interface WindowUse {
  readonly used?: number
  /** Null: not started. */
  readonly resetsInSeconds?: number | null
  readonly percentPerRequest?: number
}

/** Windows by id, each given by its percent used or by a `WindowUse`; the length follows from the id. */
export function fakeWindows(use: Readonly<Record<string, number | WindowUse>>): FakeWindows {
  return Object.fromEntries(
    Object.entries(use).map(([id, value]) => {
      const period = PERIODS[id.slice(id.indexOf(':') + 1)]
      if (period === undefined) throw new Error(`${id}: no window has this id`)
      const [seconds, usualReset] = period
      const {
        used = 0,
        resetsInSeconds = usualReset,
        percentPerRequest = 0,
      } = typeof value === 'number' ? { used: value } : value
      return [id, aFakeWindow({ seconds, usedPercent: used, resetsInSeconds, percentPerRequest })]
    }),
  )
}

/** Moves a window to `at`: gives a new one a fixed end and empties one whose reset has passed. */
export function rollWindow(window: FakeWindow, at: EpochMs): void {
  if (window.clock.kind === 'ends_in')
    window.clock = { kind: 'ends_at', at: plusMs(at, window.clock.seconds * 1000) }
  if (window.clock.kind === 'ends_at' && window.clock.at <= at) {
    window.clock = { kind: 'idle' }
    window.usedPercent = 0
  }
}

/** Burns one request at `at` and starts an idle window. */
export function burnWindow(window: FakeWindow, at: EpochMs): void {
  if (window.clock.kind === 'idle')
    window.clock = { kind: 'ends_at', at: plusMs(at, window.seconds * 1000) }
  window.usedPercent = Math.min(100, window.usedPercent + window.percentPerRequest)
}

export function isExhausted(window: FakeWindow | undefined): window is FakeWindow {
  return window !== undefined && window.usedPercent >= 100
}

/** End of a window; one that has not started still has its full period left. */
export function endOf(window: FakeWindow, at: EpochMs): EpochMs {
  return window.clock.kind === 'ends_at' ? window.clock.at : plusMs(at, window.seconds * 1000)
}

/** End of a window as text with milliseconds. */
export function endText(window: FakeWindow, at: EpochMs): string {
  return instantToIso(endOf(window, at))
}

/** Rounds `value` to at most this many decimals. */
export function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals))
}
