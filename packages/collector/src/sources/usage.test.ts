import { type AccountList, offBecause, type SourceReading } from '@svc/core'
import { Redacted } from '@svc/core/service'
import { anAccount, NOW, silentLog, virtualClock } from '@svc/core/testing'
import type { IngestedUsage, PassiveQuota } from '@svc/core/usage'
import { describe, expect, it } from 'vitest'
import { SourceError } from '../polling/source-error.ts'
import { createManagementGate } from '../proxy/management-access.ts'
import type { RespConnection } from '../proxy/resp-connection.ts'
import { UpstreamError } from '../proxy/upstream-error.ts'
import { reportInto } from '../testing/live-source-options.ts'
import { anIngestedUsage, aRecordingSink, withoutResp } from '../testing/usage-equipment.ts'
import { createMissingRequestsWatch } from '../usage/missing-requests.ts'
import { createUsageSuccesses } from '../usage/usage-successes.ts'
import type { ListListener } from './account-list.ts'
import { createUsageSource, type UsagePlan } from './usage.ts'

const alice = anAccount('alice')
const LIST: AccountList = {
  accounts: [alice],
  skipped: [],
  requestCounters: null,
}
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A usage source with a queue; the account list exists once `list` was called. */
function aSource({
  mode = 'queue' as UsagePlan['settings']['usageSource'],
  withSink = true,
  ingest = (): IngestedUsage => anIngestedUsage(),
  clockSkewSeconds = null as number | null,
  resp = withoutResp as UsagePlan['management']['client']['resp'],
} = {}) {
  const clock = virtualClock(turn)
  const sink = aRecordingSink({ ingest })
  const listeners: ListListener[] = []
  let reading: SourceReading<AccountList> = offBecause('no_key')
  const passive: PassiveQuota[] = []
  const heard: string[] = []
  const proxy: { failure: UpstreamError | null } = { failure: null }
  const gate = createManagementGate(clock)
  gate.useKey({ kind: 'key', key: new Redacted('key') })
  const source = createUsageSource(
    {
      settings: { usageSource: mode, clientLabelsFile: null },
      sink: withSink ? sink : null,
      management: {
        client: {
          get: async () => ({ body: {}, receivedAt: NOW, proxyNow: NOW }),
          async take(_path, _call, chunk) {
            if (proxy.failure !== null) throw proxy.failure
            chunk(Buffer.from('[]'))
            return { receivedAt: NOW, proxyNow: NOW }
          },
          post: () => Promise.reject(new Error('nothing is posted')),
          resp,
          facts: () => ({ version: null, generation: 'v0', loadsPlugins: null, clockSkewSeconds }),
        },
        gate,
        timeoutSeconds: 10,
      },
      accountList: {
        reading: () => reading,
        onList: (listener) => void listeners.push(listener),
        async pollAfresh() {
          heard.push(`list at ${clock.monotonicMs()}`)
          return true
        },
      },
      quota: { usePassive: (activity) => void passive.push(...activity) },
      successes: createUsageSuccesses(),
      missing: createMissingRequestsWatch(clock),
    },
    {
      clock,
      random: () => 0.5,
      log: silentLog,
      report: reportInto(heard),
      onChange: (change) => void heard.push(`change ${change}`),
    },
  )
  source.start()
  return {
    clock,
    heard,
    passive,
    proxy,
    sink,
    source,
    async list() {
      reading = {
        outcome: { kind: 'ok', at: NOW },
        failuresInARow: 0,
        lastGood: { value: LIST, at: NOW },
      }
      for (const listener of listeners) listener(LIST, [])
      await clock.advance(0)
    },
  }
}

describe('usage as a source', () => {
  it('tells the store whose accounts are listed, also where no usage is read', async () => {
    const { list, sink } = aSource({ mode: 'off' })
    await list()

    expect(sink.calls).toEqual([`accounts ${alice.selector.accountKey}`])
  })

  it('waits for the account list, though the store is ready', async () => {
    const { clock, list, sink, source } = aSource()
    sink.becomeReady()
    await clock.advance(60_000)
    expect(sink.calls).toEqual([])

    await list()
    await source.stop()
    expect(sink.calls).toEqual([`accounts ${alice.selector.accountKey}`, 'mark pop', 'store []'])
  })

  it('has the list read as the proxy says that it has changed, at most every 5 s', async () => {
    let tell: Parameters<RespConnection['follow']>[0] = () => {}
    let end: (failure: null) => void = () => {}
    const resp = async (): Promise<RespConnection> => ({
      async ask([word]) {
        if (word === 'UNSUBSCRIBE') end(null)
        return []
      },
      follow(listener) {
        tell = listener
      },
      pause() {},
      resume() {},
      ended: new Promise((resolve) => {
        end = resolve
      }),
      close() {},
    })
    const { clock, heard, list, source } = aSource({ mode: 'subscribe', resp })
    await list()
    const refresh = ['message', 'usage', '{"refresh":true}'].map((text) => Buffer.from(text))
    const startMs = clock.monotonicMs()
    for (const afterMs of [0, 100, 1_000, 9_000]) {
      await clock.advance(startMs + afterMs - clock.monotonicMs())
      tell([refresh])
      await clock.advance(0)
    }
    await clock.advance(2_000)
    await source.stop()

    expect(heard.filter((what) => what.startsWith('list'))).toEqual(
      [0, 5_000, 10_000].map((afterMs) => `list at ${startMs + afterMs}`),
    )
  })

  it('is read again when the store is ready again', async () => {
    const { clock, list, sink, source } = aSource()
    await list()
    const stored = () => sink.calls.filter((call) => call.startsWith('store')).length
    expect(stored()).toBe(1)
    sink.becomeReady()
    await clock.advance(0)
    await source.stop()

    expect(stored()).toBe(2)
  })

  it('hands on what records say of accounts, on our clock', async () => {
    const activity = [
      {
        accountKey: alice.selector.accountKey,
        lastSuccessAt: NOW,
        samples: [],
        refusal: null,
        authIndex: '',
      },
    ]
    const { list, passive, source } = aSource({
      ingest: () => anIngestedUsage({ activity }),
      clockSkewSeconds: 600,
    })
    await list()
    await source.stop()

    expect(passive).toEqual([{ ...activity[0], lastSuccessAt: NOW - 600_000 }])
  })

  it('counts a call that failed, and not a store that did', async () => {
    const { heard, list, proxy, source } = aSource()
    proxy.failure = new UpstreamError('server_error', 'no', { httpStatus: 500 })
    await list()
    await source.stop()
    expect(heard).toEqual(['upstream_errors_total usage', 'change content'])

    const full = aSource({
      ingest: () => {
        throw new SourceError('store_unavailable', 'the disk is full')
      },
    })
    await full.list()
    await full.source.stop()
    expect(full.source.reading().outcome).toMatchObject({ code: 'store_unavailable' })
    expect(full.heard).toEqual(['change content'])
  })
})
