import type { DisabledProbe, Snapshot } from '@svc/core'
import {
  type CapacityStep,
  noTrends,
  type OpenAction,
  type WindowCapacity,
} from '@svc/core/service'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { createZone } from '../format/format.ts'
import {
  aBlockedAccount,
  absentWindow,
  aMixedPool,
  anEvaluatedAccount,
  anOpenAction,
  aPoolCapacity,
  aSnapshot,
  aUsageSummary,
  exhaustedWindow,
  inSeconds,
  knownWindow,
  unknownWindow,
} from '../snapshot-fixture.ts'
import { recommendationsView } from './recommendations.ts'
import { statusSnapshotSchema, statusView } from './status.ts'

const context = {
  text: createZone('Asia/Shanghai'),
  usage: { kind: 'off' },
  trends: noTrends,
  refresh: { status: 'idle' },
} as const
const soon: CapacityStep = {
  at: inSeconds(2460),
  units: 4.987,
  authName: 'a.json',
  title: 'a@example.com',
}
const later: CapacityStep = {
  at: inSeconds(86_400),
  units: 1,
  authName: 'b.json',
  title: 'b@example.com',
}

describe('statusView', () => {
  it('is what its schema says, and nothing more', () => {
    const capacity = aPoolCapacity({ '5h': { steps: [soon] } })
    const view = statusView(aSnapshot(aMixedPool(40), { capacity }), context)

    // Parsing drops what the schema does not know.
    expect(v.parse(statusSnapshotSchema, view)).toEqual(view)
  })

  it('has every required key before the first reading', () => {
    const nothing = { trackedUnits: 0, knownUnits: 0, exhaustedCount: 0 }
    const view = statusView(
      aSnapshot([], {
        source: 'unavailable',
        available: false,
        sampledAt: null,
        gatewayUp: null,
        capacity: aPoolCapacity({ '5h': nothing, week: nothing }),
      }),
      context,
    )

    expect(v.is(statusSnapshotSchema, view)).toBe(true)
    expect(view).toMatchObject({
      available: false,
      source: 'unavailable',
      displayTimezone: 'Asia/Shanghai',
      displayTimezoneLabel: 'Asia/Shanghai (UTC+08:00)',
      summary: {
        activityLine: 'No usage data',
        gatewayOk: false,
        fiveHour: { percent: null, tone: 'unknown', text: 'No tracked quota' },
        nextRecovery: null,
        sampleAgeSeconds: null,
      },
    })
  })

  it('says so in demo mode, and only there', () => {
    expect(statusView(aSnapshot([], { source: 'demo' }), context)).toMatchObject({
      source: 'demo',
      demo: true,
    })
    expect(statusView(aSnapshot([]), context)).not.toHaveProperty('demo')
  })

  it('carries the same recommendations as their own endpoint', () => {
    const snapshot = aSnapshot(aMixedPool(20))

    expect(statusView(snapshot, context).recommendations).toEqual(
      recommendationsView(snapshot, context),
    )
  })

  it('sums the pool up', () => {
    const { health } = aSnapshot([])
    const action = anOpenAction({ tone: 'warn', action: { code: 'key_file_readable_by_others' } })
    const snapshot = aSnapshot(aMixedPool(20), {
      topScore: 77,
      sampledAt: inSeconds(-4.2),
      health: { ...health, state: 'warn', actions: [action] },
      capacity: aPoolCapacity({ '5h': { steps: [later] }, week: { steps: [soon, later] } }),
    })

    expect(statusView(snapshot, context).summary).toEqual({
      activityLine: 'No usage data',
      gatewayOk: true,
      sampleEverySeconds: 15,
      manualRefresh: {
        status: 'idle',
        scope: null,
        startedAt: null,
        completedAt: null,
        queued: 0,
        done: 0,
        failed: 0,
        error: '',
      },
      healthState: 'warn',
      healthActionCount: 1,
      routableCount: 14,
      blockedCount: 6,
      topScore: 77,
      fiveHour: expect.objectContaining({ text: '16.1 of 41 Plus left' }),
      weekly: expect.objectContaining({ percent: 39.3 }),
      nextRecovery: {
        at: '2026-11-20T12:41:00.000Z',
        units: 4.987,
        account: 'a@example.com',
        text: '+5.0 Plus at 20:41, in 41min',
      },
      sampleAgeSeconds: 4,
    })
  })
})

