import {
  type Account,
  type AccountEvidence,
  type AccountStatusKind,
  defaultPolicy,
  type EpochMs,
  type EvaluatedAccount,
  epochMs,
  evaluateSnapshot,
  type Observation,
  plusMs,
  type QuotaSample,
  type Snapshot,
  windowOf,
} from '@svc/core'
import { blockedModelsOf } from '@svc/core/account'
import { allAccountsOf, capacitiesOf } from '@svc/core/pool'
import { planKindsOf } from '@svc/core/service'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDemoSource, demoServiceAt } from './index.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const WEEK_START = epochMs(Date.UTC(2026, 10, 16))

/** Instants at which local clocks jump, and boundaries of days, months and years. */
const TURNING_POINTS = [
  Date.UTC(2026, 2, 8, 7),
  Date.UTC(2026, 2, 29, 1),
  Date.UTC(2026, 9, 25, 1),
  Date.UTC(2026, 10, 1, 6),
  Date.UTC(2028, 1, 29),
  Date.UTC(2027, 0, 1) - 1,
  Date.UTC(2027, 0, 1),
]

const anyNow = fc
  .oneof(
    { weight: 9, arbitrary: fc.integer({ min: WEEK_START, max: WEEK_START + 7 * DAY_MS }) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...TURNING_POINTS), fc.integer({ min: -DAY_MS, max: DAY_MS }))
        .map(([at, off]) => at + off),
    },
  )
  .map(epochMs)

const atAnyTime = (check: (now: EpochMs) => void) =>
  fc.assert(
    fc.property(anyNow, (now) => void check(now)),
    { numRuns: 400, examples: TURNING_POINTS.map((at) => [epochMs(at)] as [EpochMs]) },
  )

const observe = (now: EpochMs) => ({ ...createDemoSource().latest(now), ...demoServiceAt(now) })
const evaluate = (now: EpochMs) =>
  evaluateSnapshot(observe(now), defaultPolicy, now, { previous: null, recordedChanges: [] })

const accountsOf = (observation: Observation): readonly Account[] =>
  observation.sources.accounts.lastGood?.value.accounts ?? []
const samplesOf = ({ samples, disabledProbe }: AccountEvidence): readonly QuotaSample[] =>
  disabledProbe.state === 'unknown' || disabledProbe.sample === null
    ? samples
    : [...samples, disabledProbe.sample]
const has = (snapshot: Snapshot, role: (account: EvaluatedAccount) => boolean) =>
  snapshot.accounts.some(role)

