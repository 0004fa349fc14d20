import { epochMs } from '@svc/core'
import { describe, expect, it } from 'vitest'
import { earliestOf, observedSince, watchedSince } from './extent.ts'

const DAY_MS = 86_400_000
const DAY_S = DAY_MS / 1000
const NOON = 100 * DAY_MS + DAY_MS / 2

describe('usage', () => {
  it.each([
    { what: 'nothing', rowMs: null, dayS: null, earliest: null },
    { what: 'a row of a day', rowMs: NOON, dayS: 100 * DAY_S, earliest: NOON },
    { what: 'a row alone', rowMs: NOON, dayS: null, earliest: NOON },
    { what: 'the sum of a day alone', rowMs: null, dayS: 99 * DAY_S, earliest: 99 * DAY_MS },
    {
      what: 'the sum of the day before a row',
      rowMs: NOON,
      dayS: 99 * DAY_S,
      earliest: 99 * DAY_MS,
    },
    {
      what: 'the sum of the day that a row ended',
      rowMs: 100 * DAY_MS,
      dayS: 99 * DAY_S,
      earliest: 99 * DAY_MS,
    },
  ])('begins where $what begins', ({ rowMs, dayS, earliest }) => {
    expect(earliestOf(rowMs, dayS)).toBe(earliest)
  })

  it('is watched since the first poll, or since the older rows that came with it', () => {
    expect(watchedSince(null, null)).toBeNull()
    expect(watchedSince(null, epochMs(7))).toBe(7)
    expect(watchedSince(epochMs(5), epochMs(7))).toBe(5)
    expect(watchedSince(epochMs(9), epochMs(7))).toBe(7)
  })

  it('is said to be observed for thirty days at most', () => {
    const now = epochMs(NOON)

    expect(observedSince(null, now)).toBe(now)
    expect(observedSince(epochMs(NOON - 3), now)).toBe(NOON - 3)
    expect(observedSince(epochMs(7), now)).toBe(NOON - 30 * DAY_MS)
  })
})
