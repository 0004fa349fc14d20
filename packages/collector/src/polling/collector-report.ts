import type { EpochMs } from '@svc/core'
import type { QuotaClass } from '@svc/core/service'

/** Counters of the collector, with the metric's name and labels. */
export type CollectorCount =
  /** A call to `endpoint` failed; held calls and failures on this machine do not count. */
  | { readonly counter: 'upstream_errors_total'; readonly endpoint: string }
  /** A direct quota query of an account of this class ended. */
  | {
      readonly counter: 'direct_quota_probes_total'
      readonly class: QuotaClass
      readonly result: 'ok' | 'auth' | 'blocked' | 'throttled' | 'failed'
    }
  /** A subscription to usage has ended by itself and is made again. */
  | { readonly counter: 'usage_subscriber_reconnects_total' }
  /** A round of the account list ended; `held` means that nothing was sent. */
  | { readonly counter: 'refresh_total'; readonly result: 'ok' | 'failed' | 'held' }

/** Receives the collector's counts and timings. */
export interface CollectorReport {
  /** Adds 1 to a counter. */
  readonly count: (count: CollectorCount) => void
  /** Records the seconds that one reading of the account list took. */
  readonly timeListRead: (seconds: number) => void
  /** Sets the arrival of the oldest usage record over a standing connection that waits long for the store; null once all are stored. */
  readonly setUsageWait: (since: EpochMs | null) => void
}
