import type { UsageFeedState } from '@svc/core/service'
import { UpstreamError } from '../proxy/upstream-error.ts'
import { createTreeCounters } from './tree-counters.ts'
import { callForUsage, storeInSink, type UsageWay } from './usage-calls.ts'

/** Reads all usage of a proxy without a queue, without removing anything from it. */
export interface TreePoll {
  /** Reads and stores the tree. Throws UpstreamError, and SourceError if the store refuses. */
  poll(stop: AbortSignal): Promise<UsageFeedState>
}

/** See docs/limits.md#calls-to-the-proxy. */
const TREE_BYTES_MAX = 256 * 1024 * 1024

export function createTreePoll(way: UsageWay): TreePoll {
  const { client, sink, onUsage } = way
  const counters = createTreeCounters()
  return {
    async poll(stop) {
      const tree = sink.openTree()
      try {
        const { receivedAt } = await callForUsage(way, { stop, bytesMax: TREE_BYTES_MAX }, (call) =>
          client.take('usage', call, (chunk) => tree.push(chunk)),
        )
        const usageAt = sink.now()
        const ingested = await storeInSink(() => tree.store({ receivedAt, usageAt }))
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
