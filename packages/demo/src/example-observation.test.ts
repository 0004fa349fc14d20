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
import { allAccountsOf } from '@svc/core/pool'
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
