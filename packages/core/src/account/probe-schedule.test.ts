import { describe, expect, it } from 'vitest'
import type { Account } from '../facts/account.ts'
import type { AccountEvidence, ProbeFailure } from '../facts/account-evidence.ts'
import { readStatusMessage } from '../facts/status-message.ts'
import {
  anAccount,
  aQuotaSample,
  aSnapshot,
  evidenceOf,
  fromNow,
  NOW,
} from '../testing/builders.ts'
import { plannedIntervalSeconds, probeScheduleOf } from './probe-schedule.ts'

const MINUTE = 60
const HOUR = 3600
const message = (text: string) => readStatusMessage(text, NOW)
const sampled = (
  shape: Parameters<typeof aQuotaSample>[0] = {},
  changes: Partial<AccountEvidence> = {},
) => evidenceOf([aQuotaSample(shape)], changes)
const failed = (inARow: number, changes: Partial<ProbeFailure> = {}) =>
  sampled({}, { probeFailure: { at: NOW, kind: 'failed', httpStatus: 500, inARow, ...changes } })
/** A week, and that of another scope, which resets after so many seconds. */
const ofScope = (shape: Parameters<typeof aQuotaSample>[0], resetsInSeconds: number) => {
  const week = { id: 'week', periodSeconds: 604_800, percent: 5, resetAt: null }
  const spark = { ...week, id: 'extra:spark:week', resetAt: fromNow(resetsInSeconds) }
  return evidenceOf([aQuotaSample(shape, { windows: [week, spark] })])
}
const FAR = { fiveHourResetsInSeconds: 2 * HOUR, weekResetsInSeconds: 48 * HOUR }

