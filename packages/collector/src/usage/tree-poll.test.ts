import { NOW } from '@svc/core/testing'
import type { IngestedUsage } from '@svc/core/usage'
import { describe, expect, it } from 'vitest'
import { UpstreamError } from '../proxy/upstream-error.ts'
import { aClient, anIngestedUsage, aRecordingSink, openGate } from '../testing/usage-equipment.ts'
import { createTreePoll } from './tree-poll.ts'
import { refusedBySink } from './usage-sink.ts'

function aTree(ingest: () => IngestedUsage | null, answer: string | UpstreamError = '{"a":1}') {
  const sink = aRecordingSink({ ingest })
  const used: boolean[] = []
  const tree = createTreePoll({
    client: aClient({
      async take(_path, _call, chunk) {
        for (const letter of answer instanceof UpstreamError ? '{"a' : answer)
          chunk(Buffer.from(letter))
        if (answer instanceof UpstreamError) throw answer
        return { receivedAt: NOW, proxyNow: NOW }
      },
    }),
    gate: openGate,
    sink,
    onUsage: (_, emptied) => void used.push(emptied),
  })
  return { calls: sink.calls, used, poll: () => tree.poll(new AbortController().signal) }
}
const withTotals = (success: number, tokens = 7) =>
  anIngestedUsage({ totals: { success, failed: 1, tokens } })

describe('a poll of the tree', () => {
  it('stores the whole answer and adds its totals up over restarts of the proxy', async () => {
    // A busy proxy may have more requests after its restart than before it, and fewer tokens.
    const totals: [success: number, tokens?: number][] = [[10], [12], [3], [20, 5]]
    const { calls, used, poll } = aTree(() => withTotals(...(totals.shift() ?? [0])))
    const counters = [await poll(), await poll(), await poll(), await poll()].map(
      (state) => state.counters,
    )

    expect(counters).toEqual([
      { success: 10, failed: 1, tokens: 7, restartedAt: null },
      { success: 12, failed: 1, tokens: 7, restartedAt: null },
      { success: 15, failed: 2, tokens: 14, restartedAt: NOW },
      { success: 35, failed: 3, tokens: 19, restartedAt: NOW },
    ])
    expect(calls).toEqual(Array.from({ length: 4 }, () => 'store tree {"a":1}'))
    expect(used).toEqual([false, false, false, false])
  })

  it('without totals counts nothing', async () => {
    expect(await aTree(() => anIngestedUsage()).poll()).toEqual({
      kind: 'legacy',
      retentionSeconds: null,
      counters: null,
    })
  })

  it.each<{
    why: string
    ingest: () => IngestedUsage | null
    answer?: UpstreamError
    code: string
  }>([
    { why: 'is no tree', ingest: () => null, code: 'bad_payload' },
    {
      why: 'the store does not take',
      ingest: () => {
        throw refusedBySink('store_unavailable')
      },
      code: 'store_unavailable',
    },
    {
      why: 'breaks off',
      ingest: () => anIngestedUsage(),
      answer: new UpstreamError('unreachable', 'it broke'),
      code: 'unreachable',
    },
  ])('forgets an answer that $why', async ({ ingest, answer, code }) => {
    const { calls, used, poll } = aTree(ingest, answer)

    await expect(poll()).rejects.toMatchObject({ code })
    expect(calls.at(-1)).toBe('drop tree')
    expect(used).toEqual([])
  })
})
