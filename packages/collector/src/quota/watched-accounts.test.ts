import type { Account } from '@svc/core'
import { anAccount, aQuotaSample, evidenceOf, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { followAccounts, noWatchedAccounts, type WatchedAccounts } from './watched-accounts.ts'

const at = (nowMs: number) => ({ nowMs, listedBefore: null })

function aFile(authName: string, accountKey: string, authIndex = `index-of-${authName}`): Account {
  return anAccount('any', { selector: { authName, accountKey, authIndex } })
}

/** Follows these lists in turn. Each account of the first list gets a sample with its own percent. */
function follow(
  first: readonly Account[],
  ...later: readonly (readonly Account[])[]
): WatchedAccounts {
  let accounts = followAccounts(noWatchedAccounts, first, at(0))
  for (const [index, watched] of [...accounts.byAuthName.values()].entries())
    watched.evidence = evidenceOf([aQuotaSample({ week: index + 1, ageSeconds: 60 })])
  for (const [index, list] of later.entries())
    accounts = followAccounts(accounts, list, at((index + 1) * 15_000))
  return accounts
}

/** Weekly percent now known for each name; null without a sample. */
function percents(accounts: WatchedAccounts): Record<string, number | null> {
  return Object.fromEntries(
    [...accounts.byAuthName].map(([name, { evidence }]) => [
      name,
      evidence.samples[0]?.windows.find((window) => window.id === 'week')?.percent ?? null,
    ]),
  )
}

describe('what is known', () => {
  it('stays with an account that stays', () => {
    expect(percents(follow([aFile('a', 'K')], [aFile('a', 'K')]))).toEqual({ a: 1 })
  })

  it('goes along with a renamed file', () => {
    expect(
      percents(follow([aFile('a', 'K'), aFile('b', 'L')], [aFile('new', 'K'), aFile('b', 'L')])),
    ).toEqual({ new: 1, b: 2 })
  })

  it('waits for a file that one list did not show', () => {
    expect(percents(follow([aFile('a', 'K')], [], [aFile('new', 'K')]))).toEqual({ new: 1 })
  })

  it('does not wait for ever', () => {
    const gone = followAccounts(follow([aFile('a', 'K')]), [], at(0))

    expect(percents(followAccounts(gone, [aFile('a', 'K')], at(3_600_001)))).toEqual({ a: null })
  })

  it('is not given to another account under the old name', () => {
    expect(percents(follow([aFile('a', 'K')], [aFile('a', 'L')]))).toEqual({ a: null })
  })

  it('is swapped along with the names', () => {
    expect(
      percents(follow([aFile('a', 'K'), aFile('b', 'L')], [aFile('a', 'L'), aFile('b', 'K')])),
    ).toEqual({ a: 2, b: 1 })
  })

  it('is not copied to a second file of the account', () => {
    expect(percents(follow([aFile('a', 'K')], [aFile('a', 'K'), aFile('second', 'K')]))).toEqual({
      a: 1,
      second: null,
    })
  })

  it('loses a sample that may already be of the account that took the name over', () => {
    const accounts = followAccounts(noWatchedAccounts, [aFile('a', 'K')], at(0))
    const watched = accounts.byAuthName.get('a')
    if (watched !== undefined) watched.evidence = evidenceOf([aQuotaSample()])

    const swapped = followAccounts(accounts, [aFile('a', 'L'), aFile('b', 'K')], {
      nowMs: 15_000,
      listedBefore: NOW,
    })

    expect(percents(swapped)).toEqual({ a: null, b: null })
  })

  it('lets go of a refusal that an earlier index brought', () => {
    const accounts = follow([aFile('a', 'K', 'one')])
    const watched = accounts.byAuthName.get('a')
    const refusedLogin = { inARow: 2, lastAt: NOW, httpStatus: 401 }
    if (watched !== undefined)
      Object.assign(watched, {
        evidence: { ...watched.evidence, refusedLogin },
        times: { ...watched.times, lastAttemptAtMs: 5 },
      })

    const same = followAccounts(accounts, [aFile('a', 'K', 'one')], at(15_000)).byAuthName.get('a')
    expect(same).toMatchObject({ evidence: { refusedLogin }, times: { lastAttemptAtMs: 5 } })
    const moved = followAccounts(accounts, [aFile('a', 'K', 'two')], at(15_000)).byAuthName.get('a')
    expect(moved).toMatchObject({
      evidence: { refusedLogin: null },
      times: { lastAttemptAtMs: null },
    })
    expect(moved?.evidence.samples).toHaveLength(1)
  })
})
