import type { StatsSeries } from '@svc/views'
import { h } from 'preact'
import { describe, expect, it } from 'vitest'
import { assignStyles, buildChartLines } from '../state/chart-lines.ts'
import { cursor, highlighted, isolated } from '../state/chart-view.ts'
import { dispatch } from '../testing/browser.ts'
import {
  accountCalled,
  anEntry,
  change,
  click,
  draw,
  elementsOf,
  showPool,
  wordsOf,
  wordsOfEach,
} from '../testing/page.ts'
import { Breakdown } from './stats-breakdown.tsx'

const measures = (tokens: number, requests: number) => ({
  tokens,
  requests,
  failed: 0,
  failureRateText: '0%',
})
const costing = (tokens: number, value: number, unpricedTokens: number) => ({
  ...measures(tokens, 10),
  value,
  cost: { unpricedTokens },
})
const member = (id: string, tokens: number, requests: number) => ({
  id,
  label: id,
  ...measures(tokens, requests),
})
const point = (tokens: number, t = '2026-11-20T12:00:00Z') => ({
  t,
  tokens,
  requests: 1,
  failed: 0,
  failureRateText: '0%',
})

interface Shape {
  readonly metric?: 'tokens' | 'requests' | 'cost'
  readonly group?: string
  readonly otherCount?: number
  readonly query?: object
  readonly firstId?: string
  readonly newFailed?: number
  readonly totals?: ReturnType<typeof measures>
  readonly previous?: object | null
  /** More of the line of all usage. */
  readonly total?: object
  readonly valueUnit?: string
  /** Value of both lines in their first bucket. */
  readonly value?: number
}

/** A chart of two clients and, optionally, others. */
const series = ({
  metric = 'tokens',
  group = 'client',
  otherCount = 0,
  totals = measures(4_000, 10),
  query,
  firstId = 'ci',
  newFailed = 0,
  previous = null,
  total,
  valueUnit,
  value,
}: Shape) =>
  ({
    query: { metric, group, range: '24h', ...query },
    range: { start: null, end: '2026-11-20T12:15:00Z' },
    bucketSeconds: 900,
    totals,
    valueUnit,
    series: [
      { id: 'ci', label: 'ci', points: [{ ...point(1), value }, point(2)] },
      {
        id: 'team',
        label: 'team',
        points: [
          { ...point(3), value },
          { ...point(0), unknown: true },
        ],
      },
    ],
    total: {
      id: 'total',
      label: '',
      points: [{ ...point(5), requests: 4, failed: 1, failureRateText: '25%' }, point(2)],
      ...total,
    },
    previous,
    breakdown: {
      title: 'By client',
      group,
      items: [
        { ...member('ci', 3_000, 2), id: firstId },
        member('team', 600, 5),
        { ...member('new', 0, newFailed), failed: newFailed, failing: newFailed > 0 },
      ],
      otherCount,
      other: measures(400, 3),
    },
    export: { csvPath: '/csv', jsonPath: '/json' },
  }) as unknown as StatsSeries

const table = (shape: Shape = {}) => {
  const now = series(shape)
  return draw(h(Breakdown, { now, chart: buildChartLines(now, 'line') }))
}

