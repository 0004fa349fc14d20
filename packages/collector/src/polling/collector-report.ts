import type { QuotaClass } from '@svc/core/service'

/** What the collector counts, by the name of the metric and its labels. */
export type CollectorCount =
  /** A call to `endpoint` failed. Calls that were held back are not counted, nor what failed on this machine. */
  | { readonly counter: 'upstream_errors_total'; readonly endpoint: string }
  /** A direct quota query of an account of this class ended. */
  | {
      readonly counter: 'direct_quota_probes_total'
      readonly class: QuotaClass
      readonly result: 'ok' | 'auth' | 'blocked' | 'throttled' | 'failed'
    }
  /** A round of the account list ended; `held`: nothing was sent. */
  | { readonly counter: 'refresh_total'; readonly result: 'ok' | 'failed' | 'held' }

/** Where the collector counts what it does. */
export interface CollectorReport {
  /** Adds 1. */
  readonly count: (count: CollectorCount) => void
  /** The account list was read in this time. */
  readonly timeListRead: (seconds: number) => void
}
