import { describe, expect, it } from 'vitest'
import {
  cursor,
  isolated,
  moveCursor,
  toggleIsolated,
  visibleIn,
  zoomBy,
  zoomTo,
} from './chart-view.ts'
import { parseZoom, zoom, zoomText } from './display-state.ts'

const BUCKETS = {
  times: Array.from({ length: 100 }, (_, index) => 3_600 * index),
  bucketSeconds: 3_600,
}
const shown = () => (zoom.value === null ? null : visibleIn(BUCKETS))

describe('zooming', () => {
  it.each([
    { what: 'what was marked', one: 20, other: 40, wanted: { first: 20, last: 40 } },
    { what: 'what was marked backwards', one: 40, other: 20, wanted: { first: 20, last: 40 } },
    { what: 'a few buckets at least', one: 30, other: 30, wanted: { first: 30, last: 33 } },
    { what: 'a few buckets at the end', one: 99, other: 99, wanted: { first: 96, last: 99 } },
    { what: 'everything, which is no zoom', one: 0, other: 99, wanted: null },
  ])('shows $what', ({ one, other, wanted }) => {
    zoomTo(one, other, BUCKETS)

    expect(shown()).toEqual(wanted)
  })

  it('goes in around the bucket that is read, and out again to the whole range', () => {
    cursor.value = 80
    zoomBy(0.5, BUCKETS)
    expect(shown()).toEqual({ first: 50, last: 99 })

    zoomBy(0.5, BUCKETS)
    expect(shown()).toEqual({ first: 68, last: 92 })

    zoomBy(2, BUCKETS)
    zoomBy(2, BUCKETS)
    expect(zoom.value).toBe(null)
  })

  it('stops at a few buckets, and does not move on', () => {
    for (let times = 0; times < 9; times += 1) zoomBy(0.5, BUCKETS)

    expect(shown()).toEqual({ first: 49, last: 52 })
  })
})

describe('a zoom', () => {
  it('shows the same time in buckets of another width, and everything of another time', () => {
    zoomTo(24, 47, BUCKETS)
    const of = (times: readonly number[], bucketSeconds: number) =>
      visibleIn({ times, bucketSeconds })

    expect(
      of([0, 21_600, 43_200, 64_800, 86_400, 108_000, 129_600, 151_200, 172_800], 21_600),
    ).toEqual({ first: 4, last: 7 })
    expect(of([900_000, 903_600], 3_600)).toEqual({ first: 0, last: 1 })
  })

  it.each([
    { text: '', value: null },
    { text: '3600-7200', value: { from: 3_600, to: 7_200 } },
    { text: '7200-3600', value: undefined },
    { text: '1e3-2e3', value: undefined },
    { text: '3600', value: undefined },
  ])('is "$text" in the address', ({ text, value }) => {
    expect(parseZoom(text)).toEqual(value)
    if (value !== undefined) expect(zoomText(value)).toBe(text)
  })
})

describe('the bucket that is read', () => {
  it.each([
    { what: 'begins at the newest', from: null, steps: -1, at: 99 },
    { what: 'goes back', from: 50, steps: -8, at: 42 },
    { what: 'stays at the newest', from: 99, steps: 1, at: 99 },
    { what: 'goes to the oldest', from: 50, steps: Number.NEGATIVE_INFINITY, at: 0 },
  ])('$what', ({ from, steps, at }) => {
    cursor.value = from
    moveCursor(steps, BUCKETS)

    expect(cursor.value).toBe(at)
  })

  it('stays within what is shown', () => {
    zoomTo(20, 40, BUCKETS)
    moveCursor(-1, BUCKETS)
    expect(cursor.value).toBe(40)

    moveCursor(Number.NEGATIVE_INFINITY, BUCKETS)
    expect(cursor.value).toBe(20)
  })
})

it('shows a line alone, another one instead, and all again', () => {
  const seen = ['ci', 'team', 'team'].map((id) => {
    toggleIsolated(id)
    return isolated.value
  })

  expect(seen).toEqual(['ci', 'team', null])
})
