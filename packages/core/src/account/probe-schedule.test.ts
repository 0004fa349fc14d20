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
const FAR = { fiveHourResetsInSeconds: 2 * HOUR, weekResetsInSeconds: 48 * HOUR }

type Row = readonly [
  why: string,
  changes: Partial<Account>,
  evidence: AccountEvidence | null,
  quotaClass: string,
  intervalSeconds: number,
]

describe('the table of classes and intervals', () => {
  it.each<Row>([
    // Disabled accounts are not scheduled.
    ['disabled', { operatorDisabled: true }, sampled(), 'none', Number.POSITIVE_INFINITY],
    [
      'disabled and never queried',
      { operatorDisabled: true },
      null,
      'none',
      Number.POSITIVE_INFINITY,
    ],
    [
      'disabled and failing',
      { upstreamStatus: 'disabled' },
      failed(1),
      'none',
      Number.POSITIVE_INFINITY,
    ],

    // Primary: enabled, tracked, not blocked or blocked only by a far reset. Every 5 min.
    ['an ordinary account', {}, sampled(), 'primary', 5 * MINUTE],
    ['with far resets', {}, sampled(FAR), 'primary', 5 * MINUTE],
    ['used up until a far reset', {}, sampled({ ...FAR, fiveHour: 0 }), 'primary', 5 * MINUTE],
    [
      'cooling for long',
      { unavailable: true, nextRetryAt: fromNow(HOUR) },
      sampled(),
      'primary',
      5 * MINUTE,
    ],
    ['degraded', { upstreamStatus: 'error' }, sampled(), 'primary', 5 * MINUTE],
    [
      'in a pool too large for 5 min',
      {},
      sampled({}, { plannedIntervalSeconds: 1200 }),
      'primary',
      20 * MINUTE,
    ],

    // 1 min near a reset or reclaim edge.
    ['5 min to a 5h reset', {}, sampled({ fiveHourResetsInSeconds: 300 }), 'primary', MINUTE],
    [
      'a second more',
      {},
      sampled({ fiveHour: 40, fiveHourResetsInSeconds: 301 }),
      'primary',
      5 * MINUTE,
    ],
    ['5 min to a week’s reset', {}, sampled({ weekResetsInSeconds: 300 }), 'primary', MINUTE],
    [
      'near a reset in a large pool',
      {},
      sampled({ fiveHourResetsInSeconds: 300 }, { plannedIntervalSeconds: 1200 }),
      'primary',
      4 * MINUTE,
    ],
    [
      'near the reset of another scope, which is none',
      {},
      evidenceOf([
        aQuotaSample(
          {},
          {
            windows: [
              { id: 'week', periodSeconds: 604_800, percent: 5, resetAt: null },
              { id: 'extra:spark:week', periodSeconds: 604_800, percent: 5, resetAt: fromNow(60) },
            ],
          },
        ),
      ]),
      'primary',
      5 * MINUTE,
    ],
    [
      '65 min to the reset of a window worth reclaiming',
      {},
      sampled({ fiveHourResetsInSeconds: 65 * MINUTE }),
      'primary',
      MINUTE,
    ],
    [
      'a second more',
      {},
      sampled({ fiveHourResetsInSeconds: 65 * MINUTE + 1 }),
      'primary',
      5 * MINUTE,
    ],
    ['55 min', {}, sampled({ fiveHourResetsInSeconds: 55 * MINUTE }), 'primary', MINUTE],
    [
      'a second less: it has been worth it for a while',
      {},
      sampled({ fiveHourResetsInSeconds: 55 * MINUTE - 1 }),
      'primary',
      5 * MINUTE,
    ],
    [
      'half an hour to go and 52 % left: soon no longer worth it',
      {},
      sampled({ fiveHour: 52, fiveHourResetsInSeconds: 30 * MINUTE }),
      'primary',
      MINUTE,
    ],
    [
      '52.1 %',
      {},
      sampled({ fiveHour: 52.1, fiveHourResetsInSeconds: 30 * MINUTE }),
      'primary',
      5 * MINUTE,
    ],
    [
      '47.9 % is out of it',
      {},
      sampled({ fiveHour: 47.9, fiveHourResetsInSeconds: 60 * MINUTE }),
      'primary',
      5 * MINUTE,
    ],

    // Recovery: the reset or retry time has passed, or comes within 2 min.
    [
      'used up, reset in 2 min',
      {},
      sampled({ fiveHour: 0, fiveHourResetsInSeconds: 120 }),
      'recovery',
      MINUTE,
    ],
    [
      'used up, reset in a second more',
      {},
      sampled({ fiveHour: 0, fiveHourResetsInSeconds: 121 }),
      'primary',
      MINUTE,
    ],
    [
      'its reset has passed unconfirmed',
      {},
      sampled({ fiveHour: 0, fiveHourResetsInSeconds: 0, ageSeconds: 60 }),
      'recovery',
      MINUTE,
    ],
    [
      'the reset of a window not used up has passed',
      {},
      sampled({ fiveHour: 80, fiveHourResetsInSeconds: -60, ageSeconds: 120 }),
      'recovery',
      MINUTE,
    ],
    [
      'a reset passed before the last query is confirmed',
      {},
      sampled({ fiveHourResetsInSeconds: -60, ageSeconds: 60 }),
      'primary',
      5 * MINUTE,
    ],
    [
      'the reset of another scope has passed, which is none',
      {},
      evidenceOf([
        aQuotaSample(
          { ageSeconds: 120 },
          {
            windows: [
              { id: 'week', periodSeconds: 604_800, percent: 5, resetAt: null },
              { id: 'extra:spark:week', periodSeconds: 604_800, percent: 5, resetAt: fromNow(-60) },
            ],
          },
        ),
      ]),
      'primary',
      5 * MINUTE,
    ],
    [
      'cooling for 2 min',
      { unavailable: true, nextRetryAt: fromNow(120) },
      sampled(),
      'recovery',
      MINUTE,
    ],
    [
      'cooling for a second more',
      { unavailable: true, nextRetryAt: fromNow(121) },
      sampled(),
      'primary',
      5 * MINUTE,
    ],
    [
      'its retry time has passed',
      { unavailable: true, nextRetryAt: fromNow(-1) },
      sampled({ ageSeconds: 2 }),
      'recovery',
      MINUTE,
    ],
    [
      'and a query since has confirmed it',
      { unavailable: true, nextRetryAt: fromNow(-1) },
      sampled({ ageSeconds: 1 }),
      'primary',
      5 * MINUTE,
    ],
    [
      'in a large pool',
      { unavailable: true, nextRetryAt: fromNow(-1) },
      sampled({ ageSeconds: 2 }, { plannedIntervalSeconds: 1200 }),
      'recovery',
      4 * MINUTE,
    ],

    // Blocked without a known time: every 5 min, auth invalid every 30 min.
    ['used up without a reset', {}, sampled({ week: 0 }), 'recovery', 5 * MINUTE],
    ['held back without a time', { unavailable: true }, sampled(), 'recovery', 5 * MINUTE],
    [
      'cooling without a time',
      { upstreamStatus: 'error', message: message('quota'), messageAt: NOW },
      sampled(),
      'recovery',
      5 * MINUTE,
    ],
    [
      'auth invalid',
      { message: message('unauthorized'), messageAt: NOW },
      sampled(),
      'recovery',
      30 * MINUTE,
    ],
    [
      'auth invalid and never queried',
      { message: message('unauthorized') },
      null,
      'recovery',
      30 * MINUTE,
    ],
    [
      'deactivated',
      { message: message('payment_required'), messageAt: NOW },
      sampled(),
      'recovery',
      30 * MINUTE,
    ],

    // The last query failed: 1, 2, 4 … 30 min.
    ['once', {}, failed(1), 'recovery', 1 * MINUTE],
    ['twice', {}, failed(2), 'recovery', 2 * MINUTE],
    ['three times', {}, failed(3), 'recovery', 4 * MINUTE],
    ['four times', {}, failed(4), 'recovery', 8 * MINUTE],
    ['five times', {}, failed(5), 'recovery', 16 * MINUTE],
    ['six times', {}, failed(6), 'recovery', 30 * MINUTE],
    ['a thousand times', {}, failed(1000), 'recovery', 30 * MINUTE],
    [
      'the first query of all failed',
      {},
      evidenceOf([], { probeFailure: { at: NOW, kind: 'blocked', httpStatus: 403, inARow: 1 } }),
      'recovery',
      MINUTE,
    ],
    [
      'the login was refused once',
      {},
      failed(1, { kind: 'auth', httpStatus: 401 }),
      'recovery',
      MINUTE,
    ],
    ['an untracked plan failing', { claimedPlan: 'free' }, failed(1), 'recovery', MINUTE],

    // Discovery: plan unknown or untracked or never sampled. Every 6 h.
    ['never queried', {}, null, 'discovery', 6 * HOUR],
    [
      'only seen in response headers',
      {},
      evidenceOf([aQuotaSample({}, { origin: 'headers' })]),
      'discovery',
      6 * HOUR,
    ],
    ['an untracked plan', { claimedPlan: 'free' }, sampled(), 'discovery', 6 * HOUR],
    ['an unknown plan', { claimedPlan: null }, sampled(), 'discovery', 6 * HOUR],
    ['a plan without a size', { provider: 'claude' }, sampled(), 'discovery', 6 * HOUR],
    ['any plan where all count alike', { provider: 'kimi' }, sampled(), 'primary', 10 * MINUTE],
    [
      'a plan that the query itself found to be tracked',
      { claimedPlan: null },
      evidenceOf([aQuotaSample({}, { plan: 'plus' })]),
      'primary',
      5 * MINUTE,
    ],
    [
      'an untracked plan used up until a far reset',
      { claimedPlan: 'free' },
      sampled({ ...FAR, week: 0 }),
      'discovery',
      6 * HOUR,
    ],
    [
      'an untracked plan used up without a reset',
      { claimedPlan: 'free' },
      sampled({ week: 0 }),
      'recovery',
      5 * MINUTE,
    ],
  ])('%s', (_, changes, evidence, quotaClass, intervalSeconds) => {
    const account = anAccount('a', changes)

    expect(probeScheduleOf(account, evidence, NOW)).toEqual({ quotaClass, intervalSeconds })
    expect(aSnapshot([[account, evidence]]).accounts[0]?.quotaClass).toBe(quotaClass)
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
