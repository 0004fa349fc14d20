import { describe, expect, it } from 'vitest'
import { defaultPolicy } from '../evaluate.ts'
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
import { evaluateHealth, type HealthEvaluation } from './evaluate-health.ts'

const account = [anAccount('a'), evidenceOf([aQuotaSample()])] as const
const healthOf = (observed: Partial<Observation> = {}) => aSnapshot([account], observed).health
const codesOf = (observed: Partial<Observation>) =>
  healthOf(observed).actions.map(({ tone, action }) => `${tone} ${action.code}`)

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
const TALLY = { succeeded: 10, failed: 0, recentFailed: 0, recentCount: 10 }
const list = {
  accounts: [account[0]],
  otherProviders: new Map<string, number>(),
  skippedCount: 0,
  requestCounters: null,
}
const read = <Value>(value: Value): SourceReading<Value> => ({
  outcome: { kind: 'ok', at: NOW },
  failuresInARow: 0,
  lastGood: { value, at: NOW },
})

describe('the state of the whole', () => {
  it.each<readonly [why: string, observed: Partial<Observation>, state: string]>([
    ['everything answers', {}, 'good'],
    [
      'the first round has not ended',
      { accountList: PENDING, gateway: PENDING, directQuota: PENDING, usageStatistics: PENDING },
      'unknown',
    ],
    [
      'nor does a gateway known to be down make it bad before then',
      { accountList: PENDING, gateway: failed({ up: true }, 2) },
      'unknown',
    ],
    [
      'sources that have not answered yet do not count',
      { directQuota: PENDING, usageStatistics: PENDING },
      'good',
    ],
    [
      'sources that are off do not count',
      { directQuota: offBecause('no_key'), usageStatistics: offBecause('switched_off') },
      'good',
    ],
    ['one failure', { gateway: failed({ up: true }, 1) }, 'warn'],
    ['two in a row', { gateway: failed({ up: true }, 2) }, 'bad'],
    ['recovered at once', { gateway: read({ up: true }) }, 'good'],
    ['a worse action than any source', { openSecretFiles: ['management_key'] }, 'warn'],
    ['a worse source than any action', { usageStatistics: failed({ enabled: true }, 2) }, 'bad'],
    [
      'the first run with nothing configured',
      {
        management: { kind: 'no_key' },
        accountList: { ...failed(list, 1, 'no_key'), lastGood: null },
      },
      'bad',
    ],
  ])('%s', (_, observed, state) => {
    expect(healthOf(observed).state).toBe(state)
  })

  it('is judged from the start in a demo', () => {
    expect(
      healthOf({ kind: 'demo', accountList: { ...PENDING, lastGood: { value: list, at: NOW } } })
        .state,
    ).toBe('good')
  })

  it('before the first round has ended asks for nothing', () => {
    expect(
      healthOf({
        accountList: PENDING,
        management: { kind: 'no_key' },
        openSecretFiles: ['management_key'],
      }),
    ).toMatchObject({
      state: 'unknown',
      actions: [],
    })
  })
})

const BENCHMARK = {
  generatedAt: NOW,
  speedup: 1.8,
  tokenOverheadRatio: null,
  weeklyToFiveHourMultiplier: 6,
}

