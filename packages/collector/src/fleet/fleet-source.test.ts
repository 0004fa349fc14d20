import { stat } from 'node:fs/promises'
import { virtualClock } from '@svc/core/testing'
import { aFakeAccount, createFakeUpstream, type FakeAccount, fetchOf } from '@svc/fake-proxy'
import { afterEach, describe, expect, it } from 'vitest'
import { liveSourceOptions, reportInto } from '../testing/live-source-options.ts'
import { aSecretFile, endWorlds, MINUTE } from '../testing/live-world.ts'
import { anIngestedUsage, aSink } from '../testing/usage-equipment.ts'
import { createFleetSource, type FleetDeps, type FleetSource } from './fleet-source.ts'
import type { UpstreamOptions } from './member.ts'

const running: FleetSource[] = []
afterEach(async () => {
  for (const source of running.splice(0)) await source.stop()
  await endWorlds()
})

/** Size of Node's thread pool. */
const AT_ONCE = 4
/** File operations for one read (open, stat, read, close), plus two for the follow-up work. */
const ROUNDS = 6

/** Lets pending work finish. Node's threads read the key files before our `stat` calls, however busy the machine is. */
async function settle(): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve))
    await Promise.all(Array.from({ length: AT_ONCE }, () => stat(import.meta.dirname)))
  }
}

const keyFiles = new Map<string, string>()

/** A configured proxy; `key` is the content of its key file. */
function upstream(name: string, { key = `key-of-${name}`, host = name } = {}): UpstreamOptions {
  const path = keyFiles.get(key) ?? aSecretFile(key)
  const { quota, usage, ...options } = liveSourceOptions('unused', { quota: {} })
  return {
    name,
    quota,
    usage,
    upstream: {
      ...options.upstream,
      upstreamUrl: `http://${host}.test:8317`,
      gatewayHealthUrl: `http://${host}.test:8317/healthz`,
      upstreamUiUrl: `http://${host}.test:8317/management.html`,
      managementKey: null,
      managementKeyFile: path,
    },
  }
}

/** Fake proxies by name, each with its own key and accounts, watched as one fleet in virtual time. */
async function aFleet(
  accountsByName: Readonly<Record<string, readonly FakeAccount[]>>,
  upstreams = Object.keys(accountsByName).map((name) => upstream(name)),
  usageSinkOf: FleetDeps['usageSinkOf'] = () => null,
) {
  const clock = virtualClock(settle)
  const fakes = new Map(
    Object.entries(accountsByName).map(([name, accounts]) => [
      `${name}.test:8317`,
      createFakeUpstream({ now: clock.now, managementKey: `key-of-${name}`, accounts }),
    ]),
  )
  const source = createFleetSource(
    { upstreams, usage: { clientLabelsFile: null }, benchmark: { benchmarkSummary: null } },
    {
      clock,
      fetch(input, init) {
        const url = input instanceof Request ? input.url : String(input)
        const fake = fakes.get(new URL(url).host)
        if (fake === undefined) return Promise.reject(new TypeError('fetch failed'))
        return fetchOf(fake)(input, init)
      },
      random: () => 0.5,
      log: { debug() {}, info() {}, warn() {}, error() {} },
      usageSinkOf,
      report: reportInto([]),
      reportOf: () => reportInto([]),
    },
  )
  running.push(source)
  source.start(() => undefined)
  await clock.advance(MINUTE)
  const latest = () => source.latest(clock.now())
  return {
    clock,
    source,
    latest,
    fake: (name: string) => {
      const fake = fakes.get(`${name}.test:8317`)
      if (fake === undefined) throw new Error(`no proxy ${name}`)
      return fake
    },
    files: () =>
      latest().sources.accounts.lastGood?.value.accounts.map(
        (account) => `${account.upstream}/${account.selector.authName}`,
      ) ?? [],
    queries: () =>
      [...fakes.values()].flatMap((fake) => fake.vendorCalls.map(({ token }) => token)),
  }
}

const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((name) => aFakeAccount({ name })) as [
  FakeAccount,
  FakeAccount,
  FakeAccount,
]

/** A sink that accepts everything and reports how many records each queue answer had. */
const countingSink = (onRecords: (count: number) => void) =>
  aSink({
    async storeQueue(answer) {
      const elementCount = (JSON.parse(new TextDecoder().decode(answer)) as unknown[]).length
      onRecords(elementCount)
      return anIngestedUsage({ elementCount })
    },
  })

