import { describe, expect, it } from 'vitest'
import type { FileUse } from '../facts/history-state.ts'
import { fromNow, NOW } from '../testing/builders.ts'
import { diskRoomOf } from './history-actions.ts'

const DAY_SECONDS = 86_400
const GB = 1e9
/** Ten days of a million requests a day, each of which takes 100 bytes, of the 90 days that are kept: 1 GB of 9. */
const growing: FileUse = {
  freeBytes: 5 * GB,
  roomBytes: 4 * GB,
  usedBytes: GB,
  requestCount: 10_000_000,
  requestsPerDay: 1_000_000,
  oldestRowAt: fromNow(-10 * DAY_SECONDS),
}
/** As many days as are kept, of a pace that has doubled since. */
const doubled: FileUse = {
  ...growing,
  usedBytes: 9 * GB,
  requestCount: 90_000_000,
  requestsPerDay: 2_000_000,
  oldestRowAt: fromNow(-90 * DAY_SECONDS),
}
const fullIn = (use: FileUse) => diskRoomOf(use, 90, NOW).fullInDays

describe('a disk', () => {
  it.each<readonly [what: string, use: FileUse, days: number]>([
    ['at the pace of the last week', growing, 40],
    ['by what the pace has grown', doubled, 40],
    ['at once, without room', { ...growing, roomBytes: 0 }, 0],
    ['at once, below the room that is left free', { ...growing, roomBytes: -1 }, 0],
    ['never, with room for all that is kept', { ...growing, roomBytes: 8 * GB }, Infinity],
    ['a little before that', { ...growing, roomBytes: 8 * GB - 100_000_000 }, 79],
    ['never, at the same pace', { ...doubled, requestsPerDay: 1_000_000, roomBytes: 0 }, Infinity],
    ['never, at a slower pace', { ...doubled, requestsPerDay: 1_000, roomBytes: 0 }, Infinity],
    ['never, without requests', { ...doubled, requestsPerDay: 0, roomBytes: 0 }, Infinity],
  ])('is full %s', (_, use, days) => {
    expect(fullIn(use)).toBeCloseTo(days, 6)
    expect(diskRoomOf(use, 90, NOW).freeBytes).toBe(5 * GB)
  })

  it.each<readonly [what: string, use: FileUse]>([
    ['nothing is stored', { ...growing, requestCount: 0, requestsPerDay: null, oldestRowAt: null }],
    ['two days are', { ...growing, oldestRowAt: fromNow(-3 * DAY_SECONDS + 1) }],
    ['few requests are', { ...growing, requestCount: 999 }],
    ['no day has a sum', { ...growing, requestsPerDay: null }],
    ['its oldest request is of the future', { ...growing, oldestRowAt: fromNow(60) }],
  ])('is full nobody knows when where %s', (_, use) => {
    expect(fullIn(use)).toBeNull()
  })
})
