import type { SourceFailureCode } from '../facts/observation.ts'
import type { EpochMs } from '../facts/time.ts'

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

export interface RunningRefresh {
  readonly status: 'running'
  readonly scope: RefreshScope
  readonly startedAt: EpochMs
  readonly tally: RefreshTally
}

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

/** Source: decisions §12 "Refresh". */
const DEADLINE_MS_MIN = 10 * 60_000
const DEADLINE_FACTOR = 1.5

/** Longest time a refresh of this many queries may take, in milliseconds. */
export function refreshDeadlineMs(queued: number, probesPerMinute: number): number {
  return Math.max(DEADLINE_MS_MIN, ((DEADLINE_FACTOR * queued) / probesPerMinute) * 60_000)
}

/** What a run ends as: what was not asked by now counts as failed. */
export function endedRefresh({ scope, startedAt, tally }: RunningRefresh, failure: RefreshFailure | null, at: EpochMs): EndedRefresh {
  const { queued, done } = tally
  const failed = tally.failed + (queued - done)
  const status = failed === 0 && failure === null ? 'completed' : failed < queued ? 'partial' : 'failed'
  return { status, scope, startedAt, completedAt: at, tally: { queued, done: queued, failed }, failure }
}