describe('capacity', () => {
  const low = anOpenAction({
    tone: 'bad',
    action: { code: 'five_hour_below_minimum', knownUnits: 16.1, minimumUnits: 20 },
  })

  it.each<[string, Partial<WindowCapacity>, readonly OpenAction[], object]>([
    ['in order', {}, [], { percent: 39.3, tone: 'good', text: '16.1 of 41 Plus left' }],
    ['full', { knownUnits: 41 }, [], { percent: 100, tone: 'good', text: '41.0 of 41 Plus left' }],
    [
      'nothing left',
      { knownUnits: 0 },
      [],
      { percent: 0, tone: 'bad', text: '0.0 of 41 Plus left' },
    ],
    [
      'a sliver',
      { knownUnits: 0.001 },
      [],
      { percent: 0, tone: 'good', text: '<0.1 of 41 Plus left' },
    ],
    [
      'in parts unknown',
      { unknownUnits: 2 },
      [],
      { tone: 'good', text: '16.1 of 41 Plus left, 2.0 unknown' },
    ],
    ['unknown', { knownUnits: 0, unknownUnits: 41 }, [], { tone: 'unknown' }],
    ['stale in part', { staleUnits: 16 }, [], { tone: 'good', staleUnits: 16 }],
    ['stale throughout', { staleUnits: 16.1 }, [], { tone: 'warn' }],
    ['below the minimum', {}, [low], { tone: 'bad' }],
    ['sums with endless digits', { knownUnits: 0.1 + 0.2 }, [], { knownUnits: 0.3 }],
  ])('%s', (_, changes, actions, expected) => {
    const base = aSnapshot([])
    const capacity = aPoolCapacity({ '5h': changes })
    const view = statusView({ ...base, capacity, health: { ...base.health, actions } }, context)

    expect(view.summary.fiveHour).toMatchObject(expected)
    expect(view.tabs.pool.windows[0]).toMatchObject(expected)
  })

  it("a broken threshold of one window leaves the other's tone alone", () => {
    const base = aSnapshot([])

    expect(
      statusView({ ...base, health: { ...base.health, actions: [low] } }, context).summary.weekly
        .tone,
    ).toBe('good')
  })
})

