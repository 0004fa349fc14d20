import { epochMs } from '@svc/core'
import { aUsageRecord } from '@svc/core/testing'
import { seriesOf, type UsageRecord } from '@svc/core/usage'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { english } from '../messages/en/catalogue.ts'
import { statsSeriesCsv } from './csv.ts'
import { type SeriesQuery, seriesDefaults, statsSeriesView } from './stats-series.ts'
import { statsSeriesSchema } from './stats-series-schema.ts'

const NOW = epochMs(Date.parse('2026-11-20T12:00:30Z'))
const EARLIEST = epochMs(NOW - 40 * 86_400_000)

const record = (secondsAgo: number, changes: Partial<UsageRecord> = {}) =>
  aUsageRecord(epochMs(NOW - secondsAgo * 1000), changes)

function view(
  records: readonly UsageRecord[],
  changes: Partial<SeriesQuery> = {},
  warnings: readonly string[] = [],
) {
  const query = { ...seriesDefaults, range: '1h', ...changes } as const
  const seen = statsSeriesView(seriesOf(records, query, { now: NOW, earliest: EARLIEST }), query, {
    warnings,
    words: english,
  })
  expect(v.safeParse(statsSeriesSchema, seen).issues).toBeUndefined()
  return seen
}

describe('the series payload', () => {
  it('by the minute changes texts and smoothed values, not the numbers; the last bucket counts by the time it has run', () => {
    const points = view([record(10), record(10)], { mode: 'rate' }).series[0]

    expect(points?.points.at(-1)).toMatchObject({
      requests: 2,
      requestText: '4.0/min',
      tokenText: '4000.0/min'.replace('4000.0', '4.0k'),
    })
    expect(points?.smoothRequests?.at(-1)).toBe(1.3)
    const { totals, breakdown, series } = view([record(10), record(10)], { mode: 'rate' })
    for (const whole of [totals, breakdown.items[0], series[0]])
      expect(whole).toMatchObject({ requests: 2, requestText: '0.0/min', tokenText: '33.1/min' })
    expect(breakdown.other).toMatchObject({ requests: 0, requestText: '0.0/min' })
    expect(view([record(10), record(10)]).series[0]?.smoothRequests?.at(-1)).toBe(0.7)
  })

  it('leaves the smoothed values out when they are not wanted', () => {
    const line = view([record(10)], { smooth: false }).series[0]

    expect(line).not.toHaveProperty('smoothTokens')
    expect(line).not.toHaveProperty('smoothRequests')
  })

  it('shows as many lines as wanted and counts the rest', () => {
    const seen = view(
      ['a', 'b', 'c'].map((model, index) => record(10, { model, tokens: index })),
      { group: 'model', top: 2 },
    )

    expect(seen.series.map(({ label }) => label)).toEqual(['c', 'b'])
    expect(seen.breakdown).toMatchObject({
      title: 'By model',
      otherCount: 1,
      other: { requests: 1, tokens: 0 },
    })
    expect(seen.totals.requests).toBe(3)
  })

  it('has everything as one line too, ranks by failures, and smooths them', () => {
    const seen = view(
      [record(10, { model: 'a', tokens: 9_000 }), record(70, { model: 'b', failed: 1 })],
      { group: 'model', metric: 'failed', top: 1 },
    )

    expect(seen.series.map(({ label }) => label)).toEqual(['b'])
    expect(seen.series[0]?.smoothFailed?.at(-1)).toBe(0.3)
    expect(seen.total).toMatchObject({ id: 'total', requests: 2, tokens: 10_000, failed: 1 })
    expect(seen.total?.points.slice(-2).map(({ requests }) => requests)).toEqual([1, 1])
  })

  it('tells a zero that was counted from one of which nothing is known', () => {
    const minutesAgo = (minutes: number) => epochMs(NOW - 30_000 - minutes * 60_000)
    const watch = {
      since: minutesAgo(50),
      missed: [{ from: minutesAgo(30), to: minutesAgo(20) }],
    }
    const query = { ...seriesDefaults, range: '1h' } as const
    // One record was kept although its bucket lies in a gap.
    const series = seriesOf([record(25 * 60)], query, { now: NOW, earliest: EARLIEST, watch })
    const seen = statsSeriesView(series, query, { warnings: [], words: english })

    expect(v.safeParse(statsSeriesSchema, seen).issues).toBeUndefined()
    const unknown = seen.total?.points.flatMap((point) => (point.unknown ? [point.t] : []))
    const isoAgo = (minutes: number) => new Date(minutesAgo(minutes)).toISOString()
    const expected = [60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 30, 29, 28, 27, 26, 24, 23, 22, 21]
    expect(unknown).toEqual(expected.map(isoAgo))
    expect(seen.coverage).toEqual({
      since: isoAgo(50),
      percent: 80.19,
      missedSeconds: 600,
      gaps: [
        { start: isoAgo(60), end: isoAgo(50), reason: 'before-history' },
        { start: isoAgo(30), end: isoAgo(20), reason: 'missed' },
      ],
    })
  })

  it('says of whom so many requests fail that somebody should look', () => {
    const failed = Array.from({ length: 5 }, () => record(10, { model: 'b', failed: 1 }))
    const good = Array.from({ length: 60 }, () => record(10, { model: 'a' }))
    const seen = view([...failed, ...good], { group: 'model' })

    expect(seen.breakdown.items.map(({ id, failing }) => [id, failing])).toEqual([
      ['a', false],
      ['b', true],
    ])
    expect(seen.totals.failing).toBe(false)
  })

  it('names its own address in both formats, and what was not taken as given', () => {
    const seen = view([], { group: 'client' }, ['top: not a whole number; 8 is shown'])

    expect(seen.export.csvPath).toBe(
      '/api/v1/stats/series?range=1h&metric=tokens&group=client&top=8&smooth=true&mode=bucket&format=csv',
    )
    expect(seen.export.jsonPath).toBe(seen.export.csvPath.replace('csv', 'json'))
    expect(seen.warnings).toEqual(['top: not a whole number; 8 is shown'])
  })

  it('has the metric that was asked for as a value, in every place that has counts', () => {
    const told = { tokensIn: 300, tokensCached: 600, tokensWritten: 0, tokensOut: 100 }
    const records = [record(10, { model: 'a', ...told }), record(70, { model: 'b' })]
    const seen = view(records, { group: 'model', metric: 'cached', top: 1, mode: 'rate' })

    expect(seen).toMatchObject({ valueUnit: 'tokens', totals: { value: 600 } })
    expect(seen).not.toHaveProperty('notOffered')
    expect(seen.series.map(({ id, value }) => [id, value])).toEqual([['a', 600]])
    expect(seen.total?.points.slice(-3).map(({ value }) => value)).toEqual([0, null, 600])
    expect(seen.total?.smoothValue?.slice(-2)).toEqual([null, 600])
    expect(seen.series[0]?.smoothValue?.slice(-2)).toEqual([300, 400])
    expect(seen.breakdown).toMatchObject({
      items: [{ id: 'a', value: 600 }],
      other: { value: null },
    })
    const share = view(records, { group: 'model', metric: 'cache_share' })
    expect(share.valueUnit).toBe('percent')
    expect(share.series.map(({ value }) => value)).toEqual([66.7, null])
    expect(share.series[0]).not.toHaveProperty('smoothValue')
    expect(view(records).totals).not.toHaveProperty('value')
  })

  it('has further breakdowns of the same usage, in the same metric', () => {
    const records = [
      record(10, { model: 'a', tokensIn: 9, upstream: 'tokyo' }),
      record(11, { model: 'b', tokensIn: 4, upstream: 'tokyo' }),
      record(12, { model: 'b', tokensIn: 5 }),
    ]
    const filter = { model: ['b'] }
    const facets = ['model', 'upstream'] as const
    const seen = view(records, { group: 'account', metric: 'input', top: 1, filter, facets })

    expect(seen.query.facets).toEqual(facets)
    expect(seen.facets).toMatchObject([
      { group: 'model', items: [{ id: 'b', value: 9, requests: 2 }], otherCount: 0 },
      { group: 'upstream', items: [{ value: 5 }, { id: 'tokyo', value: 4 }] },
    ])
    expect(view(records)).not.toHaveProperty('facets')
    const none = { ...seriesDefaults, facets }
    expect(statsSeriesView(null, none, { warnings: [], words: english }).facets).toEqual([])
  })

  it('has percentiles of lines, buckets and rows, or says why not', () => {
    const records = [
      record(10, { model: 'a', latencyMs: 300 }),
      record(11, { model: 'a', latencyMs: 100 }),
      record(12, { model: 'b', latencyMs: 900 }),
      record(13, { model: 'a', latencyMs: 5, failed: 1 }),
    ]
    const query = { group: 'model', metric: 'latency_p50', top: 1 } as const
    const seen = view(records, query)

    expect(seen).toMatchObject({ valueUnit: 'ms', totals: { value: 300, requests: 4 } })
    expect(seen.series[0]).toMatchObject({ id: 'a', value: 100 })
    expect(seen.series[0]?.points.slice(-2).map(({ value }) => value)).toEqual([null, 100])
    expect(seen.breakdown).toMatchObject({ items: [{ value: 100 }], other: { value: 900 } })

    const ofThatName = [...records, record(14, { model: 'total', latencyMs: 7 })]
    const { series } = view(ofThatName, { ...query, top: 3 })
    expect(series.find(({ id }) => id === 'total')?.value, 'not that of all').toBe(7)

    const asked = { ...seriesDefaults, range: '1h', ...query } as const
    const gone = seriesOf(records, asked, { now: NOW, earliest: EARLIEST, rowsSince: NOW })
    const without = statsSeriesView(gone, asked, { warnings: [], words: english })
    expect(v.safeParse(statsSeriesSchema, without).issues).toBeUndefined()
    expect(without).toMatchObject({
      notOffered: 'rows_deleted',
      totals: { value: null, requests: 4 },
      series: [{ value: null }],
    })
  })

  it('compares the metric with the time before', () => {
    const failures = { failed: 1, failedLimit: 1 }
    const records = [record(10, failures), record(20, failures), record(3_700, failures)]
    const seen = view(records, { metric: 'failed_limit', compare: true })

    expect(seen.previous).toMatchObject({ changePercent: 100, totals: { value: 1 } })
    expect(view(records, { metric: 'latency_p95', compare: true }).previous).toMatchObject({
      changePercent: null,
      totals: { value: null },
    })
  })

  it('tells the cost of all, of lines, rows and the rest, and which tokens have no price', () => {
    const cost = (usd: number, unpricedTokens = 0) => ({
      units: BigInt(usd * 1e6) * 10_000_000_000n,
      unpricedTokens,
      assumedTokens: 0,
    })
    const records = [
      record(10, { model: 'a', cost: cost(12.5) }),
      record(20, { model: 'b', cost: cost(0.0042, 400) }),
      record(30, { model: 'c', cost: cost(0, 1_000) }),
    ]
    const source = { kind: 'litellm', sha256: 'f00', readAt: EARLIEST } as const
    const asked = {
      ...seriesDefaults,
      range: '1h',
      group: 'model',
      metric: 'cost',
      top: 2,
    } as const
    const prices = { isEmpty: false, source, isByAccount: false }
    const usage = seriesOf(records, asked, { now: NOW, earliest: EARLIEST, prices })
    const seen = statsSeriesView(usage, asked, { warnings: [], words: english })

    expect(v.safeParse(statsSeriesSchema, seen).issues).toBeUndefined()
    expect(seen).toMatchObject({
      valueUnit: 'usd',
      priceSource: { kind: 'litellm', sha256: 'f00', readAt: '2026-10-11T12:00:30.000Z' },
      totals: {
        value: 12.5042,
        valueText: '$12.50',
        cost: { nanoUsd: 12_504_200_000, text: '$12.50', unpricedTokens: 1_400, assumedTokens: 0 },
      },
      series: [{ value: 12.5 }, { value: 0.0042, valueText: '$0.0042' }],
      breakdown: {
        items: [{ id: 'a' }, { id: 'b', cost: { unpricedTokens: 400 } }],
        other: { value: null, valueText: '–', cost: { nanoUsd: null, unpricedTokens: 1_000 } },
      },
    })
    expect(seen.series[1]?.points.slice(-2)).toMatchObject([
      { value: 0, valueText: '$0.00', unpricedTokens: 0 },
      { value: 0.0042, unpricedTokens: 400 },
    ])
    expect(seen.series[1]?.smoothValue?.at(-1)).toBe(0.0014)
    const rate = { ...asked, mode: 'rate' } as const
    expect(statsSeriesView(usage, rate, { warnings: [], words: english }).totals).toMatchObject({
      valueText: '$0.2067/min',
      cost: { text: '$12.50' },
    })
    const rows = statsSeriesCsv(seen).split('\r\n')
    expect(rows[0]).toMatch(/,failure_rate,cost_usd,unpriced_tokens$/)
    expect(rows.at(-2)).toMatch(/,0\.0000,0\.004200000,400$/)
  })

  it('without prices answers a question for cost as one for tokens, and says so', () => {
    const seen = view([record(10)], { metric: 'cost' })

    expect(seen.query.metric).toBe('tokens')
    expect(seen.warnings).toEqual([
      'metric: cost needs prices, and there are none; tokens is shown',
    ])
    expect(seen.options.metric.map(({ id }) => id)).not.toContain('cost')
  })

  it('without a history is empty and says so', () => {
    const seen = statsSeriesView(null, seriesDefaults, { warnings: [], words: english })

    expect(v.safeParse(statsSeriesSchema, seen).issues).toBeUndefined()
    expect(seen).toMatchObject({
      available: false,
      series: [],
      total: null,
      coverage: { since: null, percent: null, missedSeconds: 0, gaps: [] },
      summary: 'No usage history',
      range: { start: null, earliest: null },
    })
    expect(seen).not.toHaveProperty('warnings')
    const query = { ...seriesDefaults, metric: 'input' } as const
    expect(statsSeriesView(null, query, { warnings: [], words: english })).toMatchObject({
      valueUnit: 'tokens',
      totals: { value: null },
    })
  })
})