describe('the sample observation', () => {
  it('is the same for the same time', () => {
    atAnyTime((now) => expect(observe(now)).toEqual(observe(now)))
  })

  it('names every file once and every account by one key at all times', () => {
    const namesAndKeys = (now: EpochMs) => accountsOf(observe(now)).map(({ selector }) => selector)
    const usual = namesAndKeys(WEEK_START)

    expect(new Set(usual.map(({ authName }) => authName)).size).toBe(usual.length)
    expect(new Set(usual.map(({ authIndex }) => authIndex)).size).toBe(usual.length)
    expect(new Set(usual.map(({ accountKey }) => accountKey)).size).toBe(usual.length - 1)
    for (const { authName, authIndex, accountKey } of usual) {
      expect(authName).toMatch(
        /^(codex-[0-9a-f]{8}-[\w.-]+@example\.(com|org)(-\w+)?|(claude|xai|antigravity|kiro)-[\w.-]+@example\.(com|org)|kimi(-ai)?-\d{13})\.json$/,
      )
      expect(authIndex).toMatch(/^[0-9a-f]{16}$/)
      expect(accountKey).toMatch(/^[0-9a-f]{16}$/)
    }
    atAnyTime((now) => expect(namesAndKeys(now)).toEqual(usual))
  })

  it('keeps percents whole and between 0 and 100', () => {
    atAnyTime((now) => {
      for (const evidence of observe(now).evidenceByAuthName.values()) {
        for (const { percent } of samplesOf(evidence).flatMap(({ windows }) => windows)) {
          expect(Number.isInteger(percent) && percent >= 0 && percent <= 100).toBe(true)
        }
      }
    })
  })

  it('has every source read a moment ago', () => {
    atAnyTime((now) => {
      const { gateway, accounts, usage_statistics, direct_quota } = observe(now).sources
      for (const { outcome, failuresInARow, lastGood } of [gateway, accounts, usage_statistics]) {
        expect(outcome.kind).toBe('ok')
        expect(failuresInARow).toBe(0)
        expect(now - (lastGood?.at ?? 0)).toBeGreaterThanOrEqual(0)
        expect(now - (lastGood?.at ?? 0)).toBeLessThan(15_000)
      }
      expect(direct_quota.outcome.kind).toBe('ok')
      expect(now - (direct_quota.lastGood?.at ?? 0)).toBeLessThan(5 * MINUTE_MS)
    })
  })

  it('dates nothing but resets and retries later than now', () => {
    atAnyTime((now) => {
      const { evidenceByAuthName, sources } = observe(now)
      const instants = [sources.accounts.lastGood?.at, sources.direct_quota.lastGood?.at]
      for (const account of sources.accounts.lastGood?.value.accounts ?? []) {
        instants.push(
          account.messageAt ?? undefined,
          account.verdict?.at,
          account.modifiedAt ?? undefined,
          account.lastSuccessAt ?? undefined,
        )
        if (account.message.kind === 'usage_limit')
          instants.push(account.message.observedAt ?? undefined)
        instants.push(...account.recentRequests.map(({ startAt }) => startAt))
      }
      for (const evidence of evidenceByAuthName.values()) {
        instants.push(
          evidence.probeFailure?.at,
          evidence.refusedLogin?.firstAt,
          evidence.refusedLogin?.lastAt,
          ...samplesOf(evidence).map(({ sampledAt }) => sampledAt),
        )
        if (evidence.disabledProbe.state !== 'unknown')
          instants.push(evidence.disabledProbe.probedAt)
      }
      for (const at of instants.filter((instant) => instant !== undefined))
        expect(at).toBeLessThanOrEqual(now)
    })
  })

  it('changes a percent at most once a minute', () => {
    const newestPercents = (now: EpochMs) =>
      new Map(
        allAccountsOf(evaluate(now)).map(({ selector, windows, scopedWindows }) => [
          selector.authName,
          JSON.stringify([windows, scopedWindows]),
        ]),
      )

    fc.assert(
      fc.property(anyNow, (from) => {
        const changedAt = new Map<string, number>()
        let before = newestPercents(from)
        for (
          let now = plusMs(from, 15_000);
          now <= from + 10 * MINUTE_MS;
          now = plusMs(now, 15_000)
        ) {
          const after = newestPercents(now)
          for (const [authName, percents] of after) {
            if (percents === before.get(authName)) continue
            expect(now - (changedAt.get(authName) ?? 0)).toBeGreaterThanOrEqual(MINUTE_MS)
            changedAt.set(authName, now)
          }
          before = after
        }
      }),
      { numRuns: 20 },
    )
  })
})

describe('the evaluated sample pool', () => {
  it('shows every plan, blocked reason and status', () => {
    const statuses: readonly AccountStatusKind[] = [
      'active',
      'auth_invalid',
      'cooldown',
      'deactivated',
      'degraded',
      'disabled',
      'pending',
      'quota_hit',
      'ready_unproven',
      'reset_scheduled',
      'retry_after',
      'unavailable',
    ]
    const reasons = [
      'auth_invalid',
      'cooldown',
      'operator_disabled',
      'quota_exhausted_5h',
      'quota_exhausted_spend',
      'quota_exhausted_week',
      'status_invalid',
      'upstream_retry_after',
    ]

    atAnyTime((now) => {
      const { accounts } = evaluate(now)
      expect([...new Set(accounts.map(({ plan }) => plan))].sort()).toEqual(
        [...planKindsOf('codex')].sort(),
      )
      expect([...new Set(accounts.flatMap(({ blockedReasons }) => blockedReasons))].sort()).toEqual(
        reasons,
      )
      expect([...new Set(accounts.map(({ status }) => status.kind))].sort()).toEqual(statuses)
    })
  })

  it('shows every state of a window', () => {
    atAnyTime((now) => {
      const snapshot = evaluate(now)
      for (const state of ['known', 'exhausted', 'unknown', 'absent']) {
        expect(has(snapshot, ({ windows }) => windowOf(windows, '5h').state === state)).toBe(true)
      }
      const fiveHours = snapshot.accounts
        .map(({ windows }) => windowOf(windows, '5h'))
        .filter(({ state }) => state === 'known')
      expect(
        fiveHours.some(
          (window) => window.state === 'known' && window.stale && window.rolledOverAt === null,
        ),
      ).toBe(true)
      expect(
        fiveHours.some((window) => window.state === 'known' && window.rolledOverAt !== null),
      ).toBe(true)
      expect(
        fiveHours.filter((window) => window.state === 'known' && !window.stale).length,
      ).toBeGreaterThanOrEqual(7)
    })
  })

  it('keeps every account in its status, so that no poll reports a change', () => {
    const statuses = (now: EpochMs) =>
      new Map(
        allAccountsOf(evaluate(now)).map(({ selector, status, plan }) => [
          selector.authName,
          [status.kind, status.tone, plan],
        ]),
      )
    const usual = statuses(WEEK_START)

    atAnyTime((now) => expect(statuses(now)).toEqual(usual))
  })

  it('lets message and window of a used-up account agree', () => {
    atAnyTime((now) => {
      for (const { account, windows } of allAccountsOf(evaluate(now))) {
        if (account.message.kind !== 'usage_limit') continue
        const exhausted = windows.filter((window) => window.state === 'exhausted')
        expect(exhausted.map((window) => window.state === 'exhausted' && window.resetAt)).toEqual([
          account.message.resetsAt,
        ])
        expect(account.nextRetryAt).toBe(account.message.resetsAt)
      }
    })
  })

  it('has resets in the future wherever a window names one', () => {
    atAnyTime((now) => {
      for (const { windows, scopedWindows, disabledProbe } of allAccountsOf(evaluate(now))) {
        for (const window of [...windows, ...scopedWindows]) {
          if (window.state === 'known' || window.state === 'exhausted')
            expect(window.resetAt ?? now + 1).toBeGreaterThan(now)
        }
        const probed =
          disabledProbe.state === 'unknown' ? [] : (disabledProbe.sample?.windows ?? [])
        for (const { resetAt } of probed) expect(resetAt).toBeGreaterThan(now)
      }
    })
  })
})

