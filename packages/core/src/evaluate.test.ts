import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resetAtOf } from './account/quota-window.ts'
import { scoringPolicy } from './account/routing-score.ts'
import { defaultPolicy, type EvaluationPolicy, evaluateSnapshot, type Past } from './evaluate.ts'
import type { Account } from './facts/account.ts'
import type { AccountEvidence } from './facts/account-evidence.ts'
import { readStatusMessage } from './facts/status-message.ts'
import { instantToIso, plusMs } from './facts/time.ts'
import type { RecentChange } from './pool/recent-changes.ts'
import {
  aLiveObservation,
  anAccount,
  aQuotaSample,
  aSnapshot,
  evidenceOf,
  failing,
  fromNow,
  NOW,
  neverRead,
  type ObservationChanges,
} from './testing/builders.ts'

const NO_PAST: Past = { previous: null, recordedChanges: [] }
const FAILED = failing()
const NEVER_READ = {
  sources: {
    accounts: neverRead,
    gateway: neverRead,
    direct_quota: neverRead,
    usage_statistics: neverRead,
  },
}
const account = [anAccount('a'), evidenceOf([aQuotaSample()])] as const
const failedList = {
  ...aLiveObservation([account]).sources.accounts,
  outcome: FAILED.outcome,
  failuresInARow: 1,
}

describe('the source of a snapshot', () => {
  it.each<readonly [why: string, observed: ObservationChanges, source: string, available: boolean]>(
    [
      ['everything was read', {}, 'live', true],
      [
        'direct quota is off',
        { sources: { direct_quota: { ...neverRead, outcome: { kind: 'off', reason: 'no_key' } } } },
        'live',
        true,
      ],
      [
        'direct quota has not been read yet',
        { sources: { direct_quota: neverRead } },
        'live',
        true,
      ],
      [
        'usage statistics failed, which routing does not need',
        { sources: { usage_statistics: FAILED } },
        'live',
        true,
      ],
      ['the gateway failed', { sources: { gateway: FAILED } }, 'partial', true],
      ['direct quota failed', { sources: { direct_quota: FAILED } }, 'partial', true],
      [
        'the newest list failed, an older one is at hand',
        { sources: { accounts: failedList } },
        'partial',
        true,
      ],
      ['nothing was read yet', NEVER_READ, 'unavailable', false],
      ['no list was ever read', { sources: { accounts: FAILED } }, 'unavailable', false],
      ['a demo', { kind: 'demo', sources: { gateway: FAILED } }, 'demo', true],
    ],
  )('when %s', (_, observed, source, available) => {
    const snapshot = aSnapshot([account], observed)

    expect([snapshot.source, snapshot.available]).toEqual([source, available])
    expect(snapshot.sampledAt).toBe(available ? NOW : null)
  })

  it.each([
    [15, 45_000, 'live'],
    [15, 45_001, 'stale'],
    [5, 15_000, 'live'],
    [5, 15_001, 'stale'],
    [3600, 10_800_000, 'live'],
    [3600, 10_800_001, 'stale'],
  ])('refreshed every %d s and read %d ms ago: %s', (accountRefreshSeconds, ageMs, source) => {
    const observation = aLiveObservation([account], { accountRefreshSeconds })

    expect(evaluateSnapshot(observation, defaultPolicy, plusMs(NOW, ageMs), NO_PAST).source).toBe(
      source,
    )
  })

  it('stale beats partial, and the last list is still shown', () => {
    const observation = aLiveObservation([account], {
      sources: { accounts: failedList, gateway: FAILED },
    })
    const snapshot = evaluateSnapshot(observation, defaultPolicy, plusMs(NOW, 3_600_000), NO_PAST)

    expect(snapshot).toMatchObject({ source: 'stale', available: true, sampledAt: NOW })
    expect(snapshot.accounts).toHaveLength(1)
  })

  it.each<readonly [why: string, observed: ObservationChanges, up: boolean | null]>([
    ['answered', {}, true],
    ['failed', { sources: { gateway: FAILED } }, false],
    ['was not asked yet', { sources: { gateway: neverRead } }, null],
  ])('the gateway %s', (_, observed, up) => {
    expect(aSnapshot([account], observed).gatewayUp).toBe(up)
  })
})

it('a cold start is whole and empty', () => {
  expect(aSnapshot([], NEVER_READ)).toMatchObject({
    available: false,
    source: 'unavailable',
    accounts: [],
    routableCount: 0,
    blockedCount: 0,
    topScore: 0,
    capacity: { '5h': { trackedUnits: 0, returns: [] }, week: { trackedUnits: 0, returns: [] } },
    health: { state: 'unknown', actions: [] },
    recentChanges: [],
  })
})

