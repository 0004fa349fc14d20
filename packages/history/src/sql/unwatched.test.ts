import { epochMs, mainWindows } from '@svc/core'
import { afterAll, describe, expect, it } from 'vitest'
import { emptyStores } from '../testing/empty-stores.ts'
import { insert } from './connection.ts'
import { readUnwatched } from './course-reader.ts'

const SPAN = { from: epochMs(100), to: epochMs(200) }
const SILENT_MS = 10
const stores = emptyStores()
afterAll(stores.remove)

const every10 = (from: number, to: number) =>
  Array.from({ length: Math.ceil((to - from) / 10) }, (_, index) => from + index * 10)

describe.each(stores.engines)('what nobody watched of a span in $engine', ({ whyNot, create }) => {
  it.each([
    { what: 'without a point is all of it', points: [], unwatched: [[100, 200]] },
    { what: 'of a point now and then is nothing', points: every10(95, 205) },
    {
      what: 'that begins later is what lies before',
      points: every10(103, 210),
      unwatched: [[100, 103]],
    },
    {
      what: 'that ends before is what lies after',
      points: [...every10(100, 190), 189],
      unwatched: [[189, 200]],
    },
    {
      what: 'with a silence is that',
      points: [...every10(100, 121), ...every10(140, 191)],
      unwatched: [[120, 140]],
    },
  ])('$what', async ({ points, unwatched = [] }) => {
    if (whyNot !== null) return
    const { db } = await create()
    const units = { knownUnits: 1, trackedUnits: 1, unknownUnits: 0, burnedUnits: 0 }
    const windowId = mainWindows[0].id
    const rows = points.map((atMs) => ({ windowId, atMs, ...units }))
    await insert(db, db.tables.capacityPoints, rows)

    expect(await readUnwatched(db, SPAN, SILENT_MS)).toEqual(
      unwatched.map(([from, to]) => ({ from, to })),
    )
  })
})
