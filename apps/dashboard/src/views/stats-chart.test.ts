import '../testing/browser.ts'
import type { StatsSeries } from '@svc/views'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChartLook, ChartModel } from '../parts/usage-chart.ts'
import { cursor, resetChartView, zoom, zoomTo } from '../state/chart-view.ts'
import { dispatch } from '../testing/browser.ts'
import {
  change,
  clearPage,
  click,
  draw,
  elementsOf,
  press,
  showPool,
  wordsOf,
  wordsOfEach,
} from '../testing/page.ts'
import { Chart } from './stats-chart.tsx'

const START = Date.UTC(2026, 10, 20, 12)
const BUCKETS = 8

/** A line whose buckets have `factor` × 1,000 times their number in tokens; the second one is unknown. */
const line = (id: string, factor: number) => ({
  id,
  label: id,
  tokens: 36_000 * factor,
  requests: 1,
  failed: 0,
  smoothTokens: Array.from({ length: BUCKETS }, () => 4_500 * factor),
  points: Array.from({ length: BUCKETS }, (_, index) => ({
    t: new Date(START + index * 900_000).toISOString(),
    tokens: index === 1 ? 0 : (index + 1) * 1_000 * factor,
    requests: 1,
    failed: 0,
    ...(index === 1 ? { unknown: true } : {}),
  })),
})

const aSeries = (query: object = {}, more: object = {}) =>
  ({
    query: {
      range: '24h',
      metric: 'tokens',
      group: 'client',
      mode: 'bucket',
      smooth: false,
      ...query,
    },
    range: { end: new Date(START + BUCKETS * 900_000).toISOString() },
    bucketSeconds: 900,
    coverage: { gaps: [] },
    series: [line('ci', 1), line('team', 2)],
    total: line('total', 3),
    previous: null,
    ...more,
  }) as unknown as StatsSeries

let looks: ChartLook[] = []
let models: ChartModel[] = []
const drawChart = (_: unknown, model: ChartModel) => {
  models.push(model)
  return { look: (look: ChartLook) => void looks.push(look), destroy: () => undefined }
}
let place: HTMLElement
const show = (query: object = {}, more: object = {}) => {
  place = draw(h(Chart, { now: aSeries(query, more), drawChart: drawChart as never }))
}
const slider = () => place.querySelector('.usage-chart') as HTMLElement
const legend = () => wordsOf(place.querySelector('.chart-legend'))
const row = (name: string) =>
  elementsOf(place, '.chart-legend button').find((each) => wordsOf(each).startsWith(name))

beforeEach(() => {
  looks = []
  models = []
  showPool([])
})
afterEach(() => {
  clearPage()
  resetChartView()
})

describe('the chart', () => {
  it.each([
    { query: {}, words: 'Tokens per 15 min' },
    { query: { mode: 'rate', metric: 'failed' }, words: 'Failed requests per minute' },
  ])('says what its axis counts: $words', ({ query, words }) => {
    show(query)

    expect(wordsOf(place.querySelector('.chart-head p'))).toBe(words)
  })

  it('reads the bucket that is pointed at, with everything in sum', () => {
    show()
    expect(legend()).toBe('Whole range ci 36.0k team 72.0k Total 108.0k')

    change(() => models.at(-1)?.onPoint(7))
    expect(legend()).toBe('Fri 20, 21:45 – 22:00 ci 8.0k team 16.0k Total 24.0k')
  })

  it('says what is an average and what was counted where it is smoothed', () => {
    show({ smooth: true })
    change(() => models.at(-1)?.onPoint(7))

    expect(wordsOf(row('ci') ?? null)).toBe('ci average 4.5k · this 15 min 8.0k')
  })

  it('does not call unknown what is zero, nor zero what is not known', () => {
    show()
    change(() => models.at(-1)?.onPoint(1))

    expect(legend()).toContain('ci not known team not known Total not known')
  })

  it('reads the time before beside the number, where it is compared', () => {
    const before = {
      end: new Date(START).toISOString(),
      series: [line('ci', 3)],
      total: line('total', 2),
    }
    show({ compare: true }, { previous: before })
    expect(legend()).toBe('Whole range ci 36.0k before 108.0k team 72.0k Total 108.0k before 72.0k')

    change(() => models.at(-1)?.onPoint(0))
    expect(wordsOf(row('ci') ?? null)).toBe('ci 1.0k before 3.0k')
  })

  it('shows a line alone by its row, and lets it stand out while it is pointed at', () => {
    show()
    change(() => void dispatch(row('team') ?? null, 'pointerenter'))
    expect(looks.at(-1)).toMatchObject({ highlighted: 'team', isolated: null })

    click(row('team'))
    expect(row('team')?.getAttribute('aria-pressed')).toBe('true')
    expect(looks.at(-1)).toMatchObject({ isolated: 'team' })

    click(row('team'))
    expect(looks.at(-1)).toMatchObject({ isolated: null })
  })

  it('zooms into what was marked, and back', () => {
    show()
    change(() => models.at(-1)?.onDrag(3, 6))
    expect(looks.at(-1)?.zoom).toEqual({ first: 3, last: 6 })

    click(place.querySelectorAll('.zoom button')[2])
    expect(looks.at(-1)?.zoom).toBe(null)
  })

  it('forgets its zoom when the view is left', () => {
    show()
    change(() => zoomTo(3, 6, BUCKETS))
    clearPage()
    expect(zoom.value).toBe(null)
  })
})

describe('the chart by keyboard', () => {
  it('is a slider over its buckets that says what it reads', () => {
    show()
    slider().focus()
    expect(slider().getAttribute('aria-valuetext')).toBe('Whole range')
    press('ArrowLeft')
    press('ArrowLeft')

    expect(slider().getAttribute('aria-valuenow')).toBe('6')
    expect(slider().getAttribute('aria-valuetext')).toBe(
      'Fri 20, 21:30 – 21:45: ci 7.0k, team 14.0k, Total 21.0k',
    )
    expect(looks.at(-1)).toMatchObject({ cursor: 6 })
  })

  it('zooms with plus and minus, and goes back with Escape', () => {
    show()
    slider().focus()
    press('Home')
    expect(press('+')).toBe(true)
    expect(zoom.value).toEqual({ first: 0, last: 3 })
    press('-')
    expect(zoom.value).toBe(null)

    press('+')
    press('Escape')
    expect([zoom.value, cursor.value]).toEqual([null, null])
  })

  it('leaves all other keys to the page, and Escape too where there is nothing to undo', () => {
    show()
    slider().focus()

    expect([press('r'), press('Escape'), press('+', { ctrlKey: true })]).toEqual([
      false,
      false,
      false,
    ])
  })
})

describe('the chart as a table', () => {
  const open = () => {
    const details = place.querySelector('.chart-table') as HTMLDetailsElement
    change(() => {
      details.open = true
      dispatch(details, 'toggle')
    })
  }

  it('has the buckets and lines that are drawn, the newest first', () => {
    show()
    expect(place.querySelectorAll('.chart-table table')).toHaveLength(0)
    change(() => zoomTo(0, 3, BUCKETS))
    click(row('team'))
    open()

    expect(wordsOfEach(place, '.chart-table thead th')).toEqual(['Time', 'team', 'Total'])
    expect(wordsOfEach(place, '.chart-table tbody tr')).toEqual([
      'Fri 20, 20:45 – 21:00 8.0k 12.0k',
      'Fri 20, 20:30 – 20:45 6.0k 9.0k',
      'Fri 20, 20:15 – 20:30 not known not known',
      'Fri 20, 20:00 – 20:15 2.0k 3.0k',
    ])
  })
})
