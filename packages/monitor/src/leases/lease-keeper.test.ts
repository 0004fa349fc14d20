import { LEASE_MS, type LeaseName, leaseOf, POOL_LEASE } from '@svc/core/service'
import { silentLog, virtualClock } from '@svc/core/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { leasesInMemory } from '../testing/leases-in-memory.ts'
import { createLeaseKeeper, freeToTake, type LeaseKeeper } from './lease-keeper.ts'

const running: LeaseKeeper[] = []
afterEach(() => {
  // Time stands still by now, so some answers do not come any more.
  for (const keeper of running.splice(0)) void keeper.stop()
})

const TOKYO = leaseOf('tokyo')
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

function aDeployment() {
  const clock = virtualClock(settle)
  const table = leasesInMemory(clock)
  let seed = 1
  /** A small generator, so that no monitor asks in the order of another. */
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const monitor = (holder: string, own = clock) => {
    const events: string[] = []
    let isAble = true
    const leases = table.asHolder(holder)
    const keeper = createLeaseKeeper({
      leases,
      clock: own,
      random,
      log: silentLog,
      onTaken: (name, term) => events.push(`taken ${name} ${term}`),
      onChange: (name) => events.push(`changed ${name}`),
      onAnswering: () => events.push('answering'),
      mayHold: () => isAble,
    })
    running.push(keeper)
    return {
      keeper,
      events,
      /** Whether it can do what its leases are for. */
      enable(next: boolean) {
        isAble = next
      },
    }
  }
  return { clock, table, monitor }
}

const proxies = (count: number): readonly LeaseName[] =>
  Array.from({ length: count }, (_, number) => leaseOf(`p${number}`))

