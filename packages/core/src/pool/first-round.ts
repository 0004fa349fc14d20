import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import type { Observation } from '../facts/observation.ts'
import type { EndedRefresh, RefreshFailure, RunningRefresh } from '../facts/refresh.ts'
import { type EpochMs, plusMs } from '../facts/time.ts'
import { fileKeyOf } from '../facts/upstream.ts'
import { mainWindows, type PerWindow } from '../facts/window.ts'
import { isLowerBound, isUnweighed, type WindowCapacity } from './capacity.ts'

export interface FirstRound {
  /** Accounts that were queried at least once, or read another way. */
  readonly readCount: number
  /** Accounts to be queried: all that are not disabled. */
  readonly toReadCount: number
  /** Expected time of the last reading; null while direct queries fail. */
  readonly doneAt: EpochMs | null
  /** Time this process first saw the round, and the accounts read by then: the base for its pace. */
  readonly seenFrom: { readonly at: EpochMs; readonly readCount: number }
}

interface RoundContext {
  readonly quotaProbesPerMinute: number
  readonly now: EpochMs
  readonly previous: FirstRound | null
}

/** The first round while it lasts: quota is being queried, and too much is unknown to judge the whole pool. Null otherwise. */
export function firstRoundOf(
  accounts: readonly EvaluatedAccount[],
  capacity: PerWindow<WindowCapacity>,
  { sources, evidenceByAuthName }: Pick<Observation, 'sources' | 'evidenceByAuthName'>,
  { quotaProbesPerMinute, now, previous }: RoundContext,
): FirstRound | null {
  if (sources.direct_quota.outcome.kind === 'off') return null
  if (!mainWindows.some(({ id }) => isLowerBound(capacity[id]))) return null
  const toRead = accounts.filter(({ quotaClass }) => quotaClass !== 'none')
  const unread = toRead.filter(
    (one) =>
      (one.lastSample === null || isUnweighed(one)) &&
      (evidenceByAuthName.get(fileKeyOf(one.account))?.probeFailure ?? null) === null,
  )
  if (unread.length === 0) return null
  const readCount = toRead.length - unread.length
  const seenFrom = previous?.seenFrom ?? { at: now, readCount }
  // Each proxy has its own budget.
  const budgets = new Set(unread.map(({ account }) => account.upstream)).size
  const perMs = Math.min(
    (budgets * quotaProbesPerMinute) / 60_000,
    paceOf(readCount - seenFrom.readCount, now - seenFrom.at),
  )
  return {
    readCount,
    toReadCount: toRead.length,
    doneAt:
      sources.direct_quota.outcome.kind === 'failed' ? null : plusMs(now, unread.length / perMs),
    seenFrom,
  }
}

/** Upper bound on the pace, in readings per millisecond: it counts one more reading, which may be about to come. */
function paceOf(readings: number, ms: number): number {
  return (Math.max(0, readings) + 1) / Math.max(1, ms)
}

/** Progress of the first readings of one provider's accounts, independent of the pool. */
export function firstReadingsOf(
  accounts: readonly EvaluatedAccount[],
): Pick<FirstRound, 'readCount' | 'toReadCount'> {
  const toRead = accounts.filter(
    ({ countedInCapacity, quotaClass }) => countedInCapacity && quotaClass !== 'none',
  )
  const unread = toRead.filter(
    ({ quotaClass, lastSample }) => quotaClass === 'discovery' && lastSample === null,
  )
  return { readCount: toRead.length - unread.length, toReadCount: toRead.length }
}

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