/** Evidence: by default what an ordinary account has just answered. */
type Row = readonly [why: string, evidence?: AccountEvidence | null, changes?: Partial<Account>]
const lengthOf = (seconds: number) => {
  if (seconds === Number.POSITIVE_INFINITY) return 'never'
  return seconds % HOUR === 0 ? `${seconds / HOUR} h` : `${seconds / MINUTE} min`
}
/** Rows under the class and the interval that they have. */
const rowsBySchedule: Readonly<Record<string, readonly Row[]>> = {
  'none, never': [
    ['disabled', sampled(), { operatorDisabled: true }],
    ['disabled and never queried', null, { operatorDisabled: true }],
    ['disabled and failing', failed(1), { upstreamStatus: 'disabled' }],
  ],
  'primary, 5 min': [
    ['an ordinary account'],
    ['with far resets', sampled(FAR)],
    ['used up until a far reset', sampled({ ...FAR, fiveHour: 0 })],
    ['cooling for long', sampled(), { unavailable: true, nextRetryAt: fromNow(HOUR) }],
    ['degraded', sampled(), { upstreamStatus: 'error' }],
    ['5 min and a second to a 5h reset', sampled({ fiveHour: 40, fiveHourResetsInSeconds: 301 })],
    ['near the reset of another scope, which is none', ofScope({}, 60)],
    ['65 min and a second to it', sampled({ fiveHourResetsInSeconds: 65 * MINUTE + 1 })],
    [
      'less than 55 min: worth it for a while',
      sampled({ fiveHourResetsInSeconds: 55 * MINUTE - 1 }),
    ],
    [
      'half an hour to go and 52.1 % left',
      sampled({ fiveHour: 52.1, fiveHourResetsInSeconds: 30 * MINUTE }),
    ],
    [
      'an hour to go and 47.9 % left',
      sampled({ fiveHour: 47.9, fiveHourResetsInSeconds: 60 * MINUTE }),
    ],
    [
      'a reset passed before the last query is confirmed',
      sampled({ fiveHourResetsInSeconds: -60, ageSeconds: 60 }),
    ],
    ['the reset of another scope has passed, which is none', ofScope({ ageSeconds: 120 }, -60)],
    ['cooling for 2 min and a second', sampled(), { unavailable: true, nextRetryAt: fromNow(121) }],
    [
      'its retry time has passed, and a query since has confirmed it',
      sampled({ ageSeconds: 1 }),
      { unavailable: true, nextRetryAt: fromNow(-1) },
    ],
    [
      'a plan that the query itself found to be tracked',
      evidenceOf([aQuotaSample({}, { plan: 'plus' })]),
      { claimedPlan: null },
    ],
  ],
  'primary, 20 min': [
    ['in a pool too large for 5 min', sampled({}, { plannedIntervalSeconds: 1200 })],
  ],
  'primary, 1 min': [
    ['5 min to a 5h reset', sampled({ fiveHourResetsInSeconds: 300 })],
    ['5 min to a week’s reset', sampled({ weekResetsInSeconds: 300 })],
    [
      '65 min to the reset of a window worth reclaiming',
      sampled({ fiveHourResetsInSeconds: 65 * MINUTE }),
    ],
    ['55 min to it', sampled({ fiveHourResetsInSeconds: 55 * MINUTE })],
    [
      'half an hour to go and 52 % left: soon no longer worth it',
      sampled({ fiveHour: 52, fiveHourResetsInSeconds: 30 * MINUTE }),
    ],
    [
      'used up, reset in 2 min and a second',
      sampled({ fiveHour: 0, fiveHourResetsInSeconds: 121 }),
    ],
  ],
  'primary, 4 min': [
    [
      'near a reset in a large pool',
      sampled({ fiveHourResetsInSeconds: 300 }, { plannedIntervalSeconds: 1200 }),
    ],
  ],
  'recovery, 1 min': [
    ['used up, reset in 2 min', sampled({ fiveHour: 0, fiveHourResetsInSeconds: 120 })],
    [
      'its reset has passed unconfirmed',
      sampled({ fiveHour: 0, fiveHourResetsInSeconds: 0, ageSeconds: 60 }),
    ],
    [
      'the reset of a window not used up has passed',
      sampled({ fiveHour: 80, fiveHourResetsInSeconds: -60, ageSeconds: 120 }),
    ],
    ['cooling for 2 min', sampled(), { unavailable: true, nextRetryAt: fromNow(120) }],
    [
      'its retry time has passed',
      sampled({ ageSeconds: 2 }),
      { unavailable: true, nextRetryAt: fromNow(-1) },
    ],
    ['failed once', failed(1)],
    [
      'the first query of all failed',
      evidenceOf([], { probeFailure: { at: NOW, kind: 'blocked', httpStatus: 403, inARow: 1 } }),
    ],
    ['the login was refused once', failed(1, { kind: 'auth', httpStatus: 401 })],
    ['an untracked plan failing', failed(1), { claimedPlan: 'free' }],
  ],
  'recovery, 4 min': [
    [
      'in a large pool',
      sampled({ ageSeconds: 2 }, { plannedIntervalSeconds: 1200 }),
      { unavailable: true, nextRetryAt: fromNow(-1) },
    ],
    ['failed three times', failed(3)],
  ],
  'recovery, 5 min': [
    ['used up without a reset', sampled({ week: 0 })],
    ['held back without a time', sampled(), { unavailable: true }],
    [
      'cooling without a time',
      sampled(),
      { upstreamStatus: 'error', message: message('quota'), messageAt: NOW },
    ],
    ['an untracked plan used up without a reset', sampled({ week: 0 }), { claimedPlan: 'free' }],
  ],
  'recovery, 30 min': [
    ['auth invalid', sampled(), { message: message('unauthorized'), messageAt: NOW }],
    ['auth invalid and never queried', null, { message: message('unauthorized') }],
    ['deactivated', sampled(), { message: message('payment_required'), messageAt: NOW }],
    ['failed six times', failed(6)],
    ['failed a thousand times', failed(1000)],
  ],
  'recovery, 2 min': [['failed twice', failed(2)]],
  'recovery, 8 min': [['failed four times', failed(4)]],
  'recovery, 16 min': [['failed five times', failed(5)]],
  'discovery, 6 h': [
    ['never queried', null],
    ['only seen in response headers', evidenceOf([aQuotaSample({}, { origin: 'headers' })])],
    ['an untracked plan', sampled(), { claimedPlan: 'free' }],
    ['an unknown plan', sampled(), { claimedPlan: null }],
    ['a plan without a size', sampled(), { provider: 'claude' }],
    [
      'an untracked plan used up until a far reset',
      sampled({ ...FAR, week: 0 }),
      { claimedPlan: 'free' },
    ],
  ],
  'primary, 10 min': [['any plan where all count alike', sampled(), { provider: 'kimi' }]],
}

