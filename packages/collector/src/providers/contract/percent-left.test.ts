import fc from 'fast-check'
import { expect, it } from 'vitest'
import { percentLeft, percentOfShareLeft } from './percent-left.ts'

it.each([
  { used: 0, left: 100 },
  { used: 26, left: 74 },
  { used: 33.34, left: 66.7 },
  { used: 99.94, left: 0.1 },
  { used: 99.9999, left: 0.1 },
  { used: 100, left: 0 },
  { used: 137, left: 0 },
  { used: -1, left: null },
  { used: -1e-9, left: null },
  { used: Number.NaN, left: null },
  { used: null, left: null },
])('of $used percent used, $left are left', ({ used, left }) => {
  expect(percentLeft(used)).toBe(left)
})

it.each([
  { share: 1, left: 100 },
  { share: 0.07, left: 7 },
  { share: 0, left: 0 },
  { share: -0.01, left: null },
  { share: 1.01, left: null },
  { share: null, left: null },
])('a share of $share is $left percent', ({ share, left }) => {
  expect(percentOfShareLeft(share)).toBe(left)
})

it('is 0 exactly when all is used', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 200, noNaN: true }), (used) => {
      expect(percentLeft(used) === 0).toBe(used >= 100 || 100 - used === 0)
    }),
  )
})

it('never grows with what is used', () => {
  const used = fc.double({ min: 0, max: 100, noNaN: true })
  fc.assert(
    fc.property(used, used, (a, b) => {
      expect(Number(percentLeft(Math.max(a, b)))).toBeLessThanOrEqual(
        Number(percentLeft(Math.min(a, b))),
      )
    }),
  )
})
