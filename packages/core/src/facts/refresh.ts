import type { SourceFailureCode } from './source.ts'
import type { EpochMs } from './time.ts'

/** Accounts a manual refresh queries: all watched accounts, those the operator has disabled, or the one with this key. */
export type RefreshTarget =
  | { readonly scope: 'default' | 'disabled-diagnostics' }
  | { readonly scope: 'account'; readonly accountKey: string }

/** Kind of accounts a refresh queries. */
export type RefreshScope = RefreshTarget['scope']

/** Progress of a refresh. `done` includes failed queries, but not those a cancelled refresh never sent. */
export interface RefreshTally {
  readonly queued: number
  readonly done: number
  readonly failed: number
  /** Accounts the vendor may not be asked about yet, beside those queued; left out without any. */
  readonly skipped?: SkippedAccounts
}

/** Accounts that a refresh leaves out, because their vendor was asked lately or wants no queries. */
export interface SkippedAccounts {
  readonly count: number
  /** Earliest time one of them may be asked about; null if none may before a restart or a reload. */
  readonly nextAskAt: EpochMs | null
}

/**
 * Reason a refresh ended before every account was queried. `no_direct_quota`, `vendor_asks_to_wait`: of one account, nothing can query the vendor about it, or
 * the vendor asks to wait. `asked_lately`: a refresh of this account alone is less than a minute old, or every account was skipped.
 */
export type RefreshFailure =
  | SourceFailureCode
  | 'quota_off'
  | 'deadline'
  | 'cancelled'
  | 'no_direct_quota'
  | 'vendor_asks_to_wait'
  | 'asked_lately'

/** A refresh under way. */
export interface RunningRefresh {
  readonly status: 'running'
  readonly target: RefreshTarget
  readonly startedAt: EpochMs
  /** Expected end of the refresh at the present pace; null while nothing can be sent. */
  readonly expectedEndAt: EpochMs | null
  readonly tally: RefreshTally
}

/**
 * A refresh that has ended: `partial` if it was cancelled, or if some accounts failed or were not queried; `failed` if this applies to all
 * of them. `failure` is null if every account was queried.
 */
export interface EndedRefresh {
  readonly status: 'completed' | 'partial' | 'failed'
  readonly target: RefreshTarget
  readonly startedAt: EpochMs
  readonly completedAt: EpochMs
  readonly tally: RefreshTally
  readonly failure: RefreshFailure | null
}

/** The manual refresh of this process: none yet, under way, or the result of the last one. */
export type RefreshState = { readonly status: 'idle' } | RunningRefresh | EndedRefresh

/** Another monitor of the same history queries the vendor, so no refresh begins here. */
export interface RefreshElsewhere {
  readonly status: 'standby'
  /** Monitor that queries the vendor; null if unknown. */
  readonly holder: string | null
}
