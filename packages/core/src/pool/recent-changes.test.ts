import { describe, expect, it } from 'vitest'
import { defaultPolicy, evaluateSnapshot } from '../evaluate.ts'
import type { Account } from '../facts/account.ts'
import type { AccountEvidence } from '../facts/account-evidence.ts'
import { readStatusMessage } from '../facts/status-message.ts'
import type { Snapshot } from '../health/snapshot.ts'
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
import { type ChangeDetail, changesBetween } from './recent-changes.ts'
import { rememberedObservation } from './remembered-pool.ts'

type Entry = readonly [Account, AccountEvidence | null]

const selector = (authName: string, accountKey: string) => ({ authName, authIndex: '', accountKey })
const account = (authName: string, accountKey: string, changes: Partial<Account> = {}): Account =>
  anAccount(authName, { selector: selector(authName, accountKey), title: accountKey, ...changes })
const pool = (...entries: readonly (Account | Entry)[]) =>
  aSnapshot(entries.map((entry): Entry => ('selector' in entry ? [entry, null] : entry)))
const used = (fiveHour: number, week = 60, resets: number | null = 600): AccountEvidence =>
  evidenceOf([
    aQuotaSample({ fiveHour, week, fiveHourResetsInSeconds: resets, weekResetsInSeconds: resets }),
  ])

function withoutKey(detail: ChangeDetail): ChangeDetail {
  if (!('accountKey' in detail)) return detail
  const { accountKey: _, ...rest } = detail
  return rest
}

type StatusChange = Extract<ChangeDetail, { readonly code: 'status_changed' }>
type Status = StatusChange['from']
type Details = readonly (readonly [tone: string, ChangeDetail])[]

function detailsOf(previous: Snapshot, next: Snapshot): Details {
  return changesBetween(previous, next).map(({ tone, detail }) => [tone, withoutKey(detail)])
}

describe('the accounts', () => {
  const ann = account('ann.json', 'ann')
  const bob = account('bob.json', 'bob')
  const added = (title: string) => ['good', { code: 'account_added', title }] as const
  const removed = (title: string) => ['warn', { code: 'account_removed', title }] as const
  const renamed = (title: string, fromAuthName: string, toAuthName: string) =>
    ['good', { code: 'account_renamed', title, fromAuthName, toAuthName }] as const
  it.each<readonly [name: string, before: Snapshot, after: Snapshot, details: Details]>([
    ['nothing changed', pool(ann, bob), pool(bob, ann), []],
    ['one came', pool(ann), pool(ann, bob), [added('bob')]],
    ['one went', pool(ann, bob), pool(ann), [removed('bob')]],
    ['all went', pool(ann), pool(), [removed('ann')]],
    [
      'a file was renamed: one change',
      pool(ann, bob),
      pool(account('ann-2.json', 'ann'), bob),
      [renamed('ann', 'ann.json', 'ann-2.json')],
    ],
    [
      'the same file now holds somebody else',
      pool(ann),
      pool(account('ann.json', 'eve')),
      [added('eve'), removed('ann')],
    ],
    [
      'a file was renamed and somebody else took its name',
      pool(ann),
      pool(account('ann-2.json', 'ann'), account('ann.json', 'eve')),
      [added('eve'), renamed('ann', 'ann.json', 'ann-2.json')],
    ],
    [
      'two files swapped their names',
      pool(ann, bob),
      pool(account('ann.json', 'bob'), account('bob.json', 'ann')),
      [renamed('ann', 'ann.json', 'bob.json'), renamed('bob', 'bob.json', 'ann.json')],
    ],
    [
      'a second file of one account is an account added, not a rename',
      pool(ann),
      pool(ann, account('ann-pro.json', 'ann', { claimedPlan: 'pro' })),
      [added('ann · Pro')],
    ],
    [
      'two files of one account became another one',
      pool(account('a1.json', 'ann'), account('a2.json', 'ann')),
      pool(account('a3.json', 'ann')),
      [renamed('ann', 'a2.json', 'a3.json'), removed('ann · Plus · a1.json')],
    ],
  ])('%s', (_, before, after, details) => {
    const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

    expect(detailsOf(before, after).toSorted(byText)).toEqual(details.toSorted(byText))
  })
})