describe('a keeper of leases', () => {
  it('takes what nobody has, says so once, and keeps it', async () => {
    const { clock, monitor } = aDeployment()
    const { keeper, events } = monitor('a')
    keeper.use([TOKYO, POOL_LEASE])
    await clock.advance(1_000)
    expect(keeper.isHeld(TOKYO)).toBe(true)
    expect(keeper.termOf(TOKYO)).toBe(1)

    await clock.advance(120_000)
    expect(keeper.isHeld(TOKYO)).toBe(true)
    expect(keeper.holderOf(TOKYO)).toBe('a')
    expect(events).toEqual(['taken proxy/tokyo 1', 'taken pool 1'])
  })

  it('leaves what another has, and says who that is', async () => {
    const { clock, monitor } = aDeployment()
    const first = monitor('a')
    first.keeper.use([TOKYO])
    await clock.advance(1_000)
    const second = monitor('b')
    second.keeper.use([TOKYO])
    await clock.advance(60_000)

    expect(second.keeper.isHeld(TOKYO)).toBe(false)
    expect(second.keeper.termOf(TOKYO)).toBe(null)
    expect(second.keeper.holderOf(TOKYO)).toBe('a')
    expect(second.events).toEqual(['changed proxy/tokyo'])
  })

  it('hands the write of the course to who asks a proxy', async () => {
    const { clock, table, monitor } = aDeployment()
    const both = [monitor('a'), monitor('b')]
    for (const { keeper } of both) keeper.use([TOKYO, POOL_LEASE])
    await clock.advance(5_000)

    expect(table.holders()[POOL_LEASE]).toBe(table.holders()[TOKYO])
  })

  it('holds nothing from the moment its time is over, where the store does not answer', async () => {
    const { clock, table, monitor } = aDeployment()
    const { keeper, events } = monitor('a')
    keeper.use([TOKYO])
    await clock.advance(10_000)
    table.cut(true)
    let heldMs = 0
    while (keeper.isHeld(TOKYO)) {
      await clock.advance(50)
      heldMs += 50
    }

    expect(heldMs).toBeLessThanOrEqual(LEASE_MS)
    expect(keeper.holderOf(TOKYO)).toBe(null)
    await clock.advance(100)
    expect(events.at(-1)).toBe('changed proxy/tokyo')

    table.cut(false)
    await clock.advance(1_000)
    expect(events.slice(-2)).toEqual(['taken proxy/tokyo 1', 'answering'])
  })

  it('counts the time from before it asked: an answer that took long is worth that much less', async () => {
    const { clock, table, monitor } = aDeployment()
    const { keeper } = monitor('a')
    table.delay(LEASE_MS - 500)
    keeper.use([TOKYO])
    // It looks first, and then asks for it.
    await clock.advance(2 * LEASE_MS - 1_000)
    expect(keeper.isHeld(TOKYO)).toBe(true)
    await clock.advance(501)

    expect(keeper.isHeld(TOKYO)).toBe(false)
  })

  it('that was stopped for a while holds nothing when it goes on, before it has asked', async () => {
    const { clock, monitor } = aDeployment()
    const { keeper } = monitor('a')
    keeper.use([TOKYO])
    await clock.advance(1_000)
    expect(keeper.isHeld(TOKYO)).toBe(true)
    // The machine slept: the monotonic clock stood still.
    clock.jumpWallClock(20_000)

    expect(keeper.isHeld(TOKYO)).toBe(false)
  })

  it('goes on holding where the clock was set back', async () => {
    const { clock, monitor } = aDeployment()
    const { keeper } = monitor('a')
    keeper.use([TOKYO])
    await clock.advance(1_000)
    clock.jumpWallClock(-3600_000)

    expect(keeper.isHeld(TOKYO)).toBe(true)
  })

  it('gives up what it can do nothing with, to another that can, and takes nothing meanwhile', async () => {
    const { clock, table, monitor } = aDeployment()
    const first = monitor('a')
    first.keeper.use([TOKYO, POOL_LEASE])
    await clock.advance(2_000)
    const second = monitor('b')
    second.keeper.use([TOKYO, POOL_LEASE])
    await clock.advance(2_000)
    first.enable(false)
    await clock.advance(LEASE_MS)

    expect(first.keeper.isHeld(TOKYO)).toBe(false)
    expect(first.events.slice(-2).sort()).toEqual(['changed pool', 'changed proxy/tokyo'])
    expect(second.events.slice(-2).sort()).toEqual(['taken pool 2', 'taken proxy/tokyo 2'])
    second.enable(false)
    await clock.advance(2 * LEASE_MS)
    expect(table.holders()).toEqual({})

    first.enable(true)
    await clock.advance(LEASE_MS)
    expect(new Set(Object.values(table.holders()))).toEqual(new Set(['a']))
  })

  it('keeps its term where it takes again what it gave up', async () => {
    const { clock, monitor } = aDeployment()
    const { keeper, events, enable } = monitor('a')
    keeper.use([TOKYO])
    await clock.advance(2_000)
    enable(false)
    await clock.advance(LEASE_MS)
    enable(true)
    await clock.advance(LEASE_MS)

    const taken = events.filter((event) => event.startsWith('taken'))
    expect(taken).toEqual(['taken proxy/tokyo 1', 'taken proxy/tokyo 1'])
  })

  it('hears the next term when another had it in between', async () => {
    const { clock, table, monitor } = aDeployment()
    const { keeper, events } = monitor('a')
    keeper.use([TOKYO])
    await clock.advance(1_000)
    table.cut(true)
    await clock.advance(LEASE_MS)
    table.cut(false)
    await table.asHolder('b').take([TOKYO])
    await clock.advance(2 * LEASE_MS)

    expect(events.filter((event) => event.startsWith('taken'))).toEqual([
      'taken proxy/tokyo 1',
      'taken proxy/tokyo 3',
    ])
  })

  it('asks about a hundred a few times a second, not a hundred times', async () => {
    const { clock, table, monitor } = aDeployment()
    monitor('a').keeper.use(proxies(100))
    await clock.advance(10_000)
    const before = table.questionCount()
    await clock.advance(60_000)

    expect(table.questionCount() - before).toBeLessThanOrEqual(50)
  })
})

