import { describe, expect, it } from 'vitest'
import type { Observation } from '../facts/observation.ts'
import {
  type OffReason,
  offBecause,
  proxySourceIds,
  type SourceFailureCode,
  type SourceId,
  sourceIds,
  sourceTable,
} from '../facts/source.ts'
import {
  aLiveObservation,
  anAccount,
  aQuotaSample,
  aSnapshot,
  evidenceOf,
  failing,
  fromNow,
  justRead,
  NOW,
  neverRead,
  type ObservationChanges,
} from '../testing/builders.ts'
import { areDirectQueriesDegraded, evaluateSources, type HealthSource } from './source-health.ts'

const account = [anAccount('a'), evidenceOf([aQuotaSample()])] as const
const sourcesOf = (
  observed: ObservationChanges = {},
  previous: readonly HealthSource[] = [],
): readonly HealthSource[] =>
  evaluateSources(aLiveObservation([account], observed), aSnapshot([account], observed), previous)

/** A failure after a good value. */
const failed = <Value>(value: Value, inARow: number, code?: SourceFailureCode) =>
  failing(inARow, code, value)
const TALLY = { succeeded: 10, failed: 0, recentFailed: 0, recentCount: 10, paused: [] }
const list = {
  accounts: [account[0]],
  skipped: [],
  requestCounters: null,
}

const BENCHMARK = {
  generatedAt: NOW,
  speedup: 1.8,
  tokenOverheadRatio: null,
  weeklyToFiveHourMultiplier: 6,
}

describe('a source', () => {
  const toneOf = (observed: ObservationChanges, id: string) =>
    sourcesOf(observed).find((source) => source.id === id)?.tone
  it.each<readonly [why: string, observed: ObservationChanges, id: string, tone: string]>([
    ['answers', {}, 'gateway', 'good'],
    ['was never asked', { sources: { gateway: neverRead } }, 'gateway', 'unknown'],
    ['is off', { sources: { direct_quota: offBecause('no_key') } }, 'direct_quota', 'unknown'],
    ['failed once', { sources: { accounts: failed(list, 1) } }, 'accounts', 'warn'],
    ['failed twice', { sources: { accounts: failed(list, 2) } }, 'accounts', 'bad'],
    [
      'was refused: nobody tries again',
      { sources: { accounts: failed(list, 1, 'unauthorized') } },
      'accounts',
      'bad',
    ],
    ['is forbidden', { sources: { accounts: failed(list, 1, 'forbidden') } }, 'accounts', 'bad'],
    ['is banned', { sources: { accounts: failed(list, 1, 'banned') } }, 'accounts', 'bad'],
    ['has no key', { sources: { accounts: failed(list, 1, 'no_key') } }, 'accounts', 'bad'],
    [
      'timed out once',
      { sources: { direct_quota: failed(TALLY, 1, 'timeout') } },
      'direct_quota',
      'warn',
    ],
    [
      'is throttled once',
      { sources: { direct_quota: failed(TALLY, 1, 'throttled') } },
      'direct_quota',
      'warn',
    ],
    ['answers with a list that has grown old', { accountRefreshSeconds: -1 }, 'accounts', 'warn'],
    [
      'answers with an entry that cannot be read',
      {
        sources: { accounts: justRead({ ...list, skipped: [{ position: 1, reason: 'no_name' }] }) },
      },
      'accounts',
      'warn',
    ],
    [
      'answers, but half its queries fail',
      { sources: { direct_quota: justRead({ ...TALLY, recentFailed: 5 }) } },
      'direct_quota',
      'good',
    ],
    [
      'answers, but more than half fail',
      { sources: { direct_quota: justRead({ ...TALLY, recentFailed: 6 }) } },
      'direct_quota',
      'warn',
    ],
    [
      'answers that statistics are off',
      { sources: { usage_statistics: justRead({ enabled: false }) } },
      'usage_statistics',
      'unknown',
    ],
    [
      'cannot be read, but nothing depends on it',
      { sources: { benchmark: failed(BENCHMARK, 9, 'file_unreadable') } },
      'benchmark',
      'warn',
    ],
    ['is read', { sources: { benchmark: justRead(BENCHMARK) } }, 'benchmark', 'good'],
    [
      'does not exist at this proxy',
      { sources: { usage_statistics: failed({ enabled: true }, 9, 'unsupported') } },
      'usage_statistics',
      'unknown',
    ],
  ])('%s', (_, observed, id, tone) => {
    expect(toneOf(observed, id)).toBe(tone)
  })

  it('that is switched off at the proxy is called off', () => {
    const outcomes = [
      justRead({ enabled: false }),
      failed({ enabled: true }, 9, 'unsupported'),
    ].map(
      (usage_statistics) =>
        sourcesOf({ sources: { usage_statistics } }).find(({ id }) => id === 'usage_statistics')
          ?.outcome,
    )

    expect(outcomes).toEqual([
      { kind: 'off', reason: 'switched_off' },
      { kind: 'off', reason: 'switched_off' },
    ])
  })

  it.each<{ id: SourceId; reason: OffReason; observed: ObservationChanges }>([
    {
      id: 'direct_quota',
      reason: 'switched_off',
      observed: { sources: { direct_quota: offBecause('switched_off') } },
    },
    { id: 'usage', reason: 'no_store', observed: { sources: { usage: offBecause('no_store') } } },
    { id: 'history', reason: 'no_store', observed: { history: { kind: 'off' } } },
    {
      id: 'benchmark',
      reason: 'not_configured',
      observed: { sources: { benchmark: offBecause('not_configured') } },
    },
  ])('$id that is off because of $reason is listed, without a judgement', (row) => {
    const shown = sourcesOf(row.observed).find(({ id }) => id === row.id)

    expect(shown).toMatchObject({ tone: 'unknown', outcome: { kind: 'off', reason: row.reason } })
  })

  it('says where it is asked while it fails', () => {
    const address = 'http://127.0.0.1:8999'
    const gateway = { ...failed({ up: true }, 3), address }
    const good = { ...gateway, outcome: { kind: 'ok', at: NOW } } as const

    expect(sourcesOf({ sources: { gateway } })[0]?.address).toBe(address)
    expect(sourcesOf({ sources: { gateway: good } })[0]).not.toHaveProperty('address')
  })

  it('names its page, however it does', () => {
    const pageUrl = 'http://127.0.0.1:8999/management.html'
    const gateway = { ...failed({ up: true }, 3), pageUrl }
    const good = { ...gateway, outcome: { kind: 'ok', at: NOW } } as const

    expect(sourcesOf({ sources: { gateway } })[0]?.pageUrl).toBe(pageUrl)
    expect(sourcesOf({ sources: { gateway: good } })[0]?.pageUrl).toBe(pageUrl)
  })

  it('says when it was last good, however it does now', () => {
    expect(sourcesOf({ sources: { gateway: failed({ up: true }, 3) } })[0]).toEqual({
      id: 'gateway',
      tone: 'bad',
      outcome: { kind: 'failed', code: 'unreachable', at: NOW },
      failuresInARow: 3,
      lastGoodAt: fromNow(-10),
      since: NOW,
    })
  })

  it.each<{ why: string; observed: ObservationChanges }>([
    { why: 'well', observed: {} },
    { why: 'off', observed: { sources: { gateway: offBecause('switched_off') } } },
    { why: 'failing', observed: { sources: { benchmark: failed(BENCHMARK, 2) } } },
  ])('is in its place of the table while one is $why', ({ observed }) => {
    expect(sourcesOf(observed).map(({ id }) => id)).toEqual(sourceIds)
  })

  it.each(proxySourceIds)('%s turns bad as its row says', (id) => {
    const { badAfterFailures } = sourceTable[id]
    const toneAfter = (failures: number, code?: SourceFailureCode) => {
      const { outcome, failuresInARow } = failed(null, failures, code)
      return toneOf({ sources: { [id]: { outcome, failuresInARow, lastGood: null } } }, id)
    }
    const tones = [toneAfter(1), toneAfter(2), toneAfter(99), toneAfter(1, 'banned')]

    expect(tones).toEqual(
      badAfterFailures === null
        ? ['warn', 'warn', 'warn', 'warn']
        : [badAfterFailures > 1 ? 'warn' : 'bad', 'bad', 'bad', 'bad'],
    )
  })
})

