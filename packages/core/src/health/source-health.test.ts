import { describe, expect, it } from 'vitest'
import type { Observation } from '../facts/observation.ts'
import { offBecause, type SourceFailureCode, type SourceReading } from '../facts/source.ts'
import {
  aLiveObservation,
  anAccount,
  aQuotaSample,
  aSnapshot,
  evidenceOf,
  fromNow,
  NOW,
} from '../testing/builders.ts'
import { areDirectQueriesDegraded, evaluateSources, type HealthSource } from './source-health.ts'

const account = [anAccount('a'), evidenceOf([aQuotaSample()])] as const
const sourcesOf = (
  observed: Partial<Observation> = {},
  previous: readonly HealthSource[] = [],
): readonly HealthSource[] =>
  evaluateSources(aLiveObservation([account], observed), aSnapshot([account], observed), previous)

const PENDING = { outcome: { kind: 'pending' }, failuresInARow: 0, lastGood: null } as const
/** A failure that leaves the last good value, read 10 s ago. */
const failed = <Value>(
  value: Value,
  inARow: number,
  code: SourceFailureCode = 'unreachable',
): SourceReading<Value> => ({
  outcome: { kind: 'failed', code, at: NOW },
  failuresInARow: inARow,
  lastGood: { value, at: fromNow(-10) },
})
const read = <Value>(value: Value): SourceReading<Value> => ({
  outcome: { kind: 'ok', at: NOW },
  failuresInARow: 0,
  lastGood: { value, at: NOW },
})
const TALLY = { succeeded: 10, failed: 0, recentFailed: 0, recentCount: 10 }
const list = {
  accounts: [account[0]],
  otherProviders: new Map<string, number>(),
  skippedCount: 0,
  requestCounters: null,
}

const BENCHMARK = {
  generatedAt: NOW,
  speedup: 1.8,
  tokenOverheadRatio: null,
  weeklyToFiveHourMultiplier: 6,
}

describe('a source', () => {
  const toneOf = (observed: Partial<Observation>, id: string) =>
    sourcesOf(observed).find((source) => source.id === id)?.tone
  it.each<{
    readonly name: string
    readonly observed: Partial<Observation>
    readonly id: string
    readonly tone: string
  }>([
    { name: 'answers', observed: {}, id: 'gateway', tone: 'good' },
    { name: 'was never asked', observed: { gateway: PENDING }, id: 'gateway', tone: 'unknown' },
    {
      name: 'is off',
      observed: { directQuota: offBecause('no_key') },
      id: 'direct_quota',
      tone: 'unknown',
    },
    {
      name: 'failed once',
      observed: { accountList: failed(list, 1) },
      id: 'accounts',
      tone: 'warn',
    },
    {
      name: 'failed twice',
      observed: { accountList: failed(list, 2) },
      id: 'accounts',
      tone: 'bad',
    },
    {
      name: 'was refused: nobody tries again',
      observed: { accountList: failed(list, 1, 'unauthorized') },
      id: 'accounts',
      tone: 'bad',
    },
    {
      name: 'is forbidden',
      observed: { accountList: failed(list, 1, 'forbidden') },
      id: 'accounts',
      tone: 'bad',
    },
    {
      name: 'is banned',
      observed: { accountList: failed(list, 1, 'banned') },
      id: 'accounts',
      tone: 'bad',
    },
    {
      name: 'has no key',
      observed: { accountList: failed(list, 1, 'no_key') },
      id: 'accounts',
      tone: 'bad',
    },
    {
      name: 'timed out once',
      observed: { directQuota: failed(TALLY, 1, 'timeout') },
      id: 'direct_quota',
      tone: 'warn',
    },
    {
      name: 'is throttled once',
      observed: { directQuota: failed(TALLY, 1, 'throttled') },
      id: 'direct_quota',
      tone: 'warn',
    },
    {
      name: 'answers with a list that has grown old',
      observed: { accountRefreshSeconds: -1 },
      id: 'accounts',
      tone: 'warn',
    },
    {
      name: 'answers, but half its queries fail',
      observed: { directQuota: read({ ...TALLY, recentFailed: 5 }) },
      id: 'direct_quota',
      tone: 'good',
    },
    {
      name: 'answers, but more than half fail',
      observed: { directQuota: read({ ...TALLY, recentFailed: 6 }) },
      id: 'direct_quota',
      tone: 'warn',
    },
    {
      name: 'answers that statistics are off',
      observed: { usageStatistics: read({ enabled: false }) },
      id: 'usage_statistics',
      tone: 'unknown',
    },
    {
      name: 'cannot be read, but nothing depends on it',
      observed: { benchmark: failed(BENCHMARK, 9, 'file_unreadable') },
      id: 'benchmark',
      tone: 'warn',
    },
    { name: 'is read', observed: { benchmark: read(BENCHMARK) }, id: 'benchmark', tone: 'good' },
    {
      name: 'does not exist at this proxy',
      observed: { usageStatistics: failed({ enabled: true }, 9, 'unsupported') },
      id: 'usage_statistics',
      tone: 'unknown',
    },
  ])('$name', ({ observed, id, tone }) => {
    expect(toneOf(observed, id)).toBe(tone)
  })

  it('that is switched off at the proxy is called off', () => {
    const outcomes = [read({ enabled: false }), failed({ enabled: true }, 9, 'unsupported')].map(
      (usageStatistics) =>
        sourcesOf({ usageStatistics }).find(({ id }) => id === 'usage_statistics')?.outcome,
    )

    expect(outcomes).toEqual([
      { kind: 'off', reason: 'switched_off' },
      { kind: 'off', reason: 'switched_off' },
    ])
  })

  it('that is off is listed with the reason', () => {
    const sources = sourcesOf({
      directQuota: offBecause('switched_off'),
      usageFeed: offBecause('no_store'),
      clientLabels: offBecause('not_configured'),
      benchmark: offBecause('not_configured'),
      history: { kind: 'off' },
    })
    const off = sources.flatMap(({ id, tone, outcome }) =>
      outcome.kind === 'off' ? [`${id} ${tone} ${outcome.reason}`] : [],
    )

    expect(off).toEqual([
      'direct_quota unknown switched_off',
      'usage unknown no_store',
      'history unknown no_store',
      'client_labels unknown not_configured',
      'benchmark unknown not_configured',
    ])
  })

  it('says when it was last good, however it does now', () => {
    expect(sourcesOf({ gateway: failed({ up: true }, 3) })[0]).toEqual({
      id: 'gateway',
      tone: 'bad',
      outcome: { kind: 'failed', code: 'unreachable', at: NOW },
      failuresInARow: 3,
      lastGoodAt: fromNow(-10),
      since: NOW,
    })
  })

  it('is one of eight, always in this order', () => {
    const ids = [
      'gateway',
      'accounts',
      'direct_quota',
      'usage_statistics',
      'usage',
      'history',
      'client_labels',
      'benchmark',
    ]

    expect(sourcesOf().map(({ id }) => id)).toEqual(ids)
    expect(sourcesOf({ benchmark: read(BENCHMARK) }).map(({ id }) => id)).toEqual(ids)
  })
})

