import type { ClockDoubt } from '../facts/clock-doubt.ts'
import type { EpochMs } from '../facts/time.ts'

/** The time at one moment, with the doubt about it and its bounds. */
export interface TrustedTime {
  /** Null while our clock is believed. */
  readonly doubt: ClockDoubt | null
  /** Limit beyond which every date in a store comes from a wrong clock; null while that is unknown. */
  readonly falseAfter: EpochMs | null
  /** A time that has certainly passed. */
  readonly certain: EpochMs
  /** The latest time that any source names. */
  readonly latest: EpochMs
}

/** Time of receipt of an answer from the proxy. */
export interface ReceiptTime {
  /** By our clock. */
  readonly receivedAt: EpochMs
  /** By the clock that dates usage. */
  readonly usageAt: EpochMs
  /** Mark under which the answer was taken out of a queue; left out if it came from another route. */
  readonly markedAt?: EpochMs
}
