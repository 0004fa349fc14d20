import { expect, it } from 'vitest'
import { windowLabel } from './window-label.ts'

it.each([
  ['5h', '5h'],
  ['week', 'Weekly'],
  ['month', 'Monthly'],
  ['259200s', '3d 0h'],
  ['spend', 'Spending limit'],
  ['limit', 'Limit'],
  ['code_review:week', 'Code review weekly'],
  ['extra:fast_lane:5h', 'Fast lane 5h'],
  ['extra:a:b:week', 'A:b weekly'],
])('the window %s is called %s', (id, label) => {
  expect(windowLabel(id)).toBe(label)
})
