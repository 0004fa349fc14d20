import { LEASE_MS, type LeaseName, leaseOf, POOL_LEASE, proxyOf } from '@svc/core/service'
import { silentLog, virtualClock } from '@svc/core/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { leasesInMemory } from '../testing/leases-in-memory.ts'
import { surplusOf } from './lease-balance.ts'
import { createLeaseKeeper, type LeaseKeeper } from './lease-keeper.ts'

const RENEW_MS = 2_000
const running: LeaseKeeper[] = []
afterEach(() => {
  for (const keeper of running.splice(0)) void keeper.stop()
})

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Monitors over one store, each of which can be made busy, or unable to act. */
function aDeployment(count: number) {
  const clock = virtualClock(settle)
  const table = leasesInMemory(clock)
  const names: readonly LeaseName[] = [
    ...Array.from({ length: count }, (_, number) => leaseOf(`p${number}`)),
    POOL_LEASE,
  ]
  let seed = 1
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const keepers = new Map<string, LeaseKeeper>()
  const monitor = (holder: string) => {
    const conduct = { able: true, atRest: true }
    const events: string[] = []
    const keeper = createLeaseKeeper({
      leases: table.asHolder(holder),
      clock,
      random,
      log: silentLog,
      onTaken: (name, term) => events.push(`taken ${name} ${term}`),
      onChange: (name) => events.push(`changed ${name}`),
      onAnswering: () => undefined,
      conductOf: () => ({ isAble: () => conduct.able, isAtRest: () => conduct.atRest }),
    })
    running.push(keeper)
    keepers.set(holder, keeper)
    keeper.use(names)
    return { keeper, conduct, events }
  }
  /** For how many proxies each acts by the store. */
  const shares = () => {
    const counts: Record<string, number> = {}
    for (const [name, holder] of Object.entries(table.holders()))
      if (proxyOf(name as LeaseName) !== null) counts[holder] = (counts[holder] ?? 0) + 1
    return counts
  }
  /** Lets time pass in small steps; after each at most one monitor acts for each proxy. */
  const watch = async (milliseconds: number) => {
    let unheldMs = 0
    for (let passed = 0; passed < milliseconds; passed += 50) {
      await clock.advance(50)
      for (const name of names) {
        const holding = [...keepers].filter(([, keeper]) => keeper.isHeld(name))
        expect(holding.length).toBeLessThanOrEqual(1)
        if (holding.length === 0) unheldMs += 50
      }
    }
    return unheldMs
  }
  return { clock, table, monitor, shares, watch }
}

describe('monitors of one store', () => {
  it('end with as many proxies each after one comes later, within a few renewals, one proxy at a time', async () => {
    const { table, monitor, shares, watch } = aDeployment(6)
    monitor('a')
    await watch(8_000)
    expect(shares()).toEqual({ a: 6 })
    monitor('b')

    let before = 0
    let moves = 0
    for (let renewal = 0; renewal < 14; renewal += 1) {
      const unheldMs = await watch(RENEW_MS)
      const moved = (shares().b ?? 0) - before
      expect(moved).toBeLessThanOrEqual(1)
      // The monitor that wished for it takes it with its next look.
      expect(unheldMs).toBeLessThanOrEqual(1_000)
      before += moved
      moves += Math.abs(moved)
    }
    expect(shares()).toEqual({ a: 3, b: 3 })
    expect(moves).toBe(3)
    const settled = table.holders()
    await watch(120_000)
    expect(table.holders()).toEqual(settled)
  })

  it('are restarted one after the other, and end with as many each', async () => {
    const { monitor, shares, watch } = aDeployment(6)
    const [a, b] = [monitor('a'), monitor('b')]
    await watch(30_000)
    await a.keeper.stop()
    await watch(4_000)
    expect(shares()).toEqual({ b: 6 })
    const again = monitor('a2')
    await watch(30_000)
    expect(shares()).toEqual({ a2: 3, b: 3 })
    await b.keeper.stop()
    await watch(4_000)
    monitor('b2')
    await watch(30_000)

    expect(shares()).toEqual({ a2: 3, b2: 3 })
    expect(again.keeper.held().size).toBe(4)
  })

  it.each([
    { proxies: 1, monitors: ['a', 'b'] },
    { proxies: 2, monitors: ['a', 'b', 'c'] },
    { proxies: 7, monitors: ['a', 'b', 'c'] },
    { proxies: 5, monitors: ['a', 'b'] },
  ])('with $proxies proxies come to rest: $monitors', async ({ proxies, monitors }) => {
    const { table, monitor, shares, watch } = aDeployment(proxies)
    for (const name of monitors) {
      monitor(name)
      await watch(5_000)
    }
    await watch(60_000)
    const fair = Math.ceil(proxies / monitors.length)
    for (const count of Object.values(shares())) expect(count).toBeLessThanOrEqual(fair)
    const settled = table.holders()
    await watch(120_000)

    expect(table.holders()).toEqual(settled)
  })
})

