import { epochMs } from '@svc/core'
import { expect, it } from 'vitest'
import { cutAfterWrongClock } from './cut-after-wrong-clock.ts'

const HOUR_MS = 3_600_000
const DAY = Date.UTC(2026, 10, 20)
const NOON = epochMs(DAY + 12 * HOUR_MS)

it.each([
  { name: 'no day', newestDayS: null, cut: null },
  { name: 'the day before', newestDayS: DAY / 1000 - 86_400, cut: DAY },
  { name: 'today', newestDayS: DAY / 1000, cut: NOON - HOUR_MS },
])('with sums of $name', ({ newestDayS, cut }) => {
  expect(cutAfterWrongClock(newestDayS, NOON)).toBe(cut)
})