describe('the pool tab', () => {
  it('shows an account compactly', () => {
    const [account] = poolOf(aSnapshot([anEvaluatedAccount('a')]))

    expect(account).toEqual({
      selector: {
        authName: 'codex-a@example.com-plus.json',
        authIndex: 'c0ffee09a1c2d3e4',
        accountKey: '0123456789abcdef',
      },
      title: 'a@example.com',
      planKind: 'plus',
      badge: 'Plus',
      windows: [
        { id: '5h', state: 'known', percent: 74, resetsInSeconds: 2940, stale: false },
        { id: 'week', state: 'known', percent: 66.4, resetsInSeconds: 388_800, stale: false },
      ],
      score: 64,
      scoreComponents: { capacity: 40, health: 20, plan: 1, load: 0, reclaim: 3 },
      scoreReasons: [
        '74% of the 5h window left, 16% of its time: use it before the reset',
        'Active',
        'Plus: 1 Plus unit',
      ],
      status: { text: 'Active', tone: 'good', until: null },
      blockedReasons: [],
      quotaClass: 'primary',
      lastSample: { at: '2026-11-20T11:59:20.000Z', origin: 'direct', ageSeconds: 40 },
      usage: null,
    })
  })

  it('says where a window comes from where that is not the last sample, and that its reset has passed', () => {
    const rolledOver = knownWindow('5h', 100, null, { rolledOverAt: inSeconds(-60), stale: true })
    const fromHeaders = knownWindow('week', 66.4, 3600, {
      origin: 'headers',
      sampledAt: inSeconds(-90),
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

  it('says until when a blocked account is blocked, and gives it no components', () => {
    const status = { kind: 'retry_after', tone: 'warn', until: inSeconds(4320) } as const
    const [account] = poolOf(
      aSnapshot([aBlockedAccount('a', 'upstream_retry_after', { status, lastSample: null })]),
    )

    expect(account).toMatchObject({
      status: { text: 'Retry after 21:12', tone: 'warn', until: '2026-11-20T13:12:00.000Z' },
      blockedReasons: ['upstream_retry_after'],
      scoreReasons: [],
      lastSample: null,
    })
    expect(account).not.toHaveProperty('scoreComponents')
  })

  it('shows limits of another scope apart from the windows that count', () => {
    const scopedWindows = [{ ...knownWindow('week', 12, 60), id: 'code_review:week' }]

    expect(
      poolOf(aSnapshot([anEvaluatedAccount('a', { scopedWindows })]))[0]?.scopedWindows,
    ).toMatchObject([{ id: 'code_review:week', percent: 12 }])
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
      { state: 'error', probedAt: inSeconds(-60), httpStatus: null, sample: null },
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
      { state: 'auth_invalid', probedAt: inSeconds(-60), httpStatus: 401, sample: null },
      { state: 'auth_invalid', httpStatus: 401, error: 'The vendor refused the login.' },
    ],
    [
      {
        state: 'ok',
        probedAt: inSeconds(-60),
        httpStatus: 200,
        sample: {
          origin: 'direct',
          sampledAt: inSeconds(-60),
          plan: 'ChatGPT_Pro',
          windows: [
            { id: '5h', periodSeconds: 18_000, percent: 96, resetAt: inSeconds(60) },
            { id: 'week', periodSeconds: 604_800, percent: 88, resetAt: null },
          ],
          unreadableWindowCount: 0,
          limitReached: false,
          spendReached: null,
        },
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
    expect(v.is(statusSnapshotSchema, statusView(snapshot, context))).toBe(true)
  })

  it('shows no probe of an account that is not disabled', () => {
    expect(poolOf(aSnapshot([anEvaluatedAccount('a')]))[0]).not.toHaveProperty('disabledProbe')
  })

  function poolOf(snapshot: Snapshot) {
    return statusView(snapshot, context).tabs.pool.accounts
  }
})

describe('the resets tab', () => {
  it('says what each reset gives back, and leaves it out where it gives nothing', () => {
    const account = anEvaluatedAccount('known')
    const step: CapacityStep = {
      at: inSeconds(2940),
      units: 0.264,
      authName: account.selector.authName,
      title: account.title,
    }
    const capacity = aPoolCapacity({ '5h': { steps: [step] } })
    const [fiveHour, week] = statusView(aSnapshot([account], { capacity }), context).tabs.resets
      .columns

    expect(fiveHour?.rows[0]?.units).toBe(0.264)
    expect(week?.rows[0]).not.toHaveProperty('units')
  })

  it('fills a row for every state of a window, its texts never null', () => {
    const accounts = [
      anEvaluatedAccount('known'),
      anEvaluatedAccount('used', { windows: [exhaustedWindow('5h', null), unknownWindow('week')] }),
      anEvaluatedAccount('over', {
        windows: [
          knownWindow('5h', 100, null, { rolledOverAt: inSeconds(-9), stale: true }),
          unknownWindow('week'),
        ],
      }),
      anEvaluatedAccount('absent', { windows: [absentWindow('5h'), unknownWindow('week')] }),
      anEvaluatedAccount('unread', { windows: [unknownWindow('5h'), unknownWindow('week')] }),
    ]
    const { columns } = statusView(aSnapshot(accounts), context).tabs.resets

    expect(columns.map(({ id, label }) => [id, label])).toEqual([
      ['5h', '5h'],
      ['week', 'Weekly'],
    ])
    expect(columns[0]?.rows[0]).toEqual({
      account: 'known@example.com',
      authIndex: 'c0ffee09a1c2d3e4',
      badge: 'Plus',
      tone: 'good',
      state: 'known',
      percent: 74,
      percentText: '74%',
      stale: false,
      remainingText: '49min',
      timeText: '20:49',
      timezoneLabel: 'Asia/Shanghai (UTC+08:00)',
      resetAt: '2026-11-20T12:49:00.000Z',
      resetsInSeconds: 2940,
      displayResetSource: '5h',
    })
    expect(
      columns[0]?.rows.map((row) => [
        row.state,
        row.percentText,
        row.remainingText,
        row.timeText,
        row.displayResetSource,
      ]),
    ).toEqual([
      ['known', '74%', '49min', '20:49', '5h'],
      ['exhausted', '0%', 'unknown', '–', null],
      ['known', '100%', 'reset, unconfirmed', '–', null],
      ['absent', '–', '–', '–', null],
      ['unknown', 'unknown', 'unknown', '–', null],
    ])
  })

  it('shows the reset of the week where that is what frees the account', () => {
    const account = anEvaluatedAccount('a', {
      windows: [knownWindow('5h', 80, 60), exhaustedWindow('week', 86_400)],
    })
    const [window] = account.windows
    if (window === undefined) throw new Error('an account has windows')
    const rows = [
      { account, window, resetSource: 'week', resetAt: inSeconds(86_400), resetsInSeconds: 86_400 },
    ] as const

    const view = statusView(
      aSnapshot([account], { resetColumns: [{ windowId: '5h', rows }] }),
      context,
    )

    expect(view.tabs.resets.columns[0]?.rows[0]).toMatchObject({
      percentText: '80%',
      remainingText: '1d 0h',
      timeText: 'Sat 20:00',
      displayResetSource: 'week',
    })
  })

  it('lists what is about to expire, soonest first', () => {
    const expiring = (name: string, resetsInSeconds: number) =>
      anEvaluatedAccount(name, { reclaim: { id: '5h', percent: 74.2, resetsInSeconds } })
    const view = statusView(
      aSnapshot([expiring('b', 3000), anEvaluatedAccount('c'), expiring('a', 600)]),
      context,
    )

    expect(view.tabs.resets.reclaim[0]?.accountKey).toBe('0123456789abcdef')
    expect(
      view.tabs.resets.reclaim.map((row) => [row.account, row.percentText, row.remainingText]),
    ).toEqual([
      ['a@example.com', '74%', '10min'],
      ['b@example.com', '74%', '50min'],
    ])
  })
})

describe('the usage of the last day', () => {
  const row = (id: string, tokens: number) => ({ id, label: id, requests: 2, tokens, failed: 1 })
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
    return statusView(aSnapshot([anEvaluatedAccount('a')]), { ...context, usage: reading })
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
    const { accounts } = statusView(aSnapshot([best, second]), { ...context, usage }).tabs.pool

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
    expect(statusView(aSnapshot([]), context).tabs.usage).toMatchObject({
      available: false,
      summary: 'No usage data',
      byAccount: { items: [] },
    })
  })
})

it('the audit tab holds the recent changes', () => {
  const change = {
    at: inSeconds(-60),
    tone: 'bad',
    detail: { code: 'gateway_changed', up: false },
  } as const

  expect(
    statusView(aSnapshot([], { recentChanges: [change] }), context).tabs.audit.changes,
  ).toMatchObject([
    { code: 'gateway_changed', id: expect.any(String), kind: 'source', badge: 'Down' },
  ])
})

describe('the size of the status', () => {
  const count = 200
  const change = (index: number) => ({
    at: inSeconds(-index * 60),
    tone: 'warn' as const,
    detail: {
      code: 'window_exhausted' as const,
      title: `firstname.lastname${index}@example.com`,
      accountKey: '0123456789abcdef',
      windowId: '5h',
    },
  })
  const recentChanges = Array.from({ length: 50 }, (_, index) => change(index))
  const view = statusView(aSnapshot(aMixedPool(count), { recentChanges }), context)

  it('stays within 1.5 KB an account in the tabs and 3 KB in all', () => {
    expect(bytesOf(view.tabs) / count).toBeLessThanOrEqual(1536)
    expect(bytesOf(view) / count).toBeLessThanOrEqual(3072)
  })

  function bytesOf(value: unknown): number {
    return new TextEncoder().encode(JSON.stringify(value)).length
  }
})
