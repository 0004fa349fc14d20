import {
  hasMarks,
  marksOf,
  type QuotaSample,
  type ReadingOrigin,
  type WindowReading,
} from '../facts/reading.ts'
import type { EpochMs } from '../facts/time.ts'
import { isMainWindowId, mainWindowOf, type WindowId } from '../facts/window.ts'
import type { QuotaWindow } from './quota-window.ts'

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

/** Age in seconds from which a sample counts as stale, for an account queried this often. */
export function staleAfterSeconds(plannedIntervalSeconds: number): number {
  return Math.max(STALE_INTERVALS * plannedIntervalSeconds, STALE_SECONDS_MIN)
}

/** A window missing from the newest answer that lists every window of the plan. */
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

/** The present state of a window according to a reading: full once its reset has passed. See docs/rules.md#windows. */
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
  if (resetAt !== null && resetAt <= age.now) {
    return {
      id,
      periodSeconds,
      sampledAt,
      origin,
      state: 'known',
      percent: 100,
      resetAt: null,
      rolledOverAt: resetAt,
      stale: true,
    }
  }
  const stale = isOld(sampledAt, age)
  if (reading.exhausted)
    return { id, periodSeconds, sampledAt, origin, state: 'exhausted', percent: 0, resetAt, stale }
  const percent = shownPercent(reading.percent)
  return {
    id,
    periodSeconds,
    sampledAt,
    origin,
    state: 'known',
    percent,
    resetAt,
    rolledOverAt: null,
    stale,
  }
}

/** Percent with one decimal, never 0 for a window that has quota left. */
function shownPercent(percent: number): number {
  return Math.max(0.1, Math.round(Math.min(100, percent) * 10) / 10)
}

function isOld(sampledAt: EpochMs, age: EvidenceAge): boolean {
  return age.now - sampledAt > staleAfterSeconds(age.plannedIntervalSeconds) * 1000
}
