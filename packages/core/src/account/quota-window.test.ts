import { expect, it } from 'vitest'
import { anAbsentWindow, aRolledOverWindow, aWindow, fromNow } from '../testing/builders.ts'
import { isStale, percentOf, resetAtOf, unknownWindow, windowOf } from './quota-window.ts'

it.each([
  ['known', aWindow('5h', 42, { resetsInSeconds: 60 }), 42, fromNow(60), false],
  ['known and stale', aWindow('5h', 42, { stale: true }), 42, null, true],
  ['exhausted', aWindow('5h', 0, { resetsInSeconds: 60 }), 0, fromNow(60), false],
  ['rolled over', aRolledOverWindow('5h', 60), 100, null, true],
  ['absent', anAbsentWindow('5h'), null, null, false],
  ['unknown', unknownWindow('5h'), null, null, false],
] as const)('what a window that is %s has to say', (_, window, percent, resetAt, stale) => {
  expect([percentOf(window), resetAtOf(window), isStale(window)]).toEqual([percent, resetAt, stale])
})

it('a window nobody read is unknown and has the usual length', () => {
  expect(windowOf([], 'week')).toEqual({ id: 'week', periodSeconds: 604_800, state: 'unknown' })
  expect(windowOf([aWindow('extra:spark:5h', 10)], '5h')).toEqual({
    id: '5h',
    periodSeconds: 18_000,
    state: 'unknown',
  })
})
