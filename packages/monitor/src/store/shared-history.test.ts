import { LEASE_MS, type LeaseName, leaseOf, POOL_LEASE, type UpstreamName } from '@svc/core/service'
import { silentLog, virtualClock } from '@svc/core/testing'
import { expect, it } from 'vitest'
import { holderNameOf } from '../leases/store-leases.ts'
import { leasesInMemory } from '../testing/leases-in-memory.ts'
import { createSharedHistory } from './shared-history.ts'
import type { SeenPool } from './store-threads.ts'

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
const SEEN = { remembered: null } as SeenPool

function aStore() {
  const clock = virtualClock(settle)
  const table = leasesInMemory(clock)
  const monitor = (place: string, upstreams: readonly UpstreamName[] = ['tokyo']) => {
    const told: string[] = []
    let looks = 0
    let retries = 0
    let isBroken = false
    let isSilent = false
    let answered: Promise<void> | null = null
    const shared = createSharedHistory({
      leases: table.asHolder(holderNameOf(place, 'f3a9')),
      clock,
      random: () => 0.5,
      log: silentLog,
      onSeen: () => undefined,
      onChange: () => undefined,
    })
    const writer = {
      async look() {
        if (isBroken) throw new Error('the store is away')
        await answered
        looks += 1
        return SEEN
      },
      async useLease(lease: LeaseName) {
        told.push(lease)
      },
      retry() {
        retries += 1
      },
      isSilent: () => isSilent,
    }
    shared.use(upstreams)
    return {
      shared,
      start: () => shared.start(writer),
      told,
      looks: () => looks,
      retries: () => retries,
      /** Looks that begin from now on wait for the call of what this returns. */
      holdLooks() {
        let letGo = () => {}
        answered = new Promise<void>((resolve) => {
          letGo = resolve
        })
        return () => {
          answered = null
          letGo()
        }
      },
      silenceStore(silent: boolean) {
        isSilent = silent
      },
      breakStore(broken: boolean) {
        isBroken = broken
      },
    }
  }
  const started = (place: string, upstreams?: readonly UpstreamName[]) => {
    const own = monitor(place, upstreams)
    own.start()
    return own
  }
  return { clock, table, monitor, started }
}

it('asks for nothing before it is started', async () => {
  const { clock, table, monitor } = aStore()
  const { shared } = monitor('host-a:4515')
  await clock.advance(10_000)

  expect(table.questionCount()).toBe(0)
  expect(shared.standing()).toEqual([{ upstream: 'tokyo', isOurs: false, holder: null }])
  expect(shared.dutyOf('tokyo').isOurs()).toBe(false)
})

it('says who acts for each proxy, by the place alone', async () => {
  const { clock, started } = aStore()
  started('host-a:4515')
  await clock.advance(2_000)
  const { shared } = started('host-b:4515', ['tokyo', 'berlin'])
  await clock.advance(2_000)

  expect(shared.standing()).toEqual([
    { upstream: 'tokyo', isOurs: false, holder: 'host-a:4515' },
    { upstream: 'berlin', isOurs: true, holder: 'host-b:4515' },
  ])
})

it('tells who acts for a proxy before it tells who writes', async () => {
  const { clock, monitor } = aStore()
  const { shared, start, told } = monitor('host-a:4515')
  shared.dutyOf('tokyo').onTaken(() => told.push('collector'))
  start()
  await clock.advance(2_000)

  expect(told).toEqual(['collector', leaseOf('tokyo'), POOL_LEASE])
  expect(shared.dutyOf('tokyo').isOurs()).toBe(true)
})

it('gives back everything when it ends', async () => {
  const { clock, table, started } = aStore()
  const { shared } = started('host-a:4515')
  await clock.advance(2_000)
  expect(Object.keys(table.holders())).toHaveLength(2)
  await shared.stop()

  expect(table.holders()).toEqual({})
})

