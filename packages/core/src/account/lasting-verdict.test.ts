import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Account } from '../facts/account.ts'
import type { AccountEvidence } from '../facts/account-evidence.ts'
import type { Verdict, VerdictMessage } from '../facts/status-message.ts'
import { anAccount, aQuotaSample, evidenceOf, fromNow, NOW } from '../testing/builders.ts'
import { evaluateAccount } from './evaluate-account.ts'
import { cooldownEndOf, VERDICT_MS_MAX, verdictAfter } from './lasting-verdict.ts'
import { probeScheduleOf } from './probe-schedule.ts'
import { scoringPolicy } from './routing-score.ts'

const fault: VerdictMessage = { kind: 'auth_fault', code: 'unauthorized', deactivated: false }
const gone: VerdictMessage = { kind: 'auth_fault', code: 'payment_required', deactivated: true }
const timeless: VerdictMessage = { kind: 'quota' }
const unseen: VerdictMessage = { kind: 'other' }
const limit = (resetsInSeconds: number): VerdictMessage => ({
  kind: 'usage_limit',
  resetsAt: fromNow(resetsInSeconds),
  observedAt: fromNow(-600),
})
/** A refusal ten minutes ago, from a usage record. */
const refused = (message: VerdictMessage, changes: Partial<Verdict> = {}): Verdict => ({
  origin: 'record',
  at: fromNow(-600),
  message,
  retryAt: null,
  inARow: 1,
  ...changes,
})
const policy = { multiplier: 6, scoring: scoringPolicy }
/** Evaluates an account that the list shows as healthy, with this verdict and evidence. */
const judged = (
  verdict: Verdict | null,
  changes: Partial<Account> = {},
  evidence: AccountEvidence | null = null,
) => {
  const account = anAccount('a', { provenAt: null, verdict, ...changes })
  const { status, blockedReasons } = evaluateAccount(account, evidence, policy, NOW)
  return { status, blockedReasons, account }
}
const statusOf = (...args: Parameters<typeof judged>) => {
  const { status, blockedReasons } = judged(...args)
  return [status.kind, ...blockedReasons]
}

describe('an account that the list shows as active', () => {
  it.each<readonly [why: string, verdict: Verdict, until: number | null, status: string[]]>([
    ['a dead login', refused(fault), null, ['auth_invalid', 'auth_invalid']],
    ['one that is not paid for', refused(gone), null, ['deactivated', 'auth_invalid']],
    ['a used-up limit', refused(limit(900)), 900, ['reset_scheduled', 'upstream_retry_after']],
    [
      'no time, a minute ago but a second',
      refused(timeless, { at: fromNow(-59) }),
      1,
      ['cooldown', 'cooldown'],
    ],
    [
      'no time, for the fourth time in a row',
      refused(timeless, { at: fromNow(-479), inARow: 4 }),
      1,
      ['cooldown', 'cooldown'],
    ],
    [
      'no time, for the ninth time in a row: a quarter of an hour is the most',
      refused(timeless, { at: fromNow(-899), inARow: 9 }),
      1,
      ['cooldown', 'cooldown'],
    ],
    [
      'the wait of the proxy',
      refused(timeless, { retryAt: fromNow(30) }),
      30,
      ['cooldown', 'cooldown'],
    ],
  ])('stays blocked by %s', (_, verdict, until, status) => {
    expect(statusOf(verdict)).toEqual(status)
    expect(judged(verdict).status.until).toBe(until === null ? null : fromNow(until))
  })

  it.each<readonly [why: string, verdict: Verdict]>([
    ['its reset has passed', refused(limit(0))],
    ['its minute has passed', refused(timeless, { at: fromNow(-60) })],
    ['its quarter of an hour has passed', refused(timeless, { at: fromNow(-900), inARow: 99 })],
    ['nobody knows what it was refused with', refused(unseen)],
  ])('is ready but unproven where %s', (_, verdict) => {
    expect(statusOf(verdict)).toEqual(['ready_unproven'])
  })

  it('loses the window that its limit used up with the limit alone', () => {
    const evidence = evidenceOf([
      aQuotaSample({ fiveHour: 40, fiveHourResetsInSeconds: 900, ageSeconds: 1_200 }),
    ])
    expect(statusOf(refused(limit(900)), {}, evidence)).toContain('quota_exhausted_5h')
    expect(statusOf(refused(limit(900)), { provenAt: fromNow(-599) }, evidence)).toEqual(['active'])
  })

  it('is asked about as one that is blocked', () => {
    const { account } = judged(refused(fault))
    expect(probeScheduleOf(account, null, NOW)).toMatchObject({
      quotaClass: 'recovery',
      intervalSeconds: 1_800,
    })
  })
})

