import type { BurnHours, CapacityPoint, EpochMs, RecentChange, UsageGap, WindowReadingRecord } from '@svc/core'

/** What a store held when it was opened. */
export interface OpenedStore {
  readonly isNew: boolean
  /** A pop that the last process died in; null when there was none. */
  readonly interrupted: UsageGap | null
  readonly lastPollAt: EpochMs | null
  /** Newest first. */
  readonly changes: readonly RecentChange[]
  readonly readings: readonly WindowReadingRecord[]
  /** Of the last day, oldest first. */
  readonly points: readonly CapacityPoint[]
  /** Of the last 15 days. */
  readonly burnHours: Readonly<Record<CapacityPoint['windowId'], BurnHours>>
}

export interface MaintenanceReport {
  readonly walBytes: number
  /** Of the last 24 h. */
  readonly missedMs: number
}
