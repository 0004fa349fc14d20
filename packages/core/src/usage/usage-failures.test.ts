import { expect, it } from 'vitest'
import { epochMs } from '../facts/time.ts'
import { daysOf, rankFailures, statusClassOf } from './usage-failures.ts'

const DAY = epochMs(Date.UTC(2026, 10, 20))

it('a time touches the days that it begins and ends in', () => {
  const days = (from: number, to: number) =>
    daysOf({ from: epochMs(DAY + from), to: epochMs(DAY + to) })

  expect(days(1, 2)).toEqual({ from: DAY, to: DAY + 86_400_000 })
  expect(days(0, 86_400_000)).toEqual({ from: DAY, to: DAY + 86_400_000 })
  expect(days(-1, 86_400_001)).toEqual({ from: DAY - 86_400_000, to: DAY + 2 * 86_400_000 })
})

it.each([
  [0, null],
  [401, 'auth'],
  [429, 'limit'],
  [503, 'vendor'],
  [404, 'other'],
])('status %d is of the class %s', (status, expected) => {
  expect(statusClassOf({ status })).toBe(expected)
})

it('causes are those of the asked classes, largest first, then by name', () => {
  const cause = (status: number, code: string, requests: number) => ({
    ...{ provider: 'codex', status, code, requests, accounts: 1, firstDay: DAY, lastDay: DAY },
  })
  const all = [cause(429, 'b', 2), cause(0, 'none', 9), cause(401, 'x', 5), cause(429, 'a', 2)]

  expect(rankFailures(all, {})).toMatchObject({
    failed: 18,
    causes: [{ code: 'none' }, { code: 'x' }, { code: 'a' }, { code: 'b' }],
  })
  expect(rankFailures(all, { status: ['limit'] })).toMatchObject({
    failed: 4,
    causes: [{ code: 'a' }, { code: 'b' }],
  })
})
