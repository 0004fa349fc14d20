import type { EpochMs, UsageGap } from '@svc/core'
import type { TrendSeed } from '../monitor/trend-watch.ts'

/** What a store held when it was opened. */
export interface OpenedStore extends TrendSeed {
  readonly isNew: boolean
  /** A pop that the last process died in; null when there was none. */
  readonly interrupted: UsageGap | null
  readonly lastPollAt: EpochMs | null
}

export interface MaintenanceReport {
  readonly walBytes: number
  /** Of the last 24 h. */
  readonly missedMs: number
}
