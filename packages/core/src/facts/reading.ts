import type { EpochMs } from './time.ts'
import type { WindowId } from './window.ts'

/** Origin of a reading, most trusted first. */
export type ReadingOrigin = 'direct' | 'headers' | 'error-body' | 'status-message'

/** One window in one sample. */
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
