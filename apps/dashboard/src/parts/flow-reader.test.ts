import '../testing/browser.ts'
import { NOW } from '@svc/core/testing'
import { h } from 'preact'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dispatch } from '../testing/browser.ts'
import { change, clearPage, draw, showPool, wordsOf } from '../testing/page.ts'
import { FlowReader } from './flow-reader.tsx'
import { type FlowCourse, stairOf } from './flow-reading.ts'

const HOUR = 3_600_000
/** Position of a time in a chart 800 px wide, from six hours ago to six hours from now. */
const px = (hours: number) => ((hours + 6) / 12) * 800

let place: HTMLElement
beforeEach(() => {
  showPool([])
  show('unused')
})
function show(kind: FlowCourse['kind']) {
  const [startMs, endMs] = [NOW - 6 * HOUR, NOW + 6 * HOUR]
  const times = { known: 5, startMs, nowMs: NOW, endMs }
  place = draw(
    h(FlowReader, {
      label: '5-hour quota by time',
      course: {
        kind,
        coming:
          kind === 'unused'
            ? stairOf([{ atMs: NOW + 3 * HOUR, units: 4, total: 9 }], times)
            : [
                { atMs: NOW, expected: 5, low: 5, high: 5 },
                { atMs: NOW + 4 * HOUR, expected: 1, low: 0, high: 2.4 },
              ],
        ...times,
        past: [
          { atMs: NOW - 4 * HOUR, units: 8 },
          { atMs: NOW - 2 * HOUR, units: 6.5 },
        ],
      },
      x: (ms) => ((ms - startMs) / (endMs - startMs)) * 100,
      y: (units) => 100 - units,
      height: 104,
      noteAt: (ms) => (ms === NOW + 3 * HOUR ? '; a note' : ''),
    }),
  )
}
afterEach(clearPage)

const slider = () => {
  const element = place.querySelector('[role=slider]')
  if (element === null) throw new Error('there is no slider')
  return element
}
const point = (type: string, hours: number, pointerType = 'mouse') =>
  change(() => void dispatch(slider(), type, { clientX: px(hours), pointerType }))
const press = (key: string) => {
  let isTaken = false
  change(() => {
    isTaken = dispatch(slider(), 'keydown', { key })
  })
  return isTaken
}
const shown = () => wordsOf(place.querySelector('.flow-words'))
const heard = () => slider().getAttribute('aria-valuetext')

describe('reading a chart', () => {
  it('shows nothing over the chart until it is asked', () => {
    expect(shown()).toBe('')
    expect(heard()).toBe('now: 5.0 Plus left')
  })

  it.each([
    { hours: -5, words: '15:00: not known', dots: 0 },
    { hours: -2.1, words: '18:00: 6.5 Plus left', dots: 1 },
    { hours: 0, words: 'now: 5.0 Plus left', dots: 1 },
    { hours: 2, words: '22:00: 5.0 Plus if nothing is used', dots: 1 },
    { hours: 3, words: '23:00: 9.0 Plus if nothing is used; a note', dots: 1 },
  ])('says $words at $hours h from now', ({ hours, words, dots }) => {
    point('pointermove', hours)

    expect(shown()).toBe(words)
    expect(heard()).toBe(words)
    expect(place.querySelectorAll('.cursor')).toHaveLength(1)
    expect(place.querySelectorAll('.dot')).toHaveLength(dots)
  })

  it.each([
    { kind: 'expected', hours: 2, words: '22:00: 3.0 Plus expected (2.5 to 3.7)', dots: 1 },
    { kind: 'expected', hours: 4, words: '00:00: 1.0 Plus expected (0.0 to 2.4)', dots: 1 },
    { kind: 'rough', hours: 4, words: '00:00: 0 to 3 Plus expected, roughly', dots: 0 },
  ] as const)('says $words where that is $kind', ({ kind, hours, words, dots }) => {
    show(kind)
    point('pointermove', hours)

    expect(shown()).toBe(words)
    expect(place.querySelectorAll('.dot')).toHaveLength(dots)
  })

  it('forgets where a mouse was once it leaves, and keeps where a finger was until something else is touched', () => {
    point('pointermove', 2)
    point('pointerleave', 2)
    expect(shown()).toBe('')

    point('pointerdown', 2, 'touch')
    point('pointerleave', 2, 'touch')
    expect(shown()).toBe('22:00: 5.0 Plus if nothing is used')
    change(() => void dispatch(slider(), 'blur'))
    expect(shown()).toBe('')
  })

  it('goes by keys from one thing that happens to the next, and to both ends', () => {
    const words = (key: string) => {
      press(key)
      return heard()?.split(':').slice(0, 2).join(':')
    }

    expect(words('ArrowLeft')).toBe('18:00')
    expect(words('ArrowLeft')).toBe('16:00')
    expect(words('ArrowLeft')).toBe('16:00')
    expect(words('End')).toBe('02:00')
    expect(words('ArrowLeft')).toBe('23:00')
    expect(words('Home')).toBe('16:00')
    expect(words('PageUp')).toBe('02:00')
    expect(slider().getAttribute('aria-valuenow')).toBe(slider().getAttribute('aria-valuemax'))
  })

  it('leaves other keys to the page', () => {
    expect([press('ArrowRight'), press('j'), press('Escape')]).toEqual([true, false, false])
  })
})
