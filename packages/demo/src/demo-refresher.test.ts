import type { RefreshScope } from '@svc/core/service'
import { NOW, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createDemoRefresher } from './demo-refresher.ts'
import { SAMPLE_POOL } from './example-pool.ts'

const disabledCount = SAMPLE_POOL.filter(({ condition }) => condition === 'disabled').length

function aRefresher() {
  const clock = virtualClock(() => Promise.resolve())
  return { clock, refresher: createDemoRefresher(clock) }
}

describe('a refresh of the demo', () => {
  it.each<{ readonly scope: RefreshScope; readonly queued: number }>([
    { scope: 'default', queued: SAMPLE_POOL.length - disabledCount },
    { scope: 'disabled-diagnostics', queued: disabledCount },
  ])('of $scope asks about $queued accounts, one by one, in two seconds', async (row) => {
    const { clock, refresher } = aRefresher()
    const run = refresher.begin(row.scope)
    const done = [run.tally().done]
    for (let step = 0; step < 20; step += 1) {
      await clock.advance(100)
      done.push(run.tally().done)
    }

    expect(run.tally()).toEqual({ queued: row.queued, done: row.queued, failed: 0 })
    expect(done).toEqual([...done].sort((a, b) => a - b))
    expect(done[0]).toBe(0)
    expect(done[19]).toBeLessThan(row.queued)
    expect(await run.ended).toBeNull()
  })

  it('remembers when the disabled accounts were asked about, once that is over', async () => {
    const { clock, refresher } = aRefresher()
    refresher.begin('disabled-diagnostics')
    await clock.advance(1_999)
    expect(refresher.lastProbeAt()).toBeNull()
    await clock.advance(1)

    expect(refresher.lastProbeAt()).toBe(NOW + 2_000)
  })

  it('of the others leaves the disabled accounts alone', async () => {
    const { clock, refresher } = aRefresher()
    refresher.begin('default')
    await clock.advance(2_000)

    expect(refresher.lastProbeAt()).toBeNull()
  })

  it('that is cancelled leaves no timer and changes nothing', async () => {
    const { clock, refresher } = aRefresher()
    refresher.begin('disabled-diagnostics').cancel()
    expect(clock.scheduledCount).toBe(0)
    await clock.advance(5_000)

    expect(refresher.lastProbeAt()).toBeNull()
  })

  it('counts by the time that has passed, not by a wall clock that jumps', async () => {
    const { clock, refresher } = aRefresher()
    const run = refresher.begin('default')
    clock.jumpWallClock(3_600_000)

    expect(run.tally().done).toBe(0)
    clock.jumpWallClock(-7_200_000)
    await clock.advance(1_000)
    expect(run.tally().done).toBeGreaterThan(0)
  })

  it('takes no management key, because there is none', () => {
    const { refresher } = aRefresher()

    expect([refresher.available(), refresher.isManagementKey('x')]).toEqual([true, null])
  })
})
