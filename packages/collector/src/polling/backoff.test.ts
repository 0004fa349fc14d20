import fc from 'fast-check'
import { expect, it } from 'vitest'
import { backoffMs, jitterFactor } from './backoff.ts'

it.each([
  [1, 2000],
  [2, 4000],
  [3, 8000],
  [4, 16_000],
])('after failure %d the wait is uniform up to %d ms', (failures, most) => {
  expect(backoffMs(failures, 300_000, () => 0)).toBe(0)
  expect(backoffMs(failures, 300_000, () => 0.5)).toBe(most / 2)
  expect(backoffMs(failures, 300_000, () => 0.999_999)).toBeCloseTo(most, -1)
})

it('from the fifth failure on there is one attempt per longest wait', () => {
  expect(backoffMs(5, 300_000, () => 0)).toBe(300_000)
  expect(backoffMs(5000, 300_000, () => 0.3)).toBe(300_000)
})

it('never waits longer than the longest wait', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.integer({ min: 1, max: 600_000 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (n, max, random) => {
        const wait = backoffMs(n, max, () => random)
        return wait >= 0 && wait <= max
      },
    ),
  )
})

it('jitter stays within a tenth', () => {
  expect(jitterFactor(() => 0)).toBeCloseTo(0.9)
  expect(jitterFactor(() => 0.5)).toBeCloseTo(1)
  expect(jitterFactor(() => 0.999_999)).toBeCloseTo(1.1)
})
