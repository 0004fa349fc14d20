import type { DisabledProbe, Snapshot } from '@svc/core'
import { aQuotaSample, fromNow } from '@svc/core/testing'
import { emptyRow } from '@svc/core/usage'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import {
  aBlockedAccount,
  anEvaluatedAccount,
  aSnapshot,
  aUsageSummary,
  knownWindow,
  statusContext,
} from '../testing/snapshots.ts'
import { statusSnapshotSchema, statusView } from './status.ts'

describe('the pool tab', () => {
  it.each([
    { why: 'as most are', seconds: 300, shown: undefined },
    { why: 'rarely', seconds: 21_600, shown: 21_600 },
    { why: 'in parts of a second, rounded', seconds: 400.4, shown: 400 },
    { why: 'never', seconds: null, shown: null },
  ])('says how often an account is read where that differs: $why', ({ seconds, shown }) => {
    const snapshot = aSnapshot([anEvaluatedAccount('a', { sampleEverySeconds: seconds })])
    const { pool } = statusView(snapshot, statusContext).tabs

    expect([pool.sampleEverySeconds, pool.accounts[0]?.sampleEverySeconds]).toEqual([300, shown])
  })

  it('says where a window comes from where that is not the last sample, and that its reset has passed', () => {
    const rolledOver = knownWindow('5h', 100, null, { rolledOverAt: fromNow(-60), stale: true })
    const fromHeaders = knownWindow('week', 66.4, 3600, {
      origin: 'headers',
      sampledAt: fromNow(-90),
    })
    const [account] = poolOf(
      aSnapshot([anEvaluatedAccount('a', { windows: [rolledOver, fromHeaders] })]),
    )

    expect(account?.windows).toEqual([
      {
        id: '5h',
        state: 'known',
        percent: 100,
        resetsInSeconds: null,
        stale: true,
        rolledOver: true,
        notStarted: true,
      },
      {
        id: 'week',
        state: 'known',
        percent: 66.4,
        resetsInSeconds: 3600,
        stale: false,
        origin: 'headers',
        sampledAt: '2026-11-20T11:58:30.000Z',
      },
    ])
  })

  it.each([
    { why: 'a full period is left', percent: 100, seconds: 5 * 3600, id: '5h' },
    { why: 'something was used', percent: 99, seconds: 5 * 3600, id: undefined },
    { why: 'its time runs', percent: 100, seconds: 4 * 3600, id: undefined },
  ])('has not started only where nothing was used of a whole period: $why', (row) => {
    const windows = [knownWindow('5h', row.percent, row.seconds), knownWindow('week', 60, 86_400)]
    const [account] = poolOf(aSnapshot([anEvaluatedAccount('a', { windows })]))

    expect(account?.windows.find(({ notStarted }) => notStarted)?.id).toBe(row.id)
  })

  it('says until when an account is paid for where that is known', () => {
    const paid = anEvaluatedAccount('a')
    const account = {
      ...paid.account,
      subscribedUntil: fromNow(86_400),
      modifiedAt: fromNow(-3_600),
    }
    const shown = poolOf(aSnapshot([{ ...paid, account }, anEvaluatedAccount('b')]))

    expect(shown.map(({ paidUntil, subscription }) => [paidUntil, subscription?.state])).toEqual([
      ['2026-11-21T12:00:00.000Z', 'last_day'],
      [undefined, undefined],
    ])
  })

  it.each([
    { multiplier: 6, shown: undefined },
    { multiplier: 2.5, shown: 2.5 },
    { multiplier: 'off', shown: null },
  ] as const)('says how the week caps 5h: $multiplier', ({ multiplier, shown }) => {
    const { pool } = statusView(aSnapshot([], { multiplier }), statusContext).tabs

    expect(pool.weeklyToFiveHour).toBe(shown)
  })

  it.each<[DisabledProbe, object]>([
    [
      { state: 'unknown' },
      {
        state: 'unknown',
        probedAt: null,
        planKind: null,
        httpStatus: null,
        error: null,
        windows: [],
      },
    ],
    [
      { state: 'error', probedAt: fromNow(-60), httpStatus: null, sample: null },
      {
        state: 'error',
        probedAt: '2026-11-20T11:59:00.000Z',
        planKind: null,
        httpStatus: null,
        error: 'The query failed.',
        windows: [],
      },
    ],
    [
      { state: 'auth_invalid', probedAt: fromNow(-60), httpStatus: 401, sample: null },
      { state: 'auth_invalid', httpStatus: 401, error: 'The vendor refused the login.' },
    ],
    [
      {
        state: 'ok',
        probedAt: fromNow(-60),
        httpStatus: 200,
        sample: aQuotaSample(
          { fiveHour: 96, fiveHourResetsInSeconds: 60, week: 88, ageSeconds: 60 },
          { plan: 'ChatGPT_Pro' },
        ),
      },
      {
        state: 'ok',
        planKind: 'chatgptpro',
        error: null,
        windows: [
          { id: '5h', label: '5h', percent: 96, resetAt: '2026-11-20T12:01:00.000Z' },
          { id: 'week', label: 'Weekly', percent: 88, resetAt: null },
        ],
      },
    ],
  ])('shows the probe of a disabled account: $state', (disabledProbe, expected) => {
    const snapshot = aSnapshot([aBlockedAccount('a', 'operator_disabled', { disabledProbe })])

    expect(poolOf(snapshot)[0]?.disabledProbe).toMatchObject(expected)
    expect(v.is(statusSnapshotSchema, statusView(snapshot, statusContext))).toBe(true)
  })

  it('shows no probe of an account that is not disabled', () => {
    expect(poolOf(aSnapshot([anEvaluatedAccount('a')]))[0]?.disabledProbe).toBeUndefined()
  })

  function poolOf(snapshot: Snapshot) {
    return statusView(snapshot, statusContext).tabs.pool.accounts
  }
})