describe('several monitors', () => {
  it('that start together share a hundred proxies', async () => {
    const { clock, table, monitor } = aDeployment()
    for (const { keeper } of [monitor('a'), monitor('b')]) keeper.use(proxies(100))
    await clock.advance(4_000)
    const holders = Object.values(table.holders())

    expect(holders).toHaveLength(100)
    for (const name of ['a', 'b'])
      expect(holders.filter((holder) => holder === name).length).toBeGreaterThanOrEqual(25)
  })

  it('take what one that has died had, within 10 s, together', async () => {
    const { clock, table, monitor } = aDeployment()
    await table.asHolder('dead').take(proxies(100))
    for (const { keeper } of [monitor('a'), monitor('b')]) keeper.use(proxies(100))
    await clock.advance(10_000)
    const holders = Object.values(table.holders())

    expect(holders).toHaveLength(100)
    expect(new Set(holders)).toEqual(new Set(['a', 'b']))
  })

  it('take what one gives back within 2 s', async () => {
    const { clock, table, monitor } = aDeployment()
    const leaving = monitor('a')
    leaving.keeper.use([...proxies(100), POOL_LEASE])
    await clock.advance(5_000)
    monitor('b').keeper.use([...proxies(100), POOL_LEASE])
    await clock.advance(5_000)
    await leaving.keeper.stop()
    expect(leaving.keeper.isHeld(POOL_LEASE)).toBe(false)
    await clock.advance(2_000)

    const holders = Object.values(table.holders())
    expect(holders).toHaveLength(101)
    expect(new Set(holders)).toEqual(new Set(['b']))
  })

  it('give back a proxy that is configured no more', async () => {
    const { clock, table, monitor } = aDeployment()
    const { keeper } = monitor('a')
    keeper.use(proxies(3))
    await clock.advance(5_000)
    keeper.use(proxies(2))
    await clock.advance(1_000)

    expect(Object.keys(table.holders()).sort()).toEqual([...proxies(2)])
    expect(keeper.isHeld(leaseOf('p2'))).toBe(false)
  })

  it('never both hold one, whatever answers get lost or late', async () => {
    const { clock, table, monitor } = aDeployment()
    const both = [monitor('a').keeper, monitor('b').keeper]
    for (const keeper of both) keeper.use([TOKYO])
    let changes = 0
    for (let step = 0; step < 2_000; step += 1) {
      if (step % 37 === 0) table.cut(step % 2 === 0)
      if (step % 23 === 0) table.delay((step * 7) % 5_000)
      await clock.advance(100)
      const holding = both.filter((keeper) => keeper.isHeld(TOKYO))
      expect(holding.length).toBeLessThanOrEqual(1)
      changes += holding.length
    }
    expect(changes).toBeGreaterThan(0)
  })
})

const waiting = (count: number, waitedMs = 0) =>
  Array.from({ length: count }, (_, index) => ({ name: leaseOf(`p${index}`), waitedMs }))
const random = () => 0.5

it.each([
  { what: 'the only one, at once', count: 1, total: 1, held: 0, waitedMs: 0, taken: 1 },
  { what: 'a quarter of all', count: 100, total: 100, held: 0, waitedMs: 0, taken: 25 },
  {
    what: 'nothing yet, with half of all',
    count: 10,
    total: 20,
    held: 10,
    waitedMs: 200,
    taken: 0,
  },
  { what: 'more after it has waited', count: 10, total: 20, held: 10, waitedMs: 250, taken: 5 },
  { what: 'the last at the end', count: 1, total: 20, held: 19, waitedMs: 500, taken: 1 },
])('of $count free leases it takes $what', ({ count, total, held, waitedMs, taken }) => {
  expect(freeToTake(waiting(count, waitedMs), { total, held, random })).toHaveLength(taken)
})

it.each([
  { held: 0, waitedMs: 0, takes: false },
  { held: 1, waitedMs: 0, takes: true },
  { held: 0, waitedMs: 1_000, takes: true },
])(
  'the course goes to who asks a proxy, or to anybody later: held $held, waited $waitedMs',
  ({ held, waitedMs, takes }) => {
    const free = freeToTake([{ name: POOL_LEASE, waitedMs }], { total: 2, held, random })
    expect(free).toEqual(takes ? [POOL_LEASE] : [])
  },
)

it('two monitors begin with different ones', () => {
  const orders = [0.1, 0.9].map((seed) => {
    let value = seed
    const next = () => {
      value = (value * 7.31) % 1
      return value
    }
    return freeToTake(waiting(40), { total: 40, held: 0, random: next })
  })
  expect(orders[0]).not.toEqual(orders[1])
})
