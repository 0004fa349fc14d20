import type { RefreshTarget, SourceFailureCode } from '@svc/core/service'
import { anAccount, virtualClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createCurrentRefresh } from './current-refresh.ts'
import { followAccounts, note, noWatchedAccounts } from './watched-accounts.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const names = ['alice', 'bob', 'off', 'mute'] as const

const alone = (name: (typeof names)[number]): RefreshTarget => ({
  scope: 'account',
  accountKey: anAccount(name).selector.accountKey,
})

/** Two accounts that can be queried, one that is disabled, and one the transport cannot query. */
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

/** Result of the refresh, or a mark that it has not ended yet. */
async function endOf(ended: Promise<unknown>): Promise<unknown> {
  return await Promise.race([ended, turn().then(() => 'goes on')])
}

describe('a refresh', () => {
  it.each<{ target: RefreshTarget; awaited: readonly string[] }>([
    { target: { scope: 'default' }, awaited: ['alice', 'bob'] },
    { target: { scope: 'disabled-diagnostics' }, awaited: ['off'] },
    { target: alone('bob'), awaited: ['bob'] },
    { target: alone('off'), awaited: ['off'] },
  ])('of $target awaits $awaited', ({ target, awaited }) => {
    const { refresh, all, awaited: nowAwaited } = aPool()
    const run = refresh.begin(target, all)

    expect(nowAwaited()).toEqual(awaited)
    expect(run.tally()).toEqual({ queued: awaited.length, done: 0, failed: 0 })
  })

  it('asks since its beginning, and only accounts that take turns are asked without one', async () => {
    const { clock, refresh, all, alice } = aPool()
    expect(all.map((watched) => refresh.wishFor(watched))).toEqual(
      [true, true, false, false].map((takesTurns) => ({ takesTurns, awaitedSinceMs: null })),
    )
    await clock.advance(5000)
    refresh.begin({ scope: 'default' }, all)

    expect(refresh.wishFor(alice)).toEqual({ takesTurns: true, awaitedSinceMs: 5000 })
  })

  it('counts an account that the vendor asked to leave alone as failed, without asking', async () => {
    const { refresh, all, alice, bob, awaited } = aPool()
    note(alice, { kind: 'vendor_asks_to_wait', untilMs: 1 })
    note(bob, { kind: 'vendor_asks_to_wait', untilMs: 0 })
    const run = refresh.begin({ scope: 'default' }, all)

    expect(awaited()).toEqual(['bob'])
    expect(run.tally()).toEqual({ queued: 2, done: 1, failed: 1 })
  })

  it('leaves out an account that was disabled or has left the list', async () => {
    const { refresh, all, alice, bob } = aPool()
    const run = refresh.begin({ scope: 'default' }, all)
    alice.account = { ...alice.account, operatorDisabled: true }
    expect(refresh.wishFor(alice).awaitedSinceMs).toBeNull()
    expect(run.tally().queued).toBe(1)
    refresh.dropUnlisted((watched) => watched !== bob)

    expect(run.tally()).toEqual({ queued: 0, done: 0, failed: 0 })
    expect(await endOf(run.ended)).toBeNull()
  })

  it('ends when another begins', async () => {
    const { refresh, all, awaited } = aPool()
    const first = refresh.begin({ scope: 'default' }, all)
    const second = refresh.begin({ scope: 'disabled-diagnostics' }, all)

    expect(await endOf(first.ended)).toBeNull()
    expect(await endOf(second.ended)).toBe('goes on')
    expect(awaited()).toEqual(['off'])
  })

  it('ends within a second of a refusal, with its code', async () => {
    const { clock, refresh, all, refuse } = aPool()
    const run = refresh.begin({ scope: 'default' }, all)
    await clock.advance(10_500)
    expect(await endOf(run.ended)).toBe('goes on')
    refuse('banned')
    await clock.advance(500)

    expect(await endOf(run.ended)).toBe('banned')
  })

  it('gives up at the third query in a row that the way to the vendor has broken', async () => {
    const { refresh, all } = aPool()
    const run = refresh.begin({ scope: 'default' }, all)
    refresh.queryBroke(2, 'timeout')
    expect(await endOf(run.ended)).toBe('goes on')
    refresh.queryBroke(3, 'unreachable')

    expect(await endOf(run.ended)).toBe('unreachable')
  })

  it('that is answered looks no more, and neither does one that is stopped', async () => {
    const { clock, refresh, all, alice, bob } = aPool()
    refresh.begin({ scope: 'default' }, all)
    refresh.settle(alice, true)
    refresh.settle(bob, false)
    await clock.advance(1000)
    expect(clock.scheduledCount).toBe(0)
    const run = refresh.begin({ scope: 'default' }, all)
    refresh.stop()

    expect(clock.scheduledCount).toBe(0)
    expect(await endOf(run.ended)).toBeNull()
  })
})

describe('a refresh of one account', () => {
  it('goes before every account that is due', async () => {
    const { clock, refresh, all, alice } = aPool()
    await clock.advance(5000)
    refresh.begin(alone('alice'), all)

    expect(refresh.wishFor(alice).awaitedSinceMs).toBeLessThan(0)
  })

  it('goes on when the account is disabled meanwhile: it was asked for by its name', () => {
    const { refresh, all, alice } = aPool()
    const run = refresh.begin(alone('alice'), all)
    alice.account = { ...alice.account, operatorDisabled: true }

    expect(refresh.wishFor(alice).awaitedSinceMs).not.toBeNull()
    expect(run.tally().queued).toBe(1)
  })

  it('that nothing can ask about says so, and asks nobody', async () => {
    const { refresh, all, awaited } = aPool()
    const run = refresh.begin(alone('mute'), all)

    expect(await endOf(run.ended)).toBe('no_direct_quota')
    expect([run.tally(), awaited()]).toEqual([{ queued: 0, done: 0, failed: 0 }, []])
  })

  it('waits no time that the vendor asked for, but says so', async () => {
    const { clock, refresh, all, alice, awaited } = aPool()
    note(alice, { kind: 'vendor_asks_to_wait', untilMs: 5_000 })
    expect(await endOf(refresh.begin(alone('alice'), all).ended)).toBe('vendor_asks_to_wait')
    expect(awaited()).toEqual([])
    await clock.advance(5_000)

    expect(await endOf(refresh.begin(alone('alice'), all).ended)).toBe('goes on')
  })

  it.each([
    { afterMs: 0, end: 'asked_lately' },
    { afterMs: 59_999, end: 'asked_lately' },
    { afterMs: 60_000, end: 'goes on' },
  ])('$afterMs ms after the one before was answered: $end', async ({ afterMs, end }) => {
    const { clock, refresh, all, alice } = aPool()
    refresh.begin(alone('alice'), all)
    refresh.settle(alice, true)
    await clock.advance(afterMs)

    expect(await endOf(refresh.begin(alone('alice'), all).ended)).toBe(end)
  })

  it('counts the answer of a query that was under way when it was cancelled', async () => {
    const { refresh, all, alice } = aPool()
    refresh.begin(alone('alice'), all).cancel()
    refresh.settle(alice, true)

    expect(await endOf(refresh.begin(alone('alice'), all).ended)).toBe('asked_lately')
  })

  it('asks again about an account that only a turn or a refresh of all has asked about', async () => {
    const { refresh, all, alice, bob } = aPool()
    refresh.settle(alice, true)
    refresh.begin({ scope: 'default' }, all)
    refresh.settle(alice, true)
    refresh.settle(bob, true)

    expect(await endOf(refresh.begin(alone('alice'), all).ended)).toBe('goes on')
  })
})
