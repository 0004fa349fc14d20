import { epochMs } from '@svc/core'
import { expect, it } from 'vitest'
import { unwatchedIntervals } from '../sql/course-reader.ts'

const SPAN = { from: epochMs(100), to: epochMs(200) }
const SILENT_MS = 10

it.each([
  { what: 'without a point is all of it', points: null, unwatched: [[100, 200]] },
  { what: 'of a point now and then is nothing', points: { first: 95, last: 195, silences: [] } },
  {
    what: 'that begins later is what lies before',
    points: { first: 103, last: 200, silences: [] },
    unwatched: [[100, 103]],
  },
  {
    what: 'that ends before is what lies after',
    points: { first: 100, last: 189, silences: [] },
    unwatched: [[189, 200]],
  },
  {
    what: 'with a silence is that',
    points: { first: 100, last: 190, silences: [[120, 140]] as const },
    unwatched: [[120, 140]],
  },
])('what nobody watched of a span $what', ({ points, unwatched = [] }) => {
  expect(unwatchedIntervals(points, SPAN, SILENT_MS)).toEqual(
    unwatched.map(([from, to]) => ({ from, to })),
  )
})
