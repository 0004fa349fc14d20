import type { StatsSeries } from '@svc/views'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { theme } from '../state/display-state.ts'
import { series } from '../state/usage-question.ts'
import { seriesFailed } from '../state/usage-series.ts'
import {
  anEntry,
  change,
  clearPage,
  draw,
  showPool,
  wordsOf,
  wordsOfEach,
} from '../testing/page.ts'
import { aUsageHistory, seriesOptions } from '../testing/usage.ts'
import { Facts, facts, Usage } from './stats-usage.tsx'

const drawn: unknown[] = []
const ended: unknown[] = []
/** Stands in for the drawing library, which needs a browser; browser tests check the drawing. */
const drawChart = (_: unknown, now: unknown) => {
  drawn.push(now)
  return { look: () => undefined, destroy: () => void ended.push(now) }
}

beforeEach(() => {
  seriesFailed.value = false
  drawn.length = 0
  ended.length = 0
})

const usage = () => draw(h(Usage, { drawChart }))

describe('the usage', () => {
  it.each([
    {
      what: 'keeps no history',
      keeps: false,
      words:
        'No usage history. Set state_db = "history.db" in the configuration, or start with --state-db <path> . What is set up, in Health',
    },
    { what: 'has kept none so far', keeps: true, words: 'No usage in this range.' },
  ])('says why there is none, where the service $what', ({ keeps, words }) => {
    showPool([anEntry('ana')], keeps ? { usage: { kind: 'read', summary: aUsageHistory() } } : {})
    series.value = { available: false, range: { earliest: null } } as never

    expect(wordsOfEach(usage(), '.empty')).toEqual([words])
  })

  const aSeries = (requests: number, coverage: object = {}) =>
    ({
      available: true,
      options: seriesOptions,
      query: { range: '24h', metric: 'tokens', group: 'client', mode: 'bucket' },
      range: {
        start: '2026-11-19T12:15:00Z',
        end: '2026-11-20T12:00:00Z',
        earliest: null,
      },
      coverage: { since: null, percent: null, missedSeconds: 0, gaps: [], ...coverage },
      total: null,
      previous: null,
      bucketSeconds: 900,
      totals: { requests, tokens: 1_234_567, failureRateText: '1.5%' },
      series: [],
      breakdown: { title: 'By client', group: 'client', items: [], otherCount: 0 },
      export: { csvPath: '/csv', jsonPath: '/json' },
    }) as never

  it('sums up the range, and names the chart for those who do not see it', () => {
    series.value = aSeries(1_204)
    const place = usage()

    expect(wordsOf(place.querySelector('.totals'))).toBe(
      '1.2M tokens 1,204 requests 1.5% failed since Thu 20:15, by 15 min',
    )
    expect(place.querySelector('.usage-chart')?.getAttribute('aria-label')).toBe(
      'Tokens by client, 24h',
    )
    expect(drawn).toHaveLength(1)
  })

  it('begins with the cost where that is chosen', () => {
    const now: StatsSeries = aSeries(5)
    series.value = {
      ...now,
      valueUnit: 'usd',
      query: { ...now.query, metric: 'cost' },
      totals: { ...now.totals, value: 326.47 },
    }

    expect(wordsOf(usage().querySelector('.totals'))).toMatch(
      /^Cost \(list price\) \$326\.47 1\.2M tokens/,
    )
  })

  it.each([
    {
      what: 'everything',
      coverage: { since: '2026-11-01T00:00:00Z', percent: 100 },
      words: 'Usage is kept since 1 Nov 08:00, for 19d 12h. Nothing was missed in this range.',
    },
    {
      what: 'not all of it',
      coverage: {
        since: '2026-11-20T09:41:00Z',
        percent: 99.71,
        missedSeconds: 2_400,
        gaps: [{}],
      },
      words:
        'Usage is kept since 17:41, for 2h 19min. 99.71% of the time is covered; usage of 40min may be missing. Hatched: not known.',
    },
  ])('says in words that $what is known', ({ coverage, words }) => {
    series.value = aSeries(5, coverage)

    expect(wordsOf(usage().querySelector('.coverage'))).toBe(words)
  })

  it.each([
    {
      previous: null,
      words: 'Ranges longer than 7 days cannot be compared.',
    },
    {
      previous: { changePercent: 12 },
      words:
        'Tokens: 12% higher than in the same time before, from Wed 20:15 on. Thin dotted lines are that time.',
    },
    {
      previous: { changePercent: -5 },
      words:
        'Tokens: 5% lower than in the same time before, from Wed 20:15 on. Thin dotted lines are that time.',
    },
    {
      previous: { changePercent: 0 },
      words:
        'Tokens: the same as in the same time before, from Wed 20:15 on. Thin dotted lines are that time.',
    },
    {
      previous: { changePercent: null },
      words:
        'No comparison: usage was not kept, or there was none, all the time from Wed 20:15 on.',
    },
  ])('compares with the time before in words: $words', ({ previous, words }) => {
    const now = aSeries(5) as { query: object }
    series.value = {
      ...now,
      query: { ...now.query, compare: true },
      previous: previous && {
        start: '2026-11-18T12:15:00Z',
        end: '2026-11-19T12:00:00Z',
        series: [],
        total: { id: 'total', points: [] },
        ...previous,
      },
    } as never
    const place = usage()

    expect(wordsOfEach(place, 'p')).toContain(words)
  })

  it('says that there was none in this range', () => {
    series.value = aSeries(0)

    expect(wordsOf(usage())).toBe('No usage in this range.')
    expect(drawn).toHaveLength(0)
  })

  it('keeps the last numbers where newer ones did not come, and says so', () => {
    series.value = aSeries(5)
    seriesFailed.value = true
    const place = usage()

    expect(wordsOf(place.querySelector('.banner'))).toBe(
      'No newer chart came. This is the last one: 24h by client, as of 20:00. Try now',
    )
    expect(place.querySelectorAll('.totals')).toHaveLength(1)
  })

  it('is drawn anew in another theme, and ended with the view', () => {
    series.value = aSeries(5)
    usage()
    change(() => {
      theme.value = 'dark'
    })
    expect([drawn.length, ended.length]).toEqual([2, 1])

    clearPage()
    expect(ended).toHaveLength(2)
  })
})