describe('one account', () => {
  const ann = (changes: Partial<Account> = {}, evidence: AccountEvidence | null = null): Entry => [
    account('ann.json', 'ann', changes),
    evidence,
  ]
  const title = 'ann'
  const status = (tone: string, from: Status, to: Status, more: Partial<StatusChange> = {}) =>
    [tone, { code: 'status_changed', title, from, to, until: null, ...more }] as const
  it('has no change by its first reading, whatever it says', () => {
    const before = ann({ provider: 'claude', claimedPlan: null })
    const pro = evidenceOf([
      aQuotaSample({ fiveHour: 0, weekResetsInSeconds: 600 }, { plan: 'pro' }),
    ])
    const after = ann({ provider: 'claude', claimedPlan: null }, pro)
    expect(detailsOf(pool(before), pool(after))).toEqual([])
    expect(detailsOf(pool(after), pool(before))).not.toEqual([])
    const off = ann({ provider: 'claude', claimedPlan: null, operatorDisabled: true }, pro)
    expect(detailsOf(pool(before), pool(off))).toContainEqual(
      expect.arrayContaining([expect.objectContaining({ to: 'disabled' })]),
    )
  })

  it('has no change of its plan where it becomes known', () => {
    const [unknown, free] = [ann({ claimedPlan: null }), ann({ claimedPlan: 'free' })]
    expect(detailsOf(pool(unknown), pool(free))).toEqual([])
  })

  it.each<readonly [name: string, before: Entry, after: Entry, details: Details]>([
    [
      'changed its plan',
      ann(),
      ann({ claimedPlan: 'pro' }),
      [['good', { code: 'plan_changed', title, from: 'plus', to: 'pro' }]],
    ],
    [
      'was disabled',
      ann(),
      ann({ operatorDisabled: true }),
      [status('unknown', 'active', 'disabled', { toReason: 'operator_disabled' })],
    ],
    [
      'lost its login',
      ann(),
      ann({ message: readStatusMessage('unauthorized', NOW) }),
      [status('bad', 'active', 'auth_invalid', { toReason: 'auth_invalid' })],
    ],
    ['is back', ann({ upstreamStatus: 'error' }), ann(), [status('good', 'degraded', 'active')]],
    [
      'used up a window',
      ann({}, used(10)),
      ann({}, used(0)),
      [
        status('warn', 'active', 'reset_scheduled', {
          toReason: 'quota_exhausted_5h',
          until: fromNow(600),
        }),
        ['warn', { code: 'window_exhausted', title, windowId: '5h' }],
      ],
    ],
    [
      'used up another one',
      ann({}, used(0)),
      ann({}, used(0, 0)),
      [['warn', { code: 'window_exhausted', title, windowId: 'week' }]],
    ],
    [
      'got a window back',
      ann({}, used(0)),
      ann({}, used(100)),
      [
        status('good', 'reset_scheduled', 'active', { fromReason: 'quota_exhausted_5h' }),
        ['good', { code: 'window_reset', title, windowId: '5h' }],
      ],
    ],
    ['used some', ann({}, used(80)), ann({}, used(10)), []],
    ['stayed used up until another time', ann({}, used(0)), ann({}, used(0, 60, 900)), []],
    ['was read for the first time', ann(), ann({}, used(50)), []],
  ])('%s', (_, before, after, details) => {
    expect(detailsOf(pool(before), pool(after))).toEqual(details)
  })
})

