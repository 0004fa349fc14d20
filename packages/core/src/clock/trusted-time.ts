import type { ClockDoubt } from '../facts/clock-doubt.ts'
import type { EpochMs } from '../facts/time.ts'

/** What the time is at one moment, as far as it can be believed. */
export interface TrustedTime {
  /** Null while our clock is believed. */
  readonly doubt: ClockDoubt | null
  /** Whatever a store dates later than this, a wrong clock has left; null while that is unknown. */
  readonly falseAfter: EpochMs | null
  /** A time that has certainly passed. */
  readonly certain: EpochMs
  /** The latest time that any source names. */
  readonly latest: EpochMs
}

/** When an answer of the proxy came. */
export interface ReceiptTime {
  /** By our clock. */
  readonly receivedAt: EpochMs
  /** By the clock that dates usage. */
  readonly usageAt: EpochMs
}
