import type { ReadingOrigin } from '../facts/reading.ts'
import type { EpochMs } from '../facts/time.ts'
import type { MainWindowId } from '../facts/window.ts'

/** The pool's capacity in one window at one time, in Plus units, and what was used since the point before it. */
export interface CapacityPoint {
  readonly windowId: MainWindowId
  readonly at: EpochMs
  readonly knownUnits: number
  readonly trackedUnits: number
  readonly unknownUnits: number
  readonly burnedUnits: number
}

/** Percent of one account's window as it was last recorded. */
export interface WindowReadingRecord {
  readonly accountKey: string
  readonly windowId: MainWindowId
  readonly at: EpochMs
  /** Percent remaining, 0..100. */
  readonly percent: number
  readonly resetAt: EpochMs | null
  /** What the reading came with, and when it was taken; left out where that is not known. */
  readonly origin?: ReadingOrigin
  readonly sampledAt?: EpochMs
}
