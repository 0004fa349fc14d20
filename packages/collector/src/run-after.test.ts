import type { RefreshFailure, RefreshRun } from '@svc/core/service'
import { describe, expect, it } from 'vitest'
import { runAfter } from './run-after.ts'

function aRun(failure: RefreshFailure | null) {
  const cancelled: true[] = []
  const run: RefreshRun = {
    tally: () => ({ queued: 3, done: 1, failed: 0 }),
    expectedMs: () => 2_000,
    ended: Promise.resolve(failure),
    cancel: () => void cancelled.push(true),
  }
  return { run, cancelled }
}

function aSignal() {
  let come = () => {}
  const came = new Promise<void>((resolve) => {
    come = resolve
  })
  return { came, come: () => come() }
}

describe('a run that waits', () => {
  it('has nothing to tell before it begins, and then what the run tells', async () => {
    const ready = aSignal()
    const waiting = runAfter(ready.came, () => aRun('unauthorized').run)
    expect([waiting.tally(), waiting.expectedMs()]).toEqual([
      { queued: 0, done: 0, failed: 0 },
      null,
    ])

    ready.come()
    expect(await waiting.ended).toBe('unauthorized')
    expect([waiting.tally().queued, waiting.expectedMs()]).toEqual([3, 2_000])
  })

  it('never begins once it is cancelled', async () => {
    const ready = aSignal()
    let begun = 0
    const waiting = runAfter(ready.came, () => {
      begun += 1
      return aRun(null).run
    })
    waiting.cancel()
    ready.come()

    expect([await waiting.ended, begun]).toEqual(['cancelled', 0])
  })

  it('cancels the run that has begun', async () => {
    const { run, cancelled } = aRun(null)
    const waiting = runAfter(Promise.resolve(), () => run)
    await waiting.ended
    waiting.cancel()

    expect(cancelled).toHaveLength(1)
  })
})
