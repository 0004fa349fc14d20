import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EpochMs, epochMs, instantToIso, parseInstant, plusMs } from '../facts/time.ts'
import {
  bucketMinutesOf,
  bucketStartsOf,
  isBucketOf,
  usageBucketIds,
  usageRangeIds,
  usageSpanOf,
} from './usage-span.ts'

const at = (text: string): EpochMs => parseInstant(text) ?? epochMs(Number.NaN)
const NOW = at('2026-11-20T12:34:56Z')
const DAY_MS = 86_400_000

describe('a span', () => {
  it.each([
    ['1h', 60, 60, '2026-11-20T11:35:00.000Z'],
    ['6h', 300, 72, '2026-11-20T06:35:00.000Z'],
    ['24h', 900, 96, '2026-11-19T12:45:00.000Z'],
    ['7d', 7_200, 84, '2026-11-13T14:00:00.000Z'],
    ['30d', 21_600, 120, '2026-10-21T18:00:00.000Z'],
  ] as const)(
    'of %s has buckets of %i s, %i of them, from %s',
    (range, bucketSeconds, bucketCount, start) => {
      const span = usageSpanOf(range, NOW, null)

      expect(span).toMatchObject({ range, bucketSeconds, bucketCount, end: NOW })
      expect(instantToIso(span.start)).toBe(start)
    },
  )

  it.each([
    ['24h', '1h', 24],
    ['7d', '6h', 28],
    ['30d', '1d', 30],
  ] as const)('of %s in buckets of %s has %i of them', (range, bucket, bucketCount) => {
    expect(usageSpanOf(range, NOW, null, bucket).bucketCount).toBe(bucketCount)
  })

  it.each([
    ['2026-11-20T12:00:01Z', 167],
    ['2026-11-20T13:00:00Z', 167],
    ['2026-11-20T13:00:01Z', 168],
    ['2026-11-20T14:00:00Z', 168],
  ])(
    'of a week by the hour begins at %s where its wider buckets do, %i hours ago',
    (now, hours) => {
      const span = usageSpanOf('7d', at(now), null, '1h')

      expect([span.start, span.bucketCount]).toEqual([
        usageSpanOf('7d', at(now), null).start,
        hours,
      ])
    },
  )

  it('has buckets that are no finer than its own and make four at least, and a week its hours in total', () => {
    const offered = (group: 'client' | 'total') =>
      Object.fromEntries(
        usageRangeIds.map((range) => [
          range,
          usageBucketIds.filter((bucket) => isBucketOf(bucket, { range, group })).join(' '),
        ]),
      )
    const byClient = {
      '1h': 'auto 15m',
      '6h': 'auto 15m 1h',
      '24h': 'auto 15m 1h 6h',
      '7d': 'auto 6h 1d',
      '30d': 'auto 6h 1d',
      all: 'auto',
    }

    expect(offered('client')).toEqual(byClient)
    expect(offered('total')).toEqual({ ...byClient, '7d': 'auto 1h 6h 1d' })
  })

  it.each([
    [9 * DAY_MS, 7_200],
    [9 * DAY_MS + 1, 21_600],
    [32 * DAY_MS, 21_600],
    [32 * DAY_MS + 1, 86_400],
    [400 * DAY_MS, 86_400],
    [400 * DAY_MS + 1, 604_800],
  ])('of everything, %i ms of it, has buckets of %i s', (historyMs, bucketSeconds) => {
    const span = usageSpanOf('all', NOW, plusMs(NOW, -historyMs))

    expect(span.bucketSeconds).toBe(bucketSeconds)
    expect(span.start).toBeLessThanOrEqual(NOW - historyMs)
    expect(span.start).toBeGreaterThan(NOW - historyMs - bucketSeconds * 1000)
  })

  it('of everything where there is nothing has no bucket', () => {
    expect(usageSpanOf('all', NOW, null)).toMatchObject({ bucketCount: 0, start: NOW, end: NOW })
  })

  it('on a boundary ends with the full bucket before it', () => {
    const span = usageSpanOf('1h', at('2026-11-20T12:00:00Z'), null)

    expect(bucketStartsOf(span).at(-1)).toBe(at('2026-11-20T11:59:00Z'))
    expect(bucketMinutesOf(span, 59)).toBe(1)
  })

  it('starts every bucket on a UTC multiple, in order, whatever the time; only the last one is partial', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...usageRangeIds),
        fc.integer({ min: 1, max: 500 * DAY_MS }),
        fc.nat(DAY_MS * 400),
        (range, ageMs, later) => {
          const now = plusMs(NOW, later)
          const span = usageSpanOf(range, now, plusMs(now, -ageMs))
          const starts = bucketStartsOf(span)
          const widthMs = span.bucketSeconds * 1000

          expect(
            starts.every(
              (start, index) =>
                start % widthMs === 0 &&
                (index === 0 || start - (starts[index - 1] ?? 0) === widthMs),
            ),
          ).toBe(true)
          const lastMs = now - (starts.at(-1) ?? now)
          expect(lastMs > 0 && lastMs <= widthMs).toBe(true)
          expect(bucketMinutesOf(span, starts.length - 1)).toBeCloseTo(lastMs / 60_000, 6)
        },
      ),
    )
  })
})
