import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RefreshFailure, RefreshTally } from '../facts/refresh.ts'
import { epochMs } from '../facts/time.ts'
import { endedRefresh, refreshDeadlineMs } from './refresh-end.ts'

const at = epochMs(2_000)
const running = (tally: RefreshTally) =>
  ({
    status: 'running',
    target: { scope: 'default' },
    startedAt: epochMs(1_000),
    expectedEndAt: null,
    tally,
  }) as const

describe('the end of a refresh', () => {
  it.each<{
    readonly name: string
    readonly tally: RefreshTally
    readonly failure: RefreshFailure | null
    readonly status: string
    readonly failed: number
  }>([
    {
      name: 'all answered',
      tally: { queued: 3, done: 3, failed: 0 },
      failure: null,
      status: 'completed',
      failed: 0,
    },
    {
      name: 'all skipped',
      tally: { queued: 0, done: 0, failed: 0, skipped: { count: 2, nextAskAt: at } },
      failure: 'asked_lately',
      status: 'failed',
      failed: 0,
    },
    {
      name: 'nobody to ask',
      tally: { queued: 0, done: 0, failed: 0 },
      failure: null,
      status: 'completed',
      failed: 0,
    },
    {
      name: 'some failed',
      tally: { queued: 3, done: 3, failed: 2 },
      failure: null,
      status: 'partial',
      failed: 2,
    },
    {
      name: 'all failed',
      tally: { queued: 3, done: 3, failed: 3 },
      failure: null,
      status: 'failed',
      failed: 3,
    },
    {
      name: 'out of time with one left',
      tally: { queued: 3, done: 2, failed: 0 },
      failure: 'deadline',
      status: 'partial',
      failed: 1,
    },
    {
      name: 'out of time with nothing answered',
      tally: { queued: 3, done: 0, failed: 0 },
      failure: 'deadline',
      status: 'failed',
      failed: 3,
    },
    {
      name: 'a refused key',
      tally: { queued: 3, done: 0, failed: 0 },
      failure: 'unauthorized',
      status: 'failed',
      failed: 3,
    },
    {
      name: 'a refused key before anybody was known',
      tally: { queued: 0, done: 0, failed: 0 },
      failure: 'unauthorized',
      status: 'failed',
      failed: 0,
    },
  ])('$name', ({ tally, failure, status, failed }) => {
    expect(endedRefresh(running(tally), failure, at)).toEqual({
      status,
      target: { scope: 'default' },
      startedAt: 1_000,
      completedAt: 2_000,
      tally: { ...tally, done: tally.queued, failed },
      failure,
    })
  })

  it.each([
    { name: 'before the first answer', tally: { queued: 3, done: 0, failed: 0 } },
    { name: 'half way', tally: { queued: 3, done: 2, failed: 1 } },
    { name: 'after the last answer', tally: { queued: 3, done: 3, failed: 0 } },
  ])('cancelled $name is partial, and what was not asked has not failed', ({ tally }) => {
    expect(endedRefresh(running(tally), 'cancelled', at)).toMatchObject({
      status: 'partial',
      tally,
      failure: 'cancelled',
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
  ])('%i queries at %i a minute', (queued, quotaProbesPerMinute, ms) => {
    expect(refreshDeadlineMs(queued, quotaProbesPerMinute)).toBe(ms)
  })
})