it('two never act for one proxy, whatever answers get lost or late while it is handed over', async () => {
  const { table, monitor, watch } = aDeployment(6)
  const first = monitor('a')
  for (let step = 0; step < 12; step += 1) {
    const coming = monitor(`b${step}`)
    table.delay((step * 731) % 3_000)
    await watch(20_000)
    table.cut(step % 3 === 0)
    await watch((step * 577) % 8_000)
    table.cut(false)
    // An answer that is late would be waited for while time stands still.
    void coming.keeper.stop()
  }

  const handedOver = first.events.filter((event) => event.startsWith('changed'))
  expect(handedOver.length).toBeGreaterThan(6)
})

describe('a monitor that acts for many', () => {
  it('keeps a proxy while something is under way there, and hands it over soon after', async () => {
    const { monitor, shares, watch } = aDeployment(2)
    const a = monitor('a')
    await watch(5_000)
    a.conduct.atRest = false
    monitor('b')
    await watch(60_000)
    expect(shares()).toEqual({ a: 2 })

    a.conduct.atRest = true
    await watch(RENEW_MS)
    expect(shares()).toEqual({ a: 1, b: 1 })
  })

  it('hands nothing over to one that the proxies do not answer', async () => {
    const { monitor, shares, watch } = aDeployment(4)
    monitor('a')
    await watch(5_000)
    monitor('b').conduct.able = false
    await watch(60_000)

    expect(shares()).toEqual({ a: 4 })
  })

  it('hands nothing over to one that dies soon after every start', async () => {
    const { monitor, shares, watch } = aDeployment(4)
    monitor('a')
    await watch(5_000)
    for (let start = 0; start < 10; start += 1) {
      const crashing = monitor(`b${start}`)
      await watch(8_000)
      await crashing.keeper.stop()
    }

    expect(shares()).toEqual({ a: 4 })
  })

  it('takes back what it has handed over to one that died meanwhile', async () => {
    const { clock, table, monitor, shares, watch } = aDeployment(4)
    const a = monitor('a')
    await watch(5_000)
    // It wishes, and is gone before it takes.
    await table.asHolder('dead').take(['wish/p0', 'wish/p1', 'wish/p2', 'wish/p3'])
    await clock.advance(9_000)
    expect(shares()).toEqual({ a: 3 })
    const taken = a.events.length
    await watch(2 * LEASE_MS)

    expect(shares()).toEqual({ a: 4 })
    // Nobody has had it in between: the term is the same.
    expect(a.events.slice(taken)).toHaveLength(1)
    expect(a.events.at(-1)).toMatch(/^taken proxy\/p\d 1$/)
  })
})

const of = (count: number, name: string) =>
  Array.from({ length: count }, (_, number) => `${name}${number}`)
it.each([
  { own: 0, a: 1, b: 0, wished: 0 },
  { own: 0, a: 2, b: 1, wished: 2 },
  { own: 3, a: 4, b: 3, wished: 0 },
  { own: 2, a: 4, b: 3, wished: 4 },
])('with $own, where others have $a and $b, wishes for $wished', ({ own, a, b, wished }) => {
  const others = new Map([
    ['b', of(b, 'berlin')],
    ['a', of(a, 'tokyo')],
  ])
  expect(surplusOf(own, others)).toHaveLength(wished)
})
