import { refreshDeadlineMs } from '@svc/core/pool'
import type { QuotaRefresher, RefreshFailure, RefreshRun, RefreshTally } from '@svc/core/service'
import { NOW, silentLog, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createRefreshJob } from './refresh-job.ts'

/** A refresher whose runs the test controls. */
function aRefresher() {
  const runs: {
    scope: string
    tally: RefreshTally
    expectedMs: number | null
    end: (failure: RefreshFailure | null) => void
    cancelled: boolean
  }[] = []
  const refresher: QuotaRefresher = {
    available: () => true,
    isManagementKey: () => null,
    begin({ scope }): RefreshRun {
      let end: (failure: RefreshFailure | null) => void = () => {}
      const ended = new Promise<RefreshFailure | null>((resolve) => {
        end = resolve
      })
      const run = {
        scope,
        tally: { queued: 4, done: 0, failed: 0 },
        expectedMs: null,
        end,
        cancelled: false,
      }
      runs.push(run)
      return {
        ended,
        tally: () => run.tally,
        expectedMs: () => run.expectedMs,
        cancel() {
          run.cancelled = true
        },
      }
    },
  }
  return { refresher, runs }
}

const all = { scope: 'default' } as const
const disabledOnes = { scope: 'disabled-diagnostics' } as const
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

function aJob() {
  const clock = virtualClock(settle)
  const { refresher, runs } = aRefresher()
  const ended: string[] = []
  const job = createRefreshJob({
    refresher,
    quotaProbesPerMinute: 30,
    clock,
    log: silentLog,
    onEnded: (result) => void ended.push(result),
  })
  let changes = 0
  job.onChange(() => {
    changes += 1
  })
  return { clock, job, runs, ended, changes: () => changes }
}

describe('a refresh', () => {
  it('is idle at first, runs once asked for, and reports its progress', () => {
    const { job, runs, changes } = aJob()
    expect(job.latest()).toEqual({ status: 'idle' })
    expect(job.request(all)).toMatchObject({
      status: 'running',
      target: all,
      tally: { queued: 4, done: 0, failed: 0 },
    })
    const [run] = runs
    if (run === undefined) throw new Error('nothing was begun')
    run.tally = { queued: 4, done: 2, failed: 1 }
    expect(job.latest()).toMatchObject({ status: 'running', tally: { done: 2, failed: 1 } })
    expect(changes()).toBe(1)
  })

  it('is joined by requests that come meanwhile; a later request starts a new one', async () => {
    const { job, runs, changes } = aJob()
    const first = job.request(all)
    expect(job.request(disabledOnes)).toEqual(first)
    expect(runs).toHaveLength(1)
    const [run] = runs
    if (run === undefined) throw new Error('nothing was begun')
    run.tally = { queued: 4, done: 4, failed: 0 }
    run.end(null)
    await settle()
    expect(job.latest()).toMatchObject({
      status: 'completed',
      tally: { queued: 4, done: 4, failed: 0 },
    })
    expect(changes()).toBe(2)
    expect(job.request(disabledOnes)).toMatchObject({
      status: 'running',
      target: disabledOnes,
    })
  })

  it('that never ends is ended at its deadline; what was not answered has failed, and the next is taken', async () => {
    const { clock, job, runs } = aJob()
    job.request(all)
    const [run] = runs
    if (run === undefined) throw new Error('nothing was begun')
    run.tally = { queued: 4, done: 3, failed: 0 }
    await clock.advance(refreshDeadlineMs(4, 30) - 1)
    expect(job.latest().status).toBe('running')
    await clock.advance(1)
    expect(job.latest()).toMatchObject({
      status: 'partial',
      failure: 'deadline',
      tally: { queued: 4, done: 4, failed: 1 },
    })
    expect(run.cancelled).toBe(true)
    expect(job.request(all).status).toBe('running')
    // The end of an abandoned run says nothing about the current one.
    run.end(null)
    await settle()
    expect(job.latest().status).toBe('running')
  })

  it('that may not ask fails with the reason', async () => {
    const { job, runs, ended } = aJob()
    job.request(all)
    runs[0]?.end('unauthorized')
    await settle()
    expect(job.latest()).toMatchObject({ status: 'failed', failure: 'unauthorized' })
    expect(ended).toEqual(['failed'])
  })

  it.each([
    { expectedMs: null, at: null },
    { expectedMs: 0, at: 0 },
    { expectedMs: 1, at: 1_000 },
    { expectedMs: 1_000, at: 1_000 },
    { expectedMs: 90_001, at: 91_000 },
  ])(
    'that needs $expectedMs ms more is expected to end at a whole second',
    ({ expectedMs, at }) => {
      const { job, runs } = aJob()
      job.request(all)
      const [run] = runs
      if (run === undefined) throw new Error('nothing was begun')
      run.expectedMs = expectedMs

      expect(job.latest()).toMatchObject({ expectedEndAt: at === null ? null : NOW + at })
    },
  )

  it('that is cancelled ends at once, with what had been answered, and is counted once', async () => {
    const { clock, job, runs, ended, changes } = aJob()
    job.request(all)
    const [run] = runs
    if (run === undefined) throw new Error('nothing was begun')
    run.tally = { queued: 4, done: 2, failed: 1 }
    const before = changes()

    expect(job.cancel()).toMatchObject({
      status: 'partial',
      failure: 'cancelled',
      tally: { queued: 4, done: 2, failed: 1 },
    })
    expect([run.cancelled, changes() - before, clock.scheduledCount]).toEqual([true, 1, 0])
    // The cancelled run ends as well.
    run.end(null)
    await settle()
    expect(job.latest()).toMatchObject({ status: 'partial', failure: 'cancelled' })
    expect(ended).toEqual(['partial'])
  })

  it('cannot be cancelled twice, nor before there was one, nor once it has ended', async () => {
    const { job, runs, ended } = aJob()
    expect(job.cancel()).toEqual({ status: 'idle' })
    job.request(all)
    const cancelled = job.cancel()
    expect(job.cancel()).toEqual(cancelled)
    job.request(all)
    const run = runs[1]
    if (run === undefined) throw new Error('nothing was begun')
    run.tally = { queued: 4, done: 4, failed: 0 }
    run.end(null)
    await settle()

    expect(job.cancel()).toMatchObject({ status: 'completed', failure: null })
    expect(ended).toEqual(['partial', 'completed'])
  })
})
