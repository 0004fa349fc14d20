import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EpochMs, epochMs, instantToIso, parseInstant, plusMs } from '../facts/time.ts'
import {
  bucketOf,
  bucketStartsOf,
  fixedRanges,
  isBucketOf,
  type UsageSpan,
  usageBucketIds,
  usageRangeIds,
  usageSpanOf,
} from './usage-span.ts'

const at = (text: string): EpochMs => parseInstant(text) ?? epochMs(Number.NaN)
const NOW = at('2026-11-20T12:34:56Z')
const DAY_MS = 86_400_000
const minutesOf = (span: UsageSpan, index: number) => {
  const { from, to } = bucketOf(span, index)
  return (to - from) / 60_000
}

describe('a span', () => {
  it.each([
    ['1h', 60, 61, '2026-11-20T11:34:00.000Z'],
    ['6h', 300, 73, '2026-11-20T06:30:00.000Z'],
    ['24h', 900, 97, '2026-11-19T12:30:00.000Z'],
    ['7d', 7_200, 85, '2026-11-13T12:00:00.000Z'],
    ['30d', 21_600, 121, '2026-10-21T12:00:00.000Z'],
  ] as const)(
    'of %s has buckets of %i s, %i of them, from %s',
    (range, bucketSeconds, bucketCount, start) => {
      const span = usageSpanOf(range, NOW, null)

      expect(span).toMatchObject({ range, bucketSeconds, bucketCount, end: NOW })
      expect([instantToIso(span.from), instantToIso(span.start)]).toEqual([start, start])
    },
  )

  it.each([
    ['1h', '15m', 5, '2026-11-20T11:30:00.000Z', 11],
    ['24h', '1h', 25, '2026-11-19T12:00:00.000Z', 30],
    ['24h', '6h', 5, '2026-11-19T12:00:00.000Z', 330],
    ['7d', '6h', 29, '2026-11-13T12:00:00.000Z', 360],
    ['30d', '1d', 31, '2026-10-21T00:00:00.000Z', 720],
  ] as const)(
    'of %s in buckets of %s has %i of them, the first from %s with its last %i minutes',
    (range, bucket, bucketCount, start, minutes) => {
      const span = usageSpanOf(range, NOW, null, bucket)

      expect([span.bucketCount, instantToIso(span.start)]).toEqual([bucketCount, start])
      expect(minutesOf(span, 0)).toBe(minutes)
      expect(span.from).toBe(usageSpanOf(range, NOW, null).from)
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
    expect([bucketStartsOf(span).length, minutesOf(span, 59)]).toEqual([60, 1])
  })

  it('is the same time however it is cut, into buckets on UTC multiples of which the first and the last may be partial', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...usageRangeIds),
        fc.constantFrom(...usageBucketIds),
        fc.integer({ min: 1, max: 500 * DAY_MS }),
        fc.nat(DAY_MS * 400),
        (range, bucket, ageMs, later) => {
          fc.pre(isBucketOf(bucket, { range, group: 'total' }))
          const now = plusMs(NOW, later)
          const earliest = plusMs(now, -ageMs)
          const span = usageSpanOf(range, now, earliest, bucket)
          const parts = bucketStartsOf(span).map((start, index) => {
            expect(start % (span.bucketSeconds * 1000)).toBe(0)
            return bucketOf(span, index)
          })

          expect([parts[0]?.from, parts.at(-1)?.to]).toEqual([span.from, now])
          for (const [index, { from, to }] of parts.entries()) {
            expect(to).toBeGreaterThan(from)
            expect(parts[index + 1]?.from ?? to).toBe(to)
          }
          expect(span.from).toBe(usageSpanOf(range, now, earliest).from)
          if (range !== 'all') {
            const { seconds, bucketSeconds } = fixedRanges[range]
            const aheadMs = now - seconds * 1000 - span.from
            expect(aheadMs >= 0 && aheadMs < bucketSeconds * 1000).toBe(true)
          }
        },
      ),
    )
  })
})
