import { epochMs } from '@svc/core'
import type { RefreshTarget } from '@svc/core/service'
import { NOW, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createDemoRefresher } from './demo-refresher.ts'
import { createDemoSource } from './example-observation.ts'
import { SAMPLE_POOL } from './example-pool.ts'
import type { ExampleRow, Sampling } from './example-row.ts'

const disabled = SAMPLE_POOL.filter(({ condition }) => condition === 'disabled')
const disabledCount = disabled.length
const [first, second] = disabled.map(({ accountKey }) => accountKey)
if (first === undefined || second === undefined) throw new Error('the sample has two such accounts')
const codex = SAMPLE_POOL.filter(({ provider }) => provider === 'codex')
const budgeted = SAMPLE_POOL.filter(({ provider }) => provider !== 'codex' && provider !== 'kiro')
const disabledOnes: RefreshTarget = { scope: 'disabled-diagnostics' }

function aRefresher() {
  const clock = virtualClock(() => Promise.resolve())
  return { clock, refresher: createDemoRefresher(clock) }
}

describe('a refresh of the demo', () => {
  it.each<{ readonly target: RefreshTarget; readonly queued: number }>([
    { target: { scope: 'default' }, queued: codex.length - disabledCount },
    { target: disabledOnes, queued: disabledCount },
    { target: { scope: 'account', accountKey: first }, queued: 1 },
  ])('of $target.scope asks about $queued accounts, one by one, in two seconds', async (row) => {
    const { clock, refresher } = aRefresher()
    const run = refresher.begin(row.target)
    const done = [run.tally().done]
    for (let step = 0; step < 20; step += 1) {
      await clock.advance(100)
      done.push(run.tally().done)
    }

    expect(run.tally()).toMatchObject({ queued: row.queued, done: row.queued, failed: 0 })
    expect(done).toEqual([...done].sort((a, b) => a - b))
    expect(done[0]).toBe(0)
    expect(done[19]).toBeLessThan(row.queued)
    expect(await run.ended).toBeNull()
  })

  it('leaves out accounts whose vendor was asked lately, and says when it may be asked', async () => {
    const { skipped } = aRefresher().refresher.begin({ scope: 'default' }).tally()

    expect(skipped?.count).toBe(budgeted.length)
    expect(skipped?.nextAskAt).toBeGreaterThan(NOW)
    expect(skipped?.nextAskAt).toBeLessThanOrEqual(NOW + 15 * 60_000)
  })

  it.each([
    { provider: 'claude', failure: 'asked_lately', skipped: 1 },
    { provider: 'kiro', failure: 'no_direct_quota', skipped: undefined },
  ])('of one account of $provider ends with $failure', async (row) => {
    const accountKey =
      SAMPLE_POOL.find(({ provider }) => provider === row.provider)?.accountKey ?? ''
    const { clock, refresher } = aRefresher()
    const run = refresher.begin({ scope: 'account', accountKey })
    await clock.advance(2_000)

    expect([run.tally().queued, run.tally().skipped?.count]).toEqual([0, row.skipped])
    expect(await run.ended).toBe(row.failure)
    expect(refresher.lastAskedAt(accountKey)).toBeNull()
  })

  it('remembers when the disabled accounts were asked about, once that is over', async () => {
    const { clock, refresher } = aRefresher()
    refresher.begin(disabledOnes)
    await clock.advance(1_999)
    expect(refresher.lastAskedAt(first)).toBeNull()
    await clock.advance(1)

    expect([first, second].map(refresher.lastAskedAt)).toEqual([NOW + 2_000, NOW + 2_000])
  })

  it('says how long it still takes, down to nothing', async () => {
    const { clock, refresher } = aRefresher()
    const run = refresher.begin({ scope: 'default' })
    const left = [run.expectedMs()]
    for (const ms of [500, 1_500, 1_000]) {
      await clock.advance(ms)
      left.push(run.expectedMs())
    }

    expect(left).toEqual([2_000, 1_500, 0, 0])
  })

  it('that is cancelled leaves no timer and changes nothing', async () => {
    const { clock, refresher } = aRefresher()
    refresher.begin(disabledOnes).cancel()
    expect(clock.scheduledCount).toBe(0)
    await clock.advance(5_000)

    expect(refresher.lastAskedAt(first)).toBeNull()
  })

  it('counts by the time that has passed, not by a wall clock that jumps', async () => {
    const { clock, refresher } = aRefresher()
    const run = refresher.begin({ scope: 'default' })
    clock.jumpWallClock(3_600_000)

    expect(run.tally().done).toBe(0)
    clock.jumpWallClock(-7_200_000)
    await clock.advance(1_000)
    expect(run.tally().done).toBeGreaterThan(0)
  })

  it('shows a new reading of whom the vendor answers for, and a probe of the disabled', () => {
    const asked = epochMs(NOW + 999)
    const [before, after] = [() => null, () => asked].map(
      (lastAskedAt) => createDemoSource(lastAskedAt).latest(NOW).evidenceByAuthName,
    )
    const of = (row?: ExampleRow) =>
      [before, after].map((evidence) => evidence?.get(row?.authName ?? '') ?? null)
    const rowOf = (sampling: Sampling) => SAMPLE_POOL.find((row) => row.sampling === sampling)
    const [known, answered] = of(rowOf('primary_and_headers'))
    const [failing, stillFailing] = of(rowOf('failing'))

    expect(answered?.samples[0]).toMatchObject({ origin: 'direct', sampledAt: NOW })
    expect(answered?.samples.slice(1)).toEqual(known?.samples.slice(1))
    expect(stillFailing).toEqual(failing)
    for (const row of disabled)
      expect(of(row)[1]).toMatchObject({ samples: [], disabledProbe: { probedAt: asked } })
  })
})
