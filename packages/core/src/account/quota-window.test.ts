import { describe, expect, it } from 'vitest'
import { anAbsentWindow, aRolledOverWindow, aWindow, fromNow } from '../testing/builders.ts'
import { isMainWindow, isStale, percentOf, resetAtOf, unknownWindow, windowIdOf, windowOf } from './quota-window.ts'

const DAY = 86_400

describe('a window is named by its length', () => {
  it.each([
    // 18,000 s ±10 %
    [16_199, '16199s', 'just too short'],
    [16_200, '5h', 'ten percent short'],
    [18_000, '5h', 'five hours'],
    [19_800, '5h', 'ten percent long'],
    [19_801, '19801s', 'just too long'],
    // 604,800 s ±10 %
    [544_319, '544319s', 'just too short'],
    [544_320, 'week', 'ten percent short'],
    [604_800, 'week', 'a week'],
    [665_280, 'week', 'ten percent long'],
    [665_281, '665281s', 'just too long'],
    // 28 to 31 days
    [28 * DAY - 1, '2419199s', 'a second short of February'],
    [28 * DAY, 'month', 'February'],
    [2_592_000, 'month', '30 days, as seen'],
    [2_628_000, 'month', 'a twelfth of a year, as seen'],
    [31 * DAY, 'month', 'January'],
    [31 * DAY + 1, '2678401s', 'a second too long'],
    // Anything else keeps its length.
    [3600, '3600s', 'an hour'],
    [DAY, '86400s', 'a day'],
    [1800.4, '1800s', 'whole seconds'],
  ])('%d s is %s: %s', (periodSeconds, id) => {
    expect(windowIdOf(periodSeconds)).toBe(id)
  })
})

it.each([
  ['5h', true],
  ['week', true],
  ['month', true],
  ['3600s', true],
  ['spend', true],
  ['limit', true],
  ['code_review:week', false],
  ['extra:codex_bengalfox:week', false],
  ['extra:codex_bengalfox:5h', false],
])('%s is a limit of the account itself: %s', (id, main) => {
  expect(isMainWindow(id)).toBe(main)
})

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
  expect(windowOf([aWindow('extra:spark:5h', 10)], '5h')).toEqual({ id: '5h', periodSeconds: 18_000, state: 'unknown' })
})
