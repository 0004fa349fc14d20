import { describe, expect, it } from 'vitest'
import { isMainWindow, windowIdOf } from './window.ts'

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
    // A window of any other length keeps its length as its name.
    [3600, '3600s', 'an hour'],
    [DAY, 'day', 'a day'],
    [DAY * 1.09, 'day', 'a day and nine hundredths'],
    [DAY * 1.11, '95904s', 'more than that'],
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
