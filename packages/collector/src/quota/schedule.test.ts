import { type AccountEvidence, evidenceFrom } from '@svc/core'
import type { QuotaClass } from '@svc/core/service'
import { anAccount, aQuotaSample, evidenceOf, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import {
  type AccountSchedule,
  firstDue,
  neverQueried,
  noPause,
  pauseAfterAnswer,
  pauseAfterBroken,
  type QueryTimes,
  type ScheduleEvent,
  scheduleOf,
  timesAfter,
} from './schedule.ts'

const MINUTE = 60_000
const QUERIED: QueryTimes = { ...neverQueried, lastAttemptAtMs: 1_000 }
const FRESH = evidenceOf([aQuotaSample({ fiveHour: 60, week: 80, ageSeconds: 10 })])
const REFUSED: AccountEvidence = {
  ...evidenceFrom([]),
  probeFailure: { at: NOW, kind: 'auth', httpStatus: 401, inARow: 1 },
  refusedLogin: { inARow: 1, lastAt: NOW, httpStatus: 401 },
}

interface Setup {
  readonly evidence?: AccountEvidence
  readonly times?: QueryTimes
  readonly accountCount?: number
  readonly disabled?: boolean
  readonly takesTurns?: boolean
  readonly awaitedSinceMs?: number | null
}

function scheduled({
  evidence = FRESH,
  times = QUERIED,
  accountCount = 1,
  disabled = false,
  ...wish
}: Setup = {}): AccountSchedule {
  return scheduleOf(
    { account: anAccount('ann', { operatorDisabled: disabled }), evidence, times },
    { now: NOW, accountCount, quotaProbesPerMinute: 30 },
    { takesTurns: true, awaitedSinceMs: null, ...wish },
  )
}

describe('an account', () => {
  it.each<readonly [what: string, setup: Setup, quotaClass: QuotaClass, dueAtMs: number]>([
    [
      'that was never queried is due at once',
      { evidence: evidenceFrom([]), times: neverQueried },
      'discovery',
      0,
    ],
    ['in use is due after five minutes', {}, 'primary', 1_000 + 5 * MINUTE],
    [
      'is due by its share of the jitter',
      { times: { ...QUERIED, jitter: 1.1 } },
      'primary',
      1_000 + 5.5 * MINUTE,
    ],
    [
      'of a pool of 300 is due after ten minutes',
      { accountCount: 300 },
      'primary',
      1_000 + 10 * MINUTE,
    ],
    [
      'whose vendor asks to wait waits',
      { times: { ...QUERIED, waitUntilMs: 10 * MINUTE } },
      'primary',
      10 * MINUTE,
    ],
    [
      'whose wait is over is due as ever',
      { times: { ...QUERIED, waitUntilMs: MINUTE } },
      'primary',
      1_000 + 5 * MINUTE,
    ],
    ['that failed once is due after a minute', { evidence: REFUSED }, 'recovery', 1_000 + MINUTE],
    [
      'with a login to confirm is due then',
      { evidence: REFUSED, times: { ...QUERIED, confirmAtMs: 5_000 } },
      'recovery',
      5_000,
    ],
    [
      'with a login to confirm waits where the vendor asks to',
      { evidence: REFUSED, times: { ...QUERIED, confirmAtMs: 5_000, waitUntilMs: 9_000 } },
      'recovery',
      9_000,
    ],
    ['out of scope is never due', { takesTurns: false }, 'primary', Number.POSITIVE_INFINITY],
    [
      'that the operator has disabled is never due',
      { disabled: true },
      'none',
      Number.POSITIVE_INFINITY,
    ],
    ['that a refresh waits for is due since then', { awaitedSinceMs: 2_000 }, 'primary', 2_000],
    [
      'that a refresh waits for is due also out of turn',
      { takesTurns: false, awaitedSinceMs: 2_000 },
      'primary',
      2_000,
    ],
  ])('%s', (_what, setup, quotaClass, dueAtMs) => {
    expect(scheduled(setup)).toMatchObject({ quotaClass, dueAtMs })
  })

  it('is unread until it was read in any way, unless it is disabled', () => {
    const unread = { evidence: evidenceFrom([]), times: neverQueried }
    expect(scheduled(unread).isUnread).toBe(true)
    expect(scheduled({ ...unread, disabled: true }).isUnread).toBe(false)
    expect(scheduled().isUnread).toBe(false)
    expect(scheduled({ evidence: REFUSED }).isUnread).toBe(false)
  })

  it('is planned by the size of the pool, in seconds', () => {
    expect(scheduled().plannedIntervalSeconds).toBe(300)
    expect(scheduled({ accountCount: 300 }).plannedIntervalSeconds).toBe(600)
  })
})

describe('an event', () => {
  const before: QueryTimes = {
    ...neverQueried,
    lastAttemptAtMs: 1_000,
    jitter: 0.9,
    waitUntilMs: 2_000,
    confirmAtMs: 3_000,
  }

  it.each<readonly [event: ScheduleEvent, change: Partial<QueryTimes>]>([
    [
      { kind: 'query_begins', atMs: 4_000, jitter: 1.05 },
      { lastAttemptAtMs: 4_000, sentAtMs: 4_000, jitter: 1.05, confirmAtMs: null },
    ],
    [{ kind: 'query_does_not_count', lastAttemptAtMs: 500 }, { lastAttemptAtMs: 500 }],
    [{ kind: 'query_does_not_count', lastAttemptAtMs: null }, { lastAttemptAtMs: null }],
    [{ kind: 'query_is_void' }, { lastAttemptAtMs: null }],
    [{ kind: 'vendor_asks_to_wait', untilMs: 9_000 }, { waitUntilMs: 9_000 }],
    [{ kind: 'headers_replace_query', atMs: 5_000 }, { lastAttemptAtMs: 5_000 }],
    [{ kind: 'login_to_confirm', atMs: 6_000 }, { confirmAtMs: 6_000 }],
    [{ kind: 'index_changed' }, { lastAttemptAtMs: null, confirmAtMs: null }],
  ])('%j changes %j and nothing else', (event, change) => {
    expect(timesAfter(before, event)).toEqual({ ...before, ...change })
  })
})

describe('the first due', () => {
  const due = (quotaClass: QuotaClass, dueAtMs: number, isUnread = false) => ({
    quotaClass,
    dueAtMs,
    isUnread,
  })

  it.each<
    readonly [what: string, candidates: readonly ReturnType<typeof due>[], index: number | null]
  >([
    ['is none of none', [], null],
    ['is none where none is ever due', [due('none', Number.POSITIVE_INFINITY)], null],
    ['is the earliest', [due('primary', 2), due('discovery', 1)], 1],
    [
      'is at one time the class that matters most',
      [due('discovery', 1), due('recovery', 1), due('primary', 1)],
      2,
    ],
    [
      'is at one time an unread one, whatever its class',
      [due('primary', 1), due('discovery', 1, true), due('recovery', 1)],
      1,
    ],
    [
      'is the earliest also before an unread one',
      [due('discovery', 2, true), due('primary', 1)],
      1,
    ],
    ['is of equals the one that comes first', [due('primary', 1), due('primary', 1)], 0],
  ])('%s', (_what, candidates, index) => {
    const turns = { nowMs: 0, freeAtMs: () => 0, isPaused: () => false, lastTurnOf: () => 0 }
    expect(firstDue(candidates, turns)?.candidate ?? null).toBe(
      index === null ? null : candidates[index],
    )
  })
})

describe('the pause after failures', () => {
  const random = () => 0.5
  const broken = (times: number, retryAfterSeconds: number | null = null) => {
    let pause = noPause
    for (let count = 0; count < times; count += 1)
      pause = pauseAfterBroken(pause, { nowMs: 1_000, retryAfterSeconds, random })
    return pause
  }

  it.each([
    [1, 2_000],
    [2, 3_000],
    [4, 9_000],
    [5, 301_000],
    [9, 301_000],
  ])('%i in a row lasts until %i ms', (times, untilMs) => {
    expect(broken(times)).toEqual({ brokenInARow: times, untilMs })
  })

  it('is as long as the other side asks for', () => {
    expect(broken(1, 120)).toEqual({ brokenInARow: 1, untilMs: 121_000 })
  })

  it('runs out after an answer, which ends the row', () => {
    expect(pauseAfterAnswer(broken(3))).toEqual({ brokenInARow: 0, untilMs: 5_000 })
  })
})