describe('a source', () => {
  const toneOf = (observed: Partial<Observation>, id: string) =>
    healthOf(observed).sources.find((source) => source.id === id)?.tone
  it.each<readonly [why: string, observed: Partial<Observation>, id: string, tone: string]>([
    ['answers', {}, 'gateway', 'good'],
    ['was never asked', { gateway: PENDING }, 'gateway', 'unknown'],
    ['is off', { directQuota: offBecause('no_key') }, 'direct_quota', 'unknown'],
    ['failed once', { accountList: failed(list, 1) }, 'accounts', 'warn'],
    ['failed twice', { accountList: failed(list, 2) }, 'accounts', 'bad'],
    [
      'was refused: nobody tries again',
      { accountList: failed(list, 1, 'unauthorized') },
      'accounts',
      'bad',
    ],
    ['is forbidden', { accountList: failed(list, 1, 'forbidden') }, 'accounts', 'bad'],
    ['is banned', { accountList: failed(list, 1, 'banned') }, 'accounts', 'bad'],
    ['has no key', { accountList: failed(list, 1, 'no_key') }, 'accounts', 'bad'],
    ['timed out once', { directQuota: failed(TALLY, 1, 'timeout') }, 'direct_quota', 'warn'],
    ['is throttled once', { directQuota: failed(TALLY, 1, 'throttled') }, 'direct_quota', 'warn'],
    ['answers with a list that has grown old', { accountRefreshSeconds: -1 }, 'accounts', 'warn'],
    [
      'answers, but half its queries fail',
      { directQuota: read({ ...TALLY, recentFailed: 5 }) },
      'direct_quota',
      'good',
    ],
    [
      'answers, but more than half fail',
      { directQuota: read({ ...TALLY, recentFailed: 6 }) },
      'direct_quota',
      'warn',
    ],
    [
      'answers that statistics are off',
      { usageStatistics: read({ enabled: false }) },
      'usage_statistics',
      'unknown',
    ],
    [
      'cannot be read, but nothing depends on it',
      { benchmark: failed(BENCHMARK, 9, 'file_unreadable') },
      'benchmark',
      'warn',
    ],
    ['is read', { benchmark: read(BENCHMARK) }, 'benchmark', 'good'],
    [
      'does not exist at this proxy',
      { usageStatistics: failed({ enabled: true }, 9, 'unsupported') },
      'usage_statistics',
      'unknown',
    ],
  ])('%s', (_, observed, id, tone) => {
    expect(toneOf(observed, id)).toBe(tone)
  })

  it('that is switched off at the proxy is called off', () => {
    const outcomes = [read({ enabled: false }), failed({ enabled: true }, 9, 'unsupported')].map(
      (usageStatistics) =>
        healthOf({ usageStatistics }).sources.find(({ id }) => id === 'usage_statistics')?.outcome,
    )

    expect(outcomes).toEqual([
      { kind: 'off', reason: 'switched_off' },
      { kind: 'off', reason: 'switched_off' },
    ])
  })

  it('that is off is listed with the reason, and counts for nothing', () => {
    const health = healthOf({
      directQuota: offBecause('switched_off'),
      usageFeed: offBecause('no_store'),
      clientLabels: offBecause('not_configured'),
      benchmark: offBecause('not_configured'),
      history: { kind: 'off' },
    })
    const off = health.sources.flatMap(({ id, tone, outcome }) =>
      outcome.kind === 'off' ? [`${id} ${tone} ${outcome.reason}`] : [],
    )

    expect(off).toEqual([
      'direct_quota unknown switched_off',
      'usage unknown no_store',
      'history unknown no_store',
      'client_labels unknown not_configured',
      'benchmark unknown not_configured',
    ])
    expect(health.state).toBe('good')
  })

  it('says when it was last good, however it does now', () => {
    expect(healthOf({ gateway: failed({ up: true }, 3) }).sources[0]).toEqual({
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

    expect(healthOf().sources.map(({ id }) => id)).toEqual(ids)
    expect(healthOf({ benchmark: read(BENCHMARK) }).sources.map(({ id }) => id)).toEqual(ids)
  })
})

describe('direct queries are degraded', () => {
  it.each([
    [3, 3, false, 'three are too few'],
    [3, 4, true, 'most of four'],
    [2, 4, false, 'half is not most'],
    [11, 20, true, 'most of twenty'],
    [0, 0, false, 'none were made'],
  ])('%d of %d failed: %s', (recentFailed, recentCount, degraded) => {
    const observed = { directQuota: read({ ...TALLY, recentFailed, recentCount }) }

    expect(codesOf(observed)).toEqual(degraded ? ['warn direct_quota_degraded'] : [])
  })
})

it('a source is as it is since it was first seen so', () => {
  const sinceOf = (observed: Partial<Observation>, previous: HealthEvaluation | null) => {
    const pool = aSnapshot([account], observed)
    const { thresholds } = defaultPolicy
    const health = evaluateHealth(
      aLiveObservation([account], observed),
      pool,
      { thresholds, exposedHost: null },
      previous,
    )
    return health.sources.find(({ id }) => id === 'gateway')?.since
  }
  const good = healthOf()
  const before = {
    ...good,
    sources: good.sources.map((source) => ({ ...source, since: fromNow(-600) })),
  }

  expect(sinceOf({}, null)).toBe(NOW)
  expect(sinceOf({}, before)).toBe(fromNow(-600))
  expect(sinceOf({ gateway: failed({ up: true }, 1) }, before)).toBe(NOW)
})

it('a listener that others can reach is a warning that names it', () => {
  const { health } = aSnapshot([account], {}, { exposedHost: '0.0.0.0' })

  expect(health).toMatchObject({
    state: 'warn',
    actions: [{ tone: 'warn', action: { code: 'risky_listener', host: '0.0.0.0' } }],
  })
})

it('the worst action comes first', () => {
  const tones = aSnapshot([[anAccount('a', { operatorDisabled: true }), null]], {
    openSecretFiles: ['management_key'],
    gateway: failed({ up: true }, 2),
  }).health.actions

  expect(tones.map(({ tone, action }) => `${tone} ${action.code}`)).toEqual([
    'bad gateway_down',
    'bad nothing_routable',
    'warn key_file_readable_by_others',
    'warn snapshot_partial',
  ])
})
