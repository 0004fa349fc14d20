import { describe, expect, it } from 'vitest'
import {
  isEqual,
  isWithin,
  lacking,
  type NamedSum,
  NOTHING,
  placeOf,
  sumsByPlace,
  totalOf,
} from './moved-sums.ts'

const sum = (member: string, requests: number, tokens = 0): NamedSum => ({
  grouping: 'account',
  bucketS: 86_400,
  instance: 'one',
  member,
  measures: { ...NOTHING, requests, tokens },
})

describe('sums by their names', () => {
  it('of two members that have become one are added up', () => {
    const sums = sumsByPlace([sum('ann', 2, 10), sum('bob', 1), sum('ann', 3, 30)])

    expect([...sums.keys()]).toEqual([placeOf(sum('ann', 0)), placeOf(sum('bob', 0))])
    expect(sums.get(placeOf(sum('ann', 0)))?.measures).toEqual({
      ...NOTHING,
      requests: 5,
      tokens: 40,
    })
    expect(totalOf(sums.values())).toEqual({ ...NOTHING, requests: 6, tokens: 40 })
  })

  it('never grow beyond the largest exact number', () => {
    const most = sum('ann', 1, Number.MAX_SAFE_INTEGER)
    expect(totalOf([most, most]).tokens).toBe(Number.MAX_SAFE_INTEGER)
  })

  it('of names that hold what parts others are told apart', () => {
    expect(placeOf({ ...sum('b', 1), instance: 'a' })).not.toBe(
      placeOf({ ...sum('', 1), instance: 'a","b' }),
    )
  })
})

it.each([
  { wanted: [3, 5], found: [3, 5], within: true, equal: true, lacks: [0, 0] },
  { wanted: [3, 5], found: [4, 5], within: true, equal: false, lacks: [0, 0] },
  { wanted: [3, 5], found: [4, 4], within: false, equal: false, lacks: [0, 1] },
  { wanted: [3, 5], found: [0, 0], within: false, equal: false, lacks: [3, 5] },
])('of $wanted, $found is within: $within', ({ wanted, found, within, equal, lacks }) => {
  const measures = ([requests = 0, tokens = 0]: readonly number[]) =>
    sum('', requests, tokens).measures
  const [one, other] = [measures(wanted), measures(found)]

  expect([isWithin(one, other), isEqual(one, other)]).toEqual([within, equal])
  expect(lacking(one, other)).toEqual(measures(lacks))
})