describe('the accounts of other providers', () => {
  /** Everything the rules say of these accounts, by title. */
  const byTitle = (now: EpochMs) =>
    new Map(allAccountsOf(evaluate(now)).map((account) => [account.title, account]))
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
    atAnyTime((now) => {
      const { pools } = evaluate(now)

      expect(pools.map(({ provider, accounts }) => [provider, accounts.length])).toEqual([
        ['codex', 24],
        ['claude', 6],
        ['xai', 6],
        ['kimi', 3],
        ['kimi-ai', 1],
        ['antigravity', 3],
        ['kiro', 1],
      ])
    })
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
      atAnyTime((now) => {
        const account = accountIn(byTitle(now), title)

        expect([account.status.kind, account.plan]).toEqual([status, plan])
        expect(windowStates(account)).toEqual(windows)
      })
    },
  )

  it('show what the vendors say of their own figures, and what only headers say', () => {
    atAnyTime((now) => {
      const accounts = byTitle(now)
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
    })
  })

  it('cannot serve the models whose own limit is used up', () => {
    atAnyTime((now) => {
      const blocked = [...byTitle(now).values()].flatMap((account) =>
        blockedModelsOf(account).map(({ scope, models }) => [account.title, scope, models]),
      )

      expect(blocked.sort()).toEqual([
        ['Kimi for translations', 'code', null],
        ['maps@example.org', 'gemini', ['Gemini 3.1 Pro', 'Gemini 3 Flash']],
        ['studio@example.org', 'premium', ['Fable']],
      ])
    })
  })

  it('rest until a time, and are found dead by what the vendor answers', () => {
    atAnyTime((now) => {
      const accounts = byTitle(now)

      expect(accountIn(accounts, 'night-queue@example.com').coolsUntil).toBeGreaterThan(now)
      expect(accountIn(accounts, 'retired-login@example.org').loginLoss?.cause).toBe('refused')
      expect(accountIn(accounts, 'render@example.org').blockedReasons).toEqual([
        'quota_exhausted_week',
        'upstream_retry_after',
      ])
      expect(accountIn(accounts, 'Kimi for translations').blockedReasons).toEqual([
        'quota_exhausted_month',
        'upstream_retry_after',
      ])
    })
  })

  it('are a pool whose quota is never nearly gone, so that no action comes and goes', () => {
    atAnyTime((now) => {
      for (const pool of evaluate(now).pools)
        for (const { knownUnits, trackedUnits } of capacitiesOf(pool))
          expect(knownUnits).toBeGreaterThan(0.15 * trackedUnits)
    })
  })

  it('are asked only where the vendor is known', () => {
    atAnyTime((now) => {
      const classes = [...byTitle(now).values()].filter(({ quotaClass }) => quotaClass === 'none')

      expect(
        classes
          .filter(({ account }) => account.provider !== 'codex')
          .map(({ account }) => account.provider),
      ).toEqual(['kiro'])
    })
  })
})