it('who has everything looks once at what was written before, and then writes', async () => {
  const { clock, started } = aStore()
  const { shared, told, looks } = started('a')
  expect([shared.isStandby(), shared.writesCourse()]).toEqual([true, false])
  await clock.advance(5_000)
  expect([shared.isStandby(), shared.writesCourse()]).toEqual([false, true])
  expect(told).toEqual([leaseOf('tokyo'), POOL_LEASE])

  const before = looks()
  await clock.advance(120_000)
  expect(looks()).toBe(before)
})

it('a standby looks again and again, and writes nothing', async () => {
  const { clock, started } = aStore()
  started('a')
  await clock.advance(5_000)
  const { shared, told, looks } = started('b')
  await clock.advance(60_000)
  const before = looks()
  await clock.advance(60_000)

  expect(looks() - before).toBe(4)
  expect([shared.isStandby(), shared.writesCourse(), told]).toEqual([true, false, []])
})

it('who takes over writes nothing before it has seen what was written', async () => {
  const { clock, started } = aStore()
  const first = started('a')
  await clock.advance(5_000)
  const second = started('b')
  await clock.advance(5_000)
  second.breakStore(true)
  await first.shared.stop()
  await clock.advance(5_000)
  expect([second.shared.isStandby(), second.shared.writesCourse()]).toEqual([false, false])

  second.breakStore(false)
  await clock.advance(2_000)
  expect(second.shared.writesCourse()).toBe(true)
})

it('who takes over while it looks at the store looks again soon', async () => {
  const { clock, started } = aStore()
  const first = started('a')
  await clock.advance(5_000)
  const second = started('b')
  const letGo = second.holdLooks()
  await clock.advance(16_000)
  await first.shared.stop()
  await clock.advance(3_000)
  expect([second.shared.isStandby(), second.shared.writesCourse()]).toEqual([false, false])

  letGo()
  await clock.advance(1_000)
  expect(second.shared.writesCourse()).toBe(true)
})

it('knows that another monitor writes the course for as long as that is known to have the lease', async () => {
  const { clock, table, started } = aStore()
  const both = [started('a'), started('b')]
  const anotherWrites = () => both.map(({ shared }) => shared.anotherWritesCourse())
  expect(anotherWrites()).toEqual([false, false])
  await clock.advance(5_000)
  const holder = table.holders()[POOL_LEASE]
  expect(anotherWrites()).toEqual([holder !== 'a#f3a9', holder !== 'b#f3a9'])

  table.cut(true)
  await clock.advance(LEASE_MS)
  expect(anotherWrites()).toEqual([false, false])
})

it('opens its store as soon as leases are prolonged again, by who holds them and by who stands by', async () => {
  const { clock, table, started } = aStore()
  const both = [started('a'), started('b')]
  await clock.advance(5_000)
  const retries = () => both.map((each) => each.retries())
  expect(retries()).toEqual([0, 0])
  table.cut(true)
  await clock.advance(120_000)
  expect(retries()).toEqual([0, 0])

  table.cut(false)
  await clock.advance(1_000)
  expect(retries()).toEqual([1, 1])
  await clock.advance(60_000)
  expect(retries()).toEqual([1, 1])
})

it('leaves its proxies to another monitor while its own store is silent, and stands by', async () => {
  const { clock, started } = aStore()
  const first = started('host-a:4515')
  await clock.advance(2_000)
  const second = started('host-b:4515')
  await clock.advance(2_000)
  first.silenceStore(true)
  await clock.advance(LEASE_MS)

  expect(first.shared.standing()).toEqual([{ upstream: 'tokyo', isOurs: false, holder: null }])
  expect(second.shared.dutyOf('tokyo').isOurs()).toBe(true)
  first.silenceStore(false)
  await clock.advance(LEASE_MS)
  expect(first.shared.isStandby()).toBe(true)
  expect(first.shared.standing()).toEqual([
    { upstream: 'tokyo', isOurs: false, holder: 'host-b:4515' },
  ])
})
