import { describe, expect, it } from 'vitest'
import type { Account } from '../facts/account.ts'
import { readStatusMessage } from '../facts/status-message.ts'
import { noTrends, type Runway, type TrendsByProvider, unknownRunway } from '../pool/runway.ts'
import {
  anAccount,
  aQuotaSample,
  aSnapshot,
  evidenceOf,
  fromNow,
  NOW,
  neverRead,
} from '../testing/builders.ts'
import {
  groupedFailing,
  type HealthThresholds,
  lapseActions,
  poolActions,
  thresholdActions,
} from './pool-actions.ts'

const nothing: TrendsByProvider = new Map()

const fine = [anAccount('fine'), evidenceOf([aQuotaSample()])] as const

describe('thresholds', () => {
  // 5h 0.8, week 0.6, one routable account.
  const none: HealthThresholds = {
    alertFiveHourMinPlus: 'off',
    alertWeeklyMinPlus: 'off',
    alertRoutableMin: 'off',
  }
  it.each<readonly [thresholds: Partial<HealthThresholds>, expected: readonly unknown[]]>([
    [{}, []],
    [{ alertFiveHourMinPlus: 0.8 }, []],
    [
      { alertFiveHourMinPlus: 0.81 },
      [{ code: 'five_hour_below_minimum', knownUnits: 0.8, minimumUnits: 0.81 }],
    ],
    [{ alertWeeklyMinPlus: 0.6 }, []],
    [
      { alertWeeklyMinPlus: 0.61 },
      [{ code: 'weekly_below_minimum', knownUnits: 0.6, minimumUnits: 0.61 }],
    ],
    [{ alertRoutableMin: 1 }, []],
    [
      { alertRoutableMin: 2 },
      [{ code: 'routable_below_minimum', routableCount: 1, minimumCount: 2 }],
    ],
  ])('%j', (thresholds, expected) => {
    const actions = thresholdActions(aSnapshot([fine]), { ...none, ...thresholds })

    expect(actions).toEqual(expected.map((action) => ({ tone: 'bad', action })))
  })

  it('are not raised for quota that is merely not read yet', () => {
    const unread = aSnapshot([[anAccount('unread'), null]])

    expect(
      thresholdActions(unread, { ...none, alertFiveHourMinPlus: 1, alertWeeklyMinPlus: 1 }),
    ).toEqual([])
    expect(thresholdActions(unread, { ...none, alertFiveHourMinPlus: 1.01 })).toHaveLength(1)
  })

  it('reach the snapshot through the policy', () => {
    expect(
      aSnapshot([fine], {}, { thresholds: { ...none, alertRoutableMin: 2 } }).health,
    ).toMatchObject({
      state: 'bad',
      actions: [{ action: { code: 'routable_below_minimum' } }],
    })
  })

  it('wait for the first account list', () => {
    const unread = aSnapshot([], { sources: { accounts: neverRead } })

    expect(
      thresholdActions(unread, {
        alertFiveHourMinPlus: 1,
        alertWeeklyMinPlus: 1,
        alertRoutableMin: 1,
      }),
    ).toEqual([])
  })
})

describe('subscriptions that end', () => {
  const DAY = 86_400
  const paidFor = (name: string, days: number, changes: Partial<Account> = {}) =>
    [
      anAccount(name, {
        subscribedUntil: fromNow(days * DAY),
        modifiedAt: fromNow(-2 * DAY),
        ...changes,
      }),
      evidenceOf([aQuotaSample()]),
    ] as const
  const briefly = (...accounts: readonly ReturnType<typeof paidFor>[]) =>
    lapseActions(aSnapshot([fine, ...accounts])).map(({ tone, action }) =>
      action.code === 'subscription_ends'
        ? `${tone} ${action.accounts.map(({ title }) => title.split('@')[0]).join(' ')}`
        : action.code,
    )

  it.each([
    [7.01, []],
    [7, ['warn a']],
    [1.01, ['warn a']],
    [1, ['bad a']],
    [0.01, ['bad a']],
    // It still answers, so the vendor has renewed it.
    [0, []],
    [-30, []],
  ])('in %d days', (days, expected) => {
    expect(briefly(paidFor('a', days))).toEqual(expected)
  })

  it.each([
    ['disabled', { operatorDisabled: true }],
    ['deactivated', { message: readStatusMessage('payment_required', NOW) }],
  ])('are no matter of one that is %s', (_, changes) => {
    expect(briefly(paidFor('a', 0.5, changes))).toEqual([])
  })

  it('end as the newest of several logins of an account says', () => {
    const { selector } = anAccount('a')
    const twin = { selector: { ...selector, authName: 'twin.json' } }

    expect(briefly(paidFor('a', 2), paidFor('twin', 30, twin))).toEqual([])
    expect(briefly(paidFor('a', 2), paidFor('twin', 0.5, twin))).toEqual(['warn a'])
  })

  it('are one action each up to five, and then one in which the soonest decides', () => {
    const six = [6, 5, 0.5, 3, 2, 4].map((days) => paidFor(`${days}`, days))

    expect(briefly(...six.slice(0, 5))).toEqual(['bad 0.5', 'warn 2', 'warn 3', 'warn 5', 'warn 6'])
    expect(briefly(...six)).toEqual(['bad 0.5 2 3 4 5 6'])
  })

  it('say when, and when the login was written that says so, and reach health', () => {
    expect(aSnapshot([fine, paidFor('a', 3)]).health.actions).toMatchObject([
      {
        id: 'subscription_ends:key-a',
        tone: 'warn',
        action: { accounts: [{ until: fromNow(3 * DAY), seenAt: fromNow(-2 * DAY) }] },
      },
    ])
  })
})

