import type { StatsSeries } from '@svc/views'
import { describe, expect, it } from 'vitest'
import {
  assignStyles,
  buildChartLines,
  type ChartForm,
  chooseChartForm,
  drawnLines,
  drawnPreviousLines,
  LINES_MAX,
} from './chart-lines.ts'

const START = Date.UTC(2026, 10, 20, 12)
const BUCKET = 900

/** A line with these tokens per bucket; null means unknown. */
const line = (id: string, tokens: readonly (number | null)[], more: object = {}) => ({
  id,
  label: id.toUpperCase(),
  tokens: tokens.reduce<number>((sum, value) => sum + (value ?? 0), 0),
  requests: 7,
  failed: 2,
  points: tokens.map((value, index) => ({
    t: new Date(START + index * BUCKET * 1000).toISOString(),
    tokens: value ?? 0,
    requests: 3,
    failed: 1,
    ...(value === null ? { unknown: true } : {}),
  })),
  ...more,
})

interface Shape {
  readonly series: readonly ReturnType<typeof line>[]
  readonly total: ReturnType<typeof line>
  readonly query?: object
  readonly begin?: number
  readonly end?: number
  readonly previous?: object | null
  readonly form?: ChartForm
}

const chart = ({
  series,
  total,
  query = {},
  begin = START,
  end = START + 2 * BUCKET * 1000,
  previous = null,
  form = 'line',
}: Shape) =>
  buildChartLines(
    {
      query: { metric: 'tokens', mode: 'bucket', smooth: false, ...query },
      range: { start: new Date(begin).toISOString(), end: new Date(end).toISOString() },
      bucketSeconds: BUCKET,
      series,
      total,
      previous,
    } as unknown as StatsSeries,
    form,
  )

