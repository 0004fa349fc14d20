import type { ReadingOrigin } from '../facts/reading.ts'
import type { EpochMs } from '../facts/time.ts'
import type { MainWindowId } from '../facts/window.ts'

/** The pool's capacity in one window at one time, in Plus units, with the units used since the previous point. */
export interface CapacityPoint {
  readonly windowId: MainWindowId
  readonly at: EpochMs
  readonly knownUnits: number
  readonly trackedUnits: number
  readonly unknownUnits: number
  readonly burnedUnits: number
}

/** A recorded percent of one account's window. */
export interface WindowReadingRecord {
  readonly accountKey: string
  readonly windowId: MainWindowId
  readonly at: EpochMs
  /** Percent remaining, 0..100. */
  readonly percent: number
  readonly resetAt: EpochMs | null
  /** Origin of the reading and the time it was taken; left out if unknown. */
  readonly origin?: ReadingOrigin
  readonly sampledAt?: EpochMs
}
