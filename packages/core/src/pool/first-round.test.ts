import { describe, expect, it } from 'vitest'
import { defaultPolicy, evaluateSnapshot } from '../evaluate.ts'
import type { RefreshFailure, RefreshTally } from '../facts/refresh.ts'
import { offBecause } from '../facts/source.ts'
import { epochMs, secondsUntil } from '../facts/time.ts'
import { answerOf } from '../health/answer.ts'
import {
  aLiveObservation,
  anAccount,
  aQuotaSample,
  aSnapshot,
  evidenceOf,
  failing,
  fromNow,
  NOW,
} from '../testing/builders.ts'
import { endedRefresh, firstReadingsOf, refreshDeadlineMs } from './first-round.ts'
import { noTrends } from './runway.ts'

const read = evidenceOf([aQuotaSample()])
const failed = evidenceOf([], {
  probeFailure: { at: NOW, kind: 'failed', httpStatus: null, inARow: 1 },
})
interface Shape {
  readonly read: number
  readonly unread: number
  readonly failed?: number
  readonly disabled?: number
}
const entries = (shape: Shape) => [
  ...Array.from({ length: shape.read }, (_, index) => [anAccount(`r${index}`), read] as const),
  ...Array.from({ length: shape.failed ?? 0 }, (_, index) => {
    return [anAccount(`f${index}`), failed] as const
  }),
  ...Array.from({ length: shape.unread }, (_, index) => [anAccount(`u${index}`), null] as const),
  ...Array.from({ length: shape.disabled ?? 0 }, (_, index) => {
    return [anAccount(`d${index}`, { operatorDisabled: true }), null] as const
  }),
]
const policy = { quotaProbesPerMinute: 6 }
const roundOf = (shape: Shape) => aSnapshot(entries(shape), {}, policy).firstRound

describe('the first round', () => {
  it.each([
    { why: 'nothing was read', read: 0, expected: { code: 'not_ready', atLeast: undefined } },
    { why: 'a part was read', read: 4, expected: { code: 'go', usableUnits: 80, atLeast: true } },
    { why: 'most was read', read: 12, expected: { code: 'go', usableUnits: 240, atLeast: false } },
  ])('of plans that only a reading tells: $why', ({ read, expected }) => {
    const pool = aSnapshot(
      Array.from({ length: 12 + 2 }, (_, index) => {
        const unread = anAccount(`a${index}`, { provider: 'claude', claimedPlan: null })
        const evidence = evidenceOf([aQuotaSample({ fiveHour: 100, week: 100 }, { plan: null })])
        const vendorPlan = { plan: 'max_20x', askedAt: NOW }
        // The plan is asked for after the quota.
        if (index < read) return [unread, { ...evidence, vendorPlan }] as const
        return [unread, index % 2 === 0 ? evidence : null] as const
      }),
    )
    const answer = answerOf(pool, noTrends)
    expect({ atLeast: undefined, ...answer }).toMatchObject(expected)
    expect(pool.firstRound?.readCount ?? null).toBe(read === 12 ? null : read)
  })

  it.for<
    readonly [
      why: string,
      shape: Shape,
      round?: { readonly read: number; readonly of: number; readonly seconds: number } | null,
    ]
  >([
    ['begins with every account', { read: 0, unread: 12 }, { read: 0, of: 12, seconds: 120 }],
    [
      'counts what is left at the pace of the queries',
      { read: 7, unread: 3 },
      { read: 7, of: 10, seconds: 30 },
    ],
    ['is over when a fifth is unknown', { read: 8, unread: 2 }],
    ['is over when every account was asked', { read: 1, unread: 0, failed: 9 }],
    [
      'counts an account that was asked in vain',
      { read: 1, unread: 4, failed: 5 },
      { read: 6, of: 10, seconds: 40 },
    ],
    [
      'does not wait for disabled accounts',
      { read: 1, unread: 1, disabled: 8 },
      { read: 1, of: 2, seconds: 10 },
    ],
    ['is none of an empty pool', { read: 0, unread: 0 }],
  ])('$0', ([, shape, round = null]) => {
    expect(roundOf(shape)).toEqual(
      round && {
        readCount: round.read,
        toReadCount: round.of,
        doneAt: fromNow(round.seconds),
        seenFrom: { at: NOW, readCount: round.read },
      },
    )
  })

  it.each([
    { why: 'goes on as it went', read: 4, left: 36, seconds: 432 },
    {
      why: 'is not promised faster than the ceiling',
      read: 30,
      left: 12,
      afterSeconds: 10,
      seconds: 120,
    },
    {
      why: 'is slow where nothing was read yet',
      read: 0,
      left: 5,
      afterSeconds: 120,
      seconds: 600,
    },
    { why: 'has not begun with what was read before', before: 5, read: 6, left: 10, seconds: 300 },
    { why: 'is no faster for accounts that are gone', before: 5, read: 2, left: 3, seconds: 180 },
  ])('$why', ({ before = 0, read: readCount, left, afterSeconds = 60, seconds }) => {
    const at = (shape: Shape, now: typeof NOW, previous: ReturnType<typeof aSnapshot> | null) =>
      evaluateSnapshot(aLiveObservation(entries(shape)), { ...defaultPolicy, ...policy }, now, {
        previous,
        recordedChanges: [],
      })
    const later = fromNow(afterSeconds)

    const { firstRound } = at(
      { read: readCount, unread: left },
      later,
      at({ read: before, unread: 40 }, NOW, null),
    )

    expect(secondsUntil(firstRound?.doneAt ?? null, later)).toBe(seconds)
    expect(firstRound?.seenFrom).toEqual({ at: NOW, readCount: before })
  })

  it('has the budget of each proxy that is still to be asked', () => {
    const [one, other] = ['tokyo', 'berlin'].map((upstream) =>
      Array.from(
        { length: 6 },
        (_, index) => [{ ...anAccount(`${upstream}${index}`), upstream }, null] as const,
      ),
    )

    expect(aSnapshot([...(one ?? []), ...(other ?? [])], {}, policy).firstRound?.doneAt).toBe(
      fromNow(60),
    )
  })

  it('has no end while the queries fail, and none is under way without them', () => {
    const pool = entries({ read: 1, unread: 9 })

    expect(aSnapshot(pool, { sources: { direct_quota: failing() } }, policy).firstRound).toEqual({
      readCount: 1,
      toReadCount: 10,
      doneAt: null,
      seenFrom: { at: NOW, readCount: 1 },
    })
    expect(
      aSnapshot(pool, { sources: { direct_quota: offBecause('no_key') } }, policy).firstRound,
    ).toBeNull()
  })
})

