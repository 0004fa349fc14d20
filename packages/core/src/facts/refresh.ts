import type { SourceFailureCode } from './source.ts'
import type { EpochMs } from './time.ts'

/** Which accounts a manual refresh asks about: all that are watched, or those the operator has switched off. */
export type RefreshScope = 'default' | 'disabled-diagnostics'

/** How far a refresh has come. `done` counts what failed as well. */
export interface RefreshTally {
  readonly queued: number
  readonly done: number
  readonly failed: number
}

/** Why a refresh ended before every account was asked. */
export type RefreshFailure = SourceFailureCode | 'quota_off' | 'deadline'

/** A refresh under way. */
export interface RunningRefresh {
  readonly status: 'running'
  readonly scope: RefreshScope
  readonly startedAt: EpochMs
  readonly tally: RefreshTally
}

/** A refresh that has ended: `partial` when some accounts were not asked or failed, `failed` when all of them were. `failure` is null when every account was asked. */
export interface EndedRefresh {
  readonly status: 'completed' | 'partial' | 'failed'
  readonly scope: RefreshScope
  readonly startedAt: EpochMs
  readonly completedAt: EpochMs
  readonly tally: RefreshTally
  readonly failure: RefreshFailure | null
}

/** The manual refresh of this process: none yet, under way, or how the last one ended. */
export type RefreshState = { readonly status: 'idle' } | RunningRefresh | EndedRefresh
