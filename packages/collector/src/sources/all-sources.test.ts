import { type ProxySourceId, Redacted } from '@svc/core/service'
import { silentLog, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createManagementGate } from '../proxy/management-access.ts'
import { createUpstreamClient } from '../proxy/upstream-client.ts'
import { type ChangedOptions, liveSourceOptions } from '../testing/live-source-options.ts'
import { aRecordingSink } from '../testing/usage-equipment.ts'
import type { UsageSink } from '../usage/usage-sink.ts'
import { createSources } from './all-sources.ts'

const KEY = 'canary-management-key'
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
const aSink = () => aRecordingSink({ ingest: () => null })

/** All sources of a proxy that answers every request with a list of one account. */
function allSources({
  changes = {},
  sink = null,
}: {
  readonly changes?: ChangedOptions
  readonly sink?: UsageSink | null
} = {}) {
  const clock = virtualClock(settle)
  const calls: string[] = []
  const options = liveSourceOptions(KEY, changes)
  const deps = {
    clock,
    random: () => 0.5,
    log: silentLog,
    report: { count() {}, timeListRead() {}, setUsageWait() {} },
    usageSink: sink,
    onChange() {},
    async fetch(input: string | URL | Request) {
      const { pathname } = new URL(input instanceof Request ? input.url : input)
      calls.push(pathname)
      return Response.json({ files: [{ name: 'codex-a.json', type: 'codex', auth_index: '1' }] })
    },
  }
  const client = createUpstreamClient(options.upstream.upstreamUrl, deps)
  const gate = createManagementGate(clock)
  const sources = createSources(options, { client, gate, timeoutSeconds: 10 }, deps)
  const outcomeOf = (id: ProxySourceId) => sources[id].reading().outcome
  return { clock, calls, gate, sources, outcomeOf }
}

describe('all sources', () => {
  it('are kept under their own ids', () => {
    const { sources } = allSources()
    const misplaced = Object.entries(sources).filter(([id, source]) => source.id !== id)

    expect(misplaced).toEqual([])
  })

  it('begin with the gateway, whose answer says whether the others are worth a try', () => {
    expect(Object.keys(allSources().sources)[0]).toBe('gateway')
  })

  it('are at rest until somebody starts them', async () => {
    const { calls, clock } = allSources({ sink: aSink() })
    await clock.advance(3_600_000)

    expect([calls, clock.scheduledCount]).toEqual([[], 0])
  })

  it('ask the gateway alone before there is a key', async () => {
    const { calls, clock, sources } = allSources()
    for (const source of Object.values(sources)) source.start()
    await clock.advance(1000)
    await Promise.all(Object.values(sources).map((source) => source.stop()))

    expect(calls).toEqual(['/healthz'])
    expect(clock.scheduledCount).toBe(0)
  })
})

describe('what is missing for a source is said by', () => {
  it.each<{
    id: ProxySourceId
    where: string
    reason: string | null
    changes?: ChangedOptions
    sink?: UsageSink
  }>([
    {
      id: 'direct_quota',
      where: 'there is no key',
      reason: 'no_key',
      changes: { upstream: { managementKey: null }, quota: { quotaTransport: 'auto' } },
    },
    {
      id: 'direct_quota',
      where: 'it is switched off',
      reason: 'switched_off',
      changes: { quota: { quotaTransport: 'off' } },
    },
    { id: 'direct_quota', where: 'there is a key', reason: null },
    { id: 'usage', where: 'usage is kept nowhere', reason: 'no_store' },
    {
      id: 'usage',
      where: 'usage is kept, but not wanted',
      reason: 'switched_off',
      changes: { usage: { usageSource: 'off' } },
      sink: aSink(),
    },
    { id: 'usage', where: 'usage is kept', reason: null, sink: aSink() },
    {
      id: 'client_labels',
      where: 'a file is named, but usage is kept nowhere',
      reason: 'no_store',
      changes: { usage: { clientLabelsFile: '/labels.json' } },
    },
    { id: 'client_labels', where: 'no file is named', reason: 'not_configured', sink: aSink() },
    {
      id: 'client_labels',
      where: 'a file is named and usage is kept',
      reason: null,
      changes: { usage: { clientLabelsFile: '/labels.json' } },
      sink: aSink(),
    },
    { id: 'benchmark', where: 'no file is named', reason: 'not_configured' },
    {
      id: 'benchmark',
      where: 'a file is named',
      reason: null,
      changes: { benchmark: { benchmarkSummary: '/summary.json' } },
    },
  ])('$id where $where: $reason', ({ id, reason, changes = {}, sink = null }) => {
    const { outcomeOf } = allSources({ changes, sink })

    expect(outcomeOf(id)).toEqual(reason === null ? { kind: 'pending' } : { kind: 'off', reason })
  })

  it('an error where the auth files are to be read, but nothing says where they are', () => {
    expect(() => allSources({ changes: { quota: { quotaTransport: 'auth-files' } } })).toThrow(
      'auth_dir',
    )
  })
})

it('a list of accounts reaches the store and the quota queries', async () => {
  const sink = aSink()
  const { calls, clock, gate, sources } = allSources({ sink })
  gate.useKey({ kind: 'key', key: new Redacted(KEY) })
  for (const source of Object.values(sources)) source.start()
  await sources.accounts.pollAfresh()
  expect(sink.calls).toHaveLength(1)
  expect(sink.calls[0]).toMatch(/^accounts .+/)

  await clock.advance(60_000)
  await Promise.all(Object.values(sources).map((source) => source.stop()))
  expect(calls).toContain('/v8/management/requests/api-call')
})