describe('what ends a verdict', () => {
  const verdicts: readonly (readonly [name: string, verdict: Verdict])[] = [
    ['a dead login', refused(fault)],
    ['a used-up limit', refused(limit(3_600))],
    ['a limit without a time', refused(timeless, { inARow: 5 })],
  ]
  describe.each(verdicts)('%s', (_, verdict) => {
    const isBlocked = (changes: Partial<Account>, evidence: AccountEvidence | null = null) =>
      judged(verdict, changes, evidence).blockedReasons.length > 0
    const sampled = (ageSeconds: number, percent = 50) =>
      evidenceOf([aQuotaSample({ fiveHour: percent, week: 50, ageSeconds })])

    it.for([
      ['a success after it', { provenAt: fromNow(-599) }, 'active'],
      ['a success before it', { provenAt: fromNow(-600) }],
      [
        'a success in an order that nobody knows',
        { lastSuccessAt: fromNow(-599), provenAt: fromNow(-610) },
      ],
      [
        'a success, of an account that a script describes',
        { lastSuccessAt: fromNow(-599), provenAt: undefined },
        'active',
      ],
      ['its file written anew', { modifiedAt: fromNow(-580) }, 'ready_unproven'],
      ['its file rewritten by the refusal', { modifiedAt: fromNow(-595) }],
      ['its file as old as before', { modifiedAt: fromNow(-700) }],
    ])('by $0', ([, changes, kind = null]) => {
      const known = changes as Partial<Account>
      expect(isBlocked(known)).toBe(kind === null)
      if (kind !== null) expect(judged(verdict, known).status.kind).toBe(kind)
    })

    it('by a query that proves it, and a day', () => {
      expect(isBlocked({}, sampled(599))).toBe(false)
      expect(isBlocked({}, sampled(601))).toBe(true)
      const old = { ...verdict, at: fromNow(-VERDICT_MS_MAX / 1000) }
      expect(statusOf(old)).toEqual(['active'])
    })
  })

  it('of a limit never by a query that shows nothing left', () => {
    const empty = evidenceOf([aQuotaSample({ fiveHour: 0, ageSeconds: 10 })])
    expect(statusOf(refused(limit(3_600)), {}, empty)).toContain('upstream_retry_after')
  })

  it('that the list tells is also a file written in the same second', () => {
    const verdict = refused(fault, { origin: 'list' })
    expect(statusOf(verdict, { modifiedAt: fromNow(-599) })).toEqual(['ready_unproven'])
  })
})

describe('two refusals', () => {
  const at = (seconds: number, message: VerdictMessage, changes: Partial<Verdict> = {}) =>
    refused(message, { at: fromNow(seconds), ...changes })

  it.each<
    readonly [why: string, before: Verdict | null, next: Verdict | null, kept: Verdict | null]
  >([
    ['none', null, null, null],
    ['the first', null, at(-9, fault), at(-9, fault)],
    ['the only one', at(-9, fault), null, at(-9, fault)],
    ['the newer', at(-9, fault), at(-5, limit(60)), at(-5, limit(60))],
    ['not the older', at(-5, fault), at(-9, limit(60)), at(-5, fault)],
    ['the one with a time', at(-9, limit(60)), at(-5, timeless), at(-9, limit(60))],
    [
      'the one without, once that time has passed',
      at(-90, limit(-9)),
      at(-5, timeless),
      at(-5, timeless),
    ],
    ['the one that is understood', at(-9, fault), at(-5, unseen), at(-9, fault)],
    ['one, within a wait', at(-9, timeless), at(-5, timeless), at(-9, timeless)],
    [
      'one, as long as the last wait of the proxy',
      at(-9, timeless, { retryAt: fromNow(20) }),
      at(-5, timeless, { retryAt: fromNow(90) }),
      at(-9, timeless, { retryAt: fromNow(90) }),
    ],
    ['the second in a row', at(-90, timeless), at(-30, timeless), at(-30, timeless, { inARow: 2 })],
    [
      'a wait of two minutes, which the second earns',
      at(-119, timeless, { inARow: 2 }),
      at(0, timeless),
      at(-119, timeless, { inARow: 2 }),
    ],
  ])('leave %s', (_, before, next, kept) => {
    expect(verdictAfter(before, next, null)).toEqual(kept)
  })

  it('leave nothing that a success has answered', () => {
    expect(verdictAfter(at(-9, fault), at(-8, limit(60)), fromNow(-7))).toBeNull()
    expect(verdictAfter(at(-9, fault), at(-6, limit(60)), fromNow(-7))).toEqual(at(-6, limit(60)))
  })

  it('that name no time wait a minute and never more than a quarter of an hour', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), (inARow) => {
        const wait = cooldownEndOf(at(0, timeless, { inARow })) - NOW
        expect(wait).toBe(Math.min(900_000, 60_000 * 2 ** (inARow - 1)))
      }),
    )
  })
})

