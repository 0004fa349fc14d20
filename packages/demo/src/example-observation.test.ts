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
import { hasNotStarted } from '@svc/core/account'
import { knownPlanKinds } from '@svc/core/service'
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
const minutesUntil = (at: EpochMs | null, now: EpochMs) => ((at ?? Number.NaN) - now) / MINUTE_MS

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
      expect(authName).toMatch(/^codex-[0-9a-f]{8}-[\w.-]+@example\.(com|org)(-\w+)?\.json$/)
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
        evaluate(now).accounts.map(({ selector, windows }) => [
          selector.authName,
          JSON.stringify(windows),
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

  it('moves over a day', () => {
    const percents = (now: EpochMs) =>
      evaluate(now).accounts.map(({ windows }) => windowOf(windows, '5h'))

    expect(percents(plusMs(WEEK_START, 60 * MINUTE_MS))).not.toEqual(percents(WEEK_START))
  })

  it('counts the accounts of other providers', () => {
    expect(evaluate(WEEK_START).otherProviders).toEqual(
      new Map([
        ['claude', 3],
        ['gemini', 1],
      ]),
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
        [...knownPlanKinds].sort(),
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
        evaluate(now).accounts.map(({ selector, status, plan }) => [
          selector.authName,
          [status.kind, status.tone, plan],
        ]),
      )
    const usual = statuses(WEEK_START)

    atAnyTime((now) => expect(statuses(now)).toEqual(usual))
  })

  it('has a good share of routable accounts with scores that differ', () => {
    atAnyTime((now) => {
      const { accounts, routableCount, topScore } = evaluate(now)
      const scores = accounts.filter(({ routable }) => routable).map(({ score }) => score)
      expect(accounts.length).toBe(24)
      expect(routableCount).toBe(14)
      expect(topScore).toBeGreaterThanOrEqual(60)
      expect(topScore - Math.min(...scores)).toBeGreaterThanOrEqual(35)
      expect(new Set(scores).size).toBeGreaterThanOrEqual(7)
    })
  })

  it('has about 16 of 41 Plus left in 5h, some of it stale and one unit unknown', () => {
    atAnyTime((now) => {
      const { '5h': fiveHour, week } = evaluate(now).capacity
      for (const window of [fiveHour, week]) {
        expect(window.trackedUnits).toBe(41)
        expect(window.unknownUnits).toBe(1)
        expect(window.staleUnits).toBeGreaterThan(0)
        expect(window.returns.length).toBeGreaterThanOrEqual(5)
      }
      expect(fiveHour.knownUnits).toBeGreaterThan(12)
      expect(fiveHour.knownUnits).toBeLessThan(20)
    })
  })

  it('has accounts to reclaim whose reset is 20 to 55 min ahead with 60 to 90 % left', () => {
    atAnyTime((now) => {
      const bands = evaluate(now).accounts.filter(
        ({ title }) => title === 'build-farm@example.org' || title === 'أحمد.نور@example.com',
      )
      expect(bands.length).toBe(2)
      for (const { reclaim } of bands) {
        expect(reclaim?.resetsInSeconds).toBeGreaterThanOrEqual(20 * 60)
        expect(reclaim?.resetsInSeconds).toBeLessThanOrEqual(55 * 60)
        expect(reclaim?.percent).toBeGreaterThanOrEqual(60)
        expect(reclaim?.percent).toBeLessThanOrEqual(92)
      }
    })
  })

  it('has blocked accounts with the times that free them', () => {
    atAnyTime((now) => {
      const { accounts } = evaluate(now)
      const until = (reason: string) =>
        accounts.find(({ blockedReasons }) => blockedReasons[0] === reason)?.status.until ?? null
      expect(minutesUntil(until('quota_exhausted_5h'), now)).toBeGreaterThanOrEqual(10)
      expect(minutesUntil(until('quota_exhausted_5h'), now)).toBeLessThanOrEqual(170)
      expect(minutesUntil(until('quota_exhausted_week'), now)).toBeGreaterThanOrEqual(6 * 60)
      expect(minutesUntil(until('upstream_retry_after'), now)).toBeGreaterThanOrEqual(4)
      expect(until('quota_exhausted_spend')).toBeNull()
      expect(
        accounts.find(({ status }) => status.kind === 'ready_unproven')?.account.nextRetryAt,
      ).toBeLessThan(now)
    })
  })

  it('lets message and window of a used-up account agree', () => {
    atAnyTime((now) => {
      for (const { account, windows } of evaluate(now).accounts) {
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
      for (const { windows, scopedWindows, disabledProbe } of evaluate(now).accounts) {
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

  it('has a 5h clock that has not started', () => {
    atAnyTime((now) => {
      const idle = ({ windows, account }: EvaluatedAccount) =>
        windows.every((window) => window.state === 'known' && !window.stale) &&
        hasNotStarted({ windows, lastSuccessAt: account.lastSuccessAt })
      expect(has(evaluate(now), (account) => account.routable && idle(account))).toBe(true)
    })
  })

  it('lists two files of one account that show the same and count once', () => {
    atAnyTime((now) => {
      const files = evaluate(now).accounts.filter(({ title }) =>
        title.startsWith('marta.k@example.com'),
      )
      const [first, second] = files.map(({ windows }) => windowOf(windows, '5h'))
      expect(files.map(({ countedInCapacity }) => countedInCapacity)).toEqual([true, false])
      expect(new Set(files.map(({ title }) => title)).size).toBe(2)
      expect(first?.state).toBe('known')
      expect(second?.state).toBe('known')
    })
  })

  it('keeps one disabled probe and has another that was never made', () => {
    atAnyTime((now) => {
      const states = evaluate(now)
        .accounts.filter(({ status }) => status.kind === 'disabled')
        .map(({ disabledProbe }) => disabledProbe.state)
      expect(states.sort()).toEqual(['ok', 'unknown'])
    })
  })

  it('shows a failure rate, limits of other scopes and every source of readings it promises', () => {
    atAnyTime((now) => {
      const snapshot = evaluate(now)
      const scopes = (account: EvaluatedAccount) => account.scopedWindows.map(({ id }) => id)
      expect(has(snapshot, ({ failureRatio }) => failureRatio !== null && failureRatio > 0.2)).toBe(
        true,
      )
      expect(
        has(
          snapshot,
          (account) => scopes(account).includes('code_review:week') && scopes(account).length > 1,
        ),
      ).toBe(true)
      expect(
        has(
          snapshot,
          (account) =>
            account.plan === 'pro' && scopes(account)[0] === 'extra:codex_bengalfox:week',
        ),
      ).toBe(true)
      expect(has(snapshot, ({ lastSample }) => lastSample?.origin === 'headers')).toBe(true)
      expect(has(snapshot, ({ lastSample }) => lastSample?.origin === 'direct')).toBe(true)
    })
  })

  it('asks the operator for one thing of each kind', () => {
    atAnyTime((now) => {
      const codes = evaluate(now).health.actions.map(({ action }) => action.code)
      expect(codes.sort()).toEqual([
        'account_unavailable',
        'auth_invalid',
        'deactivated',
        'quota_hit',
      ])
    })
  })
})
