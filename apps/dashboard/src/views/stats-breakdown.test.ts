import '../testing/browser.ts'
import type { StatsSeries } from '@svc/views'
import { h } from 'preact'
import { afterEach, describe, expect, it } from 'vitest'
import { stylesOf } from '../state/chart-lines.ts'
import {
  accountCalled,
  anEntry,
  clearPage,
  click,
  draw,
  elementsOf,
  showPool,
  wordsOf,
  wordsOfEach,
} from '../testing/page.ts'
import { Breakdown } from './stats-breakdown.tsx'

afterEach(clearPage)

const measures = (tokens: number, requests: number) => ({
  tokens,
  requests,
  failed: 0,
  failureRateText: '0%',
})
const member = (id: string, tokens: number, requests: number) => ({
  id,
  label: id,
  ...measures(tokens, requests),
})
const point = (tokens: number, t = '2026-11-20T12:00:00Z') => ({ t, tokens, requests: 1 })

interface Shape {
  readonly metric?: 'tokens' | 'requests'
  readonly group?: string
  readonly otherCount?: number
  readonly query?: object
  readonly firstId?: string
  readonly newFailed?: number
  readonly totals?: ReturnType<typeof measures>
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
}: Shape) =>
  ({
    query: { metric, group, range: '24h', ...query },
    range: { end: '2026-11-20T12:15:00Z' },
    bucketSeconds: 900,
    totals,
    series: [
      { id: 'ci', points: [point(1), point(2)] },
      { id: 'team', points: [point(3), point(4)] },
    ],
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

const table = (shape: Shape = {}) => draw(h(Breakdown, { now: series(shape) }))

describe('who used how much', () => {
  it('is a row for each member and the sum of all, also to take along', () => {
    const place = table()

    expect(wordsOf(place.querySelector('caption'))).toBe('By client CSV JSON')
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
    expect(rows.map((row) => row.querySelector('line')?.getAttribute('class') ?? null)).toEqual([
      ...['ci', 'team'].map((id) => `series-${stylesOf(['ci', 'team']).get(id)}`),
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

    expect(links({ group: 'account' })).toEqual([`#accounts/${encodeURIComponent(authIndex)}`])
    expect(links({ group: 'client' })).toEqual([])
  })
})