it('what the proxy holds back is blocked, whatever its status says', () => {
  const held = { unavailable: true, nextRetryAt: fromNow(600) }
  for (const upstreamStatus of ['active', 'error', 'unknown'] as const)
    expect(statusOf(null, { ...held, upstreamStatus })).toEqual([
      'retry_after',
      'upstream_retry_after',
    ])
})

it.each([
  { before: false, next: true, suspected: false, why: 'what was once said for good stays said' },
  { before: true, next: false, suspected: false, why: 'what is said for good counts' },
  { before: true, next: true, suspected: true, why: 'two suspicions are none the firmer for it' },
])('of two refused logins, $why', ({ before, next, suspected }) => {
  const of = (isSuspected: boolean): VerdictMessage =>
    isSuspected && fault.kind === 'auth_fault' ? { ...fault, suspected: true } : fault
  const first = refused(of(before))
  const after = verdictAfter(first, refused(of(next), { at: fromNow(-60) }), null)

  expect(after).toMatchObject({ at: fromNow(-60), firstAt: first.at })
  expect(after?.message).toEqual(of(suspected))
})

describe('a limit without a time that the proxy shows', () => {
  const message: VerdictMessage = timeless
  const shown = {
    provider: 'claude',
    message,
    messageAt: fromNow(-30),
    upstreamStatus: 'error' as const,
  }
  const listed = refused(timeless, { origin: 'list', at: fromNow(-30) })
  const premium = (resetInSeconds: number, origin: 'headers' | 'direct' = 'headers') => {
    const resetAt = fromNow(resetInSeconds)
    const window = { id: 'premium:week', periodSeconds: 604_800, percent: 0, resetAt }
    return evidenceOf([
      aQuotaSample(
        { fiveHour: 80, week: 60 },
        { origin, sampledAt: fromNow(-30), windows: [window] },
      ),
    ])
  }

  it.each<
    readonly [
      why: string,
      evidence: AccountEvidence | null,
      origin: Verdict['origin'],
      cools: boolean,
    ]
  >([
    ['rests the account', null, 'list', true],
    ['is explained by a model used up', premium(900), 'list', false],
    ['is not explained by one that was reset', premium(0), 'list', true],
    ['is not explained by a query, which shows every model', premium(900, 'direct'), 'list', true],
    ['counts where the record of the request says it of the account', premium(900), 'record', true],
  ])('%s', (_, evidence, origin, cools) => {
    const { blockedReasons } = judged({ ...listed, origin }, shown, evidence)

    expect(blockedReasons).toEqual(cools ? ['cooldown'] : [])
  })

  it('ends with its wait, although the message stays, but for Codex', () => {
    const old = { ...shown, messageAt: fromNow(-3_600) }
    const verdict = { ...listed, at: fromNow(-3_600) }

    expect(statusOf(verdict, old)).toEqual(['ready_unproven'])
    expect(statusOf(verdict, { ...old, provider: 'codex' })).toEqual(['cooldown', 'cooldown'])
  })
})
