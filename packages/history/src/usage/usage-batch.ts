import type { EpochMs } from '@svc/core'
import type { UsageBatch, UsageGap, UsageTally } from '@svc/core/usage'

/**
 * Removes records with a NUL in a name, which not every engine can store. Such a record is refused and counted instead of being stored under another
 * name.
 */
export function refuseNul(batch: UsageBatch): UsageBatch {
  const details = batch.details.filter(
    ({ accountKey, apiName, model, provider }) =>
      ![accountKey, apiName, model, provider].some((name) => name?.includes('\0')),
  )
  const refusedCount = batch.details.length - details.length
  if (refusedCount === 0) return batch
  const refused = Array.from(
    { length: refusedCount },
    () => ({ reason: 'bad_name', shape: '{}' }) as const,
  )
  return { ...batch, details, quarantined: [...batch.quarantined, ...refused] }
}

/** Maximum of samples of quarantined records that are kept. */
export const QUARANTINE_MAX = 200

/** Results of a batch's records, from the numbers of stored and late records. */
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

/** The gap of a pop during which the process died: everything since the last poll may be lost. */
export function interruptedPop(poppedAt: EpochMs, lastPollAt: EpochMs | null): UsageGap {
  return { from: lastPollAt ?? poppedAt, to: poppedAt, reason: 'stopped_before_commit' }
}
