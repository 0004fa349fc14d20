import type { IngestedUsage } from '@svc/core/usage'

/** Result of storing an empty answer, with `changes`. */
export function anIngestedUsage(changes: Partial<IngestedUsage> = {}): IngestedUsage {
  return {
    elementCount: 0,
    listedCount: 0,
    tally: { seen: 0, stored: 0, duplicate: 0, quarantined: 0, expired: 0 },
    totals: null,
    activity: [],
    oldestAt: null,
    newestAt: null,
    gap: null,
    ...changes,
  }
}
