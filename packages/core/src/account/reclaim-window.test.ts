import { expect, it } from 'vitest'
import { plusMs } from '../facts/time.ts'
import { anAbsentWindow, aRolledOverWindow, aWindow, NOW } from '../testing/builders.ts'
import { type QuotaWindow, unknownWindow } from './quota-window.ts'
import { reclaimWindowOf } from './reclaim-window.ts'

const week = aWindow('week', 60)

it.each<{
  readonly name: string
  readonly percent: number
  readonly resetsInSeconds: number
  readonly eligible: boolean
}>([
  { name: 'half is enough', percent: 50, resetsInSeconds: 1800, eligible: true },
  { name: 'just below half is not', percent: 49.9, resetsInSeconds: 1800, eligible: false },
  { name: 'all of it', percent: 100, resetsInSeconds: 1800, eligible: true },
  { name: 'an hour to go is near enough', percent: 80, resetsInSeconds: 3600, eligible: true },
  { name: 'a second more is not', percent: 80, resetsInSeconds: 3601, eligible: false },
  { name: 'nor a millisecond more', percent: 80, resetsInSeconds: 3600.001, eligible: false },
  { name: 'a second to go', percent: 80, resetsInSeconds: 1, eligible: true },
  { name: 'both limits at once', percent: 50, resetsInSeconds: 3600, eligible: true },
])(
  '$name: $percent % left, reset in $resetsInSeconds s',
  ({ percent, resetsInSeconds, eligible }) => {
    const expected = eligible ? { id: '5h', percent, resetsInSeconds } : null

    expect(
      reclaimWindowOf([aWindow('5h', percent, { resetsInSeconds }), week], false, NOW),
    ).toEqual(expected)
  },
)

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
