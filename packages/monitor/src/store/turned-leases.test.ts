import type { ProxyLease } from '@svc/core/service'
import { expect, it } from 'vitest'
import { createTurnedLeases } from './shared-history.ts'

const lease = (upstream: string, isOurs: boolean): ProxyLease => ({
  upstream,
  isOurs,
  holder: isOurs ? 'host-a:4515' : 'host-b:4515',
})

it.each([
  { what: 'none', leases: [lease('tokyo', true), lease('berlin', false)], turned: false },
  { what: 'one taken', leases: [lease('tokyo', true), lease('berlin', true)], turned: true },
  { what: 'one lost', leases: [lease('tokyo', false), lease('berlin', false)], turned: true },
  { what: 'one for another', leases: [lease('tokyo', false), lease('berlin', true)], turned: true },
])('of two leases, with $what, are turned since the snapshot: $turned', ({ leases, turned }) => {
  let standing = [lease('tokyo', true), lease('berlin', false)]
  const turns = createTurnedLeases(() => standing)
  expect(turns.areTurned()).toBe(false)
  turns.evaluated({ leases: standing })
  standing = leases
  expect(turns.areTurned()).toBe(turned)

  turns.evaluated({ leases })
  expect(turns.areTurned()).toBe(false)
})

it('where nobody shares the store nothing turns', () => {
  const turns = createTurnedLeases(() => null)
  turns.evaluated({})
  expect(turns.areTurned()).toBe(false)
})
