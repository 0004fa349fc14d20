import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import type { Observation } from '../facts/observation.ts'
import { type EpochMs, plusMs } from '../facts/time.ts'
import { fileKeyOf } from '../facts/upstream.ts'
import { mainWindows, type PerWindow } from '../facts/window.ts'
import { isLowerBound, type WindowCapacity } from './capacity.ts'

/** How far the first reading of a pool has come. */
export interface FirstRound {
  /** Accounts that were asked about at least once, or read in another way. */
  readonly readCount: number
  /** Accounts that are asked about at all: those that are not disabled. */
  readonly toReadCount: number
  /** When the last of them is expected to be read; null while direct queries fail. */
  readonly doneAt: EpochMs | null
}

/** The first round while it goes on: quota is asked for, and too much is still unknown to speak of the whole. Null otherwise. */
export function firstRoundOf(
  accounts: readonly EvaluatedAccount[],
  capacity: PerWindow<WindowCapacity>,
  { sources, evidenceByAuthName }: Pick<Observation, 'sources' | 'evidenceByAuthName'>,
  { probesPerMinute, now }: { readonly probesPerMinute: number; readonly now: EpochMs },
): FirstRound | null {
  if (sources.direct_quota.outcome.kind === 'off') return null
  if (!mainWindows.some(({ id }) => isLowerBound(capacity[id]))) return null
  const toRead = accounts.filter(({ quotaClass }) => quotaClass !== 'none')
  const unread = toRead.filter(
    ({ account, lastSample }) =>
      lastSample === null &&
      (evidenceByAuthName.get(fileKeyOf(account))?.probeFailure ?? null) === null,
  )
  if (unread.length === 0) return null
  const leftMs = (unread.length / probesPerMinute) * 60_000
  return {
    readCount: toRead.length - unread.length,
    toReadCount: toRead.length,
    doneAt: sources.direct_quota.outcome.kind === 'failed' ? null : plusMs(now, leftMs),
  }
}