let asked: (string | null)[] = []
let values: Readonly<Record<string, number | null>> = {}

beforeEach(() => {
  asked = []
  globalThis.fetch = async (path) => {
    const query = new URL(String(path), 'http://monitor').searchParams
    const metric = query.get('metric') ?? ''
    asked.push(metric)
    const valueUnit = metric.startsWith('failed')
      ? 'requests'
      : metric === 'cache_share'
        ? 'percent'
        : 'tokens'
    return Response.json({
      query: { range: query.get('range'), bucket: query.get('bucket'), metric, mode: 'bucket' },
      totals: { failed: 40, value: values[metric] ?? null },
      valueUnit,
    })
  }
})
afterEach(() => {
  facts.value = []
})

const showFor = (metric: string) =>
  draw(
    h(Facts, { now: { query: { range: '7d', bucket: '6h', metric } } as unknown as StatsSeries }),
  )

it.each([
  {
    metric: 'tokens',
    told: { input: 2_000, cached: 1_500, output: 300, cache_share: 75 },
    words: 'Input 2.0k Cached 1.5k Output 300 Cache share 75.0%',
  },
  {
    metric: 'failed',
    told: { failed_auth: 3, failed_limit: 20, failed_vendor: 7 },
    words: 'Status 401, 403 3 Status 429 20 Status 500–599 7 Other 10',
  },
  {
    metric: 'failed',
    told: { failed_auth: 3, failed_limit: 20 },
    words: 'Status 401, 403 3 Status 429 20',
  },
])('says $words beside $metric', async ({ metric, told, words }) => {
  values = told
  const place = showFor(metric)
  expect([place.querySelectorAll('.facts-line').length, wordsOf(place)]).toEqual([1, ''])

  await expect.poll(() => wordsOf(place)).toBe(words)
})

it('says nothing of what the proxy does not tell', async () => {
  values = {}
  const place = showFor('latency_p50')
  await expect.poll(() => facts.value.length).toBe(4)

  expect(asked).toEqual(['latency_p50', 'latency_p95', 'first_token_p50', 'first_token_p95'])
  expect(wordsOf(place)).toBe('')
})
