import type { EpochMs } from '@svc/core'
import type { UsageBatch, UsageGap, UsageTally } from '@svc/core/usage'

/** Samples of quarantined records that are kept. */
export const QUARANTINE_MAX = 200

/** What became of the records of a batch of which so many were stored, and so many came too late. */
export function tallyOf(
  { details, quarantined }: UsageBatch,
  { stored, expired }: Pick<UsageTally, 'stored' | 'expired'>,
): UsageTally {
  return {
    seen: details.length + quarantined.length,
    stored,
    duplicate: details.length - stored - expired,
    quarantined: quarantined.length,
    expired,
  }
}

/** What may have been lost in a pop that the process died in: everything since the proxy was last read. */
export function interruptedPop(poppedAt: EpochMs, lastPollAt: EpochMs | null): UsageGap {
  return { from: lastPollAt ?? poppedAt, to: poppedAt, reason: 'stopped_before_commit' }
}
