import type { UsageBatch } from '@svc/core/usage'

/** A batch whose details all have names that every engine can keep: one with a NUL in a name is refused, and counted, rather than stored under another name. */
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
