import { describe, expect, it } from 'vitest'
import type { QuotaSample } from '../facts/reading.ts'
import { aQuotaSample, aWindow, fromNow, NOW } from '../testing/builders.ts'
import { mergeEvidence } from './merge-evidence.ts'
import { isStale, staleAfterSeconds, windowOf } from './quota-window.ts'

it('a window nobody read is unknown and has the usual length', () => {
  expect(windowOf([], 'week')).toEqual({ id: 'week', periodSeconds: 604_800, state: 'unknown' })
  expect(windowOf([aWindow('extra:spark:5h', 10)], '5h')).toEqual({
    id: '5h',
    periodSeconds: 18_000,
    state: 'unknown',
  })
})

const windowsNow = (samples: readonly QuotaSample[], plannedIntervalSeconds = 300) =>
  mergeEvidence(samples, { kind: 'none' }, { now: NOW, plannedIntervalSeconds })

describe('a reset that has passed', () => {
  it.each([
    { name: 'a second to go', resetsInSeconds: 1, state: 'known', percent: 20, stale: false },
    { name: 'now', resetsInSeconds: 0, state: 'known', percent: 100, stale: true },
    { name: 'a second ago', resetsInSeconds: -1, state: 'known', percent: 100, stale: true },
  ] as const)('$name', ({ resetsInSeconds, state, percent, stale }) => {
    const sample = aQuotaSample({
      fiveHour: 20,
      fiveHourResetsInSeconds: resetsInSeconds,
      ageSeconds: 60,
    })

    expect(windowOf(windowsNow([sample]), '5h')).toMatchObject({ state, percent, stale })
  })

  it('leaves a full but unproven window that says when it happened', () => {
    const sample = aQuotaSample(
      { fiveHour: 0, fiveHourResetsInSeconds: -90, ageSeconds: 600 },
      { limitReached: true },
    )

    expect(windowOf(windowsNow([sample]), '5h')).toEqual({
      id: '5h',
      periodSeconds: 18_000,
      state: 'known',
      percent: 100,
      resetAt: null,
      rolledOverAt: fromNow(-90),
      stale: true,
      sampledAt: fromNow(-600),
      origin: 'direct',
    })
  })
})

describe('a stale reading', () => {
  it.each([
    [0, 900],
    [299, 900],
    [300, 900],
    [301, 903],
    [600, 1800],
    [21_600, 64_800],
  ])('of an account queried every %d s is older than %d s', (intervalSeconds, limitSeconds) => {
    expect(staleAfterSeconds(intervalSeconds)).toBe(limitSeconds)

    const staleAt = (ageSeconds: number) =>
      isStale(windowOf(windowsNow([aQuotaSample({ ageSeconds })], intervalSeconds), '5h'))
    expect([staleAt(limitSeconds), staleAt(limitSeconds + 0.001)]).toEqual([false, true])
  })

  it('may be an exhausted or an absent window too', () => {
    const windows = windowsNow([aQuotaSample({ fiveHour: null, week: 0, ageSeconds: 901 })])

    expect(windows.every(isStale)).toBe(true)
  })
})
