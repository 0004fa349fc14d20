import '../testing/browser.ts'
import { NOW } from '@svc/core/testing'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clearPage, draw, elementsOf, showPool, wordsOf, wordsOfEach } from '../testing/page.ts'
import { FlowChart, type FlowChartProps } from './flow-chart.tsx'

const HOUR = 3_600_000

beforeEach(() => showPool([]))
afterEach(clearPage)

const chart = (changes: Partial<FlowChartProps> = {}) =>
  draw(
    h(FlowChart, {
      name: 'Weekly quota',
      label: 'what it shows',
      past: [],
      pastHours: 6,
      ahead: [],
      aheadHours: 6,
      known: 2,
      tracked: 4,
      height: 104,
      ...changes,
    }),
  )
/** Place of an element in the chart, in percent of the width and pixels from the top. */
const numbers = (element: Element | null | undefined, names: readonly string[]) =>
  names.map((name) => Number.parseFloat(element?.getAttribute(name) ?? 'NaN'))

describe('the chart of what comes back', () => {
  it('is named for those who do not see it', () => {
    const svg = chart().querySelector('svg.flow')

    expect([svg?.getAttribute('role'), svg?.getAttribute('aria-label')]).toEqual([
      'img',
      'what it shows',
    ])
  })

  it('can be read at any time', () => {
    const slider = chart().querySelector('[role=slider]')

    expect(slider?.getAttribute('aria-label')).toBe('Weekly quota by time')
    expect(slider?.getAttribute('aria-valuetext')).toBe('now: 2.0 Plus left')
  })

  it('says how much its height and half of it is', () => {
    expect(wordsOf(chart({ tracked: 41 }).querySelector('.flow'))).toMatch(/^41 Plus 20\.5 /)
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

    expect(place.querySelector('path.line')?.getAttribute('d')).toBe(
      'M0.00 14.0L25.00 49.0M75.00 49.0L100.00 49.0',
    )
    expect(place.querySelector('path.area')?.getAttribute('d')).toBe(
      'M0.00 84L0.00 14.0L25.00 49.0L25.00 84ZM75.00 84L75.00 49.0L100.00 49.0L100.00 84Z',
    )
  })

  it('has now in the middle between as much past as future, what is left as high as its share', () => {
    const hold = chart().querySelector('.hold')

    // Between 14 px and the axis at 84 px, half of the height remains.
    expect(numbers(hold, ['x', 'width', 'y', 'height'])).toEqual([50, 50, 49, 35])
  })

  it('begins with now where there is no past', () => {
    const place = chart({ pastHours: 0 })

    expect(numbers(place.querySelector('.hold'), ['x', 'width'])).toEqual([0, 100])
    expect(place.querySelectorAll('.now')).toHaveLength(0)
  })

  it('rises by a stair at each reset, and never above all that is tracked', () => {
    const place = chart({
      ahead: [
        { atMs: NOW + 3 * HOUR, units: 1, total: 3 },
        { atMs: NOW + 6 * HOUR, units: 2, total: 5 },
      ],
    })
    const gains = elementsOf(place, '.gain')

    expect(gains.map((gain) => numbers(gain, ['x', 'y', 'height']))).toEqual([
      [75, 31.5, 17.5],
      [100, 14, 17.5],
    ])
  })

  it.each([
    { what: 'has passed', atMs: NOW, isDrawn: false },
    { what: 'is the next moment', atMs: NOW + 1, isDrawn: true },
    { what: 'is at the end', atMs: NOW + 6 * HOUR, isDrawn: true },
    { what: 'is beyond the end', atMs: NOW + 6 * HOUR + 1, isDrawn: false },
  ])('draws a reset that $what: $isDrawn', ({ atMs, isDrawn }) => {
    const gains = chart({ ahead: [{ atMs, units: 1, total: 3 }] }).querySelectorAll('.gain')

    expect(gains).toHaveLength(isDrawn ? 1 : 0)
  })

  it('draws the past up to now, without what is older than its scale', () => {
    const at = (hours: number) => ({ atMs: NOW + hours * HOUR, units: 4 })
    const line = chart({ past: [at(-7), at(-6), at(-3)] }).querySelector('path.line')

    expect(line?.getAttribute('d')).toBe('M0.00 14.0L50.00 14.0L100.00 49.0')
    expect(chart({ past: [at(-7)] }).querySelectorAll('path.line')).toHaveLength(0)
  })

  it('names the resets that return much, the larger one where two are close together', () => {
    const ahead = [
      { atMs: NOW + HOUR, units: 0.1, total: 2.1 },
      { atMs: NOW + 3 * HOUR, units: 0.5, total: 2.6 },
      { atMs: NOW + 3.5 * HOUR, units: 1, total: 3.6 },
    ]

    expect(wordsOfEach(chart({ ahead }), '.step-label')).toEqual(['+1.0 23:30'])
  })

  it('has the name of a reset above the stair as far as the name reaches', () => {
    const ahead = [
      { atMs: NOW + HOUR, units: 1, total: 3 },
      { atMs: NOW + 1.5 * HOUR, units: 0.1, total: 3.1 },
    ]
    const place = chart({ ahead })
    const [, label = Number.NaN] = numbers(place.querySelector('.step-label'), ['x', 'y'])
    const tops = elementsOf(place, '.gain').map((gain) => numbers(gain, ['y'])[0] ?? 0)

    expect(tops).toHaveLength(2)
    expect(label).toBeLessThan(Math.min(...tops) - 4)
  })

  it.each([{ hours: 6 }, { hours: 12 }])(
    'has round times under its axis, none of them beside now: $hours h',
    ({ hours }) => {
      const past = [{ atMs: NOW - hours * HOUR, units: 2 }]
      const texts = wordsOf(chart({ past, pastHours: hours, aheadHours: hours })).split(' ')

      expect([texts.slice(0, 3), texts.at(-1)]).toEqual([['4', 'Plus', '2'], 'now'])
      const times = texts.slice(3, -1)
      expect(times.length).toBeGreaterThanOrEqual(3)
      for (const time of times) expect(time).toMatch(/^\d\d:00$/)
      expect(times).not.toContain('20:00')
    },
  )

  const dryAt = (from: number, at: number, to: number) => ({
    fromMs: NOW + from * HOUR,
    atMs: NOW + at * HOUR,
    toMs: NOW + to * HOUR,
  })

  it.each([
    { what: 'within', dry: dryAt(2, 3, 4), band: [66.67, 16.67], label: 'dry 23:00' },
    { what: 'in a band that began', dry: dryAt(-1, 3, 4), band: [50, 33.33], label: 'dry 23:00' },
    { what: 'perhaps beyond', dry: dryAt(3, 8, 9), band: [75, 25], label: '' },
  ])('marks when the window runs dry, $what what it shows', ({ dry, band, label }) => {
    const place = chart({ dry })

    expect(numbers(place.querySelector('.dry-band'), ['x', 'width'])).toEqual(band)
    expect(wordsOf(place.querySelector('.dry-label'))).toBe(label)
    expect(place.querySelectorAll('.dry-mark')).toHaveLength(label === '' ? 0 : 1)
  })

  it('marks nothing where the window does not run dry, or only beyond what is shown', () => {
    expect(chart().querySelectorAll('.dry-band')).toHaveLength(0)
    expect(chart({ dry: dryAt(6, 7, 8) }).querySelectorAll('.dry-band')).toHaveLength(0)
  })

  it('tells days where it reaches further than a day', () => {
    const past = [{ atMs: NOW - 24 * HOUR, units: 2 }]

    expect(wordsOf(chart({ past, pastHours: 24, aheadHours: 48 }))).toMatch(
      /^4 Plus 2 (?:\w{3} \d+ ?)+now$/,
    )
  })
})