describe('the first readings of a provider', () => {
  it('are those of all its accounts that are asked about, however few are left', () => {
    const counts = (shape: Shape) => firstReadingsOf(aSnapshot(entries(shape), {}, policy).accounts)

    expect(counts({ read: 9, unread: 1 })).toEqual({ readCount: 9, toReadCount: 10 })
    expect(counts({ read: 1, unread: 2, failed: 3, disabled: 4 })).toEqual({
      readCount: 4,
      toReadCount: 6,
    })
    expect(counts({ read: 0, unread: 0 })).toEqual({ readCount: 0, toReadCount: 0 })
  })
})

const at = epochMs(2_000)
const running = (tally: RefreshTally) =>
  ({
    status: 'running',
    target: { scope: 'default' },
    startedAt: epochMs(1_000),
    expectedEndAt: null,
    tally,
  }) as const

describe('the end of a refresh', () => {
  it.for<
    readonly [
      name: string,
      tally: RefreshTally,
      status: string,
      failure?: RefreshFailure | null,
      failed?: number,
    ]
  >([
    ['all answered', { queued: 3, done: 3, failed: 0 }, 'completed'],
    [
      'all skipped',
      { queued: 0, done: 0, failed: 0, skipped: { count: 2, nextAskAt: at } },
      'failed',
      'asked_lately',
    ],
    ['nobody to ask', { queued: 0, done: 0, failed: 0 }, 'completed'],
    ['some failed', { queued: 3, done: 3, failed: 2 }, 'partial', null, 2],
    ['all failed', { queued: 3, done: 3, failed: 3 }, 'failed', null, 3],
    ['out of time with one left', { queued: 3, done: 2, failed: 0 }, 'partial', 'deadline', 1],
    [
      'out of time with nothing answered',
      { queued: 3, done: 0, failed: 0 },
      'failed',
      'deadline',
      3,
    ],
    ['a refused key', { queued: 3, done: 0, failed: 0 }, 'failed', 'unauthorized', 3],
    [
      'a refused key before anybody was known',
      { queued: 0, done: 0, failed: 0 },
      'failed',
      'unauthorized',
    ],
  ])('$0', ([, tally, status, failure = null, failed = 0]) => {
    expect(endedRefresh(running(tally), failure, at)).toEqual({
      status,
      target: { scope: 'default' },
      startedAt: 1_000,
      completedAt: 2_000,
      tally: { ...tally, done: tally.queued, failed },
      failure,
    })
  })

  it.each([
    { name: 'before the first answer', tally: { queued: 3, done: 0, failed: 0 } },
    { name: 'half way', tally: { queued: 3, done: 2, failed: 1 } },
    { name: 'after the last answer', tally: { queued: 3, done: 3, failed: 0 } },
  ])('cancelled $name is partial, and what was not asked has not failed', ({ tally }) => {
    expect(endedRefresh(running(tally), 'cancelled', at)).toMatchObject({
      status: 'partial',
      tally,
      failure: 'cancelled',
    })
  })
})

describe('the longest time of a refresh', () => {
  it.each([
    [0, 30, 600_000],
    [200, 30, 600_000],
    [201, 30, 603_000],
    [10_000, 30, 30_000_000],
    [1_000, 600, 600_000],
  ])('%i queries at %i a minute', (queued, quotaProbesPerMinute, ms) => {
    expect(refreshDeadlineMs(queued, quotaProbesPerMinute)).toBe(ms)
  })
})
