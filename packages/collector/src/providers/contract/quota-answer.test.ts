import type { WindowReading } from '@svc/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  leastLeftOfEach,
  percentLeft,
  percentOfShareLeft,
  secondsOfWord,
  slugOf,
} from './quota-answer.ts'

it.each([
  { used: 0, left: 100 },
  { used: 26, left: 74 },
  { used: 33.34, left: 66.7 },
  { used: 99.94, left: 0.1 },
  { used: 99.9999, left: 0.1 },
  { used: 100, left: 0 },
  { used: 137, left: 0 },
  { used: -1, left: null },
  { used: -1e-9, left: null },
  { used: Number.NaN, left: null },
  { used: null, left: null },
])('of $used percent used, $left are left', ({ used, left }) => {
  expect(percentLeft(used)).toBe(left)
})

it.each([
  { share: 1, left: 100 },
  { share: 0.07, left: 7 },
  { share: 0, left: 0 },
  { share: -0.01, left: null },
  { share: 1.01, left: null },
  { share: null, left: null },
])('a share of $share is $left percent', ({ share, left }) => {
  expect(percentOfShareLeft(share)).toBe(left)
})

it('is 0 exactly when all is used', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 200, noNaN: true }), (used) => {
      expect(percentLeft(used) === 0).toBe(used >= 100 || 100 - used === 0)
    }),
  )
})

it('never grows with what is used', () => {
  const used = fc.double({ min: 0, max: 100, noNaN: true })
  fc.assert(
    fc.property(used, used, (a, b) => {
      expect(Number(percentLeft(Math.max(a, b)))).toBeLessThanOrEqual(
        Number(percentLeft(Math.min(a, b))),
      )
    }),
  )
})

it.each([
  { word: '5h', seconds: 18_000 },
  { word: 'Weekly', seconds: 604_800 },
  { word: '24H', seconds: 86_400 },
  { word: 'constructor', seconds: null },
  { word: 7, seconds: null },
])('$word is $seconds s long', ({ word, seconds }) => {
  expect(secondsOfWord(word)).toBe(seconds)
})

it('a slug is part of an id, whatever the name', () => {
  fc.assert(
    fc.property(fc.anything(), (name) => {
      expect(slugOf(name)).toMatch(/^(?:[a-z0-9]+(?:_[a-z0-9]+)*)?$/)
    }),
  )
})

describe('of the windows with one id', () => {
  const reading = (id: string, percent: number): WindowReading => ({
    id,
    percent,
    periodSeconds: null,
    resetAt: null,
  })
  const readings = fc.array(
    fc.record({ id: fc.constantFrom('5h', 'week', 'pro:week'), percent: fc.nat(100) }),
  )

  it('the one with the least left stays, at the place of the first', () => {
    fc.assert(
      fc.property(readings, (list) => {
        const kept = leastLeftOfEach(list.map(({ id, percent }) => reading(id, percent)))
        expect(kept.map(({ id }) => id)).toEqual([...new Set(list.map(({ id }) => id))])
        for (const { id, percent } of kept)
          expect(percent).toBe(
            Math.min(...list.filter((one) => one.id === id).map((one) => one.percent)),
          )
      }),
    )
  })
})
