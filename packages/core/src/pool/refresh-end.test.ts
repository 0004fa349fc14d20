import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RefreshFailure, RefreshTally } from '../facts/refresh.ts'
import { epochMs } from '../facts/time.ts'
import { endedRefresh, refreshDeadlineMs } from './refresh-end.ts'

const at = epochMs(2_000)
const running = (tally: RefreshTally) =>
  ({ status: 'running', scope: 'default', startedAt: epochMs(1_000), tally }) as const

describe('the end of a refresh', () => {
  it.each<
    readonly [
      why: string,
      tally: RefreshTally,
      failure: RefreshFailure | null,
      status: string,
      failed: number,
    ]
  >([
    ['all answered', { queued: 3, done: 3, failed: 0 }, null, 'completed', 0],
    ['nobody to ask', { queued: 0, done: 0, failed: 0 }, null, 'completed', 0],
    ['some failed', { queued: 3, done: 3, failed: 2 }, null, 'partial', 2],
    ['all failed', { queued: 3, done: 3, failed: 3 }, null, 'failed', 3],
    ['out of time with one left', { queued: 3, done: 2, failed: 0 }, 'deadline', 'partial', 1],
    [
      'out of time with nothing answered',
      { queued: 3, done: 0, failed: 0 },
      'deadline',
      'failed',
      3,
    ],
    ['a refused key', { queued: 3, done: 0, failed: 0 }, 'unauthorized', 'failed', 3],
    [
      'a refused key before anybody was known',
      { queued: 0, done: 0, failed: 0 },
      'unauthorized',
      'failed',
      0,
    ],
  ])('%s', (_, tally, failure, status, failed) => {
    expect(endedRefresh(running(tally), failure, at)).toEqual({
      status,
      scope: 'default',
      startedAt: 1_000,
      completedAt: 2_000,
      tally: { queued: tally.queued, done: tally.queued, failed },
      failure,
    })
  })

  it('is completed exactly when nothing failed and nothing was left', () => {
    const tallies = fc.tuple(fc.nat(50), fc.nat(50), fc.nat(50)).map(([failed, ok, left]) => ({
      queued: failed + ok + left,
      done: failed + ok,
      failed,
    }))
    fc.assert(
      fc.property(tallies, (tally) => {
        const ended = endedRefresh(running(tally), null, at)
        expect(ended.status === 'completed').toBe(tally.failed === 0 && tally.done === tally.queued)
      }),
    )
  })
})

describe('the longest time of a refresh', () => {
  it.each([
    [0, 30, 600_000],
    [200, 30, 600_000],
    [201, 30, 603_000],
    [10_000, 30, 30_000_000],
    [1_000, 600, 600_000],
  ])('%i queries at %i a minute', (queued, probesPerMinute, ms) => {
    expect(refreshDeadlineMs(queued, probesPerMinute)).toBe(ms)
  })
})
