import { epochMs } from '@svc/core'
import { expect, it } from 'vitest'
import { cutAfterWrongClock, cutOf } from './history-store.ts'

const DAY_MS = 86_400_000
const DAY = Date.UTC(2026, 10, 20)
const HOUR_MS = 3_600_000
const NOON = epochMs(DAY + 12 * HOUR_MS)

it.each([
  { at: DAY, usageDays: 1, cut: DAY - DAY_MS },
  { at: DAY + DAY_MS - 1, usageDays: 1, cut: DAY - DAY_MS },
  { at: DAY + DAY_MS, usageDays: 1, cut: DAY },
  { at: DAY + 1, usageDays: 90, cut: DAY - 90 * DAY_MS },
])('at $at rows of $usageDays whole days are kept, from $cut', ({ at, usageDays, cut }) => {
  expect(cutOf({ usageDays, historyDays: 1 }, epochMs(at))).toBe(cut)
})

it.each([
  { name: 'no day', newestDayS: null, cut: null },
  { name: 'the day before', newestDayS: DAY / 1000 - 86_400, cut: DAY },
  { name: 'today', newestDayS: DAY / 1000, cut: NOON - HOUR_MS },
])('with sums of $name', ({ newestDayS, cut }) => {
  expect(cutAfterWrongClock(newestDayS, NOON)).toBe(cut)
})
