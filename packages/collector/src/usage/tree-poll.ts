import type { EpochMs } from '@svc/core'
import type { RequestCounters, UsageFeedState } from '@svc/core/service'
import type { TreeTotals } from '@svc/core/usage'
import { UpstreamError } from '../proxy/upstream-error.ts'
import { callForUsage, type UsageWay } from './usage-sink.ts'

/** See docs/limits.md#calls-to-the-proxy. */
const TREE_BYTES_MAX = 256 * 1024 * 1024

/** Reads all usage of a proxy without a queue, without removing anything from it. */
export function createTreePoll(way: UsageWay) {
  const { client, sink, onUsage } = way
  const counters = createTreeCounters()
  return {
    /** Reads and stores the tree. Throws UpstreamError, and SourceError if the store refuses. */
    async poll(stop: AbortSignal): Promise<UsageFeedState> {
      const tree = sink.openTree()
      try {
        const { receivedAt } = await callForUsage(way, { stop, bytesMax: TREE_BYTES_MAX }, (call) =>
          client.take('usageTree', call, (chunk) => tree.push(chunk)),
        )
        const usageAt = sink.now()
        const ingested = await tree.store({ receivedAt, usageAt })
        if (ingested === null)
          throw new UpstreamError('bad_payload', 'usage: expected a tree of requests')
        onUsage(ingested, false)
        const { totals } = ingested
        return {
          kind: 'legacy',
          retentionSeconds: null,
          counters: totals === null ? null : counters.next(totals, receivedAt),
        }
      } catch (error) {
        tree.drop()
        throw error
      }
    },
  }
}

/** Sums the totals of successive trees into counters that never decrease, although a restarted proxy counts from 0. */
function createTreeCounters(): { next(totals: TreeTotals, at: EpochMs): RequestCounters } {
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
