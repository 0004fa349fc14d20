import { describe, expect, it } from 'vitest'
import { defaultPolicy, evaluateSnapshot } from '../evaluate.ts'
import { offBecause, type SourceFailureCode } from '../facts/source.ts'
import { mergeObservations } from '../fleet/merge-observations.ts'
import { noTrends, unknownRunway } from '../pool/runway.ts'
import {
  aLiveObservation,
  anAccount,
  aQuotaSample,
  aServiceObservation,
  aSnapshot,
  evidenceOf,
  failing,
  fromNow,
  justRead,
  NOW,
  neverRead,
  type ObservationChanges,
} from '../testing/builders.ts'
import { keepsFromReading, snapshotActions } from './evaluate-health.ts'
import type { HealthAction } from './health-actions.ts'
import type { Snapshot } from './snapshot.ts'

const account = [anAccount('a'), evidenceOf([aQuotaSample()])] as const
const healthOf = (observed: ObservationChanges = {}) => aSnapshot([account], observed).health
const codesOf = (observed: ObservationChanges) =>
  healthOf(observed).actions.map(({ tone, action }) => `${tone} ${action.code}`)

/** A failure after a good value. */
const failed = <Value>(value: Value, inARow: number, code?: SourceFailureCode) =>
  failing(inARow, code, value)
const TALLY = { succeeded: 10, failed: 0, recentFailed: 0, recentCount: 10, paused: [] }
const list = {
  accounts: [account[0]],
  skipped: [],
  requestCounters: null,
}

describe('the state of the whole', () => {
  it.each<readonly [why: string, observed: ObservationChanges, state: string]>([
    ['everything answers', {}, 'good'],
    [
      'the first round has not ended',
      {
        sources: {
          accounts: neverRead,
          gateway: neverRead,
          direct_quota: neverRead,
          usage_statistics: neverRead,
        },
      },
      'unknown',
    ],
    [
      'nor does a gateway known to be down make it bad before then',
      { sources: { accounts: neverRead, gateway: failed({ up: true }, 2) } },
      'unknown',
    ],
    [
      'sources that have not answered yet do not count',
      { sources: { direct_quota: neverRead, usage_statistics: neverRead } },
      'good',
    ],
    [
      'sources that are off do not count',
      {
        sources: {
          direct_quota: offBecause('no_key'),
          usage_statistics: offBecause('switched_off'),
        },
      },
      'good',
    ],
    ['one failure', { sources: { gateway: failed({ up: true }, 1) } }, 'warn'],
    ['two in a row', { sources: { gateway: failed({ up: true }, 2) } }, 'bad'],
    ['recovered at once', { sources: { gateway: justRead({ up: true }) } }, 'good'],
    ['a worse action than any source', { openSecretFiles: ['management_key'] }, 'warn'],
    [
      'a worse source than any action',
      { sources: { usage_statistics: failed({ enabled: true }, 2) } },
      'bad',
    ],
    [
      'the first run with nothing configured',
      {
        management: { kind: 'no_key' },
        sources: { accounts: { ...failed(list, 1, 'no_key'), lastGood: null } },
      },
      'bad',
    ],
  ])('%s', (_, observed, state) => {
    expect(healthOf(observed).state).toBe(state)
  })

  const unread = (code: 'no_key' | 'unreachable' | 'bad_payload') => ({
    accounts: { ...failed(list, 2, code), lastGood: null },
  })

  it.each<{ why: string; observed: ObservationChanges; codes: readonly string[] }>([
    {
      why: 'no key',
      observed: { management: { kind: 'no_key' }, sources: unread('no_key') },
      codes: ['management_key_missing'],
    },
    {
      why: 'no proxy',
      observed: { sources: { ...unread('unreachable'), gateway: failed({ up: true }, 2) } },
      codes: ['gateway_down'],
    },
    {
      why: 'a list that cannot be understood',
      observed: { sources: unread('bad_payload') },
      codes: ['snapshot_unavailable'],
    },
    {
      why: 'a list that cannot be understood, and a key that others can read',
      observed: { sources: unread('bad_payload'), openSecretFiles: ['management_key'] },
      codes: ['snapshot_unavailable', 'key_file_readable_by_others'],
    },
  ])('says once why nothing is read: $why', ({ observed, codes }) => {
    expect(healthOf(observed).actions.map(({ action }) => action.code)).toEqual(codes)
  })

  it('is judged from the start in a demo', () => {
    expect(
      healthOf({
        kind: 'demo',
        sources: { accounts: { ...neverRead, lastGood: { value: list, at: NOW } } },
      }).state,
    ).toBe('good')
  })

  it('before the first round has ended asks for nothing', () => {
    expect(
      healthOf({
        sources: { accounts: neverRead },
        management: { kind: 'no_key' },
        openSecretFiles: ['management_key'],
      }),
    ).toMatchObject({
      state: 'unknown',
      actions: [],
    })
  })
})