it('the top score is that of the first account, 0 where none is routable', () => {
  const snapshot = aSnapshot([account, [anAccount('off', { operatorDisabled: true }), null]])

  expect([snapshot.routableCount, snapshot.blockedCount, snapshot.topScore]).toEqual([
    1,
    1,
    snapshot.accounts[0]?.score,
  ])
  expect(snapshot.topScore).toBeGreaterThan(0)
  expect(aSnapshot([[anAccount('off', { operatorDisabled: true }), null]]).topScore).toBe(0)
})

describe('recent changes', () => {
  const change = (index: number): RecentChange => ({
    at: fromNow(-index),
    tone: 'good',
    detail: { code: 'account_added', title: `${index}` },
  })
  const changes = (count: number) => Array.from({ length: count }, (_, index) => change(index + 1))
  const next = (previousCount: number | null, recordedCount: number, added: number) => {
    const previous =
      previousCount === null
        ? null
        : { ...aSnapshot([account]), recentChanges: changes(previousCount) }
    const extra = Array.from(
      { length: added },
      (_, index) => [anAccount(`new-${index}`), null] as const,
    )
    const past = { previous, recordedChanges: changes(recordedCount) }
    return evaluateSnapshot(aLiveObservation([account, ...extra]), defaultPolicy, NOW, past)
      .recentChanges
  }

  it.for<
    readonly [why: string, before: number | null, kept: number, added?: number, read?: number]
  >([
    ['nothing happened', 3, 3],
    ['something did', 3, 4, 1],
    ['49 and one more are all kept', 49, 50, 1],
    ['the 51st pushes the oldest out', 50, 50, 1],
    ['more than 50 at once', 10, 50, 60],
    ['what an earlier process recorded comes first', null, 7, 0, 7],
    ['and no more of it than 50', null, 50, 0, 80],
  ])('$0', ([, previousCount, expected, added = 0, recordedCount = 0]) => {
    expect(next(previousCount, recordedCount, added)).toHaveLength(expected)
  })

  it('come newest first', () => {
    const recent = next(50, 0, 2)

    expect(recent.slice(0, 3).map(({ at }) => at)).toEqual([NOW, NOW, fromNow(-1)])
    expect(recent.at(-1)?.at).toBe(fromNow(-48))
  })

  it('are not made out of the first account list of a process', () => {
    expect(
      evaluateSnapshot(aLiveObservation([account]), defaultPolicy, NOW, NO_PAST).recentChanges,
    ).toEqual([])
  })
})

it('a policy of one’s own decides scores, capacity and health', () => {
  const nearlyUsed = [
    anAccount('a'),
    evidenceOf([aQuotaSample({ fiveHour: 100, week: 4 })]),
  ] as const
  const policy: Partial<EvaluationPolicy> = {
    multiplier: 'off',
    scoring: { ...scoringPolicy, healthMax: 5 },
    thresholds: { ...defaultPolicy.thresholds, alertRoutableMin: 2 },
    exposedHost: '::',
  }
  const snapshot = aSnapshot([nearlyUsed], {}, policy)

  expect(aSnapshot([nearlyUsed]).capacity['5h'].knownUnits).toBe(0.24)
  expect(snapshot.capacity['5h'].knownUnits).toBe(1)
  expect(snapshot.accounts[0]?.scoreComponents.health).toBe(5)
  expect(snapshot.health.actions.map(({ action }) => action.code)).toEqual([
    'routable_below_minimum',
    'risky_listener',
  ])
})

