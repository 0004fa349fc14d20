import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EpochMs, epochMs, parseInstant, plusMs } from '../facts/time.ts'
import { aUsageRecord } from '../testing/builders.ts'
import { type UsageRecord, usageGroups } from './usage.ts'
import { sumOfUsage } from './usage-counts.ts'
import { rankOf, usageMetrics } from './usage-metrics.ts'
import { countedPart, usageDimensions } from './usage-question.ts'
import { changePercentOf, previousSpanOf, seriesOf, smoothed } from './usage-series.ts'
import {
  bucketStartsOf,
  isBucketOf,
  usageBucketIds,
  usageRangeIds,
  usageSpanOf,
} from './usage-span.ts'

const at = (text: string): EpochMs => parseInstant(text) ?? epochMs(Number.NaN)
const NOW = at('2026-11-20T12:34:56Z')
const DAY_MS = 86_400_000

it.each([
  ['nothing', [], []],
  ['one value', [7], [7]],
  ['a peak', [0, 0, 10, 0, 0], [3.3, 2.5, 2, 2.5, 3.3]],
  ['a flat line', [4, 4, 4, 4, 4, 4], [4, 4, 4, 4, 4, 4]],
  ['a step', [0, 0, 0, 6, 6, 6], [0, 1.5, 2.4, 3.6, 4.5, 6]],
])('smoothing %s is a centred mean of five', (_, values, expected) => {
  expect(smoothed(values)).toEqual(expected)
})

it('smoothing of dollars keeps their decimals', () => {
  expect(smoothed([0.000_000_012, null, 0], 9)).toEqual([0.000_000_006, null, 0.000_000_006])
})

const member = (kind: string) =>
  fc
    .constantFrom('a', 'b', 'c', '__proto__', 'constructor', '')
    .map((id) => ({ id: `${kind}${id}`, label: id }))
const records: fc.Arbitrary<readonly UsageRecord[]> = fc.array(
  fc.record({
    at: fc.integer({ min: NOW - 40 * DAY_MS, max: NOW + DAY_MS }).map(epochMs),
    account: member('account-'),
    client: member(''),
    model: fc.constantFrom('m1', 'm2', '__proto__'),
    apiName: fc.constantFrom('k1', 'k2', 'toString'),
    provider: fc.constantFrom('codex', 'claude', 'constructor'),
    upstream: fc.constantFrom('default', 'tokyo'),
    requests: fc.integer({ min: 1, max: 9 }),
    tokens: fc.nat(1_000_000),
    failed: fc.nat(1),
  }),
  { maxLength: 60 },
)

describe('a series', () => {
  it('is what naive sums say: every total, line, bucket, breakdown row and the rest', () => {
    fc.assert(
      fc.property(
        records,
        fc.constantFrom(...usageRangeIds),
        fc.constantFrom(...usageBucketIds),
        fc.constantFrom(...usageGroups),
        fc.constantFrom(...usageMetrics),
        fc.integer({ min: 1, max: 4 }),
        (all, range, bucket, group, metric, top) => {
          fc.pre(isBucketOf(bucket, { range, group }))
          const earliest = epochMs(NOW - 40 * DAY_MS)
          const query = { range, bucket, group, metric, top, compare: true }
          const series = seriesOf(all, query, { now: NOW, earliest })
          const span = usageSpanOf(range, NOW, earliest, bucket)
          const { from } = usageSpanOf(range, NOW, earliest)
          const between = (start: number, end: number) =>
            all.filter((record) => record.at >= start && record.at < end)
          const inside = between(from, NOW)
          const idOf = (record: UsageRecord, by: typeof group) =>
            ({
              total: 'total',
              account: record.account.id,
              client: record.client.id,
              model: record.model,
              api: record.apiName,
              provider: record.provider,
              upstream: record.upstream,
            })[by]
          const ids = [...new Set(inside.map((record) => idOf(record, group)))]

          expect(series.totals).toEqual(sumOfUsage(inside))
          expect(sumOfUsage(series.totalBuckets)).toEqual(series.totals)
          if (series.previous !== null) {
            const beforeMs = NOW - series.previous.span.end
            const before = sumOfUsage(between(from - beforeMs, NOW - beforeMs))
            expect(series.previous.totals).toEqual(before)
            expect(sumOfUsage(series.previous.totalBuckets)).toEqual(before)
          }
          expect(series.lines).toHaveLength(Math.min(top, ids.length))
          const shown = series.lines.map((line) => rankOf(metric, line))
          expect(shown).toEqual([...shown].sort((a, b) => b - a))
          for (const line of series.lines) {
            const own = inside.filter((record) => idOf(record, group) === line.id)
            expect(line).toMatchObject(sumOfUsage(own))
            const starts = bucketStartsOf(span)
            expect(line.buckets).toEqual(
              starts.map((start) =>
                sumOfUsage(
                  own.filter(
                    (record) => record.at >= start && record.at < start + span.bucketSeconds * 1000,
                  ),
                ),
              ),
            )
          }
          const { breakdown } = series
          expect(breakdown.group).toBe(group === 'total' ? 'account' : group)
          expect(sumOfUsage([...breakdown.rows, breakdown.other])).toEqual(series.totals)
          expect(breakdown.rows.length + breakdown.otherCount).toBe(
            new Set(inside.map((record) => idOf(record, breakdown.group))).size,
          )
        },
      ),
    )
  })
})

