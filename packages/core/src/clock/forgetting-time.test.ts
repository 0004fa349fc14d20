import { describe, expect, it } from 'vitest'
import { fromNow, NOW } from '../testing/index.ts'
import { forgettingTimeOf, SETTLED_AFTER_MS } from './trusted-time.ts'

const DAY = 24 * 3600
const MINUTE_MS = 60_000

describe('what may be forgotten', () => {
  it.each([
    {
      name: 'nothing while nobody vouches for the time',
      vouched: null,
      last: { at: NOW, elapsedMs: 0, sinceStrideMs: SETTLED_AFTER_MS },
      evenForMs: SETTLED_AFTER_MS,
      expected: null,
    },
    {
      name: 'nothing by an empty store, however evenly the clock has run',
      vouched: NOW,
      last: null,
      evenForMs: SETTLED_AFTER_MS,
      expected: null,
    },
    {
      name: 'what has become old meanwhile',
      vouched: fromNow(60),
      last: { at: NOW, elapsedMs: MINUTE_MS, sinceStrideMs: SETTLED_AFTER_MS },
      evenForMs: 0,
      expected: fromNow(60),
    },
    {
      name: 'a day more than the time that has passed',
      vouched: fromNow(DAY + 60),
      last: { at: NOW, elapsedMs: MINUTE_MS, sinceStrideMs: SETTLED_AFTER_MS },
      evenForMs: 0,
      expected: fromNow(DAY + 60),
    },
    {
      name: 'a day of it, when the clock has run evenly for a while',
      vouched: fromNow(400 * DAY),
      last: { at: NOW, elapsedMs: SETTLED_AFTER_MS, sinceStrideMs: SETTLED_AFTER_MS },
      evenForMs: SETTLED_AFTER_MS,
      expected: fromNow(DAY + SETTLED_AFTER_MS / 1000),
    },
    {
      name: 'no more than what has become old, by a clock that has not',
      vouched: fromNow(400 * DAY),
      last: { at: NOW, elapsedMs: MINUTE_MS, sinceStrideMs: SETTLED_AFTER_MS },
      evenForMs: SETTLED_AFTER_MS - 1,
      expected: fromNow(60),
    },
    {
      name: 'no more than that soon after the last stride',
      vouched: fromNow(400 * DAY),
      last: { at: NOW, elapsedMs: MINUTE_MS, sinceStrideMs: SETTLED_AFTER_MS - 1 },
      evenForMs: SETTLED_AFTER_MS,
      expected: fromNow(60),
    },
    {
      name: 'less than before, once the time is known to be earlier',
      vouched: fromNow(-9 * DAY),
      last: { at: NOW, elapsedMs: 0, sinceStrideMs: SETTLED_AFTER_MS },
      evenForMs: 0,
      expected: fromNow(-9 * DAY),
    },
  ] as const)('is $name', ({ vouched, last, evenForMs, expected }) => {
    expect(forgettingTimeOf(vouched, last, evenForMs)).toBe(expected)
  })
})