describe('the lines of a chart', () => {
  it('have a gap, not a zero, where nothing is known', () => {
    const { lines, total } = chart({
      series: [line('ci', [null, 30])],
      total: line('total', [null, 30]),
    })

    expect([lines[0]?.counted, lines[0]?.drawn, total.counted]).toEqual([
      [null, 30],
      [null, 30],
      [null, 30],
    ])
  })

  it.each([
    { metric: 'tokens', counted: [30, 60], sum: 90 },
    { metric: 'requests', counted: [3, 3], sum: 7 },
    { metric: 'failed', counted: [1, 1], sum: 2 },
  ])('count $metric', ({ metric, counted, sum }) => {
    const { lines } = chart({
      series: [line('ci', [30, 60])],
      total: line('total', [30, 60]),
      query: { metric },
    })

    expect(lines).toMatchObject([{ counted, sum }])
  })

  it('are by the minute in that mode, the running bucket by the minutes it has run', () => {
    const { lines } = chart({
      series: [line('ci', [150, 150])],
      total: line('total', [150, 150]),
      query: { mode: 'rate' },
      end: START + (BUCKET + 300) * 1000,
    })

    expect(lines[0]?.counted).toEqual([10, 30])
  })

  it('are drawn smoothed where they came smoothed, and keep what was counted', () => {
    const { lines } = chart({
      series: [line('ci', [10, 50], { smoothTokens: [30, 30] })],
      total: line('total', [10, 50], { smoothTokens: [30, 30] }),
      query: { smooth: true },
    })

    expect([lines[0]?.counted, lines[0]?.drawn]).toEqual([
      [10, 50],
      [30, 30],
    ])
  })

  it.each([
    { what: 'a second before its end', endSeconds: 3 * BUCKET - 1, drawn: [10, 20, null], at: 2 },
    { what: 'at its end', endSeconds: 3 * BUCKET, drawn: [10, 20, 2], at: null },
  ])('end before a bucket that is not over: $what', ({ endSeconds, drawn, at }) => {
    const { lines, total, runningIndex } = chart({
      series: [line('ci', [10, 20, 2])],
      total: line('total', [11, 21, 2]),
      end: START + endSeconds * 1000,
    })

    expect([lines[0]?.drawn, runningIndex]).toEqual([drawn, at])
    expect([lines[0]?.counted[2], total.counted[2]]).toEqual([2, 2])
    expect(lines.at(-1)).toMatchObject({ id: 'other', counted: [1, 1, 0] })
  })

  it('have no mean that a bucket which is not over pulls down', () => {
    const counted = [10, 10, 10, 10, 0]
    const { lines } = chart({
      series: [line('ci', counted, { smoothTokens: [10, 10, 8, 7.5, 6.7] })],
      total: line('total', counted, { smoothTokens: [10, 10, 8, 7.5, 6.7] }),
      query: { smooth: true },
      end: START + (4 * BUCKET + 5) * 1000,
    })

    expect(lines[0]?.drawn).toEqual([10, 10, 10, 10, null])
  })

  it('begin after a first bucket that is partly in the range, which counts by its minutes and pulls no mean down', () => {
    const means = { smoothTokens: [8, 8.5, 8.8, 9, 10] }
    const asked = (query: object) =>
      chart({
        series: [line('ci', [5, 10, 10, 10, 10], means)],
        total: line('total', [5, 10, 10, 10, 10], means),
        query,
        begin: START + 600_000,
        end: START + 5 * BUCKET * 1000,
      })

    expect(asked({ smooth: true })).toMatchObject({ partial: [0], runningIndex: null })
    expect(asked({ smooth: true }).lines[0]?.drawn).toEqual([null, 10, 10, 9, 10])
    expect(asked({ mode: 'rate' }).lines[0]?.counted[0]).toBe(1)
  })

  it('are each of a style of their own; what is beyond them is one other line', () => {
    const many = Array.from({ length: LINES_MAX + 2 }, (_, index) => line(`c${index}`, [1, 2]))
    const { lines } = chart({ series: many, total: line('total', [20, 20]) })

    expect(new Set(lines.map(({ style }) => style))).toEqual(
      new Set([1, 2, 3, 4, 5, 6, 7, 8, 'other']),
    )
    expect(lines.at(-1)).toMatchObject({ id: 'other', counted: [12, 4], drawn: [12, 4], sum: 16 })
  })

  it('keep their styles when their ranks change, also where two want the same one', () => {
    const ids = ['ci', 'team', 'laptop', 'api', 'cron', 'night', 'web', 'mobile']
    const stylesIn = (order: readonly string[]) =>
      Object.fromEntries(assignStyles(order, new Map()))
    const wanted = ids.map((id) => stylesIn([id])[id])

    // Some ids want the same style, so that there is a conflict to resolve.
    expect(new Set(wanted).size).toBeLessThan(LINES_MAX)
    expect(stylesIn(ids.toReversed())).toEqual(stylesIn(ids))
    const [first = '', ...others] = ids
    expect(stylesIn([...others, first])).toEqual(stylesIn(ids))
  })

  /** Ids that want this style. */
  const wanting = (style: number | undefined) =>
    Array.from({ length: 99 }, (_, index) => `late-${index}`).filter(
      (id) => assignStyles([id], new Map()).get(id) === style,
    )

  it('keep their styles in a range without the one they gave way to, and then with it again', () => {
    const ids = wanting(3).slice(0, 2)
    const last = new Map<string, number>()
    const stylesIn = (shown: readonly string[]) => {
      const styles = assignStyles(shown, last)
      return ids.map((id) => styles.get(id))
    }
    const [one, other] = stylesIn(ids)

    expect(one).not.toBe(other)
    expect(stylesIn(ids.slice(0, 1))).toEqual([one, undefined])
    expect(stylesIn(ids.slice(1))).toEqual([undefined, other])
    // A later line takes another style, even if its hash names one that is given.
    for (const style of [one, other])
      expect(stylesIn([wanting(style)[5] ?? '', ...ids])).toEqual([one, other])
  })

  it('keep from chart to chart the style that they had', () => {
    const ids = wanting(3).slice(0, 2)
    const givesWay = ids.find((id) => assignStyles(ids, new Map()).get(id) !== 3)
    const styleIn = (shown: readonly string[]) =>
      chart({ series: shown.map((id) => line(id, [1])), total: line('total', [8]) }).lines.find(
        ({ id }) => id === givesWay,
      )?.style

    expect(styleIn([givesWay ?? ''])).toBe(3)
    expect(styleIn(ids)).toBe(3)
  })

  it('leave a style to whoever wants it, however many others are there', () => {
    const ids = ['ci', 'team', 'laptop']
    const alone = Object.fromEntries(ids.map((id) => [id, assignStyles([id], new Map()).get(id)]))

    expect(new Set(Object.values(alone)).size).toBe(ids.length)
    expect(Object.fromEntries(assignStyles(ids, new Map()))).toEqual(alone)
  })

  it('have the lines of the time before, in the same styles', () => {
    const series = [line('ci', [5, 6]), line('team', [1, 1])]
    const total = line('total', [6, 7])
    const { lines, previous } = chart({
      series,
      total,
      previous: { end: new Date(START).toISOString(), series, total },
    })

    const [ci, team] = lines.map(({ style }) => style)
    expect(previous?.lines.map(({ id, style, counted }) => ({ id, style, counted }))).toEqual([
      { id: 'ci', style: ci, counted: [5, 6] },
      { id: 'team', style: team, counted: [1, 1] },
    ])
    expect(previous?.total.counted).toEqual([6, 7])
    expect(chart({ series, total }).previous).toBe(null)
  })

  it('have no other line where they are everything', () => {
    const { lines } = chart({ series: [line('ci', [5, 6])], total: line('total', [5, 6]) })

    expect(lines.map(({ id }) => id)).toEqual(['ci'])
  })
})

