import {
  type AccountStatusKind,
  defaultPolicy,
  type EvaluatedAccount,
  epochMs,
  evaluateSnapshot,
  type Snapshot,
} from '@svc/core'
import { blockedModelsOf } from '@svc/core/account'
import { allAccountsOf, capacitiesOf } from '@svc/core/pool'
import { describe, expect, it } from 'vitest'
import { createDemoSource, demoServiceAt } from './index.ts'

const WEEK_START = Date.UTC(2026, 10, 16)
const STEP_MINUTES = 53

/** The pool at instants of a whole week, a prime number of minutes apart, so that every cycle is met at every part of it. */
const week: readonly Snapshot[] = Array.from(
  { length: Math.ceil((7 * 24 * 60) / STEP_MINUTES) },
  (_, index) => {
    const now = epochMs(WEEK_START + index * STEP_MINUTES * 60_000)
    const observation = { ...createDemoSource().latest(now), ...demoServiceAt(now) }
    return evaluateSnapshot(observation, defaultPolicy, now, {
      previous: null,
      recordedChanges: [],
    })
  },
)

const byTitle = (snapshot: Snapshot) =>
  new Map(allAccountsOf(snapshot).map((account) => [account.title, account]))

describe('the accounts of other providers', () => {
  const accountIn = (accounts: ReadonlyMap<string, EvaluatedAccount>, title: string) => {
    const account = accounts.get(title)
    if (account === undefined) throw new Error(`${title} is no account of the sample`)
    return account
  }
  /** The state of each window, main and scoped, in a word: `none` for one the vendor does not report. */
  const windowStates = ({ windows, scopedWindows }: EvaluatedAccount) =>
    Object.fromEntries(
      [...windows, ...scopedWindows].map((window) => [
        window.id,
        window.state === 'unknown' && window.reported === false ? 'none' : window.state,
      ]),
    )
  const both = { '5h': 'known', week: 'known' }
  const neither = { '5h': 'absent', week: 'absent' }
  const unreported = { '5h': 'none', week: 'none' }

  it('stand in pools of their own, in the order of their providers', () => {
    for (const snapshot of week) {
      const { pools } = snapshot

      expect(pools.map(({ provider, accounts }) => [provider, accounts.length])).toEqual([
        ['codex', 24],
        ['claude', 6],
        ['xai', 6],
        ['kimi', 3],
        ['kimi-ai', 1],
        ['antigravity', 3],
        ['kiro', 1],
      ])
    }
  })

  it.each<{
    readonly title: string
    readonly status: AccountStatusKind
    readonly plan: string
    readonly windows: object
  }>([
    {
      title: 'claire.dubois@example.com',
      status: 'active',
      plan: 'max_20x',
      windows: { ...both, 'premium:week': 'known', 'extra_usage:month': 'known' },
    },
    {
      title: 'studio@example.org',
      status: 'active',
      plan: 'max_5x',
      windows: { ...both, 'premium:week': 'exhausted' },
    },
    {
      title: 'julia@example.com',
      status: 'reset_scheduled',
      plan: 'pro',
      windows: { ...both, '5h': 'exhausted' },
    },
    { title: 'all-seats@example.org', status: 'active', plan: 'team', windows: both },
    { title: 'night-queue@example.com', status: 'cooldown', plan: 'max_5x', windows: both },
    { title: 'retired-login@example.org', status: 'auth_invalid', plan: 'pro', windows: both },
    {
      title: 'newsroom@example.org',
      status: 'active',
      plan: 'supergrokheavy',
      windows: { ...neither, week: 'known' },
    },
    {
      title: 'lin@example.com',
      status: 'active',
      plan: 'supergrok',
      windows: { ...neither, month: 'known', 'extra_usage:month': 'known' },
    },
    {
      title: 'idle-seat@example.org',
      status: 'active',
      plan: 'xpremiumplus',
      windows: { ...neither, week: 'known' },
    },
    {
      title: 'ticker@example.com',
      status: 'active',
      plan: 'xbasic',
      windows: { ...neither, week: 'unknown' },
    },
    {
      title: 'hobby@example.com',
      status: 'active',
      plan: 'free',
      windows: { ...neither, day: 'known' },
    },
    {
      title: 'render@example.org',
      status: 'reset_scheduled',
      plan: 'supergrok',
      windows: { ...neither, week: 'exhausted' },
    },
    {
      title: 'Kimi of the lab',
      status: 'active',
      plan: 'unknown',
      windows: { '5h': 'known', week: 'absent', month: 'known', 'code:month': 'known' },
    },
    {
      title: 'kimi-1787300420671.json',
      status: 'active',
      plan: 'intermediate',
      windows: both,
    },
    {
      title: 'Kimi for translations',
      status: 'reset_scheduled',
      plan: 'unknown',
      windows: { '5h': 'known', week: 'absent', month: 'exhausted', 'code:month': 'exhausted' },
    },
    { title: 'Kimi of the Singapore office', status: 'active', plan: 'advanced', windows: both },
    {
      title: 'ines@example.com',
      status: 'active',
      plan: 'g1pro',
      windows: {
        ...neither,
        'gemini:5h': 'known',
        'gemini:week': 'known',
        '3p:5h': 'known',
        '3p:week': 'known',
      },
    },
    {
      title: 'maps@example.org',
      status: 'degraded',
      plan: 'g1ultra',
      windows: {
        ...neither,
        'gemini:5h': 'known',
        'gemini:week': 'exhausted',
        '3p:week': 'known',
      },
    },
    { title: 'field-test@example.com', status: 'active', plan: 'free', windows: unreported },
    { title: 'cloud-builder@example.org', status: 'active', plan: 'unknown', windows: unreported },
  ])(
    '$title is $status, with the same windows at all times',
    ({ title, status, plan, windows }) => {
      for (const snapshot of week) {
        const account = accountIn(byTitle(snapshot), title)

        expect([account.status.kind, account.plan]).toEqual([status, plan])
        expect(windowStates(account)).toEqual(windows)
      }
    },
  )

  it('show what the vendors say of their own figures, and what only headers say', () => {
    for (const snapshot of week) {
      const accounts = byTitle(snapshot)
      const windowIn = (title: string, id: string) =>
        accountIn(accounts, title).windows.find((window) => window.id === id)

      expect(windowIn('idle-seat@example.org', 'week')).toMatchObject({
        percent: 100,
        note: 'derived',
      })
      expect(windowIn('kimi-1787300420671.json', 'week')?.note).toBe('sources_disagree')
      for (const [title, id] of [
        ['claire.dubois@example.com', '5h'],
        ['all-seats@example.org', 'week'],
        ['hobby@example.com', 'day'],
      ] as const)
        expect(windowIn(title, id)).toMatchObject({ origin: 'headers', stale: false })
    }
  })

  it('cannot serve the models whose own limit is used up', () => {
    for (const snapshot of week) {
      const blocked = [...byTitle(snapshot).values()].flatMap((account) =>
        blockedModelsOf(account).map(({ scope, models }) => [account.title, scope, models]),
      )

      expect(blocked.sort()).toEqual([
        ['Kimi for translations', 'code', null],
        ['maps@example.org', 'gemini', ['Gemini 3.1 Pro', 'Gemini 3 Flash']],
        ['studio@example.org', 'premium', ['Fable']],
      ])
    }
  })

  it('rest until a time, and are found dead by what the vendor answers', () => {
    for (const snapshot of week) {
      const accounts = byTitle(snapshot)

      expect(accountIn(accounts, 'night-queue@example.com').coolsUntil).toBeGreaterThan(
        snapshot.evaluatedAt,
      )
      expect(accountIn(accounts, 'retired-login@example.org').loginLoss?.cause).toBe('refused')
      expect(accountIn(accounts, 'render@example.org').blockedReasons).toEqual([
        'quota_exhausted_week',
        'upstream_retry_after',
      ])
      expect(accountIn(accounts, 'Kimi for translations').blockedReasons).toEqual([
        'quota_exhausted_month',
        'upstream_retry_after',
      ])
    }
  })

  it('are a pool whose quota is never nearly gone, so that no action comes and goes', () => {
    for (const snapshot of week) {
      for (const pool of snapshot.pools)
        for (const { knownUnits, trackedUnits } of capacitiesOf(pool))
          expect(knownUnits).toBeGreaterThan(0.15 * trackedUnits)
    }
  })

  it('need somebody for one refused login alone', () => {
    for (const snapshot of week) {
      const { health, accounts } = snapshot
      const home = new Set(accounts.map(({ selector }) => selector.accountKey))
      const needed = health.actions.flatMap(({ action }) =>
        'accounts' in action
          ? action.accounts
              .filter(({ accountKey }) => !home.has(accountKey))
              .map(({ title }) => [action.code, title])
          : 'provider' in action
            ? [[action.code, action.provider]]
            : [],
      )

      expect(needed).toEqual([['auth_invalid', 'retired-login@example.org']])
    }
  })

  it('are asked only where the vendor is known', () => {
    for (const snapshot of week) {
      const classes = [...byTitle(snapshot).values()].filter(
        ({ quotaClass }) => quotaClass === 'none',
      )

      expect(
        classes
          .filter(({ account }) => account.provider !== 'codex')
          .map(({ account }) => account.provider),
      ).toEqual(['kiro'])
    }
  })
})
