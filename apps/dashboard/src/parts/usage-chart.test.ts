import '../testing/browser.ts'
import { NOW } from '@svc/core/testing'
import type { StatsSeries } from '@svc/views'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { smallDocument } from '../testing/browser.ts'
import { showPool, wordsOf, wordsOfEach } from '../testing/page.ts'
import type { SmallElement } from '../testing/small-document.ts'
import { drawUsageChart } from './usage-chart.ts'

interface Options {
  readonly height: number
  readonly axes: readonly {
    splits?(self: unknown, axis: number, min: number, max: number): number[]
    values(self: unknown, splits: readonly number[]): string[]
  }[]
  readonly scales: { readonly y: { range(self: unknown, min: number, max: number): number[] } }
  readonly series: readonly { readonly label?: string; readonly dash?: readonly number[] }[]
  readonly hooks: { readonly setCursor: readonly ((self: unknown) => void)[] }
}

const drawn: { readonly options: unknown; readonly data: unknown }[] = []
/** The library that draws takes a browser; the tests in one look at what it draws. */
class NotedPlot {
  constructor(options: unknown, data: unknown) {
    drawn.push({ options, data })
  }
  destroy() {}
}

const BUCKET = 900
const points = (...tokens: readonly number[]) =>
  tokens.map((value, index) => ({
    t: new Date(NOW + index * BUCKET * 1_000).toISOString(),
    tokens: value,
    requests: value / 10,
    tokenText: `${value} tokens`,
    requestText: `${value / 10} requests`,
  }))

interface Shape {
  readonly metric?: string
  readonly mode?: string
  readonly bucketSeconds?: number
  readonly smoothTokens?: readonly number[]
}

const aChart = ({
  metric = 'tokens',
  mode = 'bucket',
  bucketSeconds = BUCKET,
  smoothTokens,
}: Shape) =>
  ({
    query: { metric, mode },
    bucketSeconds,
    series: [
      { id: 'ci', label: 'CI', points: points(300, 600), ...(smoothTokens && { smoothTokens }) },
      { id: 'all', label: '', points: points(30, 60) },
    ],
  }) as unknown as StatsSeries

let box: SmallElement
/** Draws a chart; gives what the library was told and the text under the cursor. */
const drawChart = (shape: Shape = {}) => {
  const chart = drawUsageChart(
    box as unknown as HTMLElement,
    aChart(shape),
    (name) => `<${name}>`,
    NotedPlot as never,
  )
  const { options, data } = drawn.at(-1) as { options: Options; data: number[][] }
  return { chart, options, data, readout: box.querySelector('.readout') as SmallElement }
}

beforeEach(() => {
  showPool([])
  box = smallDocument.createElement('div')
})
afterEach(() => {
  drawn.length = 0
})

describe('the lines of the chart', () => {
  it.each([
    {
      what: 'tokens by bucket',
      shape: {},
      lines: [
        [300, 600],
        [30, 60],
      ],
    },
    {
      what: 'requests by bucket',
      shape: { metric: 'requests' },
      lines: [
        [30, 60],
        [3, 6],
      ],
    },
    {
      what: 'tokens by the minute',
      shape: { mode: 'rate' },
      lines: [
        [20, 40],
        [2, 4],
      ],
    },
    {
      what: 'smoothed where they came smoothed',
      shape: { smoothTokens: [400, 500] },
      lines: [
        [400, 500],
        [30, 60],
      ],
    },
  ])('are $what, at the times of the points', ({ shape, lines }) => {
    const { data } = drawChart(shape)

    expect(data).toEqual([[NOW / 1_000, NOW / 1_000 + BUCKET], ...lines])
  })

  it('have names that may be shown, and dashes that tell them apart', () => {
    const [, ...lines] = drawChart().options.series

    expect(lines.map(({ label }) => label)).toEqual(['<CI>', '<>'])
    expect(new Set(lines.map(({ dash }) => String(dash))).size).toBe(2)
  })

  it('begin at zero and end a little below the edge', () => {
    const { range } = drawChart().options.scales.y

    expect([range(null, 5, 100), range(null, 0, 0)]).toEqual([
      [0, 105],
      [0, 1],
    ])
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
    // There is room for one in 90 px, and the box is 800 px wide.
    expect(splits.length).toBeLessThanOrEqual(9)
    for (const text of time?.values(null, splits) ?? []) expect(text).toMatch(/^\d\d:[0-5]0$/)
  })

  it('have days over a long range', () => {
    const [time] = drawChart({ bucketSeconds: 6 * 3_600 }).options.axes
    const from = NOW / 1_000
    const splits = time?.splits?.(null, 0, from, from + 30 * DAY) ?? []

    expect(splits.length).toBeLessThanOrEqual(9)
    for (const text of time?.values(null, splits) ?? []) expect(text).toMatch(/^[A-Z]\w\w \d+$/)
  })

  it('have short numbers, and none at zero', () => {
    const [, amount] = drawChart().options.axes

    expect(amount?.values(null, [0, 500, 20_000, 1_500_000])).toEqual(['', '500', '20k', '1.5M'])
  })
})

describe('the numbers under the cursor', () => {
  const over = { clientWidth: 800 }
  const point = (options: Options, idx: number | null, left: number) =>
    options.hooks.setCursor[0]?.({ cursor: { idx, left }, over })

  it('are those of the bucket, exact, with the name of each line', () => {
    const { options, readout } = drawChart({ smoothTokens: [1, 2] })
    expect(readout).toMatchObject({ hidden: true })
    point(options, 1, 100)

    expect(readout).toMatchObject({ hidden: false })
    expect(wordsOf(readout.querySelector('p'))).toBe('Fri 20, 20:15 – 20:30')
    expect(wordsOfEach(readout, 'dl div')).toEqual(['<CI> 600 tokens', '<> 60 tokens'])
  })

  it('name the day alone where a bucket is a day', () => {
    const { options, readout } = drawChart({ bucketSeconds: 86_400 })
    point(options, 0, 100)

    expect(wordsOf(readout.querySelector('p'))).toBe('Fri 20')
  })

  it.each([
    { left: 400, className: 'readout' },
    { left: 401, className: 'readout on-left' },
  ])('stand beside the cursor, not under it: at $left px', ({ left, className }) => {
    const { options, readout } = drawChart()
    point(options, 0, left)

    expect(readout.className).toBe(className)
  })

  it('go with the cursor, and with the chart', () => {
    const { options, readout, chart } = drawChart()
    point(options, 0, 100)
    point(options, null, 100)
    expect(readout).toMatchObject({ hidden: true })

    chart.destroy()
    expect(box.querySelectorAll('.readout')).toHaveLength(0)
  })
})
