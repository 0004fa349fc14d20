import { describe, expect, it } from 'vitest'
import { fromNow, NOW } from '../testing/index.ts'
import { forgettingTimeOf } from './forgetting-time.ts'
import { SETTLED_AFTER_MS } from './time-witnesses.ts'

const DAY = 24 * 3600
const MINUTE_MS = 60_000

describe('what may be forgotten', () => {
  it.each([
    [
      'nothing while nobody vouches for the time',
      null,
      { at: NOW, elapsedMs: 0, sinceStrideMs: SETTLED_AFTER_MS },
      SETTLED_AFTER_MS,
      null,
    ],
    [
      'nothing by an empty store, however evenly the clock has run',
      NOW,
      null,
      SETTLED_AFTER_MS,
      null,
    ],
    [
      'what has become old meanwhile',
      fromNow(60),
      { at: NOW, elapsedMs: MINUTE_MS, sinceStrideMs: SETTLED_AFTER_MS },
      0,
      fromNow(60),
    ],
    [
      'a day more than the time that has passed',
      fromNow(DAY + 60),
      { at: NOW, elapsedMs: MINUTE_MS, sinceStrideMs: SETTLED_AFTER_MS },
      0,
      fromNow(DAY + 60),
    ],
    [
      'a day of it, when the clock has run evenly for a while',
      fromNow(400 * DAY),
      { at: NOW, elapsedMs: SETTLED_AFTER_MS, sinceStrideMs: SETTLED_AFTER_MS },
      SETTLED_AFTER_MS,
      fromNow(DAY + SETTLED_AFTER_MS / 1000),
    ],
    [
      'no more than what has become old, by a clock that has not',
      fromNow(400 * DAY),
      { at: NOW, elapsedMs: MINUTE_MS, sinceStrideMs: SETTLED_AFTER_MS },
      SETTLED_AFTER_MS - 1,
      fromNow(60),
    ],
    [
      'no more than that soon after the last stride',
      fromNow(400 * DAY),
      { at: NOW, elapsedMs: MINUTE_MS, sinceStrideMs: SETTLED_AFTER_MS - 1 },
      SETTLED_AFTER_MS,
      fromNow(60),
    ],
    [
      'less than before, once the time is known to be earlier',
      fromNow(-9 * DAY),
      { at: NOW, elapsedMs: 0, sinceStrideMs: SETTLED_AFTER_MS },
      0,
      fromNow(-9 * DAY),
    ],
  ] as const)('is %s', (_, vouched, last, evenForMs, expected) => {
    expect(forgettingTimeOf(vouched, last, evenForMs)).toBe(expected)
  })
})
