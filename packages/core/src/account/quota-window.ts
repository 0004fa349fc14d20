import type { EpochMs } from '../facts/time.ts'

/**
 * `5h`, `week`, `month`, `<seconds>s`, `spend` or `limit` for the account's own limits;
 * `code_review:<kind>` and `extra:<feature>:<kind>` for limits of another scope.
 */
export type WindowId = string

/** Where a reading came from, most trusted first. */
export type ReadingOrigin = 'direct' | 'headers' | 'error-body' | 'status-message'

/** What one sample says about one window. */
export interface WindowReading {
  readonly id: WindowId
  /** Length of the window; null for `spend` and `limit`, which have none. */
  readonly periodSeconds: number | null
  /** Percent remaining, 0..100. */
  readonly percent: number
  readonly resetAt: EpochMs | null
}

/** One reading of an account's limits: everything one answer said. */
export interface QuotaSample {
  readonly origin: ReadingOrigin
  readonly sampledAt: EpochMs
  /** Plan as the vendor names it, null when the answer did not say. */
  readonly plan: string | null
  readonly windows: readonly WindowReading[]
  /** Windows that were there but could not be read; they keep a missing window from counting as absent. */
  readonly unreadableWindowCount: number
  /** The vendor says that a limit of the account itself is reached. */
  readonly limitReached: boolean
  /** The account's spending limit is reached; null when it is not. */
  readonly spendReached: { readonly resetAt: EpochMs | null } | null
}

interface WindowBase {
  readonly id: WindowId
  readonly periodSeconds: number | null
}

interface SampledWindow extends WindowBase {
  readonly sampledAt: EpochMs
  readonly origin: ReadingOrigin
  /** The reading is older than this account's readings should be. */
  readonly stale: boolean
}

/** State of one window now. `percent` is percent remaining. */
export type QuotaWindow =
  | (SampledWindow & {
      readonly state: 'known'
      /** 0 < percent <= 100, one decimal. */
      readonly percent: number
      readonly resetAt: EpochMs | null
      /** When the reset passed without a newer reading: full, but unproven (percent 100, stale). Else null. */
      readonly rolledOverAt: EpochMs | null
    })
  | (SampledWindow & { readonly state: 'exhausted'; readonly percent: 0; readonly resetAt: EpochMs | null })
  | (SampledWindow & { readonly state: 'absent' })
  | (WindowBase & { readonly state: 'unknown' })

/** Length of the two windows every account is shown with, in seconds. Source: decisions §4. */
export const FIVE_HOUR_SECONDS = 5 * 3600
export const WEEK_SECONDS = 7 * 24 * 3600

/** How far a window's length may be off and still be called `5h` or `week`. Source: decisions §4. */
const PERIOD_TOLERANCE = 0.1
const MONTH_SECONDS_MIN = 28 * 24 * 3600
const MONTH_SECONDS_MAX = 31 * 24 * 3600

/** The id of a main window, by its length and never by its slot. */
export function windowIdOf(periodSeconds: number): WindowId {
  if (isNear(periodSeconds, FIVE_HOUR_SECONDS)) return '5h'
  if (isNear(periodSeconds, WEEK_SECONDS)) return 'week'
  if (periodSeconds >= MONTH_SECONDS_MIN && periodSeconds <= MONTH_SECONDS_MAX) return 'month'
  return `${Math.round(periodSeconds)}s`
}

/** True for the account's own limits; limits of another scope never touch routing or capacity. */
export function isMainWindow(id: WindowId): boolean {
  return !id.includes(':')
}

/** Percent remaining, or null when the window has no number to give. */
export function percentOf(window: QuotaWindow): number | null {
  return window.state === 'known' || window.state === 'exhausted' ? window.percent : null
}

/** The next reset of a window, or null when it has none or it is not known. */
export function resetAtOf(window: QuotaWindow): EpochMs | null {
  return window.state === 'known' || window.state === 'exhausted' ? window.resetAt : null
}

/** True when the window rests on a reading that is too old. */
export function isStale(window: QuotaWindow): boolean {
  return window.state !== 'unknown' && window.stale
}

/** The window with this id, or an unknown one when nothing was ever read of it. */
export function windowOf(windows: readonly QuotaWindow[], id: '5h' | 'week'): QuotaWindow {
  // Where the two stand in every merged list; asked for several times per account and evaluation.
  const usual = windows[id === '5h' ? 0 : 1]
  if (usual?.id === id) return usual
  return windows.find((window) => window.id === id) ?? unknownWindow(id)
}

export function unknownWindow(id: '5h' | 'week'): QuotaWindow {
  return { id, periodSeconds: id === '5h' ? FIVE_HOUR_SECONDS : WEEK_SECONDS, state: 'unknown' }
}

function isNear(seconds: number, target: number): boolean {
  return Math.abs(seconds - target) <= target * PERIOD_TOLERANCE
}
