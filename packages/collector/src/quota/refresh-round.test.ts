import { anAccount } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createRefreshRound } from './refresh-round.ts'
import { followAccounts, noWatchedAccounts, type WatchedAccount } from './watched-accounts.ts'

const watched = (...names: readonly string[]): readonly WatchedAccount[] => [
  ...followAccounts(
    noWatchedAccounts,
    names.map((name) => anAccount(name)),
    { nowMs: 0, listedBefore: null },
  ).byAuthName.values(),
]

/** The end, or that there is none yet. */
async function endOf(ended: Promise<unknown>): Promise<unknown> {
  return await Promise.race([ended, new Promise((resolve) => setImmediate(resolve, 'goes on'))])
}

describe('a round', () => {
  it('ends when the last answer is there, and counts failures apart', async () => {
    const [one, two, stranger] = watched('one', 'two', 'stranger') as [
      WatchedAccount,
      WatchedAccount,
      WatchedAccount,
    ]
    const round = createRefreshRound({ scope: 'default' }, [one, two], 0)
    round.settle(one, true)
    round.settle(one, true)
    round.settle(stranger, false)
    expect(round.tally()).toEqual({ queued: 2, done: 1, failed: 0 })
    expect(await endOf(round.ended)).toBe('goes on')
    round.settle(two, false)
    expect(round.tally()).toEqual({ queued: 2, done: 2, failed: 1 })
    expect(await endOf(round.ended)).toBeNull()
  })

  it('forgets who leaves as if they had never been in', async () => {
    const [one, two] = watched('one', 'two') as [WatchedAccount, WatchedAccount]
    const round = createRefreshRound({ scope: 'default' }, [one, two], 0)
    round.settle(one, true)
    round.drop(two)
    round.drop(two)
    expect(round.tally()).toEqual({ queued: 1, done: 1, failed: 0 })
    expect(await endOf(round.ended)).toBeNull()
  })

  it('says why the rest was not asked, and keeps it in the count', async () => {
    const [one, two] = watched('one', 'two') as [WatchedAccount, WatchedAccount]
    const round = createRefreshRound({ scope: 'disabled-diagnostics' }, [one, two], 0)
    round.settle(one, true)
    round.end('banned')
    round.end(null)
    round.settle(two, true)
    expect(round.tally()).toEqual({ queued: 2, done: 1, failed: 0 })
    expect(round.awaits(two)).toBe(false)
    expect(await endOf(round.ended)).toBe('banned')
  })
})
