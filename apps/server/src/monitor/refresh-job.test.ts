import {
  type QuotaRefresher,
  type RefreshFailure,
  type RefreshRun,
  type RefreshTally,
  refreshDeadlineMs,
} from '@svc/core/service'
import { silentLog, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createRefreshJob } from './refresh-job.ts'

/** A refresher whose runs do what the test says. */
function aRefresher() {
  const runs: {
    scope: string
    tally: RefreshTally
    end: (failure: RefreshFailure | null) => void
    cancelled: boolean
  }[] = []
  const refresher: QuotaRefresher = {
    available: () => true,
    isManagementKey: () => null,
    begin(scope): RefreshRun {
      let end: (failure: RefreshFailure | null) => void = () => {}
      const ended = new Promise<RefreshFailure | null>((resolve) => {
        end = resolve
      })
      const run = { scope, tally: { queued: 4, done: 0, failed: 0 }, end, cancelled: false }
      runs.push(run)
      return {
        ended,
        tally: () => run.tally,
        cancel() {
          run.cancelled = true
        },
      }
    },
  }
  return { refresher, runs }
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

function aJob() {
  const clock = virtualClock(settle)
  const { refresher, runs } = aRefresher()
  const ended: string[] = []
  const job = createRefreshJob({
    refresher,
    probesPerMinute: 30,
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
    expect(job.request('default')).toMatchObject({
      status: 'running',
      scope: 'default',
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
    const first = job.request('default')
    expect(job.request('disabled-diagnostics')).toEqual(first)
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
    expect(job.request('disabled-diagnostics')).toMatchObject({
      status: 'running',
      scope: 'disabled-diagnostics',
    })
  })

  it('that never ends is ended at its deadline; what was not answered has failed, and the next is taken', async () => {
    const { clock, job, runs } = aJob()
    job.request('default')
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
    expect(job.request('default').status).toBe('running')
    // The end of a run that was given up says nothing about the one of now.
    run.end(null)
    await settle()
    expect(job.latest().status).toBe('running')
  })

  it('that may not ask fails with the reason', async () => {
    const { job, runs, ended } = aJob()
    job.request('default')
    runs[0]?.end('unauthorized')
    await settle()
    expect(job.latest()).toMatchObject({ status: 'failed', failure: 'unauthorized' })
    expect(ended).toEqual(['failed'])
  })
})