describe('any pool', () => {
  const percent = fc.oneof(
    fc.constant(0),
    fc.integer({ min: 0, max: 1000 }).map((tenths) => tenths / 10),
  )
  const seconds = fc.oneof(
    fc.integer({ min: -700_000, max: 700_000 }),
    fc.integer({ min: -200, max: 4000 }),
  )
  const anySample = fc
    .record({
      windows: fc.uniqueArray(
        fc.record({
          id: fc.constantFrom('5h', 'week', 'month', 'extra:spark:5h'),
          percent,
          resets: fc.option(seconds),
        }),
        { selector: ({ id }) => id },
      ),
      origin: fc.constantFrom('direct' as const, 'headers' as const),
      plan: fc.constantFrom(null, 'plus', 'pro', 'free'),
      age: fc.nat(5000),
      limitReached: fc.boolean(),
      unreadableWindowCount: fc.nat(1),
    })
    .map(({ windows, age, ...rest }) =>
      aQuotaSample(
        { ageSeconds: age },
        {
          ...rest,
          windows: windows.map(({ id, percent: left, resets }) => ({
            id,
            percent: left,
            periodSeconds: id === '5h' ? 18_000 : 604_800,
            resetAt: resets === null ? null : fromNow(resets),
          })),
        },
      ),
    )
  const anyEvidence = fc.record({
    samples: fc.uniqueArray(anySample, { selector: ({ origin }) => origin, maxLength: 2 }),
    refusedLogin: fc.option(
      fc.record({
        inARow: fc.integer({ min: 1, max: 3 }),
        lastAt: seconds.map(fromNow),
        httpStatus: fc.constantFrom(401, 402),
      }),
    ),
    probeFailure: fc.option(
      fc.record({
        at: fc.constant(NOW),
        kind: fc.constantFrom('auth' as const, 'failed' as const),
        httpStatus: fc.constant(null),
        inARow: fc.nat(9).map((n) => n + 1),
      }),
    ),
    plannedIntervalSeconds: fc.constantFrom(300, 1200, 21_600),
    disabledProbe: fc.constant({ state: 'unknown' } as const),
  })
  const anyInstant = fc.option(seconds.map(fromNow))
  const anyFields: fc.Arbitrary<Partial<Account>> = fc.record({
    title: fc.constantFrom('ann', 'bob', 'ann · Plus', ''),
    claimedPlan: fc.constantFrom(null, 'plus', 'team', 'Pro-Lite', 'pro', 'free', '__proto__'),
    upstreamStatus: fc.constantFrom(
      'active',
      'active',
      'active',
      'error',
      'disabled',
      'pending',
      'refreshing',
      'invalid',
      'unknown',
    ),
    operatorDisabled: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
    unavailable: fc.boolean(),
    message: fc.oneof(
      fc
        .constantFrom(
          '',
          '',
          '',
          'unauthorized',
          'payment_required',
          'quota',
          '<html>',
          'request failed',
        )
        .map((text) => readStatusMessage(text, NOW)),
      fc.record({ resets: seconds, observed: seconds }).map(
        ({ resets, observed }) =>
          ({
            kind: 'usage_limit',
            resetsAt: fromNow(resets),
            observedAt: fromNow(observed),
          }) as const,
      ),
    ),
    messageAt: anyInstant,
    nextRetryAt: anyInstant,
    modifiedAt: anyInstant,
    subscribedUntil: anyInstant,
    lastSuccessAt: anyInstant,
    recentRequests: fc.array(
      fc.record({ startAt: fc.constant(NOW), success: fc.nat(9), failed: fc.nat(9) }),
      { maxLength: 3 },
    ),
  })
  const anyPool = fc
    .array(
      fc.record({
        fields: anyFields,
        key: fc.constantFrom('k1', 'k2', 'k3', null),
        index: fc.constantFrom('', 'aaaa1'),
        evidence: fc.option(anyEvidence),
      }),
      { maxLength: 8 },
    )
    .map((rows) =>
      rows.map(
        (
          { fields, key, index, evidence },
          position,
        ): readonly [Account, AccountEvidence | null] => {
          const selector = {
            authName: `file-${position}.json`,
            authIndex: index,
            accountKey: key ?? `own-${position}`,
          }
          return [anAccount(`${position}`, { ...fields, selector }), evidence]
        },
      ),
    )
  const anyMultiplier = fc.constantFrom(6, 1, 0.5, 'off' as const)
  const snapshotOf = (
    pool: readonly (readonly [Account, AccountEvidence | null])[],
    multiplier: number | 'off' = 6,
  ) => aSnapshot(pool, {}, { multiplier })

  it('comes out the same in whatever order it is listed', () => {
    fc.assert(
      fc.property(
        anyPool.chain((pool) =>
          fc.tuple(fc.constant(pool), fc.shuffledSubarray(pool, { minLength: pool.length })),
        ),
        ([pool, shuffled]) => {
          expect(snapshotOf(shuffled)).toEqual(snapshotOf(pool))
        },
      ),
      { numRuns: process.env.TEST_SIZE === 'full' ? 300 : 60 },
    )
  })

  it('blocks an account exactly when it says why, and a blocked one scores 0', () => {
    fc.assert(
      fc.property(anyPool, (pool) => {
        const { accounts, routableCount, blockedCount, topScore } = snapshotOf(pool)
        for (const {
          routable,
          blockedReasons,
          score,
          scoreComponents,
          status,
          reclaim,
        } of accounts) {
          expect(routable).toBe(blockedReasons.length === 0)
          expect(new Set(blockedReasons).size).toBe(blockedReasons.length)
          expect(score).toBe(
            Object.values(scoreComponents).reduce((sum, points) => sum + points, 0),
          )
          expect(Number.isInteger(score) && score >= 0 && score <= 100).toBe(true)
          if (!routable) expect([score, reclaim]).toEqual([0, null])
          if (routable) expect(['good', 'warn']).toContain(status.tone)
          if (routable) expect(status.until).toBeNull()
        }
        expect(routableCount + blockedCount).toBe(pool.length)
        expect(topScore).toBe(Math.max(0, ...accounts.map(({ score }) => score)))
      }),
      { numRuns: process.env.TEST_SIZE === 'full' ? 300 : 60 },
    )
  })

  it('is ranked: routable before blocked, then by score', () => {
    fc.assert(
      fc.property(anyPool, (pool) => {
        const ranks = snapshotOf(pool).accounts.map(({ routable, score }) =>
          routable ? 1000 + score : score,
        )
        expect(ranks).toEqual(ranks.toSorted((a, b) => b - a))
      }),
    )
  })

  it('has 0 <= known <= tracked, known + unknown <= tracked and stale <= known', () => {
    fc.assert(
      fc.property(anyPool, anyMultiplier, (pool, multiplier) => {
        const { capacity } = snapshotOf(pool, multiplier)
        for (const window of Object.values(capacity)) {
          const { trackedUnits, knownUnits, unknownUnits, staleUnits, returns } = window
          const { usableUnits, heldUnits, usableStaleUnits } = window
          for (const part of [usableUnits, heldUnits, usableStaleUnits])
            expect(part).toBeGreaterThanOrEqual(0)
          expect(usableUnits + heldUnits).toBeCloseTo(knownUnits, 9)
          expect(usableStaleUnits).toBeLessThanOrEqual(Math.min(usableUnits, staleUnits))
          expect(knownUnits).toBeGreaterThanOrEqual(0)
          expect(unknownUnits).toBeGreaterThanOrEqual(0)
          expect(knownUnits).toBeLessThanOrEqual(trackedUnits)
          expect(knownUnits + unknownUnits).toBeLessThanOrEqual(trackedUnits)
          expect(staleUnits).toBeLessThanOrEqual(knownUnits)
          for (const { at, units } of returns) {
            expect(at).toBeGreaterThan(NOW)
            expect(units).toBeGreaterThan(0)
          }
          const returned = returns.reduce(
            (sum, { units }) => sum + units,
            knownUnits + unknownUnits,
          )
          expect(returned).toBeLessThanOrEqual(trackedUnits + 1e-9)
        }
      }),
      { numRuns: process.env.TEST_SIZE === 'full' ? 300 : 60 },
    )
  })

  it('never blocks an account for a window whose reset has passed', () => {
    fc.assert(
      fc.property(anyPool, (pool) => {
        for (const { blockedReasons, windows } of snapshotOf(pool).accounts) {
          const exhausted = windows.filter(({ state }) => state === 'exhausted')

          expect(blockedReasons.filter((reason) => reason.startsWith('quota_exhausted_'))).toEqual(
            exhausted.map(({ id }) => `quota_exhausted_${id}`),
          )
          for (const window of exhausted)
            expect(resetAtOf(window) ?? Number.POSITIVE_INFINITY).toBeGreaterThan(NOW)
        }
      }),
      { numRuns: process.env.TEST_SIZE === 'full' ? 300 : 60 },
    )
  })

  it('gives every account a title of its own and counts every identity once', () => {
    fc.assert(
      fc.property(anyPool, (pool) => {
        const { accounts } = snapshotOf(pool)
        const counted = accounts.filter(({ countedInCapacity }) => countedInCapacity)

        expect(new Set(accounts.map(({ title }) => title)).size).toBe(pool.length)
        expect(new Set(counted.map(({ selector }) => selector.accountKey)).size).toBe(
          counted.length,
        )
        expect(counted.length).toBe(
          new Set(accounts.map(({ selector }) => selector.accountKey)).size,
        )
      }),
    )
  })

  it('names only times to come, and ones that can be written', () => {
    fc.assert(
      fc.property(anyPool, (pool) => {
        for (const { status } of snapshotOf(pool).accounts) {
          if (status.until === null) continue
          expect(status.until).toBeGreaterThan(NOW)
          instantToIso(status.until)
        }
      }),
    )
  })

  it('does not change by being looked at again', () => {
    fc.assert(
      fc.property(anyPool, (pool) => {
        const observation = aLiveObservation(pool)
        const first = evaluateSnapshot(observation, defaultPolicy, NOW, NO_PAST)
        const second = evaluateSnapshot(observation, defaultPolicy, NOW, {
          previous: first,
          recordedChanges: [],
        })

        expect(second).toEqual(first)
      }),
    )
  })
})

it('the next account is back when the first block with a known end is over', () => {
  const held = (name: string, seconds: number) =>
    [anAccount(name, { unavailable: true, nextRetryAt: fromNow(seconds) }), null] as const
  const disabled = [anAccount('off', { operatorDisabled: true }), null] as const

  expect(aSnapshot([account]).nextRoutableAt).toBeNull()
  expect(aSnapshot([disabled]).nextRoutableAt).toBeNull()
  expect(aSnapshot([account, held('b', 900), held('c', 600), disabled]).nextRoutableAt).toBe(
    fromNow(600),
  )
})
