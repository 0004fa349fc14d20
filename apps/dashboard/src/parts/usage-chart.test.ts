import { NOW } from '@svc/core/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChartLine } from '../state/chart-lines.ts'
import { dispatch } from '../testing/browser.ts'
import { elementsOf, showPool } from '../testing/page.ts'
import { type ChartModel, drawUsageChart } from './usage-chart.ts'

interface Options {
  readonly axes: readonly {
    splits?(self: unknown, axis: number, min: number, max: number): number[]
    values(self: unknown, splits: readonly number[]): string[]
  }[]
  readonly scales: { readonly y: { range(self: unknown, min: number, max: number): number[] } }
  readonly series: readonly {
    readonly dash?: readonly number[]
    readonly fill?: unknown
    readonly points?: { readonly show: boolean; filter(): readonly number[] }
  }[]
  readonly hooks: {
    readonly setCursor: readonly ((self: unknown) => void)[]
    readonly setSelect: readonly ((self: unknown) => void)[]
  }
}

/** Stands in for the drawing library, which needs a browser; browser tests check the drawing. A bucket is 10 px wide, a value as high as its number. */
class NotedPlot {
  readonly over: HTMLElement = document.createElement('div')
  readonly cursor: { idx: number | null; left: number; top?: number } = { idx: null, left: -10 }
  readonly select = { left: 0, width: 0 }
  readonly series: { alpha?: number }[]
  readonly scales: unknown[] = []
  isDestroyed = false
  readonly options: Options
  readonly data: readonly (readonly (number | null)[])[]

  constructor(options: Options, data: readonly (readonly (number | null)[])[]) {
    this.options = options
    this.data = data
    this.series = data.map(() => ({}))
    plot = this
  }
  batch(task: () => void) {
    task()
  }
  setScale(_: string, scale: unknown) {
    this.scales.push(scale)
  }
  setCursor({ left }: { readonly left: number }) {
    this.pointAt(left < 0 ? null : left / 10)
  }
  setSelect() {}
  valToPos(value: number, axis: string) {
    return axis === 'x' ? ((value - NOW / 1_000) / BUCKET) * 10 : value
  }
  posToIdx(left: number) {
    return Math.round(left / 10)
  }
  destroy() {
    this.isDestroyed = true
  }
  /** Moves the pointer to a bucket; null: the pointer leaves. */
  pointAt(idx: number | null) {
    this.cursor.idx = idx
    this.options.hooks.setCursor[0]?.(this)
  }
}

const BUCKET = 900
let plot: NotedPlot
let box: HTMLElement
const told: unknown[] = []

const aLine = (
  id: string,
  style: ChartLine['style'],
  counted: readonly (number | null)[],
  drawn = counted,
): ChartLine => ({ id, label: id, style, counted, drawn, sum: 0 })

const WHOLE = { highlighted: null, cursor: null, first: 0, last: 2 }

function drawChart({
  bucketSeconds = BUCKET,
  lines = [aLine('ci', 1, [300, 600, 200]), aLine('team', 2, [30, 60, 20])],
  ghosts = [],
  form = 'line',
}: {
  readonly form?: ChartModel['form']
  readonly bucketSeconds?: number
  readonly lines?: readonly ChartLine[]
  readonly ghosts?: readonly ChartLine[]
} = {}) {
  const model: ChartModel = {
    times: [0, 1, 2].map((index) => NOW / 1_000 + index * BUCKET),
    form,
    lines,
    ghosts,
    partial: [],
    runningIndex: null,
    bucketSeconds,
    keptSince: null,
    isMuted: false,
    gaps: [],
    axisText: (value) => `${value} tok`,
    onPoint: (index) => void told.push(index),
    onDrag: (one, other) => void told.push([one, other]),
    onLine: (id) => void told.push(id),
  }
  const chart = drawUsageChart(box, model, NotedPlot as never)
  return { chart, options: plot.options }
}

const dots = () =>
  elementsOf(plot.over, '.chart-dot').map((dot) => (dot.hidden ? null : dot.style.top))

