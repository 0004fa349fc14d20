import { describe, expect, it } from 'vitest'
import { defaultPolicy, evaluateSnapshot } from '../evaluate.ts'
import type { EngineName, HistoryFailureCode, HistoryState } from '../facts/history-state.ts'
import { offBecause } from '../facts/source.ts'
import { mergeObservations } from '../fleet/merge-observations.ts'
import {
  aLiveObservation,
  anAccount,
  aScheduler,
  aServiceObservation,
  aSnapshot,
  failing,
  fromNow,
  NOW,
  neverRead,
  type ObservationChanges,
} from '../testing/builders.ts'
import { readinessOf, snapshotAtUpstream, type Unready, unreadyOf } from './snapshot.ts'

const failed = failing(3)
const loggedOut = {
  message: { kind: 'auth_fault', code: 'token_revoked', deactivated: false },
  messageAt: fromNow(-60),
} as const

/** tokyo no longer answers; alice is at berlin, dan is logged out at paris. */
const snapshot = evaluateSnapshot(
  {
    ...mergeObservations(
      [
        {
          name: 'tokyo',
          observed: aLiveObservation([], { sources: { accounts: failed, gateway: failed } }),
        },
        {
          name: 'berlin',
          observed: aLiveObservation([[anAccount('alice', { upstream: 'berlin' }), null]]),
        },
        {
          name: 'paris',
          observed: aLiveObservation([
            [anAccount('dan', { ...loggedOut, upstream: 'paris' }), null],
          ]),
        },
      ],
      { client_labels: offBecause('no_store'), benchmark: offBecause('not_configured') },
    ),
    ...aServiceObservation(),
    schedulers: ['tokyo', 'berlin'].map((upstream) => aScheduler({ upstream })),
  },
  { ...defaultPolicy, exposedHost: '0.0.0.0' },
  NOW,
  {
    previous: null,
    recordedChanges: [
      { at: NOW, tone: 'warn', detail: { code: 'account_removed', title: 'x', upstream: 'tokyo' } },
      { at: NOW, tone: 'good', detail: { code: 'account_added', title: 'y', upstream: 'berlin' } },
      { at: NOW, tone: 'good', detail: { code: 'history_started' } },
    ],
  },
)

it('has the scheduler of its proxy alone', () => {
  const upstreams = (name: string) =>
    snapshotAtUpstream(snapshot, name)?.schedulers?.map(({ upstream }) => upstream)

  expect(snapshot.schedulers).toHaveLength(2)
  expect(upstreams('berlin')).toEqual(['berlin'])
  expect(upstreams('paris')).toEqual([])
})

const codesAt = (name: string) =>
  snapshotAtUpstream(snapshot, name)?.health.actions.map(({ action }) => action.code)

describe('a snapshot of one proxy', () => {
  it.each([
    { name: 'tokyo', state: 'bad', codes: ['gateway_down', 'risky_listener'] },
    { name: 'berlin', state: 'warn', codes: ['risky_listener'] },
    { name: 'paris', state: 'bad', codes: ['auth_invalid', 'risky_listener'] },
  ])('of $name is $state and names what is to be done there: $codes', ({ name, state, codes }) => {
    expect(snapshot.health.state).toBe('bad')
    expect(codesAt(name)).toEqual(codes)
    expect(snapshotAtUpstream(snapshot, name)?.health.state).toBe(state)
  })

  it('has its own sources, and those that are read once for all', () => {
    const { sources = [] } = snapshotAtUpstream(snapshot, 'berlin')?.health ?? {}

    expect(new Set(sources.map(({ upstream }) => upstream))).toEqual(new Set(['berlin', undefined]))
  })

  it('has the changes that were found there, and of the service', () => {
    const changes = snapshotAtUpstream(snapshot, 'berlin')?.recentChanges ?? []

    expect(changes.map(({ detail }) => detail.code)).toEqual(['account_added', 'history_started'])
  })

  it('is none for a proxy that is not watched', () => {
    expect(snapshotAtUpstream(snapshot, 'oslo')).toBe(null)
  })
})

const failedBy = (
  code: 'unreachable' | 'no_key' | 'unauthorized' | 'bad_payload',
): ObservationChanges => ({
  sources: {
    accounts: failing(1, code),
  },
})
const pending: ObservationChanges = {
  sources: { accounts: neverRead },
}
const failingStore = (
  engine: EngineName,
  code: HistoryFailureCode = 'unreachable',
): HistoryState => ({
  kind: 'failing',
  code,
  since: NOW,
  engine,
})
const refusedKey = {
  kind: 'refused',
  at: NOW,
  nextAttemptAt: fromNow(9_000),
  failure: 'unauthorized',
} as const

describe('the service', () => {
  it.each<
    readonly [
      when: string,
      observed: ObservationChanges,
      watchedSeconds: number,
      why: Unready | null,
    ]
  >([
    ['the account list was read', {}, 0, null],
    ['nothing has answered yet', pending, 0, 'not_ready'],
    ['a first answer that takes its time', pending, 300, 'not_ready'],
    ['one failure may pass', failedBy('unreachable'), 29.9, 'not_ready'],
    ['its file of the history fails', { history: failingStore('sqlite') }, 300, null],
    [
      'its database fails, which other monitors may reach',
      { history: failingStore('postgres') },
      300,
      'store_unavailable',
    ],
    [
      'its database fails, and there is no key',
      { ...failedBy('no_key'), management: { kind: 'no_key' }, history: failingStore('postgres') },
      300,
      'store_unavailable',
    ],
    [
      'another process holds its file of the history',
      { history: failingStore('sqlite', 'locked') },
      300,
      'store_held',
    ],
    ['the proxy does not answer for 30 s', failedBy('unreachable'), 30, null],
    ['it answers what is no list for 30 s', failedBy('bad_payload'), 30, null],
    ['there is no key', { ...failedBy('no_key'), management: { kind: 'no_key' } }, 0, null],
    [
      'the key file cannot be used',
      { ...failedBy('no_key'), management: { kind: 'unreadable_key', reason: 'missing' } },
      0,
      null,
    ],
    ['the key is refused', { ...failedBy('unauthorized'), management: refusedKey }, 0, null],
    [
      'this address is banned',
      { ...failedBy('unauthorized'), management: { kind: 'banned', until: fromNow(60) } },
      0,
      null,
    ],
  ])('is ready or not when %s', (_, observed, watchedSeconds, why) => {
    expect(
      unreadyOf(readinessOf(aSnapshot([[anAccount('a'), null]], observed)), watchedSeconds),
    ).toBe(why)
  })
})
