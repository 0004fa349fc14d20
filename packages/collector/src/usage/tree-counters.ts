import type { EpochMs } from '@svc/core'
import type { RequestCounters } from '@svc/core/service'
import type { TreeTotals } from '@svc/core/usage'

/** Sums the totals of successive trees into counters that never decrease, although a restarted proxy counts from 0. */
export function createTreeCounters(): { next(totals: TreeTotals, at: EpochMs): RequestCounters } {
  let earlier: TreeTotals = { success: 0, failed: 0, tokens: 0 }
  let last: TreeTotals = earlier
  let restartedAt: EpochMs | null = null
  return {
    next(totals, at) {
      if (
        totals.success + totals.failed < last.success + last.failed ||
        totals.tokens < last.tokens
      ) {
        earlier = sumOf(earlier, last)
        restartedAt = at
      }
      last = totals
      return { ...sumOf(earlier, totals), restartedAt }
    },
  }
}

function sumOf(one: TreeTotals, other: TreeTotals): TreeTotals {
  return {
    success: one.success + other.success,
    failed: one.failed + other.failed,
    tokens: one.tokens + other.tokens,
  }
}