describe('banked resets that lapse', () => {
  const DAY = 86_400
  const holding = (
    name: string,
    days: readonly number[],
    { week = 60, ...changes }: Partial<Account> & { week?: number } = {},
  ) =>
    [
      anAccount(name, changes),
      evidenceOf([aQuotaSample({ week, weekResetsInSeconds: 2 * DAY })], {
        bankedResets: {
          count: days.length,
          sampledAt: NOW,
          expiresAt: days.map((after) => fromNow(after * DAY)),
        },
      }),
    ] as const
  const actionsOf = (...accounts: readonly ReturnType<typeof holding>[]) =>
    lapseActions(aSnapshot([fine, ...accounts]))

  it.each([
    [[7.01], []],
    [[7], ['warn 1']],
    [[1.01, 6, 20], ['warn 2']],
    [[1, 2], ['bad 2']],
    [[0, 30], []],
    [[], []],
  ])('in %j days', (days, expected) => {
    const found = actionsOf(holding('a', days)).map(({ tone, action }) =>
      action.code === 'banked_reset_lapses'
        ? `${tone} ${action.accounts[0]?.resetCount}`
        : action.code,
    )
    expect(found).toEqual(expected)
  })

  it('say where a reset gives the most, and reach health', () => {
    const found = actionsOf(holding('a', [3]), holding('b', [2], { week: 0 }))

    expect(found.map(({ action }) => 'accounts' in action && action.accounts)).toMatchObject([
      [{ accountKey: 'key-b', until: fromNow(2 * DAY), weekUsedUpUntil: fromNow(2 * DAY) }],
      [{ accountKey: 'key-a', until: fromNow(3 * DAY), weekUsedUpUntil: null }],
    ])
    expect(aSnapshot([fine, holding('a', [3])]).health.actions).toMatchObject([
      { id: 'banked_reset_lapses:key-a', tone: 'warn' },
    ])
  })

  it('are no matter of a disabled account, and of one with two files once', () => {
    const { selector } = anAccount('a')
    const again = { selector: { ...selector, authName: 'codex-a-again.json' } }

    expect(actionsOf(holding('a', [0.5], { operatorDisabled: true }))).toEqual([])
    expect(actionsOf(holding('a', [0.5]), holding('a', [0.5], again))).toHaveLength(1)
  })

  it('are one action of more than five accounts, the first to lapse in front', () => {
    const accounts = [6, 5, 4, 3, 2, 0.5].map((days, index) => holding(`a${index}`, [days]))
    const [action, ...others] = actionsOf(...accounts)

    expect(others).toEqual([])
    expect(action).toMatchObject({
      tone: 'bad',
      action: { accounts: { length: 6, 0: { accountKey: 'key-a5' } } },
    })
    expect(actionsOf(...accounts.slice(1))).toHaveLength(5)
  })
})

