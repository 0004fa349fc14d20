import type { ReceiptTime } from '@svc/collector'
import type { EpochMs, RememberedPool, UsageGap } from '@svc/core'
import type { StoredTimes, TrustedTime } from '../clock/trusted-clock.ts'
import type { TrendSeed } from '../monitor/trend-watch.ts'

/** What a store held when it was opened. */
export interface OpenedStore extends TrendSeed, StoredTimes {
  readonly isNew: boolean
  /** A pop that the last process died in; null when there was none. */
  readonly interrupted: UsageGap | null
  readonly lastPollAt: EpochMs | null
  /** How the pool was last seen; null when that was never kept. */
  readonly remembered: RememberedPool | null
}

/** When an answer of the proxy came, and what the time was by all that tells it. */
export interface AnswerTimes extends TrustedTime, ReceiptTime {}

export interface ForgettingReport {
  /** Something too old is left. */
  readonly more: boolean
  /** How far the oldest row lies before the cut. */
  readonly backlogMs: number
}

export interface MaintenanceReport extends StoredTimes {
  readonly walBytes: number
  /** Of the last 24 h. */
  readonly missedMs: number
}
