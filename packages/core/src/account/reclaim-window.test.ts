import { expect, it } from 'vitest'
import { plusMs } from '../facts/time.ts'
import { anAbsentWindow, aRolledOverWindow, aWindow, NOW } from '../testing/builders.ts'
import { type QuotaWindow, unknownWindow } from './quota-window.ts'
import { reclaimWindowOf } from './reclaim-window.ts'

const week = aWindow('week', 60)

it.each<readonly [why: string, percent: number, resetsInSeconds: number, eligible: boolean]>([
  ['half is enough', 50, 1800, true],
  ['just below half is not', 49.9, 1800, false],
  ['all of it', 100, 1800, true],
  ['an hour to go is near enough', 80, 3600, true],
  ['a second more is not', 80, 3601, false],
  ['nor a millisecond more', 80, 3600.001, false],
  ['a second to go', 80, 1, true],
  ['both limits at once', 50, 3600, true],
])('%s: %d %% left, reset in %d s', (_, percent, resetsInSeconds, eligible) => {
  const expected = eligible ? { id: '5h', percent, resetsInSeconds } : null

  expect(reclaimWindowOf([aWindow('5h', percent, { resetsInSeconds }), week], false, NOW)).toEqual(
    expected,
  )
})

const ripe = aWindow('5h', 80, { resetsInSeconds: 1800 })

it.each<readonly [why: string, windows: readonly QuotaWindow[], blocked: boolean]>([
  ['the account is blocked', [ripe, week], true],
  ['the week is exhausted', [ripe, aWindow('week', 0)], false],
  [
    'the reading is stale',
    [aWindow('5h', 80, { resetsInSeconds: 1800, stale: true }), week],
    false,
  ],
  ['the reset is not known', [aWindow('5h', 80), week], false],
  ['the reset is now', [aWindow('5h', 80, { resetsInSeconds: 0 }), week], false],
  ['the reset has passed', [aRolledOverWindow('5h', 10), week], false],
  ['the 5h window is exhausted', [aWindow('5h', 0, { resetsInSeconds: 1800 }), week], false],
  [
    'the 5h window is absent, however ripe the week',
    [anAbsentWindow('5h'), aWindow('week', 80, { resetsInSeconds: 1800 })],
    false,
  ],
  ['the 5h window is unknown', [unknownWindow('5h'), week], false],
  ['there are no windows', [], false],
  [
    'only another scope has such a window',
    [aWindow('extra:spark:5h', 80, { resetsInSeconds: 1800 })],
    false,
  ],
])('nothing is to be reclaimed when %s', (_, windows, blocked) => {
  expect(reclaimWindowOf(windows, blocked, NOW)).toBeNull()
})

it.each([
  ['nearly used up', aWindow('week', 0.1)],
  ['absent', anAbsentWindow('week')],
  ['unknown', unknownWindow('week')],
  ['stale', aWindow('week', 60, { stale: true })],
])('a week that is %s does not stand in the way', (_, other) => {
  expect(reclaimWindowOf([ripe, other], false, NOW)).toEqual({
    id: '5h',
    percent: 80,
    resetsInSeconds: 1800,
  })
})

it('a window becomes ripe as time passes and ceases to be at its reset', () => {
  const windows = [aWindow('5h', 80, { resetsInSeconds: 3601 }), week]
  const ripeAfter = (seconds: number) =>
    reclaimWindowOf(windows, false, plusMs(NOW, seconds * 1000)) !== null

  expect([0, 1, 3600, 3600.999, 3601].map(ripeAfter)).toEqual([false, true, true, true, false])
})
