import { epochMs, FIVE_HOUR_SECONDS } from '@svc/core'
import { describe, expect, it } from 'vitest'
import {
  extraUsage,
  fiveHour,
  hours,
  latestTick,
  readingAt,
  rollingDay,
  scoped,
  week,
} from './moving-windows.ts'

const MINUTE_MS = 60_000
/** An instant at which a cycle of 240 minutes begins under phase 0. */
const START = 7_000_000 * 240 * MINUTE_MS

const window = fiveHour({ percent: [100, 20], resetsInMinutes: [300, 60] })
const after = (minutes: number) => readingAt(window, epochMs(START + minutes * MINUTE_MS), 0)
const resetsInMinutes = (minutes: number) =>
  ((after(minutes).resetAt ?? 0) - START) / MINUTE_MS - minutes

describe('a moving window', () => {
  it.each([
    { minutes: 0, percent: 100, resetsIn: 300, why: 'a cycle begins full' },
    { minutes: 15, percent: 97, resetsIn: 285, why: 'inside an eighth it burns evenly' },
    { minutes: 30, percent: 94, resetsIn: 270, why: 'at the first eighth' },
    { minutes: 120, percent: 66, resetsIn: 180, why: 'halfway' },
    { minutes: 239, percent: 20, resetsIn: 61, why: 'the last minute' },
    { minutes: 240, percent: 100, resetsIn: 300, why: 'the next cycle' },
  ])(
    'has $percent % and $resetsIn min left after $minutes min: $why',
    ({ minutes, percent, resetsIn }) => {
      expect(after(minutes).percent).toBe(percent)
      expect(resetsInMinutes(minutes)).toBe(resetsIn)
    },
  )

  it('keeps one reset for a whole cycle', () => {
    expect(after(239).resetAt).toBe(after(0).resetAt)
    expect(after(240).resetAt).not.toBe(after(239).resetAt)
  })

  it('starts earlier with a phase', () => {
    const shifted = readingAt(window, epochMs(START), 120 * MINUTE_MS)

    expect(shifted.percent).toBe(66)
  })

  it('moves its reset with every answer while its clock has not started', () => {
    const idle = fiveHour({ percent: [100, 100], resetsInMinutes: hours(5, 5) })

    for (const minutes of [0, 1, 77]) {
      const at = epochMs(START + minutes * MINUTE_MS)
      expect(readingAt(idle, at, 12_345)).toEqual({
        id: '5h',
        periodSeconds: FIVE_HOUR_SECONDS,
        percent: 100,
        resetAt: at + FIVE_HOUR_SECONDS * 1000,
      })
    }
  })

  it('that hides its reset burns down all the same', () => {
    const day = rollingDay({ percent: [90, 10], resetsInMinutes: [300, 60] })
    const extra = extraUsage({ percent: [90, 10], resetsInMinutes: [300, 60] })

    expect(readingAt(day, epochMs(START), 0)).toEqual({
      id: 'day',
      periodSeconds: 86_400,
      percent: 90,
      resetAt: null,
    })
    expect(readingAt(extra, epochMs(START + 239 * MINUTE_MS), 0)).toEqual({
      id: 'extra_usage:month',
      label: 'Extra usage',
      periodSeconds: null,
      percent: 10,
      resetAt: null,
    })
  })

  it('keeps its marks in every reading', () => {
    const marks = { note: 'derived', label: 'Fable', models: ['Fable'] } as const

    expect(readingAt({ ...window, ...marks }, epochMs(START), 0)).toMatchObject(marks)
  })

  it('takes the id of its scope', () => {
    expect(scoped('code_review', week({ percent: [9, 1], resetsInMinutes: [9, 1] })).id).toBe(
      'code_review:week',
    )
  })
})

describe('latestTick', () => {
  it.each([
    { now: 1000, everyMs: 500, phaseMs: 0, tick: 1000, why: 'on the beat' },
    { now: 1499, everyMs: 500, phaseMs: 0, tick: 1000, why: 'just before the next' },
    { now: 1499, everyMs: 500, phaseMs: 1, tick: 1499, why: 'a phase brings the beat forward' },
    { now: 1499, everyMs: 500, phaseMs: 501, tick: 1499, why: 'a phase counts modulo the beat' },
  ])('$now every $everyMs is $tick: $why', ({ now, everyMs, phaseMs, tick }) => {
    expect(latestTick(epochMs(now), everyMs, phaseMs)).toBe(tick)
  })
})
