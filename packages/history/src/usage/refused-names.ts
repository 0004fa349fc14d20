import type { UsageBatch } from '@svc/core/usage'

/**
 * The batch without names that not every engine can store: a record with a NUL in a name is refused and counted instead of being stored under another
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