describe('the snapshot', () => {
  const benchmarkOf = (speedup: number) => ({
    generatedAt: NOW,
    speedup,
    tokenOverheadRatio: null,
    weeklyToFiveHourMultiplier: null,
  })
  const readBenchmark = (speedup: number) => justRead(benchmarkOf(speedup))
  const down = failing()
  const snapshot = (observed: ObservationChanges = {}) =>
    aSnapshot([[account('ann.json', 'ann'), null]], observed)

  it('the first account list makes no changes, unless there was none at first', () => {
    expect(detailsOf(snapshot({ sources: { accounts: neverRead } }), snapshot())).toEqual([])
    expect(detailsOf(snapshot({ sources: { accounts: down } }), snapshot())).toEqual([
      ['good', { code: 'source_changed', from: 'unavailable', to: 'live' }],
    ])
  })

  it('is compared with how the proxy stood for an earlier process, once it has answered', () => {
    const open = [{ id: 'snapshot_partial', since: fromNow(-7200) }]
    const remembered = {
      listedAt: NOW,
      source: 'live',
      gatewayUp: true,
      open,
      accounts: [{ account: account('ann.json', 'ann'), evidence: null }],
    } as const
    const past = { previous: null, recordedChanges: [], standing: remembered }
    const left = evaluateSnapshot(
      rememberedObservation(aLiveObservation([]), remembered),
      defaultPolicy,
      NOW,
      past,
    )
    expect(left).toMatchObject({ available: true, source: 'stale', sampledAt: NOW })
    expect(detailsOf(left, snapshot())).toEqual([])
    const again = evaluateSnapshot(
      aLiveObservation([[account('ann.json', 'ann'), null]], { sources: { gateway: down } }),
      defaultPolicy,
      NOW,
      {
        previous: left,
        recordedChanges: [],
      },
    )
    expect(again.recentChanges.map(({ detail }) => detail)).toEqual([
      { code: 'source_changed', from: 'live', to: 'partial' },
      { code: 'gateway_changed', up: false },
    ])
    expect(again.health.actions).toMatchObject([{ id: 'snapshot_partial', since: fromNow(-7200) }])
    expect(again.standing).toEqual({ source: 'partial', gatewayUp: false, open })
  })

  it.each<
    readonly [why: string, before: ObservationChanges, after: ObservationChanges, details: Details]
  >([
    ['nothing', {}, {}, []],
    [
      'the gateway went down',
      {},
      { sources: { gateway: down } },
      [
        ['warn', { code: 'source_changed', from: 'live', to: 'partial' }],
        ['bad', { code: 'gateway_changed', up: false }],
      ],
    ],
    [
      'the gateway is back',
      { sources: { gateway: down } },
      {},
      [
        ['good', { code: 'source_changed', from: 'partial', to: 'live' }],
        ['good', { code: 'gateway_changed', up: true }],
      ],
    ],
    ['a first benchmark summary', {}, { sources: { benchmark: readBenchmark(1.8) } }, []],
    [
      'the same benchmark summary again',
      { sources: { benchmark: readBenchmark(1.8) } },
      { sources: { benchmark: readBenchmark(1.8) } },
      [],
    ],
    [
      'another benchmark summary',
      { sources: { benchmark: readBenchmark(1.8) } },
      { sources: { benchmark: readBenchmark(2) } },
      [['good', { code: 'benchmark_changed', from: benchmarkOf(1.8), to: benchmarkOf(2) }]],
    ],
    ['the gateway answered for the first time', { sources: { gateway: neverRead } }, {}, []],
    [
      'an old list',
      {},
      { accountRefreshSeconds: -1 },
      [['warn', { code: 'source_changed', from: 'live', to: 'stale' }]],
    ],
  ])('%s', (_, before, after, details) => {
    expect(detailsOf(snapshot(before), snapshot(after))).toEqual(details)
  })

  it('dates its changes by its evaluation', () => {
    expect(
      changesBetween(snapshot(), snapshot({ sources: { gateway: down } })).map(({ at }) => at),
    ).toEqual([NOW, NOW])
  })
})
