import { signal } from '@preact/signals'
import { NOW } from '@svc/core/testing'
import { h } from 'preact'
import { beforeEach, describe, expect, it } from 'vitest'
import { dispatch } from '../testing/browser.ts'
import { change, draw, showPool, wordsOf, wordsOfEach } from '../testing/page.ts'
import { FlowChart, type FlowChartProps } from './flow-chart.tsx'

const HOUR = 3_600_000

beforeEach(() => showPool([]))

const PROPS: FlowChartProps = {
  name: 'Weekly quota',
  past: [],
  pastHours: 6,
  resets: [],
  aheadHours: 6,
  forecast: null,
  usable: 2,
  held: 0,
  height: 140,
  dryMs: null,
}
const chart = (changes: Partial<FlowChartProps> = {}) =>
  draw(h(FlowChart, { ...PROPS, ...changes }))
const reset = (hours: number, units: number, total: number) => ({
  atMs: NOW + hours * HOUR,
  units,
  total,
})
/** A forecast that falls from 2 to 1 in six hours. */
const falling = (isRough: boolean) => ({
  points: [{ atMs: NOW + 6 * HOUR, expected: 1, low: 0, high: 1.5 }],
  isRough,
  dryMs: null,
})
const pathOf = (place: Element, selector: string) =>
  place.querySelector(selector)?.getAttribute('d')
/** Place of an element in the chart, in percent of the width and pixels from the top. */
const numbers = (element: Element | null | undefined, names: readonly string[]) =>
  names.map((name) => Number.parseFloat(element?.getAttribute(name) ?? 'NaN'))