describe('several proxies', () => {
  it('have their usage kept apart: what comes out of the queue of one goes to its own store', async () => {
    const countByName: Record<string, number> = {}
    const fleet = await aFleet({ tokyo: [alice], berlin: [bob] }, undefined, (name) =>
      countingSink((count) => {
        countByName[name] = (countByName[name] ?? 0) + count
      }),
    )
    for (const [name, count] of [
      ['tokyo', 2],
      ['berlin', 3],
    ] as const)
      for (let number = 0; number < count; number += 1)
        fleet
          .fake(name)
          .usage.record({ at: fleet.clock.now(), source: 'a', authIndex: `${number}` })
    await fleet.clock.advance(MINUTE)

    expect(countByName).toEqual({ tokyo: 2, berlin: 3 })
  })

  it('are read side by side, and the vendor is asked once about each account', async () => {
    const fleet = await aFleet({ tokyo: [alice, bob], berlin: [bob, carol], paris: [alice, carol] })

    expect(fleet.files()).toHaveLength(6)
    expect(fleet.queries().sort()).toEqual([alice.token, bob.token, carol.token].sort())
    expect(fleet.latest().evidenceByAuthName.size).toBe(6)
  })

  it('with one wrong key go on, and that one is asked no more than a single proxy would be', async () => {
    const fleet = await aFleet({ tokyo: [alice], berlin: [alice, bob] }, [
      upstream('tokyo', { key: 'wrong' }),
      upstream('berlin'),
    ])
    await fleet.clock.advance(10 * MINUTE)

    expect(fleet.latest().upstreams).toMatchObject([
      { name: 'tokyo', management: { kind: 'refused' } },
      { name: 'berlin', management: { kind: 'accepted' } },
    ])
    expect(fleet.fake('tokyo').stats.requestsByRoute['auth-files']).toBe(1)
    expect(fleet.files()).toEqual([alice, bob].map(({ fileName }) => `berlin/${fileName}`))
    expect(new Set(fleet.queries())).toEqual(new Set([alice.token, bob.token]))
  })

  it('ask through another proxy about the accounts of one that is down, and only about those', async () => {
    const fleet = await aFleet({ tokyo: [alice, bob], berlin: [bob, carol] })
    for (const route of ['healthz', 'auth-files', 'api-call'] as const)
      fleet.fake('tokyo').setFault(route, { kind: 'drop' })
    const before = fleet.fake('berlin').vendorCalls.length
    const asked = () =>
      fleet
        .fake('berlin')
        .vendorCalls.slice(before)
        .map(({ token }) => token)
    // On a busy machine a round that reads a file may end a few virtual minutes late.
    for (let minutes = 0; minutes < 15 && !asked().includes(bob.token ?? ''); minutes += 1)
      await fleet.clock.advance(MINUTE)

    expect(asked()).toContain(bob.token)
    expect(asked()).not.toContain(alice.token)
  })

  it('take turns, so that each login is proven, and the vendor hears of no more queries', async () => {
    const revoked: FakeAccount = { ...alice, vendor: 'token_invalidated' }
    const alone = await aFleet({ tokyo: [alice] })
    const fleet = await aFleet({ tokyo: [alice], berlin: [alice], paris: [revoked] })
    const asked = (name: string) => fleet.fake(name).vendorCalls.length
    for (let minutes = 0; minutes < 16; minutes += 1)
      for (const one of [alone, fleet]) await one.clock.advance(MINUTE)

    expect(asked('tokyo')).toBeGreaterThan(0)
    expect(asked('berlin')).toBeGreaterThan(0)
    // One query, and one to confirm the refusal; neither delays a login that works.
    expect(asked('paris')).toBe(2)
    expect(asked('tokyo') + asked('berlin')).toBeLessThanOrEqual(alone.queries().length)
    const { evidenceByAuthName } = fleet.latest()
    expect(evidenceByAuthName.get(`paris/${alice.fileName}`)?.refusedLogin?.inARow).toBe(2)
  })

  it('do not wait for a turn where the login that was tried first is dead', async () => {
    const revoked: FakeAccount = { ...alice, vendor: 'token_invalidated' }
    const dead: FakeAccount = {
      ...revoked,
      status: 'error',
      statusMessage: '{"error":{"code":"token_invalidated"}}',
    }
    for (const first of [revoked, dead]) {
      const fleet = await aFleet({ tokyo: [first], berlin: [alice], paris: [dead] }, [
        upstream('tokyo'),
      ])
      fleet.source.useUpstreams([upstream('tokyo'), upstream('berlin'), upstream('paris')])
      await fleet.clock.advance(30_000)

      expect(fleet.fake('berlin').vendorCalls).toHaveLength(1)
      // Its list may be the first of the two that is read.
      expect(fleet.fake('paris').vendorCalls.length).toBeLessThanOrEqual(1)
    }
  })

  it('say that the accounts of one were asked about through another until its turn comes', async () => {
    const fleet = await aFleet({ tokyo: [alice], berlin: [alice] })
    const quotaAt = (name: string) =>
      fleet.latest().upstreams?.find((one) => one.name === name)?.sources.direct_quota.outcome
    const kinds = ['tokyo', 'berlin'].map((name) => quotaAt(name))

    expect(kinds).toContainEqual({ kind: 'off', reason: 'asked_elsewhere' })
    await fleet.clock.advance(6 * MINUTE)
    expect([quotaAt('tokyo')?.kind, quotaAt('berlin')?.kind]).toEqual(['ok', 'ok'])
  })

  it('ask about one account alone once a minute, whichever is asked through', async () => {
    const fleet = await aFleet({ tokyo: [alice], berlin: [alice] })
    const accountKey =
      fleet.latest().sources.accounts.lastGood?.value.accounts[0]?.selector.accountKey ?? ''
    const refresh = async () => {
      const run = fleet.source.refresher.begin({ scope: 'account', accountKey })
      await fleet.clock.advance(5_000)
      return run.ended
    }

    expect(await refresh()).toBe(null)
    expect(await refresh()).toBe('asked_lately')
  })

  it('tell people apart whose files have the same name and no address', async () => {
    const unnamed = (name: string) =>
      aFakeAccount({
        name,
        fileName: 'work.json',
        entryOverrides: { email: undefined, label: undefined },
      })
    const fleet = await aFleet({ tokyo: [unnamed('x')], berlin: [unnamed('y')] })
    const keys = fleet
      .latest()
      .sources.accounts.lastGood?.value.accounts.map(({ selector }) => selector.accountKey)

    expect(new Set(keys).size).toBe(2)
  })
})

