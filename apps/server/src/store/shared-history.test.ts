import { LEASE_MS, leaseOf, POOL_LEASE } from '@svc/core/service'
import { silentLog, virtualClock } from '@svc/core/testing'
import { expect, it } from 'vitest'
import { createSharing } from '../leases/sharing.ts'
import { leasesInMemory } from '../testing/leases-in-memory.ts'
import { createSharedHistory } from './shared-history.ts'
import type { SeenPool } from './store-threads.ts'

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
const SEEN = { remembered: null } as SeenPool

function aStore() {
  const clock = virtualClock(settle)
  const table = leasesInMemory(clock)
  const monitor = (holder: string) => {
    const told: string[] = []
    let looks = 0
    let retries = 0
    let isBroken = false
    let answered: Promise<void> | null = null
    const leases = table.asHolder(holder)
    const sharing = createSharing({ leases, clock, random: () => 0.5, log: silentLog })
    const shared = createSharedHistory(sharing, {
      writer: {
        async look() {
          if (isBroken) throw new Error('the store is away')
          await answered
          looks += 1
          return SEEN
        },
        async taken(lease) {
          told.push(lease)
        },
        retry() {
          retries += 1
        },
        state: () => ({ kind: 'off' }),
      },
      clock,
      onSeen: () => undefined,
      onChange: () => undefined,
    })
    shared.use(['tokyo'])
    shared.start()
    return {
      shared,
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
      breakStore(broken: boolean) {
        isBroken = broken
      },
    }
  }
  return { clock, table, monitor }
}

it('who has everything looks once at what was written before, and then writes', async () => {
  const { clock, monitor } = aStore()
  const { shared, told, looks } = monitor('a')
  expect([shared.isStandby(), shared.writesCourse()]).toEqual([true, false])
  await clock.advance(5_000)
  expect([shared.isStandby(), shared.writesCourse()]).toEqual([false, true])
  expect(told).toEqual([leaseOf('tokyo'), POOL_LEASE])

  const before = looks()
  await clock.advance(120_000)
  expect(looks()).toBe(before)
})

it('a standby looks again and again, and writes nothing', async () => {
  const { clock, monitor } = aStore()
  monitor('a')
  await clock.advance(5_000)
  const { shared, told, looks } = monitor('b')
  await clock.advance(60_000)
  const before = looks()
  await clock.advance(60_000)

  expect(looks() - before).toBe(4)
  expect([shared.isStandby(), shared.writesCourse(), told]).toEqual([true, false, []])
})

it('who takes over writes nothing before it has seen what was written', async () => {
  const { clock, monitor } = aStore()
  const first = monitor('a')
  await clock.advance(5_000)
  const second = monitor('b')
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
  const { clock, monitor } = aStore()
  const first = monitor('a')
  await clock.advance(5_000)
  const second = monitor('b')
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
  const { clock, table, monitor } = aStore()
  const both = [monitor('a'), monitor('b')]
  const anotherWrites = () => both.map(({ shared }) => shared.anotherWritesCourse())
  expect(anotherWrites()).toEqual([false, false])
  await clock.advance(5_000)
  const holder = table.holders()[POOL_LEASE]
  expect(anotherWrites()).toEqual([holder !== 'a', holder !== 'b'])

  table.cut(true)
  await clock.advance(LEASE_MS)
  expect(anotherWrites()).toEqual([false, false])
})

it('opens its store as soon as leases are prolonged again, by who holds them and by who stands by', async () => {
  const { clock, table, monitor } = aStore()
  const both = [monitor('a'), monitor('b')]
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
