import { afterEach, describe, expect, it } from 'vitest'
import {
  cursor,
  isolated,
  moveCursor,
  resetChartView,
  toggleIsolated,
  zoom,
  zoomBy,
  zoomTo,
} from './chart-view.ts'

afterEach(resetChartView)

describe('zooming', () => {
  it.each([
    { what: 'what was marked', one: 20, other: 40, shown: { first: 20, last: 40 } },
    { what: 'what was marked backwards', one: 40, other: 20, shown: { first: 20, last: 40 } },
    { what: 'a few buckets at least', one: 30, other: 30, shown: { first: 30, last: 33 } },
    { what: 'a few buckets at the end', one: 99, other: 99, shown: { first: 96, last: 99 } },
    { what: 'everything, which is no zoom', one: 0, other: 99, shown: null },
  ])('shows $what', ({ one, other, shown }) => {
    zoomTo(one, other, 100)

    expect(zoom.value).toEqual(shown)
  })

  it('goes in around the bucket that is read, and out again to the whole range', () => {
    cursor.value = 80
    zoomBy(0.5, 100)
    expect(zoom.value).toEqual({ first: 50, last: 99 })

    zoomBy(0.5, 100)
    expect(zoom.value).toEqual({ first: 68, last: 92 })

    zoomBy(2, 100)
    zoomBy(2, 100)
    expect(zoom.value).toBe(null)
  })

  it('stops at a few buckets, and does not move on', () => {
    for (let times = 0; times < 9; times += 1) zoomBy(0.5, 100)

    expect(zoom.value).toEqual({ first: 49, last: 52 })
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
    moveCursor(steps, 100)

    expect(cursor.value).toBe(at)
  })

  it('stays within what is shown', () => {
    zoomTo(20, 40, 100)
    moveCursor(-1, 100)
    expect(cursor.value).toBe(40)

    moveCursor(Number.NEGATIVE_INFINITY, 100)
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