beforeEach(() => {
  showPool([])
  box = document.createElement('div')
})
afterEach(() => {
  told.length = 0
})

describe('the lines of the chart', () => {
  it('is read where a finger is drawn across it', () => {
    const { chart } = drawChart()
    chart.look(WHOLE)
    told.length = 0
    dispatch(plot.over, 'pointermove', { pointerType: 'mouse', offsetX: 20, offsetY: 5 })
    dispatch(plot.over, 'pointermove', { pointerType: 'touch', offsetX: 10, offsetY: 5 })

    expect(told).toEqual([1])
  })

  it('are what is to be drawn, at the times of the buckets, gaps included', () => {
    drawChart({ lines: [aLine('ci', 1, [300, null, 200], [250, null, 250])] })

    expect(plot.data).toEqual([
      [0, 1, 2].map((index) => NOW / 1_000 + index * BUCKET),
      [250, null, 250],
    ])
  })

  it('have a dot where one bucket alone is known', () => {
    const { options } = drawChart({
      lines: [aLine('ci', 1, [300, null, 200]), aLine('team', 2, [1, 2, null])],
    })

    expect(options.series.map(({ points }) => points?.filter())).toEqual([undefined, [0, 2], []])
    expect(options.series.map(({ points }) => points?.show)).toEqual([undefined, true, false])
  })

  it.each([
    { what: 'begin at zero and end a little below the edge', drawn: 600, top: 630 },
    { what: 'leave room for what was counted above an average', drawn: 100, top: 630 },
  ])('$what', ({ drawn, top }) => {
    const { range } = drawChart().options.scales.y

    expect(range(null, 5, drawn)).toEqual([0, top])
  })

  it('have a scale where all of them are zero', () => {
    const { range } = drawChart({ lines: [aLine('ci', 1, [0, 0, 0])] }).options.scales.y

    expect(range(null, 0, 0)).toEqual([0, 1])
  })

  it.each(['area', 'bar'] as const)('are drawn as an %s over what reaches above', (form) => {
    const { options } = drawChart({ form })

    expect(plot.data.slice(1)).toEqual([
      [30, 60, 20],
      [300, 600, 200],
    ])
    expect(options.series.map(({ fill }) => typeof fill)).toEqual([
      'undefined',
      'function',
      'function',
    ])
  })

  it('have faint lines of the time before', () => {
    const ghosts = [aLine('ci', 1, [1, 2, 3]), aLine('team', 2, [4, 5, 6])]
    const { options } = drawChart({ ghosts })

    expect(plot.data.slice(3)).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ])
    expect(options.series.slice(3).map(({ dash }) => dash)).toEqual([
      [2, 4],
      [2, 4],
    ])
  })

  it('fade while another one is pointed at', () => {
    const { chart } = drawChart()
    chart.look({ ...WHOLE, highlighted: 'ci' })

    expect(plot.series.slice(1).map(({ alpha }) => alpha)).toEqual([1, 0.25])
  })
})