it.each([
  { recentFailed: 10, action: [] },
  { recentFailed: 11, action: ['warn direct_quota_degraded'] },
])('of 20 direct queries $recentFailed failed', ({ recentFailed, action }) => {
  expect(
    codesOf({ sources: { direct_quota: justRead({ ...TALLY, recentFailed, recentCount: 20 }) } }),
  ).toEqual(action)
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
    sources: { gateway: failed({ up: true }, 2) },
  }).health.actions

  expect(tones.map(({ tone, action }) => `${tone} ${action.code}`)).toEqual([
    'bad gateway_down',
    'bad nothing_routable',
    'warn key_file_readable_by_others',
    'warn snapshot_partial',
  ])
})

describe('a pool that runs low', () => {
  const left = (percent: number) =>
    [anAccount('a'), evidenceOf([aQuotaSample({ week: percent })])] as const
  const evaluatedAt = (percent: number, seconds: number, previous: Snapshot | null) =>
    evaluateSnapshot(
      aLiveObservation([left(percent)], { accountRefreshSeconds: 600 }),
      defaultPolicy,
      fromNow(seconds),
      { previous, recordedChanges: [] },
    )

  it('makes the whole a warning after a minute, and well again five minutes after it recovered', () => {
    const first = evaluatedAt(9, 0, null)
    const low = evaluatedAt(9, 60, first)
    const recovered = evaluatedAt(50, 70, low)
    const well = evaluatedAt(50, 360, recovered)

    expect([first, low, recovered, well].map(({ health }) => health.state)).toEqual([
      'good',
      'warn',
      'warn',
      'good',
    ])
    expect(low.health.actions).toEqual([
      {
        id: 'capacity_low:week',
        tone: 'warn',
        action: {
          code: 'capacity_low',
          provider: 'codex',
          windowId: 'week',
          knownUnits: 0.09,
          trackedUnits: 1,
        },
        since: NOW,
      },
    ])
  })

  it('is bad once a forecast that was handed in has held for a minute', () => {
    const runway = {
      ...unknownRunway,
      verdict: 'runs-dry',
      confidence: 'high',
      runsDryAt: fromNow(3600),
      p75: fromNow(7200),
    } as const
    const trends = new Map([['codex', { ...noTrends, '5h': { past: [], runway } }]])
    const observation = aLiveObservation([left(50)], { accountRefreshSeconds: 600 })
    const first = evaluateSnapshot(observation, defaultPolicy, NOW, {
      previous: null,
      recordedChanges: [],
      trends,
    })
    const later = evaluateSnapshot(observation, defaultPolicy, fromNow(60), {
      previous: first,
      recordedChanges: [],
      trends,
    })

    expect(first.health).toMatchObject({ state: 'good', actions: [] })
    expect(later.health).toMatchObject({
      state: 'bad',
      actions: [{ id: 'runway_short:5h', since: NOW }],
    })
  })

  it('is not forgotten while the proxy is not read', () => {
    const low = evaluatedAt(9, 60, evaluatedAt(9, 0, null))
    const pending = aLiveObservation([left(9)], { sources: { accounts: neverRead } })
    const unread = evaluateSnapshot(pending, defaultPolicy, fromNow(90), {
      previous: low,
      recordedChanges: [],
    })

    expect(evaluatedAt(9, 120, unread).health.actions).toHaveLength(1)
  })
})

