import { expect, it } from 'vitest'
import { addTo, emptySum, entryOf, sumOfUsage } from './usage.ts'

const MAX = Number.MAX_SAFE_INTEGER

it('a sum stops at the largest exact number', () => {
  const sum = { requests: MAX - 1, tokens: MAX, failed: 1 }
  addTo(sum, { requests: 5, tokens: 1, failed: 1 })

  expect(sum).toEqual({ requests: MAX, tokens: MAX, failed: 2 })
})

it.each([
  { why: 'nothing', all: [], sum: emptySum() },
  {
    why: 'several',
    all: [
      { requests: 1, tokens: 10, failed: 0 },
      { requests: 2, tokens: 5, failed: 1 },
    ],
    sum: { requests: 3, tokens: 15, failed: 1 },
  },
])('usage adds up: $why', ({ all, sum }) => {
  const before = structuredClone(all)

  expect(sumOfUsage(new Set(all))).toEqual(sum)
  expect(all).toEqual(before)
})

it('a member has one entry, made when it is first met', () => {
  const entries = new Map<string, { label: string }>()
  const create = ({ label }: { label: string }) => ({ label })
  const first = entryOf(entries, { id: 'a', label: 'first' }, create)

  expect(entryOf(entries, { id: 'a', label: 'renamed' }, create)).toBe(first)
  expect(entryOf(entries, { id: 'b', label: 'other' }, create)).toEqual({ label: 'other' })
  expect(entries.size).toBe(2)
})
