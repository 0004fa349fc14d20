import type { WindowReading } from '@svc/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { leastLeftOfEach, secondsOfWord, slugOf } from './window-words.ts'

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