describe('little quota left', () => {
  /** Ten Plus accounts: one with this percent left, `unknownCount` that were never read, the rest used up. */
  const lowWith = (percent: number, unknownCount: number) =>
    poolActions(
      aSnapshot([
        [anAccount('last'), evidenceOf([aQuotaSample({ fiveHour: 100, week: percent })])],
        ...Array.from({ length: 9 }, (_, index) => {
          const used = aQuotaSample({ week: 0, weekResetsInSeconds: 9_000 })
          return [anAccount(`${index}`), index < unknownCount ? null : evidenceOf([used])] as const
        }),
      ]),
      nothing,
    ).flatMap(({ tone, action }) =>
      action.code === 'capacity_low' ? [`${tone} ${action.windowId}`] : [],
    )

  it.each([
    { why: '10 % are enough', percent: 100, unknownCount: 0, low: [] },
    { why: 'less than 10 % are not', percent: 99.9, unknownCount: 0, low: ['warn week'] },
    {
      why: 'a nearly used week leaves little of the 5h window too',
      percent: 10,
      unknownCount: 0,
      low: ['warn 5h', 'warn week'],
    },
    { why: 'a fifth may be unknown', percent: 50, unknownCount: 2, low: ['warn week'] },
    { why: 'more than that could be full', percent: 50, unknownCount: 3, low: [] },
  ])('$why', ({ percent, unknownCount, low }) => {
    expect(lowWith(percent, unknownCount)).toEqual(low)
  })

  it.each([
    { has: 'both windows', used: { fiveHour: 1, week: 1 }, low: ['5h', 'week'] },
    { has: 'the week alone', used: { fiveHour: null, week: 1 }, low: ['week'] },
    { has: 'the 5h window alone', used: { fiveHour: 1, week: null }, low: ['5h'] },
  ])('is said once a window of its own, of a plan that has $has', ({ used, low }) => {
    const pool = aSnapshot([[anAccount('a'), evidenceOf([aQuotaSample(used)])]])

    expect(
      poolActions(pool, nothing).map(({ action }) => 'windowId' in action && action.windowId),
    ).toEqual(low)
  })

  it('is said too once no account can be used', () => {
    const used = aQuotaSample({ week: 0, weekResetsInSeconds: 9_000 })
    const waits = { unavailable: true, nextRetryAt: fromNow(60) }
    const pool = aSnapshot([
      [anAccount('a'), evidenceOf([used])],
      [anAccount('b', waits), evidenceOf([aQuotaSample({ fiveHour: 100, week: 6 })])],
    ])

    expect(pool.routableCount).toBe(0)
    expect(poolActions(pool, nothing).map(({ action }) => action)).toEqual([
      {
        code: 'capacity_low',
        provider: 'codex',
        windowId: 'week',
        knownUnits: 0.06,
        trackedUnits: 2,
      },
    ])
  })

  it('is not said before the first list, nor of an untracked pool', () => {
    expect(poolActions(aSnapshot([], { sources: { accounts: neverRead } }), nothing)).toEqual([])
    expect(
      poolActions(
        aSnapshot([[anAccount('free', { claimedPlan: 'free' }), evidenceOf([aQuotaSample()])]]),
        nothing,
      ),
    ).toEqual([])
  })
})

describe('a pool that runs dry', () => {
  const HOUR = 3_600
  const quota = aQuotaSample({
    fiveHour: 40,
    week: 60,
    fiveHourResetsInSeconds: HOUR,
    weekResetsInSeconds: 50 * HOUR,
  })
  const other = aQuotaSample({ fiveHour: 40, week: 60, fiveHourResetsInSeconds: 4 * HOUR })
  const pool = aSnapshot([
    [anAccount('a'), evidenceOf([quota])],
    [anAccount('b'), evidenceOf([other])],
  ])
  const dry: Runway = {
    ...unknownRunway,
    burnPerHour: 1,
    verdict: 'runs-dry',
    confidence: 'high',
    runsDryAt: fromNow(3 * HOUR),
    p25: fromNow(2 * HOUR),
    p75: fromNow(4 * HOUR),
  }
  const shortOf = (runway: Partial<Runway>, snapshot = pool) =>
    poolActions(
      snapshot,
      new Map([
        [snapshot.provider, { ...noTrends, '5h': { past: [], runway: { ...dry, ...runway } } }],
      ]),
    ).flatMap(({ tone, action }) => (action.code === 'runway_short' ? [{ tone, ...action }] : []))

  it.each<{ why: string; runway: Partial<Runway>; tones: readonly string[] }>([
    { why: 'is a warning', runway: {}, tones: ['warn'] },
    { why: 'is bad within two hours', runway: { runsDryAt: fromNow(2 * HOUR) }, tones: ['bad'] },
    {
      why: 'is a warning a second before',
      runway: { runsDryAt: fromNow(2 * HOUR + 1) },
      tones: ['warn'],
    },
    { why: 'is no action when it may last', runway: { verdict: 'tight' }, tones: [] },
    { why: 'is no action on little evidence', runway: { confidence: 'low' }, tones: [] },
    { why: 'is dated late where only that is known', runway: { runsDryAt: null }, tones: ['warn'] },
  ])('$why', ({ runway, tones }) => {
    expect(shortOf(runway).map(({ tone }) => tone)).toEqual(tones)
  })

  it('names what comes back before, and when more does', () => {
    expect(shortOf({})).toEqual([
      {
        tone: 'warn',
        code: 'runway_short',
        provider: 'codex',
        windowId: '5h',
        runsDryAt: fromNow(3 * HOUR),
        returnsBefore: { units: 0.6, firstAt: fromNow(HOUR) },
        returnsAgainAt: fromNow(4 * HOUR),
      },
    ])
    expect(shortOf({ runsDryAt: fromNow(HOUR - 1) })).toMatchObject([
      { returnsBefore: null, returnsAgainAt: fromNow(HOUR) },
    ])
    expect(shortOf({ runsDryAt: fromNow(5 * HOUR) })).toMatchObject([
      { returnsBefore: { units: 1.2 }, returnsAgainAt: null },
    ])
  })

  it('says nothing of its own once no account can be used', () => {
    const used = evidenceOf([aQuotaSample({ week: 0, weekResetsInSeconds: HOUR })])

    expect(shortOf({}, aSnapshot([[anAccount('a'), used]]))).toEqual([])
  })
})

