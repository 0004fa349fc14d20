import { epochMs } from '@svc/core'
import { expect, it } from 'vitest'
import { cutOf } from './retention-plan.ts'

const DAY_MS = 86_400_000
const DAY = Date.UTC(2026, 10, 20)

it.each([
  { at: DAY, usageDays: 1, cut: DAY - DAY_MS },
  { at: DAY + DAY_MS - 1, usageDays: 1, cut: DAY - DAY_MS },
  { at: DAY + DAY_MS, usageDays: 1, cut: DAY },
  { at: DAY + 1, usageDays: 90, cut: DAY - 90 * DAY_MS },
])('at $at rows of $usageDays whole days are kept, from $cut', ({ at, usageDays, cut }) => {
  expect(cutOf({ usageDays, historyDays: 1 }, epochMs(at))).toBe(cut)
})