describe('the usage of the last day', () => {
  const row = (id: string, tokens: number) => ({
    ...emptyRow({ id, label: id }),
    requests: 2,
    tokens,
    failed: 1,
  })
  const keyOf = anEvaluatedAccount('a').selector.accountKey
  const usageOf = (accounts: readonly ReturnType<typeof row>[]) => {
    const lastDay = {
      requests: 1_204,
      tokens: 12_450_000,
      failed: 3,
      accounts,
      models: [row('gpt-5.5', 40)],
    }
    const reading = { kind: 'read', summary: aUsageSummary({ lastDay }) } as const
    return statusView(aSnapshot([anEvaluatedAccount('a')]), { ...statusContext, usage: reading })
  }

  it('stands beside the account it is of, and in the activity line', () => {
    const { summary, tabs } = usageOf([row(keyOf, 30), row('someone-else', 10)])

    expect(summary.activityLine).toBe('1,204 req · 12.5M tok in the last 24 h')
    expect(tabs.pool.accounts[0]?.usage).toEqual({ requests: 2, tokens: 30, failed: 1 })
    expect(tabs.usage).toMatchObject({
      available: true,
      byAccount: {
        group: 'account',
        otherCount: 0,
        items: [{ id: keyOf }, { id: 'someone-else' }],
      },
      byModel: { group: 'model', items: [{ label: 'gpt-5.5', tokenText: '40 tok' }] },
    })
  })

  it('stands beside one file of an account, however many it has', () => {
    const best = anEvaluatedAccount('a')
    const second = anEvaluatedAccount('a-old', {
      selector: { ...best.selector, authName: 'codex-a-old.json' },
      countedInCapacity: false,
    })
    const lastDay = { requests: 2, tokens: 30, failed: 1, accounts: [row(keyOf, 30)], models: [] }
    const usage = { kind: 'read', summary: aUsageSummary({ lastDay }) } as const
    const { accounts } = statusView(aSnapshot([best, second]), { ...statusContext, usage }).tabs
      .pool

    expect(accounts.map((account) => account.usage?.tokens ?? null)).toEqual([30, null])
  })

  it('is none, not unknown, for an account that was not used', () => {
    expect(usageOf([]).tabs.pool.accounts[0]?.usage).toEqual({ requests: 0, tokens: 0, failed: 0 })
  })

  it('shows twenty and the rest', () => {
    const { byAccount } = usageOf(
      Array.from({ length: 30 }, (_, index) => row(`account-${index}`, index)),
    ).tabs.usage

    expect(byAccount.items.map(({ tokens }) => tokens).slice(0, 2)).toEqual([29, 28])
    expect(byAccount).toMatchObject({
      otherCount: 10,
      other: { requests: 20, tokens: 45, failed: 10 },
    })
  })

  it('is unknown where no history is kept', () => {
    expect(statusView(aSnapshot([]), statusContext).tabs.usage).toMatchObject({
      available: false,
      summary: 'No usage data',
      byAccount: { items: [] },
    })
  })
})

it('the audit tab holds the recent changes', () => {
  const change = {
    at: fromNow(-60),
    tone: 'bad',
    detail: { code: 'gateway_changed', up: false },
  } as const

  expect(
    statusView(aSnapshot([], { recentChanges: [change] }), statusContext).tabs.audit.changes,
  ).toMatchObject([
    { code: 'gateway_changed', id: expect.any(String), kind: 'source', badge: 'Down' },
  ])
})