describe('an account whose requests fail', () => {
  /** Slots of ten minutes, the last one current. */
  const slots = (...counts: readonly (readonly [success: number, failed: number])[]) =>
    counts.map(([success, failed], index) => ({
      startAt: fromNow(-300 - 600 * (counts.length - 1 - index)),
      success,
      failed,
    }))
  const failing = (pool: Parameters<typeof aSnapshot>[0]) =>
    poolActions(aSnapshot(pool), nothing).flatMap(({ tone, action }) =>
      action.code === 'failing_account' ? [{ tone, ...action }] : [],
    )
  const quiet = slots([0, 0])

  it.for<readonly [why: string, account: Partial<Account>, failed?: readonly number[]]>([
    ['a fifth is no action', { recentRequests: slots([80, 20]) }],
    ['more than a fifth is', { recentRequests: slots([79, 21]) }, [21]],
    ['of 19 requests nothing follows', { recentRequests: slots([0, 19]) }],
    ['of 20 it does', { recentRequests: slots([15, 5]) }, [5]],
    [
      'the slots of an hour are added up',
      { recentRequests: slots([4, 1], [4, 1], [4, 1], [4, 0], [0, 1], [0, 2]) },
      [6],
    ],
    [
      'older slots are not',
      {
        recentRequests: slots([0, 90], ...Array.from({ length: 6 }, () => [5, 0] as const)),
      },
    ],
    [
      'a disabled account is not reported',
      { recentRequests: slots([0, 90]), operatorDisabled: true },
    ],
    [
      'a refused login is reported as such',
      {
        recentRequests: slots([0, 90]),
        message: readStatusMessage('unauthorized', NOW),
      },
    ],
    [
      'an account that waits for a reset fails all the same',
      {
        recentRequests: slots([0, 90]),
        unavailable: true,
        nextRetryAt: fromNow(600),
      },
      [90],
    ],
  ])('$0', ([, account, failed = []]) => {
    const found = failing([[anAccount('a', account), null]])

    expect(found.map(({ failedCount }) => failedCount)).toEqual(failed)
  })

  it('is one account whatever files it has', () => {
    const { selector } = anAccount('a')
    const second = { ...selector, authName: 'second.json' }
    const found = failing([
      [anAccount('a', { recentRequests: slots([10, 4]) }), null],
      [anAccount('a', { selector: second, recentRequests: slots([4, 4]) }), null],
      [anAccount('b', { recentRequests: quiet }), null],
    ])

    expect(found).toEqual([
      {
        tone: 'warn',
        code: 'failing_account',
        accounts: [expect.objectContaining({ accountKey: 'key-a' })],
        requestCount: 22,
        failedCount: 8,
      },
    ])
  })

  it.each([
    { count: 5, groups: [1, 1, 1, 1, 1] },
    { count: 6, groups: [6] },
  ])('shares an action above five: $count', ({ count, groups }) => {
    const pool = Array.from(
      { length: count },
      (_, index) => [anAccount(`${index}`, { recentRequests: slots([10, 10]) }), null] as const,
    )
    const dated = poolActions(aSnapshot(pool), nothing).map((found, index) => ({
      ...found,
      since: fromNow(-60 - index),
    }))
    const grouped = groupedFailing(dated)

    expect(
      grouped.flatMap(({ action }) => ('accounts' in action ? [action.accounts.length] : [])),
    ).toEqual(groups)
    expect(Math.min(...grouped.map(({ since }) => since))).toBe(fromNow(-59 - count))
    if (count > 5)
      expect(grouped[0]?.action).toMatchObject({
        requestCount: 20 * count,
        failedCount: 10 * count,
      })
  })
})
