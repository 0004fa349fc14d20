import { emptySum } from '@svc/core/usage'
import { describe, expect, it } from 'vitest'
import { isEqual, isWithin, measuresIn, sumsOf, totalOf } from './move-sums.ts'

const sum = (memberId: number, requests: number, tokens = 0) => ({
  place: { grouping: 1, tierSeconds: 86_400, bucketS: 86_400, memberId },
  sum: { ...emptySum(), requests, tokens },
})

describe('sums by their places', () => {
  it('of two members that have become one are added up', () => {
    const sums = sumsOf([sum(1, 2, 10), sum(2, 1), sum(1, 3, 30)])

    expect(sums.size).toBe(2)
    expect(measuresIn(sums, sum(1, 0))).toEqual({ ...emptySum(), requests: 5, tokens: 40 })
    expect(measuresIn(sums, sum(3, 0))).toEqual(emptySum())
    expect(totalOf(sums.values())).toEqual({ ...emptySum(), requests: 6, tokens: 40 })
  })

  it('never grow beyond the largest exact number', () => {
    const most = sum(1, 1, Number.MAX_SAFE_INTEGER)
    expect(totalOf([most, most]).tokens).toBe(Number.MAX_SAFE_INTEGER)
  })
})

it.each([
  { wanted: [3, 5], found: [3, 5], within: true, equal: true },
  { wanted: [3, 5], found: [4, 5], within: true, equal: false },
  { wanted: [3, 5], found: [4, 4], within: false, equal: false },
  { wanted: [3, 5], found: [0, 0], within: false, equal: false },
])('of $wanted, $found is within: $within', ({ wanted, found, within, equal }) => {
  const measures = ([requests = 0, tokens = 0]: readonly number[]) => sum(0, requests, tokens).sum
  const [one, other] = [measures(wanted), measures(found)]

  expect([isWithin(one, other), isEqual(one, other)]).toEqual([within, equal])
})
