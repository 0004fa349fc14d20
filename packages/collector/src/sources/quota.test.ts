import type { AccountList } from '@svc/core'
import { Redacted } from '@svc/core/service'
import { anAccount, silentLog, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createManagementGate } from '../proxy/management-access.ts'
import { createUpstreamClient } from '../proxy/upstream-client.ts'
import { type ChangedOptions, liveSourceOptions } from '../testing/live-source-options.ts'
import type { ListListener } from './account-list.ts'
import { createQuotaSource } from './quota.ts'

const KEY = 'canary-management-key'
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
const alice = anAccount('alice')

/** The quota source of a proxy whose vendor fails every query, with the account list it follows. */
function aQuota(quota: ChangedOptions['quota'] = {}) {
  const clock = virtualClock(settle)
  const asked: string[] = []
  const listeners: ListListener[] = []
  const options = liveSourceOptions(KEY, { quota })
  const deps = {
    clock,
    random: () => 0.5,
    log: silentLog,
    report: { count() {}, timeListRead() {}, setUsageWait() {} },
    usageSink: null,
    onChange() {},
    async fetch(input: string | URL | Request) {
      asked.push(new URL(input instanceof Request ? input.url : input).host)
      return Response.json({ status_code: 500, header: {}, body: '' })
    },
  }
  const client = createUpstreamClient(options.upstream.upstreamUrl, deps)
  const gate = createManagementGate(clock)
  gate.useKey({ kind: 'key', key: new Redacted(KEY) })
  const source = createQuotaSource(
    {
      options,
      management: { client, gate, timeoutSeconds: 10 },
      accountList: {
        onList: (listener) => void listeners.push(listener),
        pollAfresh: () => Promise.resolve(true),
      },
    },
    deps,
  )
  return {
    clock,
    source,
    asked,
    /** Provides a list read with the key, which proves the key. */
    async list(...accounts: AccountList['accounts']) {
      await gate.call(async () => undefined)
      const list = { accounts, skipped: [], requestCounters: null }
      for (const listener of listeners) listener(list, [])
    },
  }
}

describe('direct quota', () => {
  it('is asked for through the proxy, once there are accounts', async () => {
    const { clock, source, asked, list } = aQuota()
    source.start()
    await clock.advance(60_000)
    expect(asked).toEqual([])
    await list(alice)
    await clock.advance(1_000)
    await source.stop()

    expect(asked).toEqual(['proxy.test:8317'])
    expect(source.reading().outcome.kind).toBe('failed')
  })
})
