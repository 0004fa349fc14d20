import type { SourceFailureCode } from './source.ts'
import type { EpochMs } from './time.ts'

/** What a manual refresh asks about: all accounts that are watched, those the operator has switched off, or the one with this key. */
export type RefreshTarget =
  | { readonly scope: 'default' | 'disabled-diagnostics' }
  | { readonly scope: 'account'; readonly accountKey: string }

/** Which kind of accounts a refresh asks about. */
export type RefreshScope = RefreshTarget['scope']

/** How far a refresh has come. `done` counts what failed as well; what a cancelled refresh did not ask any more is not done. */
export interface RefreshTally {
  readonly queued: number
  readonly done: number
  readonly failed: number
}

/**
 * Why a refresh ended before every account was asked. The last three are of one account: nothing can ask the vendor about it, the vendor wants no
 * query yet, or a refresh of it has asked less than a minute ago.
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
  /** When it will have asked about all, as things stand; null while nothing can be sent. */
  readonly expectedEndAt: EpochMs | null
  readonly tally: RefreshTally
}

/** A refresh that has ended: `partial` when it was cancelled, or when some accounts were not asked or failed, `failed` when all of them were. `failure` is null when every account was asked. */
export interface EndedRefresh {
  readonly status: 'completed' | 'partial' | 'failed'
  readonly target: RefreshTarget
  readonly startedAt: EpochMs
  readonly completedAt: EpochMs
  readonly tally: RefreshTally
  readonly failure: RefreshFailure | null
}

/** The manual refresh of this process: none yet, under way, or how the last one ended. */
export type RefreshState = { readonly status: 'idle' } | RunningRefresh | EndedRefresh

/** Another monitor of the same history asks the vendor, so none begins here. */
export interface RefreshElsewhere {
  readonly status: 'standby'
  /** Where that one runs; null where none is known. */
  readonly holder: string | null
}
