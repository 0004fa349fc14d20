import { leaseOf, POOL_LEASE } from '@svc/core/service'
import { expect, it } from 'vitest'
import { freeToTake } from './free-leases.ts'

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
