import type uPlot from 'uplot'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ChartLine } from '../state/chart-lines.ts'
import { drawPartial, findGapBands } from './usage-chart-layers.ts'

const gap = (from: number, to: number) => ({
  start: new Date(from * 1000).toISOString(),
  end: new Date(to * 1000).toISOString(),
  reason: 'missed' as const,
})

it.each([
  { what: 'a gap inside', gaps: [gap(20, 50)], bands: [[120, 150]] },
  { what: 'a gap that begins before the chart', gaps: [gap(-50, 10)], bands: [[100, 110]] },
  { what: 'a gap that goes on after it', gaps: [gap(90, 500)], bands: [[190, 200]] },
  { what: 'a gap too short to see', gaps: [gap(40, 40.5)], bands: [[140, 142]] },
  { what: 'a gap that a zoom leaves out', gaps: [gap(-50, -10), gap(150, 160)], bands: [] },
])('$what is hatched where the chart shows it', ({ gaps, bands }) => {
  const area = { left: 100, right: 200 }

  expect(
    findGapBands(gaps, area, (seconds) => 100 + seconds).map(({ left, right }) => [left, right]),
  ).toEqual(bands)
})

const drawn: unknown[] = []
const plot = {
  scales: { x: { min: 0, max: 2 } },
  ctx: {
    save() {},
    restore() {},
    beginPath() {},
    setLineDash() {},
    fill() {},
    stroke() {},
    arc: (x: number, y: number) => void drawn.push([x, y]),
    fillText: (text: string, _: number, y: number) => void drawn.push([text, y]),
  },
  valToPos: (value: number, axis: string) => (axis === 'x' ? value * 10 : 100 - value),
}
const aLine = (id: string, counted: readonly (number | null)[]): ChartLine => ({
  id,
  label: id,
  style: 1,
  counted,
  drawn: counted,
  sum: 0,
})
const draw = (
  partial: readonly number[],
  lines = [aLine('ci', [30, 60, 5]), aLine('team', [10, 20, 8])],
) => {
  const look = { colour: (name: string) => name, font: '12px sans-serif' }
  drawPartial(
    plot as unknown as uPlot,
    { times: [0, 1, 2], lines, partial, runningIndex: partial.find((index) => index > 0) ?? null },
    look,
  )
  return drawn
}

beforeEach(() => {
  Object.assign(globalThis, { devicePixelRatio: 1 })
  drawn.length = 0
  plot.scales.x.max = 2
})

describe('a bucket that is partly in the range', () => {
  it('is a dot for each line, and says that it is so far while it is running', () => {
    expect(draw([0, 2])).toEqual([
      [0, 70],
      [0, 90],
      [20, 95],
      [20, 92],
      ['so far', 92],
    ])
  })

  it.each([
    { what: 'there is none', partial: [], max: 2, counted: [1, 2, 3] },
    { what: 'the chart ends before it', partial: [2], max: 1, counted: [1, 2, 3] },
    { what: 'nothing is known of it', partial: [2], max: 2, counted: [1, 2, null] },
  ])('is not drawn where $what', ({ partial, max, counted }) => {
    plot.scales.x.max = max

    expect(draw(partial, [aLine('ci', counted)])).toEqual([])
  })
})
