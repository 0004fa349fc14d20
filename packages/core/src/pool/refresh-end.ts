import type { EndedRefresh, RefreshFailure, RunningRefresh } from '../facts/refresh.ts'
import type { EpochMs } from '../facts/time.ts'

/** See docs/rules.md#manual-refresh. */
const DEADLINE_MS_MIN = 10 * 60_000
const DEADLINE_FACTOR = 1.5

/** Longest time a refresh of this many queries may take, in milliseconds. */
export function refreshDeadlineMs(queued: number, quotaProbesPerMinute: number): number {
  return Math.max(DEADLINE_MS_MIN, ((DEADLINE_FACTOR * queued) / quotaProbesPerMinute) * 60_000)
}

/** Result of a run: accounts not queried at its end count as failed, unless the run was cancelled. */
export function endedRefresh(
  { target, startedAt, tally }: RunningRefresh,
  failure: RefreshFailure | null,
  at: EpochMs,
): EndedRefresh {
  if (failure === 'cancelled')
    return { status: 'partial', target, startedAt, completedAt: at, tally, failure }
  const { queued, done } = tally
  const failed = tally.failed + (queued - done)
  const status =
    failed === 0 && failure === null ? 'completed' : failed < queued ? 'partial' : 'failed'
  return {
    status,
    target,
    startedAt,
    completedAt: at,
    tally: { ...tally, done: queued, failed },
    failure,
  }
}