describe('the history store', () => {
  const ok = { walBytes: 0, missedSeconds: 0, backlogSeconds: null, readFailure: null } as const

  it.each<{
    history: Observation['history']
    tone: string
    kind: string
    lastGoodAt: number | null
  }>([
    { history: { kind: 'off' }, tone: 'unknown', kind: 'off', lastGoodAt: null },
    { history: { kind: 'opening' }, tone: 'unknown', kind: 'pending', lastGoodAt: null },
    {
      history: { kind: 'ok', at: fromNow(-3), ...ok },
      tone: 'good',
      kind: 'ok',
      lastGoodAt: fromNow(-3),
    },
    {
      history: { kind: 'failing', code: 'disk_full', since: NOW },
      tone: 'bad',
      kind: 'failed',
      lastGoodAt: null,
    },
  ])('that is $history.kind is $tone at once', ({ history, tone, kind, lastGoodAt }) => {
    const source = sourcesOf({ history }).find(({ id }) => id === 'history')

    expect(source).toMatchObject({ tone, outcome: { kind }, lastGoodAt })
  })
})

describe('direct queries', () => {
  it.each([
    { recentFailed: 3, recentCount: 3, degraded: false, why: 'three are too few' },
    { recentFailed: 3, recentCount: 4, degraded: true, why: 'most of four' },
    { recentFailed: 2, recentCount: 4, degraded: false, why: 'half is not most' },
    { recentFailed: 11, recentCount: 20, degraded: true, why: 'most of twenty' },
    { recentFailed: 0, recentCount: 0, degraded: false, why: 'none were made' },
  ])('of which $recentFailed of $recentCount failed: $why', (row) => {
    const { recentFailed, recentCount, degraded } = row

    expect(
      areDirectQueriesDegraded({ directQuota: read({ ...TALLY, recentFailed, recentCount }) }),
    ).toBe(degraded)
  })

  it('that nobody has made are not degraded', () => {
    expect(areDirectQueriesDegraded({ directQuota: offBecause('switched_off') })).toBe(false)
  })
})

it('a source is as it is since it was first seen so', () => {
  const sinceOf = (observed: Partial<Observation>, previous: readonly HealthSource[]) =>
    sourcesOf(observed, previous).find(({ id }) => id === 'gateway')?.since
  const before = sourcesOf().map((source) => ({ ...source, since: fromNow(-600) }))

  expect(sinceOf({}, [])).toBe(NOW)
  expect(sinceOf({}, before)).toBe(fromNow(-600))
  expect(sinceOf({ gateway: failed({ up: true }, 1) }, before)).toBe(NOW)
})
