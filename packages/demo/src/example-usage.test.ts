import { type EpochMs, parseInstant, plusMs } from '@svc/core'
import { bucketStartsOf, sumOfUsage, type UsageRangeId, usageRangeIds } from '@svc/core/usage'
import { describe, expect, it } from 'vitest'
import { createDemoUsageReader } from './example-usage.ts'

const NOW = parseInstant('2026-11-20T12:34:56Z') as EpochMs
const HOUR_MS = 3_600_000
const everything = { metric: 'tokens', group: 'account', top: 20 } as const

async function bucketsByStart(range: UsageRangeId, now: EpochMs) {
  const { span, lines } = await createDemoUsageReader().series(
    { ...everything, group: 'total', range },
    now,
  )
  return new Map(bucketStartsOf(span).map((start, index) => [start, lines[0]?.buckets[index]]))
}

describe('the sample usage', () => {
  it('never changes once it is past', async () => {
    for (const range of ['1h', '6h', '24h', '7d'] as const) {
      const [before, after] = [
        await bucketsByStart(range, NOW),
        await bucketsByStart(range, plusMs(NOW, HOUR_MS / 2)),
      ]
      const both = [...before.keys()].slice(0, -1).filter((start) => after.has(start))

      expect(both.length).toBeGreaterThan(20)
      expect(both.map((start) => after.get(start))).toEqual(both.map((start) => before.get(start)))
    }
  })

  it('says the same of an hour in every range', async () => {
    const now = parseInstant('2026-11-20T12:00:00Z') as EpochMs
    const inHour = async (range: UsageRangeId) => {
      const buckets = await bucketsByStart(range, now)
      return sumOfUsage(
        [...buckets].flatMap(([start, measures]) =>
          start >= now - HOUR_MS && measures !== undefined ? [measures] : [],
        ),
      )
    }
    const hour = await inHour('1h')

    expect(hour.requests).toBeGreaterThan(100)
    expect([await inHour('6h'), await inHour('24h')]).toEqual([hour, hour])
  })

  it('fills every range and group, and is nowhere older than it says', async () => {
    const reader = createDemoUsageReader()
    for (const range of usageRangeIds) {
      for (const group of ['total', 'account', 'client', 'model', 'api'] as const) {
        const series = await reader.series({ ...everything, range, group }, NOW)
        expect([
          range,
          group,
          series.totals.tokens > 0,
          series.lines.length > (group === 'total' ? 0 : 3),
        ]).toEqual([range, group, true, true])
      }
    }
    const [month, all] = [
      await reader.series({ ...everything, range: '30d' }, NOW),
      await reader.series({ ...everything, range: 'all' }, NOW),
    ]
    expect(month.totals).toEqual(all.totals)
  })

  it('tells the providers apart, with more by Codex than by any other', async () => {
    const query = { ...everything, range: '24h', group: 'provider' } as const
    const { lines } = await createDemoUsageReader().series(query, NOW)

    expect(lines[0]?.id).toBe('codex')
    expect(lines.map(({ id }) => id).sort()).toEqual([
      'antigravity',
      'claude',
      'codex',
      'kimi',
      'kimi-ai',
      'kiro',
      'xai',
    ])
    // Only Claude counts what it writes to its cache.
    expect(lines.filter(({ tokensWritten }) => tokensWritten > 0).map(({ id }) => id)).toEqual([
      'claude',
    ])
    for (const { tokens, tokensIn, tokensCached, tokensWritten, tokensOut } of lines)
      expect(tokensIn + tokensCached + tokensWritten + tokensOut).toBe(tokens)
  })

  it('has missed some of the month, and shows it as a gap', async () => {
    const { history, lastDay } = await createDemoUsageReader().summary(NOW)

    expect(history.gapSeconds).toBeGreaterThanOrEqual(3 * 2400)
    expect(history.gapSeconds).toBeLessThanOrEqual(4 * 2400)
    expect(lastDay.requests).toBeGreaterThan(10_000)
    const [hours, all] = await Promise.all(
      (['24h', 'all'] as const).map((range) =>
        createDemoUsageReader().series({ ...everything, range }, NOW),
      ),
    )
    expect(history.totals).toEqual(all?.totals)
    expect(lastDay).toMatchObject(hours?.totals ?? {})
    expect(history.totals.requests).toBeGreaterThan(20 * lastDay.requests)
  })
})
