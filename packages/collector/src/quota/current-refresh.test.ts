import type { RefreshScope, SourceFailureCode } from '@svc/core/service'
import { anAccount, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createCurrentRefresh } from './current-refresh.ts'
import { followAccounts, note, noWatchedAccounts } from './watched-accounts.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const names = ['alice', 'bob', 'off', 'mute'] as const

/** Two accounts that can be asked about, one that is disabled, and one that the transport cannot ask about. */
function aPool() {
  const clock = virtualClock(turn)
  let refusal: SourceFailureCode | null = null
  const accounts = names.map((name) => anAccount(name, { operatorDisabled: name === 'off' }))
  const { byAuthName } = followAccounts(noWatchedAccounts, accounts, {
    nowMs: 0,
    listedBefore: null,
  })
  const all = [...byAuthName.values()]
  const [alice, bob, off, mute] = all
  if (!alice || !bob || !off || !mute) throw new Error('four accounts are listed')
  const refresh = createCurrentRefresh(
    { canQuery: ({ title }) => title !== mute.account.title, refusal: () => refusal },
    clock,
  )
  return {
    clock,
    refresh,
    all,
    alice,
    bob,
    awaited: () =>
      names.filter((_, at) => {
        const watched = all[at]
        return watched !== undefined && refresh.wishFor(watched).awaitedSinceMs !== null
      }),
    refuse(code: SourceFailureCode) {
      refusal = code
    },
  }
}

/** The end, or that there is none yet. */
async function endOf(ended: Promise<unknown>): Promise<unknown> {
  return await Promise.race([ended, turn().then(() => 'goes on')])
}

describe('a refresh', () => {
  it.each<{ scope: RefreshScope; awaited: readonly string[] }>([
    { scope: 'default', awaited: ['alice', 'bob'] },
    { scope: 'disabled-diagnostics', awaited: ['off'] },
  ])('with the scope $scope awaits $awaited', ({ scope, awaited }) => {
    const { refresh, all, awaited: nowAwaited } = aPool()
    const run = refresh.begin(scope, all)

    expect(nowAwaited()).toEqual(awaited)
    expect(run.tally()).toEqual({ queued: awaited.length, done: 0, failed: 0 })
  })

  it('asks since its beginning, and only accounts that take turns are asked without one', async () => {
    const { clock, refresh, all, alice } = aPool()
    expect(all.map((watched) => refresh.wishFor(watched))).toEqual(
      [true, true, false, false].map((takesTurns) => ({ takesTurns, awaitedSinceMs: null })),
    )
    await clock.advance(5000)
    refresh.begin('default', all)

    expect(refresh.wishFor(alice)).toEqual({ takesTurns: true, awaitedSinceMs: 5000 })
  })

  it('counts an account that the vendor asked to leave alone as failed, without asking', async () => {
    const { refresh, all, alice, bob, awaited } = aPool()
    note(alice, { kind: 'vendor_asks_to_wait', untilMs: 1 })
    note(bob, { kind: 'vendor_asks_to_wait', untilMs: 0 })
    const run = refresh.begin('default', all)

    expect(awaited()).toEqual(['bob'])
    expect(run.tally()).toEqual({ queued: 2, done: 1, failed: 1 })
  })

  it('leaves out an account that was disabled or has left the list', async () => {
    const { refresh, all, alice, bob } = aPool()
    const run = refresh.begin('default', all)
    alice.account = { ...alice.account, operatorDisabled: true }
    expect(refresh.wishFor(alice).awaitedSinceMs).toBeNull()
    expect(run.tally().queued).toBe(1)
    refresh.dropUnlisted((watched) => watched !== bob)

    expect(run.tally()).toEqual({ queued: 0, done: 0, failed: 0 })
    expect(await endOf(run.ended)).toBeNull()
  })

  it('ends when another begins', async () => {
    const { refresh, all, awaited } = aPool()
    const first = refresh.begin('default', all)
    const second = refresh.begin('disabled-diagnostics', all)

    expect(await endOf(first.ended)).toBeNull()
    expect(await endOf(second.ended)).toBe('goes on')
    expect(awaited()).toEqual(['off'])
  })

  it('ends at once where nobody is in scope', async () => {
    const { refresh, alice } = aPool()

    expect(await endOf(refresh.begin('disabled-diagnostics', [alice]).ended)).toBeNull()
  })

  it('ends within a second of a refusal, with its code', async () => {
    const { clock, refresh, all, refuse } = aPool()
    const run = refresh.begin('default', all)
    await clock.advance(10_500)
    expect(await endOf(run.ended)).toBe('goes on')
    refuse('banned')
    await clock.advance(500)

    expect(await endOf(run.ended)).toBe('banned')
  })

  it('gives up at the third query in a row that the way to the vendor has broken', async () => {
    const { refresh, all } = aPool()
    const run = refresh.begin('default', all)
    refresh.queryBroke(2, 'timeout')
    expect(await endOf(run.ended)).toBe('goes on')
    refresh.queryBroke(3, 'unreachable')

    expect(await endOf(run.ended)).toBe('unreachable')
  })

  it('that is answered looks no more, and neither does one that is stopped', async () => {
    const { clock, refresh, all, alice, bob } = aPool()
    refresh.begin('default', all)
    refresh.settle(alice, true)
    refresh.settle(bob, false)
    await clock.advance(1000)
    expect(clock.scheduledCount).toBe(0)
    const run = refresh.begin('default', all)
    refresh.stop()

    expect(clock.scheduledCount).toBe(0)
    expect(await endOf(run.ended)).toBeNull()
  })
})
