import { hasMarks, type ReadingOrigin, type WindowMarks } from '../facts/reading.ts'
import type { EpochMs } from '../facts/time.ts'
import {
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
  /** True if the reading is older than this account's readings should be. */
  readonly stale: boolean
}

/** State of one window now. `percent` is percent remaining. */
export type QuotaWindow =
  | (SampledWindow & {
      readonly state: 'known'
      /** 0 < percent <= 100, one decimal. */
      readonly percent: number
      readonly resetAt: EpochMs | null
      /** Time of a reset that passed without a newer reading: full, but unproven (percent 100, stale). Else null. */
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
      /** False if the vendor reports no such limit of this account; left out: it was not read yet. */
      readonly reported?: false
    })

/** Whether a window has any remark beside its state. */
export function isMarked(window: QuotaWindow): boolean {
  return hasMarks(window) || (window.state === 'unknown' && window.reported === false)
}

/** False for a window that the account lacks or the vendor does not report; true before the first reading. */
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

/** True if the window rests on a reading that is too old. */
export function isStale(window: QuotaWindow): boolean {
  return window.state !== 'unknown' && window.stale
}

/** The window with this id; an unknown one if it was never read. */
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
