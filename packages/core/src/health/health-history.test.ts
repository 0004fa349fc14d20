import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EpochMs, epochMs, type Interval, MINUTE_MS } from '../facts/time.ts'
import type { CapacityPoint } from '../pool/capacity-point.ts'
import type { RecentChange } from '../pool/recent-changes.ts'
import { NOW } from '../testing/builders.ts'
import {
  HEALTH_HISTORY_DAYS,
  type HealthRecord,
  healthHistoryOf,
  healthSpanOf,
  QUARTER_MS,
  quarterSharesOf,
  recordedStates,
} from './health-history.ts'

const START = epochMs(Math.floor(NOW / QUARTER_MS) * QUARTER_MS)
const minute = (minutes: number): EpochMs => epochMs(START + minutes * MINUTE_MS)
const span: Interval = { from: minute(0), to: minute(60) }
const point = (
  minutes: number,
  knownUnits: number,
  changes: Partial<CapacityPoint> = {},
): CapacityPoint => ({
  provider: 'codex',
  windowId: '5h',
  at: minute(minutes),
  knownUnits,
  trackedUnits: 10,
  unknownUnits: 0,
  burnedUnits: 0,
  ...changes,
})
const gateway = (minutes: number, up: boolean): RecentChange => ({
  at: minute(minutes),
  tone: 'warn',
  detail: { code: 'gateway_changed', up },
})
const list = (minutes: number, from: 'live' | 'stale', to: 'live' | 'stale'): RecentChange => ({
  at: minute(minutes),
  tone: 'warn',
  detail: { code: 'source_changed', from, to },
})

interface Recorded extends Partial<Omit<HealthRecord, 'windows'>> {
  readonly week?: readonly CapacityPoint[]
}

const nobody = (from: number, to: number): Interval => ({ from: minute(from), to: minute(to) })

/** States of the four quarters of an hour. */
function quartersOf(
  points: readonly CapacityPoint[],
  { week = [], ...record }: Recorded = {},
): readonly string[] {
  const windows = [quarterSharesOf(points), quarterSharesOf(week)]
  const { stretches } = healthHistoryOf(
    { unwatched: [], changes: [], changesSince: null, ...record, windows },
    span,
  )
  return [0, 15, 30, 45].map(
    (at) => stretches.find(({ from, to }) => from <= minute(at) && minute(at) < to)?.state ?? '',
  )
}

describe('the health of quarters of an hour', () => {
  it.for<
    readonly [what: string, states: string, points: readonly CapacityPoint[], more?: Recorded]
  >([
    ['nothing recorded', 'unknown unknown unknown unknown', []],
    ['a point that stands from before', 'good good good good', [point(-10, 5)]],
    ['a first point in the middle', 'unknown good good good', [point(20, 5)]],
    [
      'exactly a tenth, less than a tenth, a hundredth and less than a hundredth',
      'good low low dry',
      [point(0, 1), point(15, 0.99), point(30, 0.1), point(45, 0.09)],
    ],
    [
      'a short low between two points',
      'good dry good good',
      [point(0, 5), point(16, 0), point(17, 5)],
    ],
    ['a low that lasts into the next quarter', 'dry dry good good', [point(10, 0), point(16, 5)]],
    [
      'the worse of both windows',
      'good good low low',
      [point(0, 5)],
      { week: [point(0, 9, { windowId: 'week' }), point(30, 0.5, { windowId: 'week' })] },
    ],
    [
      'units that were not read, at a fifth and above',
      'low low unknown unknown',
      [point(0, 0.5, { unknownUnits: 2 }), point(15, 0.5, { unknownUnits: 2.1 })],
    ],
    [
      'a pool without tracked units',
      'unknown unknown unknown unknown',
      [point(0, 0, { trackedUnits: 0 })],
    ],
    [
      'whole quarters that nobody watched',
      'good unknown unknown dry',
      [point(0, 5), point(46, 0)],
      { unwatched: [nobody(14, 46)] },
    ],
    [
      'a proxy that comes back',
      'away away good good',
      [point(0, 5)],
      { changes: [gateway(20, true)] },
    ],
    [
      'a proxy that goes, while nobody watches for a while',
      'away unknown unknown away',
      [point(0, 0), point(45, 5)],
      { unwatched: [nobody(15, 45)], changes: [gateway(10, false)] },
    ],
    [
      'a proxy that was away only while nobody watched',
      'good good good good',
      [point(0, 5), point(25, 5)],
      { unwatched: [nobody(16, 25)], changes: [gateway(24, true), gateway(17, false)] },
    ],
    [
      'an account list that cannot be read',
      'good away away good',
      [point(0, 5)],
      { changes: [list(40, 'stale', 'live'), list(20, 'live', 'stale')] },
    ],
    [
      'changes that were forgotten',
      'good good away good',
      [point(0, 5)],
      { changes: [gateway(40, true)], changesSince: minute(30) },
    ],
  ])('$0', ([, states, points, more]) => {
    expect(quartersOf(points, more).join(' ')).toBe(states)
  })

  it('covers thirty days from a whole quarter to now', () => {
    const { from, to } = healthSpanOf(NOW)

    expect(from % QUARTER_MS).toBe(0)
    expect(to).toBe(NOW)
    expect(Math.floor((to - from) / (24 * 60 * MINUTE_MS))).toBe(HEALTH_HISTORY_DAYS)
  })

  it('for all records: no hole, no state twice in a row, and nothing known where nobody watched', () => {
    const instant = fc.integer({ min: -30, max: 80 })
    const interval = fc
      .tuple(instant, fc.integer({ min: 1, max: 60 }))
      .map(([from, length]) => nobody(from, from + length))
    const record = fc.record({
      points: fc.array(
        fc.record({
          at: instant,
          known: fc.double({ min: 0, max: 10, noNaN: true }),
          unknown: fc.double({ min: 0, max: 10, noNaN: true }),
        }),
      ),
      unwatched: fc.array(interval, { maxLength: 4 }),
      changes: fc.array(fc.tuple(instant, fc.boolean()), { maxLength: 5 }),
      endMinutes: fc.integer({ min: 1, max: 60 }),
    })
    fc.assert(
      fc.property(record, ({ points, unwatched, changes, endMinutes }) => {
        const recorded = points
          .filter(({ at }) => at < endMinutes)
          .map(({ at, known, unknown }) => point(at, known, { unknownUnits: unknown }))
          .sort((one, other) => one.at - other.at)
        const within = { from: span.from, to: minute(endMinutes) }
        const { stretches } = healthHistoryOf(
          {
            windows: [quarterSharesOf(recorded)],
            unwatched,
            changes: changes
              .map(([at, up]) => gateway(at, up))
              .sort((one, other) => other.at - one.at),
            changesSince: null,
          },
          within,
        )
        let end = within.from
        for (const [index, { from, to, state }] of stretches.entries()) {
          expect(from).toBe(end)
          expect((from - within.from) % QUARTER_MS).toBe(0)
          expect(state).not.toBe(stretches[index - 1]?.state)
          expect(recordedStates).toContain(state)
          if (unwatched.some((gap) => gap.from <= from && gap.to >= to))
            expect(state).toBe('unknown')
          if (recorded.every(({ at }) => at >= to) && changes.length === 0)
            expect(state).toBe('unknown')
          end = to
        }
        expect(end).toBe(within.to)
      }),
    )
  })
})