describe('who used how much', () => {
  it('is a row for each member and the sum of all, also to take along', () => {
    const place = table()

    expect(place.querySelector('caption')?.textContent).toBe('By client Whole range CSV JSON')
    expect(elementsOf(place, 'caption a').map((link) => link.getAttribute('href'))).toEqual([
      '/csv',
      '/json',
    ])
    expect(wordsOfEach(place, 'thead th')).toEqual([
      'Client',
      '24h',
      'Tokens',
      'Share of tokens',
      'Requests',
      'Failed',
    ])
    expect(wordsOfEach(place, 'tbody tr')).toEqual([
      'ci 3.0k 75% 2 0%',
      'team 600 15% 5 0%',
      'new 0 0% 0 0%',
    ])
    expect(wordsOf(place.querySelector('tfoot'))).toBe('All 4.0k 100% 10 0%')
  })

  it('shares by what the chart is about', () => {
    expect(wordsOfEach(table({ metric: 'requests' }), 'tbody tr')).toEqual([
      'ci 3.0k 20% 2 0%',
      'team 600 50% 5 0%',
      'new 0 0% 0 0%',
    ])
  })

  it('has a cost for each, with the share of the tokens that have no price under it', () => {
    const place = table({ metric: 'cost', valueUnit: 'usd', totals: costing(4_000, 12.5, 1_000) })

    expect(wordsOfEach(place, 'thead th')[3]).toBe('Cost (list price)')
    expect(wordsOf(place.querySelector('tfoot'))).toBe('All 4.0k $12.50 25% unpriced 10 0%')
  })

  it('has no share where nothing was used', () => {
    const [first] = wordsOfEach(table({ totals: measures(0, 0) }), 'tbody tr')

    expect(first).toBe('ci 3.0k 2 0%')
  })

  it.each([
    { otherCount: 0, words: undefined },
    { otherCount: 7, words: '7 more 400 10% 3 0%' },
  ])('puts $otherCount further members into one row', ({ otherCount, words }) => {
    expect(wordsOfEach(table({ otherCount }), 'tbody tr')[3]).toBe(words)
  })

  it('draws the course of the members that have a line, with the dash of that line', () => {
    const place = table()
    const rows = elementsOf(place, 'tbody tr')

    expect(rows.map((row) => row.querySelectorAll('.spark').length)).toEqual([1, 1, 0])
    expect(rows.map((row) => row.querySelector('line')?.style.stroke ?? null)).toEqual([
      ...['ci', 'team'].map((id) => `var(--series-${assignStyles(['ci', 'team']).get(id)})`),
      null,
    ])
  })

  it('marks those whose requests fail, by a sign and not by colour alone', () => {
    const place = table({ newFailed: 1 })

    expect(elementsOf(place, '.failing').map(wordsOf)).toEqual(['0%'])
    expect(place.querySelectorAll('.failing svg')).toHaveLength(1)
  })

  it('has no column for lines where the chart has one line of everything', () => {
    const place = table({ query: { group: 'total' }, group: 'account' })

    expect(place.querySelectorAll('.spark-cell')).toHaveLength(0)
    expect(wordsOfEach(place, 'thead th')).toEqual([
      'Account',
      'Tokens',
      'Share of tokens',
      'Requests',
      'Failed',
    ])
  })

  it('reads the bucket under the cursor, and says where nothing is known of it', () => {
    showPool([])
    const place = table({ otherCount: 7 })
    change(() => {
      cursor.value = 0
    })
    expect(wordsOf(place.querySelector('caption'))).toBe('By client Fri 20, 20:00 – 20:15 CSV JSON')
    expect(wordsOfEach(place, 'tbody tr')).toEqual([
      'ci 1 20% 1 0%',
      'team 3 60% 1 0%',
      'new not known',
      '7 more 1 20% 2 50%',
    ])
    expect(wordsOf(place.querySelector('tfoot'))).toBe('All 5 100% 4 25%')

    change(() => {
      cursor.value = 1
    })
    expect(wordsOfEach(place, 'tbody tr')[1]).toBe('team not known')
  })

  it.each([
    { metric: 'input', valueUnit: 'tokens', value: 12, words: '7 more 1 9 2 50%' },
    { metric: 'failed_limit', valueUnit: 'requests', value: 2, words: '7 more 1 0 2 50%' },
    { metric: 'input', valueUnit: 'tokens', value: null, words: '7 more 1 not known 2 50%' },
    { metric: 'latency_p50', valueUnit: 'ms', value: 12, words: '7 more 1 not known 2 50%' },
  ])('reads of the rest of $value in a bucket $words', ({ metric, valueUnit, value, words }) => {
    const points = [{ ...point(5), requests: 4, failed: 1, value }]
    const place = table({
      otherCount: 7,
      query: { metric },
      valueUnit,
      total: { points },
      value: 1.5,
    })
    change(() => {
      cursor.value = 0
    })

    expect(wordsOfEach(place, 'tbody tr').at(-1)).toBe(words)
  })

  it('shows a line alone by its name, and lets it stand out while it is pointed at', () => {
    const place = table()
    const [, team] = place.querySelectorAll('.isolate')
    change(() => void dispatch(team ?? null, 'pointerenter'))
    expect(highlighted.value).toBe('team')

    click(team)
    expect([isolated.value, team?.getAttribute('aria-pressed')]).toEqual(['team', 'true'])
    click(team)
    expect(isolated.value).toBe(null)
  })

  it.each([
    { what: 'add up to more than the lines', query: {}, used: 9, pressed: 1 },
    { what: 'are no more than the lines', query: {}, used: 0, pressed: 0 },
    {
      what: 'do not add up',
      query: { metric: 'latency_p50' },
      valueUnit: 'ms',
      used: 9,
      pressed: 0,
    },
  ])(
    'offers the line of the rest only where there is one: the values $what',
    ({ query, valueUnit, used, pressed }) => {
      const place = table({
        otherCount: 7,
        query,
        total: { tokens: used, value: used },
        ...(valueUnit === undefined ? {} : { valueUnit }),
      })
      const [, , , rest] = elementsOf(place, 'tbody tr')

      expect(wordsOf(rest?.querySelector('th') ?? null)).toBe('7 more')
      expect(rest?.querySelectorAll('.isolate')).toHaveLength(pressed)
    },
  )

  const before = {
    id: 'ci',
    tokens: 900,
    requests: 5_812,
    failed: 1_453,
    value: 7,
    points: [{ ...point(0), unknown: true }, point(8)],
  }
  const previous = {
    end: '2026-11-19T12:15:00Z',
    series: [before],
    total: { ...before, id: 'total' },
  }

  it('reads the time before beside the amount, where it is compared', () => {
    const place = table({ previous })
    const reads = (at: number) => {
      change(() => {
        cursor.value = at
      })
      return wordsOfEach(place, 'tbody tr')[0]
    }

    expect(wordsOfEach(place, 'tbody tr')[0]).toBe('ci 3.0k before 900 75% 2 0%')
    expect(reads(1)).toBe('ci 2 before 8 100% 1 0%')
    expect(reads(0)).toBe('ci 1 before not known 20% 1 0%')
  })

  it.each([
    { metric: 'requests', words: 'ci 3.0k 20% 2 before 5,812 0%' },
    { metric: 'failed', words: 'ci 3.0k 2 0% before 25%' },
    { metric: 'failed_limit', words: 'ci 3.0k not known before 7 2 0%' },
  ])('counts $metric of the whole range, also where the chart is per minute', (shape) => {
    const { metric, words } = shape
    const place = table({ previous, query: { metric, mode: 'rate' } })

    expect(wordsOfEach(place, 'tbody tr')[0]).toBe(words)
  })

  it('marks the column that a narrow page leaves out: the share, never the value of a metric', () => {
    const marked = (query: object) =>
      wordsOfEach(table({ query, otherCount: 7 }), '.share').slice(0, 2)

    expect(marked({})).toEqual(['Share of tokens', '75%'])
    expect(marked({ metric: 'latency_p95' })).toEqual([])
  })

  it('shows the value of a metric that has no share', () => {
    const place = table({ query: { metric: 'latency_p95' } })

    expect(wordsOfEach(place, 'thead th')[3]).toBe('Latency, 95th percentile')
    expect(wordsOfEach(place, 'tbody tr')[0]).toBe('ci 3.0k not known 2 0%')
  })

  it.each([
    { head: 'Client', times: 1, order: ['ci', 'new', 'team'], sort: 'ascending' },
    { head: 'Client', times: 2, order: ['team', 'new', 'ci'], sort: 'descending' },
    { head: 'Requests', times: 1, order: ['team', 'ci', 'new'], sort: 'descending' },
    { head: 'Requests', times: 2, order: ['new', 'ci', 'team'], sort: 'ascending' },
    { head: 'Failed', times: 1, order: ['new', 'ci', 'team'], sort: 'descending' },
  ])('is sorted by $head, pressed $times times', ({ head, times, order, sort }) => {
    const place = table({ newFailed: 1 })
    const sorting = () =>
      elementsOf(place, 'thead th').find((each) => wordsOf(each).startsWith(head))
    // Where another one is pressed, it begins anew.
    click(place.querySelector('thead button'))
    click(place.querySelectorAll('thead button')[1])
    for (let time = 0; time < times; time += 1) click(sorting()?.querySelector('button'))

    expect(wordsOfEach(place, 'tbody th')).toEqual(order)
    expect(sorting()?.getAttribute('aria-sort')).toBe(sort)
    expect(place.querySelectorAll('[aria-sort]')).toHaveLength(1)
  })

  it('links an account of the pool to its details, and nothing else', () => {
    showPool([anEntry('ana')])
    const { authIndex, accountKey = '' } = accountCalled('ana').selector
    const links = (shape: Shape) =>
      elementsOf(table({ ...shape, firstId: accountKey }), 'tbody th a').map((link) =>
        link.getAttribute('href'),
      )

    expect(links({ group: 'account', query: { group: 'account' } })).toEqual([
      `#accounts/${encodeURIComponent(authIndex)}`,
    ])
    expect(links({ group: 'client' })).toEqual([])
  })
})