describe('the chart of past and coming quota', () => {
  it.each([
    {
      what: 'without a past',
      changes: {},
      summary: '2.0 Plus now; 02:00: 2.0 Plus if nothing is used',
    },
    {
      what: 'with a past and resets',
      changes: {
        past: [{ atMs: NOW - HOUR, units: 3 }],
        resets: [reset(1, 1, 3)],
      },
      summary: 'from 3.0 to 2.0 Plus so far; 02:00: 3.0 Plus if nothing is used',
    },
    {
      what: 'with a forecast',
      changes: { forecast: falling(false) },
      summary: '2.0 Plus now; 02:00: 1.0 Plus expected (0.0 to 1.5)',
    },
  ])('says in words what it draws, $what', ({ changes, summary }) => {
    const svg = chart(changes).querySelector('svg.flow')

    expect([svg?.getAttribute('role'), svg?.getAttribute('aria-label')]).toEqual([
      'img',
      `Weekly quota: ${summary}`,
    ])
  })

  it('can be read at any time', () => {
    const slider = chart().querySelector('[role=slider]')

    expect(slider?.getAttribute('aria-label')).toBe('Weekly quota by time')
    expect(slider?.getAttribute('aria-valuetext')).toBe('now: 2.0 Plus usable')
  })

  it('draws what is usable, with what blocked accounts hold outlined above it', () => {
    const past = [{ atMs: NOW - HOUR, units: 1, held: 1 }]
    const points = [{ atMs: NOW + 6 * HOUR, expected: 2, low: 2, high: 2, held: 0 }]
    const place = chart({
      past,
      usable: 1,
      held: 1,
      forecast: { points, isRough: false, dryMs: null },
    })
    const heights = (selector: string) =>
      [...place.querySelectorAll(selector)].map((path) =>
        [...(path.getAttribute('d') ?? '').matchAll(/[ML]\S+ (\S+?)(?=L|$)/g)].map(([, y]) => y),
      )

    // 2 of 2 is at the top of the chart, 1 of 2 in its middle.
    expect(heights('.line')).toEqual([['69.0', '69.0']])
    expect(heights('.held-line')).toEqual([
      ['18.0', '18.0'],
      ['18.0', '18.0'],
    ])
    expect(heights('.step')).toEqual([['69.0', '18.0']])
  })

  it('draws the riser of a reset once, and no outline where nothing is held', () => {
    const at = (hours: number, expected: number, held: number) => ({
      ...{ atMs: NOW + hours * HOUR, expected, low: expected, high: expected, held },
    })
    const points = [at(0, 1, 1), at(2, 1, 1), at(2, 2, 1), at(4, 2, 1), at(4, 3, 0), at(6, 3, 0)]
    const forecast = { points, isRough: false, dryMs: null }
    const place = chart({ pastHours: 0, usable: 1, held: 1, forecast })
    const runs = (selector: string) =>
      [...(pathOf(place, selector) ?? '').matchAll(/([ML])(\S+) (\S+?)(?=[ML]|$)/g)].map(
        ([, kind, x]) => `${kind}${x}`,
      )

    expect(runs('.step')).toEqual(['M0.00', 'L33.33', 'L33.33', 'L66.67', 'L66.67', 'L100.00'])
    expect(runs('.flow .held-line')).toEqual(['M0.00', 'L33.33', 'M33.33', 'L66.67'])
  })

  it('says what is usable now and what blocked accounts hold', () => {
    const slider = chart({ usable: 15.25, held: 2.65 }).querySelector('[role=slider]')
    const heard = () => slider?.getAttribute('aria-valuetext')

    // 15.25 is shown as 15.3.
    expect(heard()).toBe('now: 15.3 Plus usable, 2.6 held')
    change(() => void dispatch(slider as Element, 'keydown', { key: 'End' }))
    expect(heard()).toBe('02:00: 15.3 Plus if nothing is used')
  })

  it.each([
    { usable: 0, axis: ['0.2', '0.1', '0'] },
    { usable: 0.25, axis: ['0.4', '0.2', '0'] },
    { usable: 0.9, axis: ['1', '0.5', '0'] },
    { usable: 1.2, axis: ['2', '1', '0'] },
    { usable: 4, axis: ['4', '2', '0'] },
    { usable: 16.8, axis: ['20', '10', '0'] },
    { usable: 26, axis: ['30', '15', '0'] },
    { usable: 81, axis: ['100', '50', '0'] },
    { usable: 1_204, axis: ['1,500', '750', '0'] },
  ])('reaches to the next round number above what it shows: $usable', ({ usable, axis }) => {
    expect(wordsOfEach(chart({ usable }), '.amount')).toEqual(['Plus', ...axis])
  })

  it('reaches above the past, the resets and the band as well', () => {
    const top = (changes: Partial<FlowChartProps>) => wordsOfEach(chart(changes), '.amount')[1]

    expect(top({ past: [{ atMs: NOW - HOUR, units: 26 }] })).toBe('30')
    expect(top({ resets: [reset(1, 13, 15)] })).toBe('15')
    expect(
      top({
        forecast: {
          ...falling(false),
          points: [{ atMs: NOW + HOUR, expected: 1, low: 0, high: 7 }],
        },
      }),
    ).toBe('8')
  })

  it.each([
    { what: 'as far back as it reaches', hours: -6, words: '' },
    { what: 'nearly so', hours: -4, words: '' },
    { what: 'a short while', hours: -2, words: 'kept since 18:00' },
    { what: 'not known, as just after a start', hours: null, words: '' },
  ])('says since when the past is kept, where that is $what', ({ hours, words }) => {
    const past = hours === null ? [] : [{ atMs: NOW + hours * HOUR, units: 1 }]

    expect(wordsOf(chart({ past })).match(/kept since \S+/)?.[0] ?? '').toBe(words)
    expect(wordsOf(chart({ past: [], pastHours: 0 }))).not.toContain('kept since')
  })

  it('draws no line where nothing is known', () => {
    const past = [
      { atMs: NOW - 6 * HOUR, units: 4 },
      { atMs: NOW - 4.5 * HOUR, units: 2 },
      { atMs: NOW - 1.5 * HOUR, units: 2, isAfterGap: true },
    ]
    const place = chart({ past })

    expect(pathOf(place, 'path.line')).toBe('M0.00 18.0L12.50 69.0M37.50 69.0L50.00 69.0')
    expect(pathOf(place, 'path.area')).toBe(
      'M0.00 18.0L12.50 69.0L12.50 120.0L0.00 120.0ZM37.50 69.0L50.00 69.0L50.00 120.0L37.50 120.0Z',
    )
  })

  it('has now in the middle between as much past as future, and begins with it without a past', () => {
    expect(pathOf(chart(), '.hold')).toBe('M50.00 18.0L100.00 18.0L100.00 120.0L50.00 120.0Z')

    const place = chart({ pastHours: 0 })
    expect(pathOf(place, '.hold')).toMatch(/^M0\.00 18\.0L100\.00 18\.0/)
    expect(place.querySelectorAll('.now')).toHaveLength(0)
  })

  it('rises by a stair at each reset', () => {
    const place = chart({ resets: [reset(3, 1, 3), reset(6, 1, 4)] })

    expect(pathOf(place, '.step')).toBe(
      'M50.00 69.0L75.00 69.0L75.00 43.5L100.00 43.5L100.00 18.0L100.00 18.0',
    )
  })

  it.each([
    { what: 'has passed', atMs: NOW, isDrawn: false },
    { what: 'is the next moment', atMs: NOW + 1, isDrawn: true },
    { what: 'is at the end', atMs: NOW + 6 * HOUR, isDrawn: true },
    { what: 'is beyond the end', atMs: NOW + 6 * HOUR + 1, isDrawn: false },
  ])('draws a reset that $what: $isDrawn', ({ atMs, isDrawn }) => {
    const place = chart({ resets: [{ atMs, units: 1, total: 3 }] })

    expect(pathOf(place, '.step')?.split('L')).toHaveLength(isDrawn ? 4 : 2)
  })

  it('draws the past up to now, without what is older than its scale', () => {
    const at = (hours: number) => ({ atMs: NOW + hours * HOUR, units: 4 })

    expect(pathOf(chart({ past: [at(-7), at(-6), at(-3)] }), 'path.line')).toBe(
      'M0.00 18.0L25.00 18.0L50.00 69.0',
    )
    expect(chart({ past: [at(-7)] }).querySelectorAll('path.line')).toHaveLength(0)
  })

  it('grows its last part once for each reset that arrives, and for nothing else', () => {
    const past = [
      { atMs: NOW - HOUR, units: 3 },
      { atMs: NOW - HOUR / 2, units: 2 },
    ]
    const usable = signal(2)
    const place = draw(h(() => h(FlowChart, { ...PROPS, past, usable: usable.value }), {}))
    const riserAt = (units: number) => {
      change(() => {
        usable.value = units
      })
      return place.querySelector('.riser')
    }

    expect(riserAt(1)).toBeNull()
    const first = riserAt(3)
    expect(first?.getAttribute('d')).toBe('M45.83 52.0L50.00 18.0')
    expect(riserAt(2.5)).toBe(first)
    expect(riserAt(4)).not.toBe(first)
  })

  it('draws a forecast as a line in its band, a rough one as the band alone', () => {
    const sure = chart({ forecast: falling(false) })
    expect(pathOf(sure, '.band')).toBe('M50.00 18.0L100.00 43.5L100.00 120.0L50.00 18.0Z')
    expect(pathOf(sure, '.step')).toBe('M50.00 18.0L100.00 69.0')
    expect(sure.querySelectorAll('.hold, .gain')).toHaveLength(0)

    const rough = chart({ forecast: falling(true) })
    expect(rough.querySelectorAll('.band')).toHaveLength(1)
    expect(rough.querySelectorAll('.step')).toHaveLength(0)
  })

  it('names the resets that return much, the larger one where two are close together', () => {
    const resets = [reset(1, 0.1, 2.1), reset(3, 0.5, 2.6), reset(3.5, 1, 3.6)]

    expect(wordsOfEach(chart({ resets }), '.step-label')).toEqual(['+1.0 23:30'])
  })

  it('names one of two resets whose names would meet between them', () => {
    const resets = [reset(2.7, 1, 3), reset(5.4, 0.5, 3.5)]

    expect(wordsOfEach(chart({ resets }), '.step-label')).toEqual(['+1.0 22:42'])
  })

  it.each([
    {
      what: 'the stair',
      resets: [reset(1, 1, 3), reset(1.5, 0.1, 3.9)],
      forecast: null,
      high: 3.9,
    },
    {
      what: 'the stair before it, at the end',
      resets: [reset(5.5, 1, 3.9)],
      forecast: null,
      high: 3.9,
    },
    {
      what: 'the band',
      resets: [reset(1, 1, 3)],
      forecast: {
        ...falling(false),
        points: [
          { atMs: NOW + HOUR, expected: 1.5, low: 1, high: 1.8 },
          { atMs: NOW + HOUR, expected: 2.6, low: 2, high: 2.8 },
          { atMs: NOW + 2 * HOUR, expected: 2.8, low: 1, high: 3.9 },
        ],
      },
      high: 3.9,
    },
  ])(
    'has the name of a reset above $what as far as the name reaches',
    ({ resets, forecast, high }) => {
      const place = chart({ resets, forecast })
      const [y = Number.NaN] = numbers(place.querySelector('.step-label'), ['y'])

      expect(y).toBeCloseTo(120 - (high / 4) * 102 - 6, 3)
    },
  )

  it.each([{ hours: 6 }, { hours: 12 }])(
    'has round times under its axis, none of them beside now: $hours h',
    ({ hours }) => {
      const past = [{ atMs: NOW - hours * HOUR, units: 2 }]
      const texts = wordsOf(chart({ past, pastHours: hours, aheadHours: hours })).split(' ')

      expect([texts.slice(0, 4), texts.at(-1)]).toEqual([['Plus', '2', '1', '0'], 'now'])
      const times = texts.slice(4, -1)
      expect(times.length).toBeGreaterThanOrEqual(3)
      for (const time of times) expect(time).toMatch(/^\d\d:00$/)
      expect(times).not.toContain('20:00')
    },
  )

  it.each([
    { what: 'within', hours: 3, x: 75, label: 'dry 23:00' },
    { what: 'soon', hours: 0.25, x: 52.08, label: 'dry 20:15' },
    { what: 'by now', hours: -0.1, x: 50, label: 'dry 19:54' },
    { what: 'at the end', hours: 6, x: 100, label: 'dry 02:00' },
  ])('marks on its axis when the window runs dry: $what', ({ hours, x, label }) => {
    const place = chart({ dryMs: NOW + hours * HOUR })

    expect(numbers(place.querySelector('.dry-mark'), ['x1', 'x2'])).toEqual([x, x])
    expect(wordsOf(place.querySelector('.dry-label'))).toBe(label)
    // No other time is where the label is.
    const times = wordsOfEach(place, '.tick')
    expect(times).not.toContain(`${label.slice(4, 6)}:00`)
    expect(times.length).toBeGreaterThan(1)
  })

  it('marks nothing where the window does not run dry, or only beyond what is shown', () => {
    expect(chart().querySelectorAll('.dry-mark')).toHaveLength(0)
    expect(
      chart({ dryMs: NOW + 6.1 * HOUR }).querySelectorAll('.dry-mark, .dry-label'),
    ).toHaveLength(0)
  })

  it.each([
    { forecast: null, words: '02:00: 2.0 Plus if nothing is used; at this pace dry about 01:00' },
    { forecast: falling(false), words: '02:00: 1.0 Plus expected (0.0 to 1.5)' },
  ])(
    'says beside what would be left unused when it would be dry: $words',
    ({ forecast, words }) => {
      const slider = chart({ forecast, dryMs: NOW + 5 * HOUR }).querySelector('[role=slider]')
      change(() => void dispatch(slider, 'keydown', { key: 'End' }))

      expect(slider?.getAttribute('aria-valuetext')).toBe(words)
    },
  )

  it('tells days where it reaches further than a day', () => {
    const past = [{ atMs: NOW - 24 * HOUR, units: 2 }]

    expect(wordsOf(chart({ past, pastHours: 24, aheadHours: 48 }))).toMatch(
      /^Plus 2 1 0 (?:\w{3} \d+ ?)+now$/,
    )
  })
})