describe('another configuration', () => {
  it('adds a proxy, whose known accounts are not asked about again', async () => {
    const tokyo = upstream('tokyo')
    const fleet = await aFleet({ tokyo: [alice], berlin: [alice, bob] }, [tokyo])
    expect(fleet.files()).toEqual([`tokyo/${alice.fileName}`])

    fleet.source.useUpstreams([tokyo, upstream('berlin')])
    await fleet.clock.advance(MINUTE)

    expect(fleet.files()).toHaveLength(3)
    expect(fleet.queries()).toEqual([alice.token, bob.token])
  })

  it('asks no vendor early about the accounts of a proxy that has moved', async () => {
    const dora = aFakeAccount({ name: 'dora', provider: 'claude' })
    const fleet = await aFleet({ tokyo: [dora], osaka: [dora] }, [upstream('tokyo')])
    const counts = () =>
      ['quota', 'plan'].map(
        (kind) =>
          ['tokyo', 'osaka']
            .flatMap((name) => fleet.fake(name).vendorCalls)
            .filter((call) => call.kind === kind).length,
      )
    expect(counts()).toEqual([1, 1])
    fleet.source.useUpstreams([{ ...upstream('osaka'), name: 'tokyo' }])
    await fleet.clock.advance(13 * MINUTE)
    expect(counts()).toEqual([1, 1])
    await fleet.clock.advance(5 * MINUTE)
    expect(counts()).toEqual([2, 1])
  })

  it('leaves a proxy alone that is listed no more', async () => {
    const [tokyo, berlin] = [upstream('tokyo'), upstream('berlin')]
    const fleet = await aFleet({ tokyo: [alice], berlin: [bob] }, [tokyo, berlin])
    fleet.source.useUpstreams([berlin])
    await fleet.clock.advance(0)
    const { requests } = fleet.fake('tokyo').stats
    await fleet.clock.advance(10 * MINUTE)

    expect(fleet.files()).toEqual([`berlin/${bob.fileName}`])
    expect(fleet.fake('tokyo').stats.requests).toBe(requests)
    expect(fleet.latest().upstreams).toMatchObject([{ name: 'berlin' }])
  })

  it('renames a proxy, of which everything that was read is still known', async () => {
    const fleet = await aFleet({ tokyo: [alice], berlin: [bob] })
    fleet.source.useUpstreams([
      { ...upstream('osaka', { host: 'tokyo', key: 'key-of-tokyo' }) },
      upstream('berlin'),
    ])

    expect(fleet.files()).toEqual([`berlin/${bob.fileName}`, `osaka/${alice.fileName}`])
    expect([...fleet.latest().evidenceByAuthName.keys()]).toEqual([
      `berlin/${bob.fileName}`,
      `osaka/${alice.fileName}`,
    ])
    await fleet.clock.advance(MINUTE)
    expect(fleet.files()).toHaveLength(2)
    expect(fleet.latest().upstreams?.map(({ name }) => name)).toEqual(['osaka', 'berlin'])
  })

  it('that is the same ends a hold, as a restart would', async () => {
    const wrong = upstream('tokyo', { key: 'wrong' })
    const fleet = await aFleet({ tokyo: [alice], berlin: [bob] }, [wrong, upstream('berlin')])
    fleet.source.useUpstreams([wrong, upstream('berlin')])
    await fleet.clock.advance(MINUTE)

    expect(fleet.fake('tokyo').stats.requestsByRoute['auth-files']).toBe(2)
  })
})
