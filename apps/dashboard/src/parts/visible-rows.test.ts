import { createElement, h } from 'preact'
import { useRef } from 'preact/hooks'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { dispatch } from '../testing/browser.ts'
import { change, clearPage, draw, wordsOf } from '../testing/page.ts'
import { useGrowingCount, usePrinting, useVisibleRows, type VisibleRows } from './visible-rows.ts'

const ROW = 39
let seen: VisibleRows

/** A given number of rows in a separate table body. */
function Rows({ count }: { readonly count: number }) {
  const body = useRef<HTMLElement>(null)
  seen = useVisibleRows(body, count)
  return h('div', { ref: body, id: 'body' }, h('tr', {}))
}

const show = (count: number) => {
  const place = draw(h(Rows, { count }))
  const body = place.querySelector('#body') as HTMLElement
  return (rows: number) => {
    body.getBoundingClientRect = () => new DOMRect(0, -rows * ROW, 800, 0)
    change(() => void dispatch(null, 'scroll'))
    return [seen.first, seen.end]
  }
}

describe('the rows in sight', () => {
  it.each([0, 1, 80])('are all of them, where there are %i', (count) => {
    show(count)

    expect(seen).toMatchObject({ first: 0, end: count, before: 0, after: 0 })
  })

  it('are some of many, with room for the others', () => {
    show(1_000)

    // Rows of 800 px and 15 more beyond the edge.
    expect([seen.first, seen.end]).toEqual([0, Math.ceil(800 / ROW) + 15])
    expect(seen.after).toBe((1_000 - seen.end) * ROW)
  })

  it('follow the page, and never end before what is on the screen', () => {
    const scrollTo = show(1_000)

    for (const row of [1, 7, 30, 31, 500, 979, 200, 0]) {
      const [first = 0, end = 0] = scrollTo(row)
      expect(first).toBeLessThanOrEqual(row)
      expect(end).toBeGreaterThanOrEqual(Math.min(1_000, row + Math.floor(800 / ROW)))
      expect(seen.before + seen.after + (end - first) * ROW).toBe(1_000 * ROW)
    }
  })

  it('stay as they are for a short way, so that scrolling draws nothing', () => {
    const scrollTo = show(1_000)
    const before = scrollTo(100)

    expect(scrollTo(107)).toEqual(before)
    expect(scrollTo(108)).not.toEqual(before)
  })

  it('are at the end where a filter has left fewer rows than were scrolled past', () => {
    const scrollTo = show(1_000)
    scrollTo(900)
    clearPage()
    show(90)

    expect(seen.first).toBeLessThan(90)
    expect(seen.end).toBeLessThanOrEqual(90)
  })

  it('are as high as the first one is', () => {
    const scrollTo = show(1_000)
    Object.assign(document.querySelector('tr') ?? {}, { offsetHeight: 20 })
    seen.measure()
    scrollTo(40)

    expect(seen.before).toBe(seen.first * 20)
  })

  it('are all of them on paper, and those in sight again after it', () => {
    const scrollTo = show(1_000)
    const before = scrollTo(100)
    change(() => void dispatch(null, 'beforeprint'))
    expect(seen).toMatchObject({ first: 0, end: 1_000, before: 0, after: 0 })

    change(() => void dispatch(null, 'afterprint'))
    expect([seen.first, seen.end]).toEqual(before)
  })
})

const Counted = ({ count }: { readonly count: number }) =>
  createElement('p', null, String(useGrowingCount(count)))

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => {
  vi.useRealTimers()
})

const nextPicture = () => change(() => void vi.advanceTimersByTime(0))

it.each([
  { count: 7, pictures: ['7', '7'] },
  { count: 40, pictures: ['40', '40'] },
  { count: 41, pictures: ['40', '41', '41'] },
  { count: 100, pictures: ['40', '80', '100', '100'] },
])('of $count rows as many are drawn, picture by picture, as $pictures', ({ count, pictures }) => {
  const place = draw(createElement(Counted, { count }))
  for (const [index, picture] of pictures.entries()) {
    if (index > 0) nextPicture()
    expect(wordsOf(place)).toBe(picture)
  }
})

it('no more are drawn of what is no longer shown', () => {
  draw(createElement(Counted, { count: 100 }))
  clearPage()

  expect(vi.getTimerCount()).toBe(0)
})

it('says that the page is being printed, from its begin to its end', () => {
  const place = draw(createElement(() => createElement('p', null, String(usePrinting())), null))
  expect(wordsOf(place)).toBe('false')
  change(() => void dispatch(null, 'beforeprint'))
  expect(wordsOf(place)).toBe('true')
  change(() => void dispatch(null, 'afterprint'))
  expect(wordsOf(place)).toBe('false')
})
