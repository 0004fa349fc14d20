import type { IngestedUsage } from '@svc/core/usage'

/** What became of an answer that held nothing. */
export function anIngestedUsage(changes: Partial<IngestedUsage> = {}): IngestedUsage {
  return {
    elementCount: 0,
    listedCount: 0,
    tally: { seen: 0, stored: 0, duplicate: 0, quarantined: 0, expired: 0 },
    totals: null,
    activity: [],
    newestAt: null,
    gap: null,
    ...changes,
  }
}