describe('the table of classes and intervals', () => {
  describe.each(Object.entries(rowsBySchedule))('%s', (schedule, rows) => {
    it.for(rows)('$0', ([, evidence = sampled(), changes = {}]) => {
      const account = anAccount('a', changes)
      const { quotaClass, intervalSeconds } = probeScheduleOf(account, evidence, NOW)

      expect(`${quotaClass}, ${lengthOf(intervalSeconds)}`).toBe(schedule)
      expect(aSnapshot([[account, evidence]]).accounts[0]?.quotaClass).toBe(quotaClass)
    })
  })
})

describe('the budget of a vendor', () => {
  it.each([
    { provider: 'claude', seconds: 900 },
    { provider: 'antigravity', seconds: 900 },
    { provider: 'kimi', seconds: 600 },
    { provider: 'opencode-go', seconds: 600 },
    { provider: 'codex', seconds: 0 },
  ])('of $provider is never exceeded: $seconds s', ({ provider, seconds }) => {
    expect(plannedIntervalSeconds({ quotaClass: 'primary', provider }, 1, 30)).toBe(
      Math.max(300, seconds),
    )
    // Near its reset, after a failure, and blocked without a time: shorter for Codex.
    const near = evidenceOf([
      aQuotaSample({ fiveHour: 60, fiveHourResetsInSeconds: 120 }, { plan: 'plus' }),
    ])
    const failed = evidenceOf([], {
      probeFailure: { at: NOW, kind: 'failed', httpStatus: 500, inARow: 1 },
    })
    for (const evidence of [near, failed]) {
      const { intervalSeconds } = probeScheduleOf(anAccount('a', { provider }), evidence, NOW)
      expect(intervalSeconds).toBeGreaterThanOrEqual(seconds)
      if (provider === 'codex') expect(intervalSeconds).toBeLessThan(300)
    }
  })
})

describe('the planned interval', () => {
  it.each([
    // max(5 min, pool ÷ queries per minute)
    { quotaClass: 'primary', poolSize: 1, perMinute: 30, seconds: 300 },
    { quotaClass: 'primary', poolSize: 149, perMinute: 30, seconds: 300 },
    { quotaClass: 'primary', poolSize: 150, perMinute: 30, seconds: 300 },
    { quotaClass: 'primary', poolSize: 151, perMinute: 30, seconds: 302 },
    { quotaClass: 'primary', poolSize: 1000, perMinute: 30, seconds: 2000 },
    { quotaClass: 'primary', poolSize: 10, perMinute: 1, seconds: 600 },
    { quotaClass: 'recovery', poolSize: 1000, perMinute: 30, seconds: 2000 },
    // discovery: 6 h, whatever the pool
    { quotaClass: 'discovery', poolSize: 1, perMinute: 30, seconds: 21_600 },
    { quotaClass: 'discovery', poolSize: 100_000, perMinute: 1, seconds: 21_600 },
  ] as const)(
    'of class $quotaClass in a pool of $poolSize at $perMinute queries a minute is $seconds s',
    ({ quotaClass, poolSize, perMinute, seconds }) => {
      expect(
        plannedIntervalSeconds({ quotaClass, provider: 'codex' }, poolSize, perMinute),
      ).toBeCloseTo(seconds)
    },
  )
})
