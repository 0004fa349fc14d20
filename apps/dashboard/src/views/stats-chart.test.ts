import type { StatsSeries } from '@svc/views'
import { h, render } from 'preact'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ChartLook, ChartModel } from '../parts/usage-chart.ts'
import { buildChartLines } from '../state/chart-lines.ts'
import {
  cursor,
  highlighted,
  isolated,
  toggleIsolated,
  visibleIn,
  zoomTo,
} from '../state/chart-view.ts'
import { zoom } from '../state/display-state.ts'
import { question } from '../state/usage-question.ts'
import { dispatch } from '../testing/browser.ts'
import {
  change,
  clearPage,
  click,
  draw,
  press,
  showPool,
  wordsOf,
  wordsOfEach,
} from '../testing/page.ts'
import { seriesOptions } from '../testing/usage.ts'
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
    options: seriesOptions,
    query: {
      range: '24h',
      metric: 'tokens',
      group: 'client',
      mode: 'bucket',
      smooth: false,
      ...query,
    },
    range: {
      start: new Date(START).toISOString(),
      end: new Date(START + BUCKETS * 900_000).toISOString(),
    },
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
  const now = aSeries(query, more)
  const chart = buildChartLines(now, 'line')
  place = draw(h(Chart, { now, chart, drawChart: drawChart as never }))
}
const slider = () => place.querySelector('.usage-chart') as HTMLElement
const buckets = {
  times: Array.from({ length: BUCKETS }, (_, index) => START / 1000 + index * 900),
  bucketSeconds: 900,
}
const visible = () => (zoom.value === null ? null : visibleIn(buckets))

beforeEach(() => {
  looks = []
  models = []
  showPool([])
})

describe('the chart', () => {
  it.each([
    { query: {}, words: 'Tokens per 15 min' },
    { query: { mode: 'rate', metric: 'failed' }, words: 'Failed requests per minute' },
  ])('says what its axis counts: $words', ({ query, words }) => {
    show(query)

    expect(wordsOf(place.querySelector('.chart-head p'))).toBe(words)
  })

  it('says the percent of failures where they are bars', () => {
    const now = aSeries({ metric: 'failed' })
    place = draw(
      h(Chart, { now, chart: buildChartLines(now, 'bar'), drawChart: drawChart as never }),
    )

    expect(wordsOf(place.querySelector('.chart-head p'))).toBe(
      'Failed requests, percent of all by 15 min',
    )
  })

  it('counts only the member of a line that is clicked, of a pair both', () => {
    show()
    change(() => models.at(-1)?.onLine('ci'))
    change(() => models.at(-1)?.onLine('total'))
    expect(question.value.filter).toEqual({ client: ['ci'] })

    const members = [
      { group: 'client', id: 'team' },
      { group: 'model', id: 'gpt' },
    ]
    show({ group: 'client,model' }, { series: [{ ...line('team/gpt', 2), members }] })
    change(() => models.at(-1)?.onLine('team/gpt'))
    expect(question.value.filter).toEqual({ client: ['ci', 'team'], model: ['gpt'] })
  })

  it('reads the bucket that is pointed at, with everything in sum', () => {
    show()
    expect(wordsOf(place.querySelector('.chart-reading'))).toBe('')

    change(() => models.at(-1)?.onPoint(7))
    expect(wordsOf(place.querySelector('.chart-reading'))).toBe('Fri 20, 21:45 – 22:00 24.0k')
  })

  it('lets a line stand out, and is drawn anew with one alone', () => {
    show()
    change(() => {
      highlighted.value = 'team'
    })
    expect(looks.at(-1)).toMatchObject({ highlighted: 'team' })

    change(() => toggleIsolated('team'))
    expect(models.at(-1)?.lines.map(({ id }) => id)).toEqual(['team'])
  })

  it('zooms into what was marked, and back', () => {
    show()
    change(() => models.at(-1)?.onDrag(3, 6))
    expect(looks.at(-1)).toMatchObject({ first: 3, last: 6 })

    const [back] = place.querySelectorAll('.chart-reading button')
    expect(wordsOf(back ?? null)).toBe('Whole range')
    click(back)
    expect(looks.at(-1)).toMatchObject({ first: 0, last: 7 })
    expect(place.querySelectorAll('.chart-reading button')).toHaveLength(0)
  })

  it.each([
    { what: 'another group', query: { group: 'model' }, kept: [null, null] },
    { what: 'another range', query: { range: '7d' }, kept: [null, null] },
    { what: 'other buckets', more: { bucketSeconds: 450 }, kept: ['team', null] },
    { what: 'newer numbers', kept: ['team', 7] },
  ])(
    'drops the line and the bucket that were picked where $what make them another, and keeps the zoom',
    ({ query, more, kept }) => {
      show()
      change(() => zoomTo(3, 6, buckets))
      const zoomed = zoom.value
      change(() => models.at(-1)?.onPoint(7))
      change(() => toggleIsolated('team'))
      const now = aSeries(query, more)
      const chart = buildChartLines(now, 'line')
      change(() => render(h(Chart, { now, chart, drawChart: drawChart as never }), place))

      expect([isolated.value, cursor.value]).toEqual(kept)
      expect(zoom.value).toBe(zoomed)
    },
  )

  it('forgets its zoom when the view is left', () => {
    show()
    change(() => zoomTo(3, 6, buckets))
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
    expect(visible()).toEqual({ first: 0, last: 3 })
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
    change(() => zoomTo(0, 3, buckets))
    change(() => toggleIsolated('team'))
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