const recordAt = (ms: number) => aUsageRecord(epochMs(ms))

describe('a chart of some requests', () => {
  const ids = fc.subarray(['codex', 'claude', 'constructor'], { minLength: 1 })
  const filters = fc.record(
    {
      account: fc.subarray(['account-a', 'account-b', 'account-'], { minLength: 1 }),
      client: fc.subarray(['a', 'b', '__proto__'], { minLength: 1 }),
      model: fc.subarray(['m1', 'm2'], { minLength: 1 }),
      provider: ids,
    },
    { requiredKeys: [] },
  )
  it('is that of their records alone, with any others beside them', () => {
    fc.assert(
      fc.property(
        records,
        fc.constantFrom(...usageRangeIds),
        fc.constantFrom(...usageGroups),
        fc.constantFrom(...usageMetrics),
        filters,
        (all, range, group, metric, filter) => {
          const moment = { now: NOW, earliest: epochMs(NOW - 40 * DAY_MS) }
          const question = { range, group, metric, top: 3, compare: true, filter }
          const own = all.filter((record) => countedPart(record, filter) !== null)
          const [some, whole] = [
            seriesOf(all, question, moment),
            seriesOf(own, { ...question, filter: {} }, moment),
          ]

          for (const part of ['totals', 'totalBuckets', 'lines', 'previous'] as const)
            if (part !== 'previous' || question.metric.includes('p5') === false)
              expect(some[part]).toEqual(whole[part])
        },
      ),
    )
  })

  it.each([
    [{ result: 'ok' }, { requests: 3, failed: 0, failedAuth: 0, tokens: 70 }],
    [{ result: 'failed' }, { requests: 4, failed: 4, failedAuth: 2, tokens: 0 }],
    [{ status: ['auth'] }, { requests: 2, failed: 2, failedAuth: 2, failedLimit: 0 }],
    [{ status: ['auth', 'limit'] }, { requests: 3, failed: 3, failedAuth: 2, failedLimit: 1 }],
    [
      { result: 'failed', status: ['vendor'] },
      { requests: 0, failed: 0 },
    ],
    [
      { result: 'ok', status: ['auth'] },
      { requests: 0, failed: 0, tokens: 0 },
    ],
  ] as const)('with %j is the part that is meant', (filter, totals) => {
    const record = {
      ...recordAt(NOW - 60_000),
      requests: 7,
      failed: 4,
      failedAuth: 2,
      failedLimit: 1,
      tokens: 70,
    }
    const question = { range: '1h', group: 'total', metric: 'requests', top: 3, filter } as const

    expect(seriesOf([record], question, { now: NOW, earliest: NOW }).totals).toMatchObject(totals)
  })

  it('tells cost for its own metric alone, and none of failures that cost nothing', () => {
    const cost = { units: 5n, unpricedTokens: 0, assumedTokens: 0 }
    const record = { ...recordAt(NOW - 60_000), requests: 3, failed: 1, failedAuth: 1, cost }
    const question = { range: '1h', group: 'total', top: 3 } as const
    const prices = { isEmpty: false, source: null, isByAccount: false }
    const moment = { now: NOW, earliest: NOW, prices }

    const seen = seriesOf([record], { ...question, metric: 'cost' }, moment)
    expect([seen.totals.cost, seen.totalBuckets.at(-2)?.cost]).toEqual([cost, cost])
    const tokens = seriesOf([record], { ...question, metric: 'tokens' }, moment)
    expect(tokens.isPriced).toBe(true)
    expect(tokens.totals).not.toHaveProperty('cost')
    const failures = { ...question, metric: 'cost', filter: { result: 'failed' } } as const
    expect(seriesOf([record], failures, moment).totals.cost?.units).toBe(0n)
  })

  it('by two groups has a line for each pair, under both ids', () => {
    const record = { ...recordAt(NOW - 60_000), model: 'a/b c' }
    const question = {
      range: '1h',
      group: 'account',
      second: 'model',
      metric: 'requests',
      top: 3,
    } as const

    expect(seriesOf([record], question, { now: NOW, earliest: NOW }).lines).toMatchObject([
      {
        id: `${record.account.id}/a%2Fb%20c`,
        label: `${record.account.label} · a/b c`,
        members: [record.account, { id: 'a/b c', label: 'a/b c' }],
        requests: 1,
      },
    ])
  })
})

