import { capacityWeightOf, type EpochMs, mainWindows, planKindOf } from '@svc/core'
import { COURSE_POINTS_MAX, courseRangeIds, courseSpanOf } from '@svc/core/account'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { exampleObservationAt } from './example-observation.ts'
import { SAMPLE_POOL } from './example-pool.ts'
import { demoPoolCycles, demoQuotaCourse } from './quota-course.ts'

/** Rows with a weight whose main windows are read. */
const recordedRows = SAMPLE_POOL.filter(
  ({ provider = 'codex', plan, sampling, windows, requestsPerSlot }) =>
    capacityWeightOf({ provider, plan: planKindOf({ provider, name: plan }) }) > 0 &&
    sampling !== 'never' &&
    sampling !== 'disabled_probe' &&
    windows.some(
      ({ id, note }) =>
        mainWindows.some((main) => main.id === id) && !(note === 'derived' && requestsPerSlot > 0),
    ),
)
const busy = recordedRows.find(({ windows }) => windows.some(({ id }) => id === '5h'))
if (busy === undefined) throw new Error('no account has the window')

const fiveHours = (accountKey: string, now: EpochMs, range: '24h' | '7d' | '30d' = '24h') => {
  const course = demoQuotaCourse({ accountKey, range }, now)?.find(
    ({ windowId }) => windowId === '5h',
  )
  if (course === undefined) throw new Error('there is no course')
  return course
}

describe('the cycles of the sample pool', () => {
  it('say of each window that some ran dry, and how much of a week expired', () => {
    const weights = new Map(recordedRows.map(({ accountKey }) => [accountKey, 1]))
    const { windows } = demoPoolCycles(weights, NOW)

    for (const { endedCount, knownCount, dryCount, weekly } of Object.values(windows)) {
      expect(endedCount).toBeGreaterThanOrEqual(knownCount)
      expect(dryCount).toBeGreaterThan(0)
      expect(knownCount).toBeGreaterThan(dryCount)
      expect(weekly?.expired).toBeGreaterThan(0)
    }
  })
})

describe('the course of the sample pool', () => {
  it('is none for an account that it does not have', () => {
    expect(demoQuotaCourse({ accountKey: 'ffffffffffffffff', range: '24h' }, NOW)).toBeNull()
  })

  it.each(recordedRows)(
    'of $title has its windows, each in a few hundred points',
    ({ accountKey }) => {
      const course = demoQuotaCourse({ accountKey, range: '30d' }, NOW) ?? []
      const recorded = course.filter(({ points }) => points.length > 0)

      expect(recorded).not.toEqual([])
      for (const { points, readingCount } of recorded) {
        expect(points.length).toBeLessThanOrEqual(COURSE_POINTS_MAX)
        expect(points.length).toBeLessThanOrEqual(readingCount)
      }
    },
  )

  it.each(SAMPLE_POOL.filter((row) => !recordedRows.includes(row)))(
    'has nothing but a gap for $title, whose quota is not recorded',
    ({ accountKey }) => {
      for (const range of courseRangeIds) {
        const span = courseSpanOf(range, NOW)
        for (const course of demoQuotaCourse({ accountKey, range }, NOW) ?? [])
          expect(course).toMatchObject({ points: [], resets: [], gaps: [span] })
      }
    },
  )

  it('is reset by its clock, four or five times a day where the 5h window is in use', () => {
    const { resets } = fiveHours(busy.accountKey, NOW)

    expect([4, 5]).toContain(resets.length)
    for (const { expected, before, after } of resets) {
      expect(expected).toBe(true)
      expect(after).toBeGreaterThan(before)
    }
  })

  it('has gaps for the nights of maintenance alone', () => {
    const { gaps } = fiveHours(busy.accountKey, NOW, '30d')

    expect([3, 4]).toContain(gaps.length)
    for (const { from, to } of gaps) expect(to - from).toBeLessThanOrEqual(40 * 60_000)
  })

  it.each(recordedRows.filter(({ windows }) => windows.some(({ id }) => id === 'week')))(
    'ends with the newest reading of $title',
    ({ authName, accountKey }) => {
      const samples = exampleObservationAt(NOW).evidenceByAuthName.get(authName)?.samples ?? []
      const [newest] = samples.toSorted((one, other) => other.sampledAt - one.sampledAt)
      const shown = newest?.windows.find(({ id }) => id === 'week')
      const last = demoQuotaCourse({ accountKey, range: '24h' }, NOW)?.[1]?.points.at(-1)
      const isOver = shown?.resetAt != null && shown.resetAt <= NOW

      expect(last?.percent).toBe(isOver ? 100 : shown?.percent)
      expect(last?.origin).toBe(newest?.origin)
    },
  )

  it('is the same for the same time', () => {
    expect(fiveHours(busy.accountKey, NOW, '7d')).toEqual(fiveHours(busy.accountKey, NOW, '7d'))
  })
})
