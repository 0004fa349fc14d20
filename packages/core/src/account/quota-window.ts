import {
  hasMarks,
  marksOf,
  type QuotaSample,
  type ReadingOrigin,
  type WindowMarks,
  type WindowReading,
} from '../facts/reading.ts'
import type { EpochMs } from '../facts/time.ts'
import {
  isMainWindowId,
  type MainWindowId,
  mainWindowOf,
  mainWindows,
  perWindow,
  type WindowId,
} from '../facts/window.ts'

interface WindowBase extends WindowMarks {
  readonly id: WindowId
  readonly periodSeconds: number | null
}

interface SampledWindow extends WindowBase {
  readonly sampledAt: EpochMs
  readonly origin: ReadingOrigin
  /** True if the reading is older than the account's query interval allows. */
  readonly stale: boolean
}

/** Current state of one window. `percent` is percent remaining. */
export type QuotaWindow =
  | (SampledWindow & {
      readonly state: 'known'
      /** 0 < percent <= 100, one decimal. */
      readonly percent: number
      readonly resetAt: EpochMs | null
      /** Time of a reset that passed without a newer reading, so that the window counts as full but unconfirmed (percent 100, stale); else null. */
      readonly rolledOverAt: EpochMs | null
    })
  | (SampledWindow & {
      readonly state: 'exhausted'
      readonly percent: 0
      readonly resetAt: EpochMs | null
    })
  | (SampledWindow & { readonly state: 'absent' })
  | (WindowBase & {
      readonly state: 'unknown'
      /** False if the vendor reports no such limit for this account; omitted if it was not read yet. */
      readonly reported?: false
    })

/** Whether a window has any remark besides its state. */
export function isMarked(window: QuotaWindow): boolean {
  return hasMarks(window) || (window.state === 'unknown' && window.reported === false)
}

/** False if the account lacks the window or the vendor does not report it; true before the first reading. */
export function isPresent(window: QuotaWindow): boolean {
  return window.state === 'unknown' ? window.reported !== false : window.state !== 'absent'
}

/** Percent remaining; null if the window has no known percent. */
export function percentOf(window: QuotaWindow): number | null {
  return window.state === 'known' || window.state === 'exhausted' ? window.percent : null
}

/** The next reset of a window; null if it has none or it is unknown. */
export function resetAtOf(window: QuotaWindow): EpochMs | null {
  return window.state === 'known' || window.state === 'exhausted' ? window.resetAt : null
}

export function isStale(window: QuotaWindow): boolean {
  return window.state !== 'unknown' && window.stale
}

/** The window with this id; an unknown window if it was never read. */
export function windowOf(windows: readonly QuotaWindow[], id: MainWindowId): QuotaWindow {
  // Fast path: this runs several times per account and evaluation.
  const usual = windows[usualPlaces[id]]
  if (usual?.id === id) return usual
  return windows.find((window) => window.id === id) ?? unknownWindow(id)
}

const usualPlaces = perWindow((row) => mainWindows.indexOf(row))

/** A window that was never read. */
export function unknownWindow(id: MainWindowId): QuotaWindow {
  return { id, periodSeconds: mainWindowOf(id).seconds, state: 'unknown' }
}

/** Age below which a sample is never stale. See docs/rules.md#merging-readings. */
const STALE_SECONDS_MIN = 15 * 60
const STALE_INTERVALS = 3

export interface DatedReading extends WindowReading {
  readonly exhausted: boolean
  readonly origin: ReadingOrigin
  readonly sampledAt: EpochMs
}

export interface EvidenceAge {
  readonly now: EpochMs
  readonly plannedIntervalSeconds: number
}

/** Age in seconds from which a sample counts as stale, for an account with this query interval. */
export function staleAfterSeconds(plannedIntervalSeconds: number): number {
  return Math.max(STALE_INTERVALS * plannedIntervalSeconds, STALE_SECONDS_MIN)
}

/** A window that the newest complete answer of the vendor does not list. */
export function absentWindow(id: WindowId, listing: QuotaSample, age: EvidenceAge): QuotaWindow {
  const periodSeconds = isMainWindowId(id) ? mainWindowOf(id).seconds : null
  return {
    id,
    periodSeconds,
    state: 'absent',
    sampledAt: listing.sampledAt,
    origin: listing.origin,
    stale: isOld(listing.sampledAt, age),
  }
}

/** The current state of a window according to a reading; full once the reset has passed. See docs/rules.md#windows. */
export function windowNow(reading: DatedReading, age: EvidenceAge): QuotaWindow {
  const window = unmarkedNow(reading, age)
  if (!hasMarks(reading)) return window
  const { note, ...scope } = reading
  // The note is about a percent that no longer counts after the reset.
  const isOver = window.state === 'known' && window.rolledOverAt !== null
  return { ...window, ...marksOf(isOver ? { ...scope, note: undefined } : { ...scope, note }) }
}

function unmarkedNow(reading: DatedReading, age: EvidenceAge): QuotaWindow {
  const { id, periodSeconds, sampledAt, origin, resetAt } = reading
  const base = { id, periodSeconds, sampledAt, origin }
  if (resetAt !== null && resetAt <= age.now) {
    const full = { percent: 100, resetAt: null, rolledOverAt: resetAt, stale: true }
    return { ...base, state: 'known', ...full }
  }
  const stale = isOld(sampledAt, age)
  if (reading.exhausted) return { ...base, state: 'exhausted', percent: 0, resetAt, stale }
  const percent = shownPercent(reading.percent)
  return { ...base, state: 'known', percent, resetAt, rolledOverAt: null, stale }
}

/** Percent with one decimal; at least 0.1 for a window that has quota left. */
function shownPercent(percent: number): number {
  return Math.max(0.1, Math.round(Math.min(100, percent) * 10) / 10)
}

function isOld(sampledAt: EpochMs, age: EvidenceAge): boolean {
  return age.now - sampledAt > staleAfterSeconds(age.plannedIntervalSeconds) * 1000
}
