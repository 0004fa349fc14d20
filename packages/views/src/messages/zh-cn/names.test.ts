import { expect, it } from 'vitest'
import { planName } from './names.ts'

it.each([
  { plan: 'prolite', name: 'Prolite' },
  { plan: 'unknown', name: '未知' },
])('the plan $plan is called $name in Chinese', ({ plan, name }) => {
  expect(planName(plan)).toBe(name)
})