describe('the form of a chart', () => {
  it.each([
    { metric: 'tokens', chosen: 'area', form: 'area' },
    { metric: 'tokens', chosen: 'line', form: 'line' },
    { metric: 'failed', chosen: 'area', form: 'bar' },
    { metric: 'failed_limit', chosen: 'area', form: 'bar' },
    { metric: 'failed', chosen: 'line', form: 'line' },
    { metric: 'cache_share', valueUnit: 'percent', chosen: 'area', form: 'line' },
    { metric: 'latency_p95', valueUnit: 'ms', chosen: 'area', form: 'line' },
    { metric: 'cached', valueUnit: 'tokens', chosen: 'area', form: 'area' },
  ])(
    'of $metric is a $form where somebody wants a $chosen',
    ({ metric, valueUnit, chosen, form }) => {
      const now = { query: { metric }, valueUnit } as unknown as StatsSeries

      expect(chooseChartForm(now, chosen)).toBe(form)
    },
  )
})

describe('the drawn lines', () => {
  const shape = {
    series: [line('ci', [10, null, 3]), line('team', [5, null, 4])],
    total: line('total', [16, null, 7]),
    end: START + 3 * BUCKET * 1000,
  }

  it('stand on each other in areas, up to the total, with a gap where that is not known', () => {
    const { form, lines, total } = chart({ ...shape, form: 'area' })
    const drawn = drawnLines({ form, lines, total }, null)

    expect(drawn.map(({ id, counted }) => [id, counted])).toEqual([
      ['ci', [10, null, 3]],
      ['team', [15, null, 7]],
      ['other', [16, null, 7]],
    ])
  })

  it.each([
    { form: 'area', isolated: 'team', counted: [[5, null, 4]] },
    {
      form: 'line',
      isolated: null,
      counted: [
        [10, null, 3],
        [5, null, 4],
        [1, null, 0],
      ],
    },
  ] as const)('are what was counted in a $form of $isolated', ({ form, isolated, counted }) => {
    expect(drawnLines(chart({ ...shape, form }), isolated).map((each) => each.counted)).toEqual(
      counted,
    )
  })

  it('have their total above them where they do not add up, unless one is alone', () => {
    const lines = chart({ ...shape, form: 'line' })

    expect(drawnLines(lines, null, true).at(-1)?.style).toBe('total')
    expect(drawnLines(lines, 'team', true).map(({ id }) => id)).toEqual(['team'])
  })

  it('are in bars the percent of all requests of the bucket, so that they add up to the rate of failures', () => {
    const { lines, total } = chart({ ...shape, form: 'bar', query: { metric: 'failed' } })

    expect(total.counted[0]).toBeCloseTo(100 / 3)
    expect(lines.map(({ id, counted }) => [id, Math.round(counted[0] ?? 0)])).toEqual([
      ['ci', 33],
      ['team', 33],
    ])
  })

  it('have no bar where a line has nothing', () => {
    const none = {
      ...line('ci', [1, 1, 1]),
      points: line('ci', [1, 1, 1]).points.map((point) => ({ ...point, failed: 0 })),
    }
    const { form, lines, total } = chart({
      ...shape,
      series: [line('team', [5, 6, 4]), none],
      form: 'bar',
      query: { metric: 'failed' },
    })

    expect(drawnLines({ form, lines, total }, null)[1]?.drawn).toEqual([null, null, null])
  })

  it('have the total of the time before behind areas, and their own behind lines and behind one alone', () => {
    const previous = { ...shape, end: new Date(START).toISOString() }
    const ghosts = (form: ChartForm, isolated: string | null) =>
      drawnPreviousLines(chart({ ...shape, previous, form }), isolated).map(({ id }) => id)

    expect(ghosts('area', null)).toEqual(['total'])
    expect(ghosts('area', 'ci')).toEqual(['ci'])
    expect(ghosts('line', null)).toEqual(['ci', 'team'])
    expect(ghosts('bar', null)).toEqual([])
  })
})
