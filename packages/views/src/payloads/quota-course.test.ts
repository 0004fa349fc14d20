import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { type CoursePoint, courseRangeIds, type WindowCourse } from '@svc/core/account'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { english } from '../messages/en/catalogue.ts'
import { quotaCourseSchema, quotaCourseView } from './quota-course.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12, 0))
const QUERY = { accountKey: '0011223344556677', range: '24h' } as const

const aReading = (changes: Partial<CoursePoint> = {}): CoursePoint => ({
  at: plusMs(NOW, -60_000),
  percent: 62.3,
  resetAt: null,
  origin: null,
  sampledAt: null,
  rolledOver: false,
  ...changes,
})
const aCourse = (changes: Partial<WindowCourse> = {}): WindowCourse => ({
  windowId: '5h',
  points: [],
  readingCount: 0,
  resets: [],
  gaps: [],
  cycles: [],
  ...changes,
})
const shown = (
  course: Parameters<typeof quotaCourseView>[0],
  query: Parameters<typeof quotaCourseView>[1],
  now: EpochMs,
) => {
  const view = quotaCourseView(course, query, { now, words: english })
  expect(v.safeParse(quotaCourseSchema, view).issues).toBeUndefined()
  return view
}
const pointOf = (reading: CoursePoint) =>
  shown([aCourse({ points: [reading], readingCount: 1 })], QUERY, NOW).windows[0]?.points[0]

describe('the course on the wire', () => {
  it.each(['no_store', 'store_unavailable'] as const)('says %s where there is none', (reason) => {
    expect(shown(reason, QUERY, NOW)).toEqual({
      accountKey: QUERY.accountKey,
      available: false,
      reason,
      range: {
        id: '24h',
        label: 'Last 24 h',
        seconds: 86_400,
        start: '2026-11-19T12:00:00.000Z',
        end: '2026-11-20T12:00:00.000Z',
      },
      windows: [],
    })
  })

  it.each(courseRangeIds)('spans exactly %s', (range) => {
    const { seconds, start, end } = shown([], { ...QUERY, range }, NOW).range

    expect((Date.parse(end) - Date.parse(start)) / 1000).toBe(seconds)
  })

  it('says of each cycle how full it was, with one decimal', () => {
    const cycle = { from: plusMs(NOW, -18_000_000), to: NOW, state: 'ended' } as const
    const cycles = [
      { ...cycle, usedPercent: 100 - 37.7, expiredPercent: 37.7 },
      { ...cycle, usedPercent: 12, expiredPercent: null },
    ]

    expect(shown([aCourse({ cycles })], QUERY, NOW).windows[0]?.cycles).toEqual([
      {
        start: '2026-11-20T07:00:00.000Z',
        end: '2026-11-20T12:00:00.000Z',
        state: 'ended',
        usedPercent: 62.3,
        expiredPercent: 37.7,
      },
      expect.objectContaining({ usedPercent: 12, expiredPercent: null }),
    ])
  })

  it('names each window, its resets and its gaps', () => {
    const course = aCourse({
      windowId: 'week',
      readingCount: 4_711,
      resets: [{ at: NOW, before: 3, after: 100, expected: false }],
      gaps: [{ from: plusMs(NOW, -7_200_000), to: plusMs(NOW, -3_600_000) }],
    })

    expect(shown([course], QUERY, NOW)).toMatchObject({
      available: true,
      reason: null,
      windows: [
        {
          id: 'week',
          label: 'Weekly',
          readingCount: 4_711,
          resets: [
            {
              at: '2026-11-20T12:00:00.000Z',
              percentBefore: 3,
              percentAfter: 100,
              expected: false,
            },
          ],
          gaps: [{ from: '2026-11-20T10:00:00.000Z', to: '2026-11-20T11:00:00.000Z' }],
        },
      ],
    })
  })

  it.each([
    { percent: 0, used: 100 },
    { percent: 62.3, used: 37.7 },
    { percent: 99.9, used: 0.1 },
    { percent: 100, used: 0 },
  ])('has $used % used where $percent % are left', ({ percent, used }) => {
    expect(pointOf(aReading({ percent }))).toMatchObject({ percent, usedPercent: used })
  })

  it.each([
    { what: 'the age a reading had when it was recorded', sampledSecondsBefore: 95, age: 95 },
    { what: 'no age below zero, where a clock was set back', sampledSecondsBefore: -3, age: 0 },
    { what: 'no age where none was recorded', sampledSecondsBefore: null, age: null },
  ])('has $what', ({ sampledSecondsBefore, age }) => {
    const { at } = aReading()
    const sampledAt =
      sampledSecondsBefore === null ? null : plusMs(at, -sampledSecondsBefore * 1000)

    expect(pointOf(aReading({ sampledAt, origin: 'headers', rolledOver: true }))).toMatchObject({
      t: '2026-11-20T11:59:00.000Z',
      origin: 'headers',
      rolledOver: true,
      ageSeconds: age,
    })
  })
})