const fine = [anAccount('fine'), evidenceOf([aQuotaSample()])] as const

describe('the snapshot', () => {
  const never = failing()
  it.each<readonly [why: string, changes: ObservationChanges, expected: readonly unknown[]]>([
    ['live', {}, []],
    ['demo', { kind: 'demo', sources: { gateway: never } }, []],
    [
      'unavailable',
      { sources: { accounts: never } },
      [{ tone: 'bad', action: { code: 'snapshot_unavailable' } }],
    ],
    [
      'stale',
      { accountRefreshSeconds: -1 },
      [{ tone: 'warn', action: { code: 'snapshot_stale', sampledAt: NOW } }],
    ],
    [
      'partial',
      { sources: { gateway: never } },
      [
        {
          tone: 'warn',
          action: { code: 'snapshot_partial', failedSources: ['gateway'], othersCurrent: true },
        },
      ],
    ],
  ])('%s', (_, changes, expected) => {
    expect(snapshotActions(aSnapshot([fine], changes), [{ id: 'gateway' }], false)).toEqual(
      expected,
    )
  })

  it('partial names every source that failed', () => {
    const { actions } = aSnapshot([fine], {
      sources: { gateway: never, direct_quota: never },
    }).health
    const failedSources = ['gateway', 'direct_quota']
    const action = { code: 'snapshot_partial', failedSources, othersCurrent: true }

    expect(actions).toContainEqual({ id: 'snapshot_partial', tone: 'warn', action, since: NOW })
  })

  it.each([
    {
      accounts: never,
      expected: [
        {
          code: 'snapshot_partial',
          failedSources: ['accounts'],
          failedAt: ['berlin', 'paris'],
          unread: ['berlin', 'paris'],
          old: [],
          othersCurrent: false,
        },
      ],
    },
    { accounts: neverRead, expected: [] },
  ])('partial names a source of two proxies once, with both, and none that only waits', (row) => {
    const unread = aLiveObservation([], { sources: { accounts: row.accounts } })
    const read = aLiveObservation([[anAccount('a', { upstream: 'tokyo' }), null]])
    const merged = mergeObservations(
      [
        { name: 'tokyo', observed: read },
        { name: 'berlin', observed: unread },
        { name: 'paris', observed: unread },
      ],
      { client_labels: offBecause('no_store'), benchmark: offBecause('not_configured') },
    )
    const observation = { ...merged, ...aServiceObservation() }
    const past = { previous: null, recordedChanges: [] }
    const snapshot = evaluateSnapshot(observation, defaultPolicy, NOW, past)

    expect(snapshot.source).toBe('partial')
    expect(snapshot.health.actions.map(({ action }) => action)).toEqual(row.expected)
  })

  it.each<{ source: string; changes: ObservationChanges; count: number }>([
    { source: 'unavailable', changes: { sources: { accounts: never } }, count: 0 },
    { source: 'stale', changes: { accountRefreshSeconds: -1 }, count: 1 },
    { source: 'partial', changes: { sources: { gateway: never } }, count: 1 },
  ])('asks for nothing more where another action says why nothing is read: $source', (row) => {
    const snapshot = aSnapshot([fine], row.changes)

    expect(snapshot.source).toBe(row.source)
    expect(snapshotActions(snapshot, [{ id: 'gateway' }], true)).toHaveLength(row.count)
  })

  it.each<{ action: HealthAction; says: boolean }>([
    { action: { code: 'management_key_missing' }, says: true },
    { action: { code: 'management_banned', until: NOW }, says: true },
    { action: { code: 'key_file_readable_by_others' }, says: false },
    { action: { code: 'usage_rival' }, says: false },
  ])('knows whether $action.code says why nothing is read: $says', ({ action, says }) => {
    expect(keepsFromReading({ tone: 'bad', action })).toBe(says)
  })
})
