import { type AccountList, plusMs } from '@svc/core'
import { Redacted } from '@svc/core/service'
import { anAccount, fromNow, NOW, silentLog, virtualClock } from '@svc/core/testing'
import { aFakeAccount, createFakeUpstream, fetchOf } from '@svc/fake-proxy'
import { describe, expect, it } from 'vitest'
import { createManagementGate } from '../proxy/management-access.ts'
import { createUpstreamClient } from '../proxy/upstream-client.ts'
import { reportInto } from '../testing/live-source-options.ts'
import { createMissingRequestsWatch } from '../usage/missing-requests.ts'
import { createUsageSuccesses } from '../usage/usage-successes.ts'
import { createAccountListSource } from './account-list.ts'

const KEY = 'key'

async function settle(): Promise<void> {
  for (let turns = 0; turns < 6; turns += 1)
    await new Promise<void>((resolve) => setImmediate(resolve))
}

/** The list of a fake proxy with one account; `heard` logs the events in order. */
function aList() {
  const clock = virtualClock(settle)
  const alice = aFakeAccount({ name: 'alice' })
  const fake = createFakeUpstream({ now: clock.now, managementKey: KEY, accounts: [alice] })
  const deps = { clock, fetch: fetchOf(fake), random: () => 0.5, log: silentLog }
  const gate = createManagementGate(clock)
  gate.useKey({ kind: 'key', key: new Redacted(KEY) })
  const heard: string[] = []
  const missing = createMissingRequestsWatch(clock)
  const successes = createUsageSuccesses()
  const list = createAccountListSource(
    {
      upstream: 'default',
      management: {
        client: createUpstreamClient('http://proxy.test:8317', deps),
        gate,
        timeoutSeconds: 10,
      },
      evidence: () => new Map(),
      periodSeconds: 15,
      successes,
      missing: { ...missing, explain: () => void heard.push('explained') },
    },
    {
      ...deps,
      report: {
        ...reportInto(heard),
        timeListRead: (seconds) => void heard.push(`read in ${seconds} s`),
      },
      onChange: (change) => void heard.push(`change ${change}`),
    },
  )
  return { alice, clock, fake, heard, list, successes }
}
const titlesOf = ({ accounts }: AccountList) => accounts.map(({ title }) => title)

describe('the account list as a source', () => {
  it('gives every new list to its listeners in their order, before the change is passed on', async () => {
    const { heard, list } = aList()
    list.onList((read) => heard.push(`first ${titlesOf(read)}`))
    list.onList((read) => heard.push(`second ${titlesOf(read)}`))

    expect(await list.pollAfresh()).toBe(true)
    await list.stop()
    expect(heard).toEqual([
      'refresh_total ok',
      'read in 0 s',
      'first alice@example.com',
      'second alice@example.com',
      'change content',
    ])
  })

  it('that is the same as before brings later times alone', async () => {
    const { heard, list } = aList()
    await list.pollAfresh()
    await list.pollAfresh()
    await list.stop()

    expect(heard.at(-1)).toBe('change times')
  })

  it('counts a failure but not its time, keeps the last list, and gives none to its listeners', async () => {
    const { fake, heard, list } = aList()
    await list.pollAfresh()
    heard.length = 0
    list.onList(() => heard.push('list'))
    fake.setFault('auth-files', { kind: 'status', status: 500 })

    expect(await list.pollAfresh()).toBe(false)
    await list.stop()
    expect(heard).toEqual([
      'upstream_errors_total auth-files',
      'refresh_total failed',
      'change content',
    ])
    expect(list.reading()).toMatchObject({
      outcome: { kind: 'failed', code: 'server_error' },
      lastGood: { value: { accounts: [{ title: 'alice@example.com' }] } },
    })
  })

  it('tries again at once when told to, but only what has failed', async () => {
    const { clock, fake, list } = aList()
    await list.pollAfresh()
    list.retry()
    await clock.advance(0)
    expect(fake.stats.requestsByRoute['auth-files']).toBe(1)

    fake.setFault('auth-files', { kind: 'drop' })
    await list.pollAfresh()
    fake.setFault('auth-files', null)
    list.retry()
    await clock.advance(0)
    await list.stop()
    expect(list.reading().outcome.kind).toBe('ok')
  })

  it('explains missing requests by a proxy that has started again', async () => {
    const { alice, clock, fake, heard, list } = aList()
    fake.traffic(alice, { success: 5 })
    await list.pollAfresh()
    fake.restart()
    await clock.advance(15_000)
    await clock.advance(15_000)
    await list.stop()

    expect(heard.filter((line) => line === 'explained')).toHaveLength(1)
  })

  it('shows successes that usage or an earlier process knows of', async () => {
    const { list, successes } = aList()
    await list.pollAfresh()
    const account = list.reading().lastGood?.value.accounts[0] ?? anAccount('alice')
    const { accountKey } = account.selector
    list.restore({
      listedAt: fromNow(-600),
      source: 'live',
      gatewayUp: true,
      accounts: [{ account: { ...account, lastSuccessAt: fromNow(-300) }, evidence: null }],
    })
    await list.pollAfresh()
    expect(list.reading().lastGood?.value.accounts[0]?.lastSuccessAt).toBe(fromNow(-300))

    successes.note([
      { accountKey, lastSuccessAt: plusMs(NOW, -1000), samples: [], refusal: null, authIndex: '' },
    ])
    await list.pollAfresh()
    await list.stop()
    expect(list.reading().lastGood?.value.accounts[0]?.lastSuccessAt).toBe(fromNow(-1))
  })
})
