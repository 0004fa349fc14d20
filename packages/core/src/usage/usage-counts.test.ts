import { expect, it } from 'vitest'
import { addTo, emptySum, isFailing, sumOfUsage } from './usage-counts.ts'

const MAX = Number.MAX_SAFE_INTEGER

it('a sum stops at the largest exact number', () => {
  const sum = { ...emptySum(), requests: MAX - 1, tokens: MAX, failed: 1, tokensOut: MAX - 1 }
  addTo(sum, { requests: 5, tokens: 1, failed: 1, tokensOut: 2, failedAuth: 1 })

  expect(sum).toEqual({
    ...emptySum(),
    requests: MAX,
    tokens: MAX,
    failed: 2,
    tokensOut: MAX,
    failedAuth: 1,
  })
})

it.each([
  { why: 'nothing', all: [], sum: emptySum() },
  {
    why: 'several',
    all: [
      { requests: 1, tokens: 10, failed: 0 },
      { requests: 2, tokens: 5, failed: 1 },
    ],
    sum: { ...emptySum(), requests: 3, tokens: 15, failed: 1 },
  },
])('usage adds up: $why', ({ all, sum }) => {
  const before = structuredClone(all)

  expect(sumOfUsage(new Set(all))).toEqual(sum)
  expect(all).toEqual(before)
})

it.each([
  { requests: 0, failed: 0, failing: false },
  { requests: 4, failed: 4, failing: false },
  { requests: 5, failed: 1, failing: true },
  { requests: 100, failed: 9, failing: false },
  { requests: 100, failed: 10, failing: true },
])(
  '$failed of $requests requests failed: $failing that this is too many',
  ({ requests, failed, failing }) => {
    expect(isFailing({ requests, failed, tokens: 0 })).toBe(failing)
  },
)
