import { leaseOf, POOL_LEASE } from '@svc/core/service'
import { silentLog, virtualClock } from '@svc/core/testing'
import { expect, it } from 'vitest'
import { leasesInMemory } from '../testing/leases-in-memory.ts'
import { createSharing, holderNameOf } from './sharing.ts'

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

function aStore() {
  const clock = virtualClock(settle)
  const table = leasesInMemory(clock)
  const monitor = (place: string) => {
    const leases = table.asHolder(holderNameOf(place, 'f3a9'))
    return createSharing({ leases, clock, random: () => 0.5, log: silentLog })
  }
  return { clock, table, monitor }
}
const silent = {
  onTaken: () => undefined,
  onChange: () => undefined,
  onAnswering: () => undefined,
}

it('asks for nothing before it is started', async () => {
  const { clock, table, monitor } = aStore()
  const sharing = monitor('host-a:4515')
  sharing.use(['tokyo'])
  await clock.advance(10_000)

  expect(table.questionCount()).toBe(0)
  expect(sharing.standing()).toEqual([{ upstream: 'tokyo', isOurs: false, holder: null }])
  expect(sharing.dutyOf('tokyo').isOurs()).toBe(false)
})

it('says who acts for each proxy, by the place alone', async () => {
  const { clock, monitor } = aStore()
  const [a, b] = [monitor('host-a:4515'), monitor('host-b:4515')]
  a.use(['tokyo'])
  a.start(silent)
  await clock.advance(2_000)
  b.use(['tokyo', 'berlin'])
  b.start(silent)
  await clock.advance(2_000)

  expect(b.standing()).toEqual([
    { upstream: 'tokyo', isOurs: false, holder: 'host-a:4515' },
    { upstream: 'berlin', isOurs: true, holder: 'host-b:4515' },
  ])
})

it('tells who acts for a proxy before it tells who writes', async () => {
  const { clock, monitor } = aStore()
  const sharing = monitor('host-a:4515')
  const heard: string[] = []
  sharing.dutyOf('tokyo').onTaken(() => heard.push('collector'))
  sharing.use(['tokyo'])
  sharing.start({ ...silent, onTaken: (name, term) => heard.push(`writer ${name} ${term}`) })
  await clock.advance(2_000)

  expect(heard).toEqual(['collector', `writer ${leaseOf('tokyo')} 1`, `writer ${POOL_LEASE} 1`])
  expect(sharing.dutyOf('tokyo').isOurs()).toBe(true)
})

it('gives back everything when it ends', async () => {
  const { clock, table, monitor } = aStore()
  const sharing = monitor('host-a:4515')
  sharing.use(['tokyo'])
  sharing.start(silent)
  await clock.advance(2_000)
  expect(Object.keys(table.holders())).toHaveLength(2)
  await sharing.stop()

  expect(table.holders()).toEqual({})
})