describe('the pointer', () => {
  it('is reported as a bucket, with a dot at its counted value, not at the average', () => {
    const { chart } = drawChart({ lines: [aLine('ci', 1, [300, 600, 200], [400, 400, 400])] })
    chart.look(WHOLE)
    plot.pointAt(1)
    expect([told, dots()]).toEqual([[1], ['600px']])

    plot.pointAt(null)
    expect([told, dots()]).toEqual([[1, null], [null]])
  })

  it.each([
    { form: 'line', top: 605, pointerType: 'mouse', told: ['ci'] },
    { form: 'line', top: 300, pointerType: 'mouse', told: [] },
    { form: 'line', top: 600, pointerType: 'touch', told: [] },
    { form: 'area', top: 300, pointerType: 'mouse', told: ['team'] },
    { form: 'bar', top: 700, pointerType: 'mouse', told: ['ci'] },
    { form: 'bar', top: 20, pointerType: 'mouse', told: [] },
  ] as const)(
    'means $told by a click of a $pointerType at $top among $form',
    ({ form, top, pointerType, told: means }) => {
      drawChart({ form }).chart.look(WHOLE)
      plot.cursor.top = top
      plot.pointAt(1)
      const isOver = means.length > 0 || pointerType === 'touch'
      expect(plot.over.style.cursor).toBe(isOver ? 'pointer' : '')
      told.length = 0
      dispatch(plot.over, 'click', { pointerType })

      expect(told).toEqual(means)
    },
  )

  it('means no member by a click on the total or the rest', () => {
    drawChart({ lines: [aLine('other', 'other', [1, 600, 1])] }).chart.look(WHOLE)
    plot.cursor.top = 600
    plot.pointAt(1)
    expect(plot.over.style.cursor).toBe('')
    told.length = 0
    dispatch(plot.over, 'click', { pointerType: 'mouse' })

    expect(told).toEqual([])
  })

  it('has no dot where nothing is known', () => {
    const { chart } = drawChart({
      lines: [aLine('ci', 1, [300, null, 200]), aLine('team', 2, [30, 60, 20])],
    })
    chart.look(WHOLE)
    plot.pointAt(1)
    expect(dots()).toEqual([null, '60px'])
  })

  it('is put at a bucket by the keyboard, which is no news to the page', () => {
    const { chart } = drawChart()
    chart.look({ ...WHOLE, cursor: 2 })

    expect([plot.cursor.idx, dots(), told]).toEqual([2, ['200px', '20px'], []])
  })

  it('marks a stretch to zoom into, which is then shown', () => {
    const { chart, options } = drawChart()
    chart.look(WHOLE)
    Object.assign(plot.select, { left: 10, width: 10 })
    options.hooks.setSelect[0]?.(plot)
    expect(told).toEqual([[1, 2]])

    chart.look({ ...WHOLE, first: 1, last: 2 })
    expect(plot.scales.at(-1)).toEqual({
      min: NOW / 1_000 + BUCKET,
      max: NOW / 1_000 + 2 * BUCKET,
    })
  })
})

describe('the axes of the chart', () => {
  const DAY = 86_400

  it.each([
    { hours: 1, bucketSeconds: 60 },
    { hours: 24, bucketSeconds: 900 },
  ])('have round times within $hours h', ({ hours, bucketSeconds }) => {
    const [time] = drawChart({ bucketSeconds }).options.axes
    const from = NOW / 1_000
    const splits = time?.splits?.(null, 0, from, from + hours * 3_600) ?? []

    expect(splits.length).toBeGreaterThan(3)
    // A label needs 68 px, and the box is 800 px wide.
    expect(splits.length).toBeLessThanOrEqual(12)
    for (const text of time?.values(null, splits) ?? [])
      expect(text).toMatch(/^(\d\d:[0-5]0|[A-Z]\w\w \d+)$/)
  })

  it('have at least three times of a day on a phone, and no more than there is room for', () => {
    Object.assign(box, { clientWidth: 358 })
    const [time] = drawChart().options.axes
    const from = NOW / 1_000
    const splits = time?.splits?.(null, 0, from, from + DAY) ?? []

    expect(splits.length).toBeGreaterThanOrEqual(3)
    expect(splits.length * 68).toBeLessThanOrEqual(358)
  })

  it('have days over a long range', () => {
    const [time] = drawChart({ bucketSeconds: 6 * 3_600 }).options.axes
    const from = NOW / 1_000
    const splits = time?.splits?.(null, 0, from, from + 30 * DAY) ?? []

    expect(splits.length).toBeLessThanOrEqual(9)
    for (const text of time?.values(null, splits) ?? []) expect(text).toMatch(/^[A-Z]\w\w \d+$/)
  })

  it('have the words of the chart for its amounts', () => {
    const [, amount] = drawChart().options.axes

    expect(amount?.values(null, [0, 500])).toEqual(['0 tok', '500 tok'])
  })
})
