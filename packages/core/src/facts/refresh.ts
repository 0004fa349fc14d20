import type { SourceFailureCode } from './source.ts'
import type { EpochMs } from './time.ts'

/** Accounts queried by a manual refresh: all watched accounts, those disabled by the operator, or the one with this key. */
export type RefreshTarget =
  | { readonly scope: 'default' | 'disabled-diagnostics' }
  | { readonly scope: 'account'; readonly accountKey: string }

/** Kind of accounts a refresh queries. */
export type RefreshScope = RefreshTarget['scope']

/** Progress of a refresh. `done` includes failed queries, but not queries cancelled before they were sent. */
export interface RefreshTally {
  readonly queued: number
  readonly done: number
  readonly failed: number
  /** Accounts that are not queried because their vendor must not be asked yet; omitted if there are none. */
  readonly skipped?: SkippedAccounts
}

/** Accounts that a refresh does not query, because their vendor was asked recently or asked for a pause. */
export interface SkippedAccounts {
  readonly count: number
  /** Earliest time at which one of the accounts may be queried; null if none may be before a restart or a reload. */
  readonly nextAskAt: EpochMs | null
}

/**
 * Reason a refresh ended before every account was queried. For a refresh of one account, `no_direct_quota`: nothing can query its vendor;
 * `vendor_asks_to_wait`: the vendor asked for a pause. `asked_lately`: this account was refreshed less than a minute ago, or every account was
 * skipped.
 */
export type RefreshFailure =
  | SourceFailureCode
  | 'quota_off'
  | 'deadline'
  | 'cancelled'
  | 'no_direct_quota'
  | 'vendor_asks_to_wait'
  | 'asked_lately'

export interface RunningRefresh {
  readonly status: 'running'
  readonly target: RefreshTarget
  readonly startedAt: EpochMs
  /** Expected end of the refresh at the current pace; null while no query may be sent. */
  readonly expectedEndAt: EpochMs | null
  readonly tally: RefreshTally
}

/**
 * A refresh that has ended. `partial`: it was cancelled, or some accounts failed or were not queried; `failed`: all accounts failed or were not
 * queried. `failure` is null if every account was queried.
 */
export interface EndedRefresh {
  readonly status: 'completed' | 'partial' | 'failed'
  readonly target: RefreshTarget
  readonly startedAt: EpochMs
  readonly completedAt: EpochMs
  readonly tally: RefreshTally
  readonly failure: RefreshFailure | null
}

/** State of this process's manual refresh: none so far, running, or the result of the last one. */
export type RefreshState = { readonly status: 'idle' } | RunningRefresh | EndedRefresh

/** Another monitor of the same history queries the vendor, so this one cannot refresh. */
export interface RefreshElsewhere {
  readonly status: 'standby'
  /** The monitor that queries the vendor; null if unknown. */
  readonly holder: string | null
}
