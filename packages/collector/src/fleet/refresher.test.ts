import type { QuotaRefresher, RefreshFailure, RefreshRun, SkippedAccounts } from '@svc/core/service'
import { fromNow } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { refresherOf } from './refresher.ts'

interface Proxy {
  readonly isKey?: boolean | null
  readonly expectedMs?: number | null
  readonly failure?: RefreshFailure | null
  readonly queued?: number
  readonly skipped?: SkippedAccounts
}

/** The refresher of several proxies, with the names of those that were cancelled. */
function fleetOf(proxies: readonly Proxy[]) {
  const cancelled: number[] = []
  const members = proxies.map(
    (
      { isKey = null, expectedMs = 0, failure = null, queued = 0, skipped },
      index,
    ): QuotaRefresher => ({
      available: () => isKey !== null,
      isManagementKey: () => isKey,
      begin: (): RefreshRun => ({
        tally: () => ({
          queued,
          done: queued,
          failed: 0,
          ...(skipped === undefined ? {} : { skipped }),
        }),
        expectedMs: () => expectedMs,
        ended: Promise.resolve(failure),
        cancel: () => void cancelled.push(index),
      }),
    }),
  )
  return { refresher: refresherOf(() => members), cancelled }
}

describe('a refresh through several proxies', () => {
  it.each([
    { what: 'any of their keys', keys: [false, true, null], answer: true },
    { what: 'none of the keys there are', keys: [false, null], answer: false },
    { what: 'nothing to compare with', keys: [null, null], answer: null },
  ])('takes $what as $answer', ({ keys, answer }) => {
    const { refresher } = fleetOf(keys.map((isKey) => ({ isKey })))
    expect(refresher.isManagementKey('key')).toBe(answer)
  })

  it.each([
    { what: 'the slowest of them', times: [1_000, null, 5_000], expectedMs: 5_000 },
    { what: 'nobody knows when', times: [null, null], expectedMs: null },
  ])('is expected to end with $what', ({ times, expectedMs }) => {
    const { refresher } = fleetOf(times.map((time) => ({ expectedMs: time })))
    expect(refresher.begin({ scope: 'default' }).expectedMs()).toBe(expectedMs)
  })

  it.each<{ what: string; failures: readonly (RefreshFailure | null)[]; ended: unknown }>([
    { what: 'all asked', failures: [null, null], ended: null },
    { what: 'one left its accounts to another', failures: ['quota_off', null], ended: null },
    { what: 'one was refused', failures: [null, 'forbidden'], ended: 'forbidden' },
    {
      what: 'one left its accounts to one that was refused',
      failures: ['no_direct_quota', 'forbidden'],
      ended: 'forbidden',
    },
    { what: 'none could ask', failures: ['quota_off', 'no_direct_quota'], ended: 'quota_off' },
  ])('ends with $ended where $what', async ({ failures, ended }) => {
    const { refresher } = fleetOf(failures.map((failure) => ({ failure })))
    expect(await refresher.begin({ scope: 'default' }).ended).toBe(ended)
  })

  it('adds up what each has asked, and is cancelled at each', () => {
    const { refresher, cancelled } = fleetOf([{ queued: 2 }, { queued: 3 }])
    const run = refresher.begin({ scope: 'default' })
    run.cancel()

    expect(run.tally()).toEqual({ queued: 5, done: 5, failed: 0 })
    expect(cancelled).toEqual([0, 1])
  })
})

describe('accounts that several proxies skip', () => {
  it.each<{ all: readonly (SkippedAccounts | undefined)[]; skipped: SkippedAccounts | undefined }>([
    { all: [undefined, undefined], skipped: undefined },
    { all: [undefined, { count: 2, nextAskAt: null }], skipped: { count: 2, nextAskAt: null } },
    {
      all: [
        { count: 2, nextAskAt: fromNow(60) },
        { count: 1, nextAskAt: fromNow(30) },
        { count: 1, nextAskAt: null },
      ],
      skipped: { count: 4, nextAskAt: fromNow(30) },
    },
  ])('are $skipped in all', ({ all, skipped }) => {
    const { refresher } = fleetOf(
      all.map((one) => (one === undefined ? {} : { skipped: one, queued: 1 })),
    )
    expect(refresher.begin({ scope: 'default' }).tally().skipped).toEqual(skipped)
  })

  it.each<readonly [why: string, proxies: readonly Proxy[], failure: RefreshFailure | null]>([
    ['another proxy has asked', [{ failure: 'asked_lately' }, { queued: 3 }], null],
    ['nobody had anything to ask', [{ failure: 'asked_lately' }, {}], 'asked_lately'],
    [
      'the account was asked about a moment ago',
      [{ failure: 'asked_lately', queued: 1 }, { failure: 'no_direct_quota' }],
      'asked_lately',
    ],
  ])('end with $2 where $0', async (_, proxies, failure) => {
    expect(await fleetOf(proxies).refresher.begin({ scope: 'default' }).ended).toBe(failure)
  })
})
