import { describe, expect, it } from 'vitest'
import { epochMs, plusMs } from '../facts/time.ts'
import { changePercentOf, previousSpanOf } from './previous-period.ts'
import type { UsageRecord } from './usage.ts'
import { seriesOf } from './usage-series.ts'
import { usageRangeIds, usageSpanOf } from './usage-span.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12, 34, 56))
const EARLIEST = plusMs(NOW, -40 * 86_400_000)

describe('the time before a chart', () => {
  it.each(usageRangeIds)(
    'of %s is as long, in the same buckets, and ends before it begins',
    (range) => {
      const span = usageSpanOf(range, NOW, EARLIEST)
      const before = previousSpanOf(span)

      if (range === '30d' || range === 'all') return expect(before).toBe(null)
      expect(before).toMatchObject({ bucketCount: span.bucketCount, range })
      expect((before?.end ?? 0) - (before?.start ?? 0)).toBe(span.end - span.start)
      expect(((before?.start ?? 1) / 1000) % span.bucketSeconds).toBe(0)
      expect(before?.end).toBeLessThanOrEqual(span.start)
    },
  )

  it('has the usage of the same members, as far as it had come by then', () => {
    const record = (minutesAgo: number, tokens: number, model: string): UsageRecord => ({
      at: plusMs(NOW, -minutesAgo * 60_000),
      account: { id: 'a', label: 'a' },
      client: { id: 'c', label: 'c' },
      model,
      apiName: 'k',
      provider: 'codex',
      upstream: 'default',
      requests: 1,
      tokens,
      failed: 0,
    })
    const records = [
      record(5, 10, 'new'),
      record(61, 7, 'new'),
      record(62, 5, 'gone'),
      // The previous hour up to the same point as this one.
      record(60, 1_000, 'new'),
      record(125, 1_000, 'gone'),
    ]
    const query = { range: '1h', group: 'model', metric: 'tokens', top: 5, compare: true } as const
    const { previous, lines } = seriesOf(records, query, { now: NOW, earliest: EARLIEST })

    expect(lines.map(({ id }) => id)).toEqual(['new'])
    expect(previous?.totals).toMatchObject({ requests: 2, tokens: 12, failed: 0 })
    const tokens = previous?.bucketsById.get('new')?.map((bucket) => bucket.tokens)
    expect(tokens?.filter((value) => value > 0)).toEqual([7])
    expect(tokens).toHaveLength(60)
  })
})

describe('the change since then', () => {
  const span = { ...usageSpanOf('24h', NOW, null), start: epochMs(100) }
  const watchedSince = (since: number | null) => ({
    span,
    coverage: { since: since === null ? null : epochMs(since), percent: 100, gaps: [] },
  })

  it.each([
    { now: 112, before: 100, since: 100, change: 12 },
    { now: 50, before: 100, since: 50, change: -50 },
    { now: 100, before: 100, since: 50, change: 0 },
    { now: 100, before: 0, since: 50, change: null },
    { now: 100, before: 100, since: 101, change: null },
    { now: 100, before: 100, since: null, change: null },
  ])('from $before to $now, watched since $since, is $change', ({ now, before, since, change }) => {
    expect(changePercentOf(now, before, watchedSince(since))).toBe(change)
  })
})