const END = epochMs(Date.UTC(2026, 10, 20, 12, 34, 56))
const EARLIEST = plusMs(END, -40 * 86_400_000)

it('facets are the breakdowns of the same usage, without those that nothing tells', () => {
  const earliest = plusMs(NOW, -40 * DAY_MS)
  const asked = { range: '24h', group: 'total', metric: 'requests', top: 1 } as const
  fc.assert(
    fc.property(
      records,
      fc.subarray([...usageDimensions], { minLength: 1 }),
      fc.constantFrom({}, { model: ['m1'] }),
      (all, facets, filter) => {
        const moment = { now: NOW, earliest }
        const breakdowns = facets.map((group) => {
          const question = { ...asked, filter, group, top: 20 }
          return seriesOf(all, question, moment).breakdown
        })
        expect(seriesOf(all, { ...asked, filter, facets }, moment).facets).toEqual(breakdowns)
      },
    ),
  )
  const day = { from: at('2026-11-18T00:00:00Z'), to: at('2026-11-20T00:00:00Z') }
  const ofClient = { ...asked, range: 'custom', between: day, filter: { client: ['a'] } } as const
  const gone = { now: NOW, earliest, rowsSince: NOW }
  const told = seriesOf([], { ...ofClient, facets: usageDimensions }, gone).facets
  expect(told.map(({ group }) => group)).toEqual(['client', 'model', 'provider', 'upstream'])
})

describe('the time before a chart', () => {
  it.each(usageRangeIds)(
    'of %s is as long, in the same buckets, and ends where it begins or in its first bucket',
    (range) => {
      const span = usageSpanOf(range, END, EARLIEST)
      const before = previousSpanOf(span)

      if (range === '30d' || range === 'all') return expect(before).toBe(null)
      expect(before).toMatchObject({ bucketCount: span.bucketCount, range })
      expect((before?.end ?? 0) - (before?.from ?? 0)).toBe(span.end - span.from)
      expect(((before?.start ?? 1) / 1000) % span.bucketSeconds).toBe(0)
      expect(before?.end).toBeLessThan(span.from + span.bucketSeconds * 1000)
    },
  )

  it('has the usage of the same members, as far as it had come by then', () => {
    const record = (minutesAgo: number, tokens: number, model: string) =>
      aUsageRecord(plusMs(END, -minutesAgo * 60_000), { model, tokens })
    const records = [
      record(5, 10, 'new'),
      record(61, 7, 'new'),
      record(62, 5, 'gone'),
      // The previous hour up to the same point as this one.
      record(60, 1_000, 'new'),
      record(125, 1_000, 'gone'),
    ]
    const query = { range: '1h', group: 'model', metric: 'tokens', top: 5, compare: true } as const
    const { previous, lines } = seriesOf(records, query, { now: END, earliest: EARLIEST })

    expect(lines.map(({ id }) => id)).toEqual(['new'])
    expect(previous?.totals).toMatchObject({ requests: 2, tokens: 12, failed: 0 })
    const tokens = previous?.bucketsById.get('new')?.map((bucket) => bucket.tokens)
    expect(tokens?.filter((value) => value > 0)).toEqual([7])
    expect(tokens).toHaveLength(61)
  })
})

describe('the change since then', () => {
  const span = { ...usageSpanOf('24h', END, null), from: epochMs(100) }
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
