import { expect, it } from 'vitest'
import { anAbsentWindow, aRolledOverWindow, aWindow, fromNow } from '../testing/builders.ts'
import { isStale, percentOf, resetAtOf, unknownWindow, windowOf } from './quota-window.ts'

it.each([
  {
    name: 'known',
    window: aWindow('5h', 42, { resetsInSeconds: 60 }),
    percent: 42,
    resetAt: fromNow(60),
    stale: false,
  },
  {
    name: 'known and stale',
    window: aWindow('5h', 42, { stale: true }),
    percent: 42,
    resetAt: null,
    stale: true,
  },
  {
    name: 'exhausted',
    window: aWindow('5h', 0, { resetsInSeconds: 60 }),
    percent: 0,
    resetAt: fromNow(60),
    stale: false,
  },
  {
    name: 'rolled over',
    window: aRolledOverWindow('5h', 60),
    percent: 100,
    resetAt: null,
    stale: true,
  },
  { name: 'absent', window: anAbsentWindow('5h'), percent: null, resetAt: null, stale: false },
  { name: 'unknown', window: unknownWindow('5h'), percent: null, resetAt: null, stale: false },
] as const)('what a window that is $name has to say', ({ window, percent, resetAt, stale }) => {
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