describe('the history store', () => {
  const ok = {
    missedSeconds: 0,
    backlogSeconds: null,
    lagSeconds: 0,
    isStandby: false,
    readFailure: null,
    engine: { name: 'sqlite', walBytes: 0 },
  } as const

  it.for<
    readonly [
      history: Observation['history'],
      tone: string,
      kind: string,
      lastGoodAt?: number | null,
    ]
  >([
    [{ kind: 'off' }, 'unknown', 'off'],
    [{ kind: 'opening' }, 'unknown', 'pending'],
    [{ kind: 'ok', at: fromNow(-3), ...ok }, 'good', 'ok', fromNow(-3)],
    [{ kind: 'failing', code: 'disk_full', since: NOW, engine: 'sqlite' }, 'bad', 'failed'],
  ])('that is $0.kind is $1 at once', ([history, tone, kind, lastGoodAt = null]) => {
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

    expect(areDirectQueriesDegraded(justRead({ ...TALLY, recentFailed, recentCount }))).toBe(
      degraded,
    )
  })

  it('that nobody has made are not degraded', () => {
    expect(areDirectQueriesDegraded(offBecause('switched_off'))).toBe(false)
  })
})

it('a source is as it is since it was first seen so', () => {
  const sinceOf = (observed: ObservationChanges, previous: readonly HealthSource[]) =>
    sourcesOf(observed, previous).find(({ id }) => id === 'gateway')?.since
  const before = sourcesOf().map((source) => ({ ...source, since: fromNow(-600) }))

  expect(sinceOf({}, [])).toBe(NOW)
  expect(sinceOf({}, before)).toBe(fromNow(-600))
  expect(sinceOf({ sources: { gateway: failed({ up: true }, 1) } }, before)).toBe(NOW)
})
