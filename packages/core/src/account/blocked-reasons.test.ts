import { describe, expect, it } from 'vitest'
import type { Account } from '../facts/account.ts'
import type { AccountEvidence, RefusedLogin } from '../facts/account-evidence.ts'
import type { QuotaSample } from '../facts/reading.ts'
import { readStatusMessage, type StatusMessage, type Verdict } from '../facts/status-message.ts'
import { anAccount, aQuotaSample, evidenceOf, fromNow, NOW } from '../testing/builders.ts'
import type { AccountStatusKind } from './account-status.ts'
import { accountStateOf, blocksOf } from './blocked-reasons.ts'
import { mergeEvidence } from './merge-evidence.ts'

function stateOf(changes: Partial<Account>, evidence: AccountEvidence | null = null) {
  const account = anAccount('a', changes)
  const windows = mergeEvidence(evidence?.samples ?? [], account.message, {
    now: NOW,
    plannedIntervalSeconds: 300,
  })
  return accountStateOf(account, evidence, windows, NOW)
}

const told = (text: string): StatusMessage => readStatusMessage(text, NOW)
const unauthorized = told('unauthorized')
const deactivated = told('{"detail":{"code":"deactivated_workspace"}}')
const limit = (resetsInSeconds: number, observedSecondsAgo = 0): StatusMessage => ({
  kind: 'usage_limit',
  resetsAt: fromNow(resetsInSeconds),
  observedAt: fromNow(-observedSecondsAgo),
})
const cooling = { upstreamStatus: 'error', unavailable: true } as const
const used = (shape: Parameters<typeof aQuotaSample>[0], changes: Partial<QuotaSample> = {}) =>
  evidenceOf([aQuotaSample(shape, changes)])

type Row = readonly [why: string, changes: Partial<Account>, evidence?: AccountEvidence]

/** Rows under the reasons and the state that they have. */
const rowsByState: Readonly<Record<string, readonly Row[]>> = {
  'operator_disabled → disabled, unknown': [
    ['disabled', { operatorDisabled: true }],
    ['status disabled alone', { upstreamStatus: 'disabled' }],
  ],
  'operator_disabled, quota_exhausted_5h → disabled, unknown': [
    ['disabled and used up is still no fault', { operatorDisabled: true }, used({ fiveHour: 0 })],
  ],
  'operator_disabled, status_invalid → disabled, bad': [
    ['disabled and reported unavailable', { operatorDisabled: true, unavailable: true }],
    ['disabled and status invalid', { operatorDisabled: true, upstreamStatus: 'invalid' }],
  ],
  'operator_disabled, upstream_retry_after → disabled, bad': [
    [
      'disabled and reported unavailable for a while',
      { operatorDisabled: true, unavailable: true, nextRetryAt: fromNow(60) },
    ],
  ],
  'operator_disabled, auth_invalid → disabled, bad': [
    ['disabled with a dead login', { operatorDisabled: true, message: unauthorized }],
  ],
  'auth_invalid → auth_invalid, bad': [
    ['a dead login', { ...cooling, message: unauthorized }],
    ['a dead login on an account that shows nothing else', { message: unauthorized }],
  ],
  'auth_invalid, upstream_retry_after → auth_invalid, bad': [
    [
      'a dead login, cooling too',
      { ...cooling, message: unauthorized, nextRetryAt: fromNow(1800) },
    ],
  ],
  'auth_invalid → deactivated, bad': [
    ['a workspace that is gone', { ...cooling, message: deactivated }],
    ['an unpaid account', { message: told('payment_required') }],
  ],
  'nothing → degraded, warn': [
    [
      'an expired token is refreshed by the proxy',
      { upstreamStatus: 'error', message: told('token_expired') },
    ],
    [
      'a code inside prose is none',
      { upstreamStatus: 'error', message: told('failed: unauthorized') },
    ],
    [
      'a code inside a page is none',
      { upstreamStatus: 'error', message: told('<p>unauthorized</p>') },
    ],
    [
      'one model failed',
      { upstreamStatus: 'error', message: told('{"error":{"message":"server error"}}') },
    ],
    ['it failed without a message', { upstreamStatus: 'error' }],
  ],
  'status_invalid → unavailable, bad': [
    ['unavailable without a retry time', cooling],
    ['unavailable alone', { unavailable: true }],
    ['status invalid', { upstreamStatus: 'invalid' }],
    [
      'status invalid is not mended by a retry time that passed',
      { upstreamStatus: 'invalid', nextRetryAt: fromNow(-1) },
    ],
  ],
  'quota_exhausted_5h → reset_scheduled, warn for 60 s': [
    [
      'unavailable, explained by an exhausted window',
      { unavailable: true },
      used({ fiveHour: 0, fiveHourResetsInSeconds: 60 }),
    ],
  ],
  'upstream_retry_after → reset_scheduled, warn for 60 s': [
    ['unavailable, explained by a usage limit', { ...cooling, message: limit(60) }],
    ['a usage limit ahead', { ...cooling, message: limit(60), nextRetryAt: fromNow(60) }],
    ['a usage limit of one model', { upstreamStatus: 'error', message: limit(60) }],
  ],
  'cooldown → cooldown, warn': [
    ['unavailable, explained by a quota message', { ...cooling, message: told('quota') }],
    [
      'a quota message without a time',
      { upstreamStatus: 'error', message: told('quota exhausted') },
    ],
  ],
  'upstream_retry_after → retry_after, warn for 60 s': [
    ['unavailable, explained by a retry time', { ...cooling, nextRetryAt: fromNow(60) }],
    ['a retry time ahead', { ...cooling, nextRetryAt: fromNow(60) }],
    [
      'a quota message with a time ahead',
      { ...cooling, message: told('quota'), nextRetryAt: fromNow(60) },
    ],
  ],
  'quota_exhausted_5h → reset_scheduled, warn for 600 s': [
    ['5h used up, with a reset', {}, used({ fiveHour: 0, fiveHourResetsInSeconds: 600 })],
  ],
  'quota_exhausted_5h → quota_hit, bad': [['5h used up, without', {}, used({ fiveHour: 0 })]],
  'quota_exhausted_week → reset_scheduled, warn for 9000 s': [
    ['the week used up', {}, used({ week: 0, weekResetsInSeconds: 9000 })],
    [
      'a bare active does not overwrite an exhausted window',
      { upstreamStatus: 'active' },
      used({ week: 0, weekResetsInSeconds: 9000, ageSeconds: 86_400 }),
    ],
  ],
  'quota_exhausted_5h, quota_exhausted_week → reset_scheduled, warn for 9000 s': [
    [
      'both used up: free at the later reset',
      {},
      used({ fiveHour: 0, fiveHourResetsInSeconds: 600, week: 0, weekResetsInSeconds: 9000 }),
    ],
  ],
  'quota_exhausted_5h, quota_exhausted_week → quota_hit, bad': [
    [
      'both used up, one without a reset: nobody knows',
      {},
      used({ fiveHour: 0, fiveHourResetsInSeconds: 600, week: 0 }),
    ],
  ],
  'quota_exhausted_month → reset_scheduled, warn for 60 s': [
    [
      'a month used up',
      {},
      used(
        {},
        {
          windows: [{ id: 'month', periodSeconds: 2_592_000, percent: 0, resetAt: fromNow(60) }],
        },
      ),
    ],
  ],
  'quota_exhausted_3600s → quota_hit, bad': [
    [
      'a window of another length',
      {},
      used({}, { windows: [{ id: '3600s', periodSeconds: 3600, percent: 0, resetAt: null }] }),
    ],
  ],
  'quota_exhausted_spend → reset_scheduled, warn for 60 s': [
    ['the spending limit', {}, used({}, { spendReached: { resetAt: fromNow(60) } })],
  ],
  'quota_exhausted_limit → quota_hit, bad': [
    [
      'a limit the vendor does not name',
      {},
      used({ fiveHour: null, week: null }, { limitReached: true }),
    ],
  ],
  'nothing → active, good': [
    [
      'a limit of another scope never blocks',
      {},
      used(
        {},
        {
          windows: [{ id: 'extra:spark:week', periodSeconds: 604_800, percent: 0, resetAt: null }],
        },
      ),
    ],
    [
      'a window whose reset has passed never blocks',
      {},
      used({ fiveHour: 0, fiveHourResetsInSeconds: 0, ageSeconds: 60 }, { limitReached: true }),
    ],
    ['nothing is wrong and nothing was read', {}],
    ['nothing is wrong and quota is left', {}, used({})],
  ],
  'quota_exhausted_5h, upstream_retry_after → reset_scheduled, warn for 9000 s': [
    [
      'used up and held back for longer: free when the last of them ends',
      { ...cooling, nextRetryAt: fromNow(9000) },
      used({ fiveHour: 0, fiveHourResetsInSeconds: 600 }),
    ],
  ],
  'upstream_retry_after → retry_after, warn for 0.001 s': [
    ['a retry time ahead by a millisecond', { ...cooling, nextRetryAt: fromNow(0.001) }],
  ],
  'upstream_retry_after → reset_scheduled, warn for 90 s': [
    [
      'a usage limit and a later retry time',
      { ...cooling, message: limit(60), nextRetryAt: fromNow(90) },
    ],
  ],
  'upstream_retry_after → retry_after, warn for 90 s': [
    [
      'a usage limit that is over and a retry time that is not',
      { ...cooling, message: limit(-60), nextRetryAt: fromNow(90) },
    ],
  ],
  'upstream_retry_after → retry_after, warn for 1800 s': [
    ['a page while cooling', { ...cooling, message: told('<html>'), nextRetryAt: fromNow(1800) }],
  ],
  'nothing → ready_unproven, warn': [
    [
      'a quota message with a time that has passed',
      { ...cooling, message: told('quota'), nextRetryAt: fromNow(-60) },
    ],
    ['a retry time that has just come', { ...cooling, nextRetryAt: NOW }],
    ['the leftovers of one', { ...cooling, nextRetryAt: fromNow(-60), message: limit(-60, 9000) }],
    ['a usage limit that is over', { upstreamStatus: 'error', message: limit(-60, 9000) }],
  ],
  'nothing → pending, warn': [['pending', { upstreamStatus: 'pending' }]],
  'nothing → refreshing, warn': [['refreshing', { upstreamStatus: 'refreshing' }]],
  'nothing → unknown_status, warn': [['a status we do not know', { upstreamStatus: 'unknown' }]],
  'nothing → message, warn': [
    ['a message on an active account', { message: told('request failed') }],
    [
      'a page on an active account',
      { message: told('<html><title>Just a moment...</title></html>') },
    ],
  ],
}

describe('the table of reasons', () => {
  describe.each(Object.entries(rowsByState))('%s', (outcome, rows) => {
    it.for(rows)('$0', ([, changes, evidence]) => {
      const { blockedReasons, status, deactivated: hasEnded } = stateOf(changes, evidence)
      const until = status.until === null ? '' : ` for ${(status.until - NOW) / 1000} s`

      expect(
        `${blockedReasons.join(', ') || 'nothing'} → ${status.kind}, ${status.tone}${until}`,
      ).toBe(outcome)
      expect(hasEnded).toBe(changes.message === deactivated || status.kind === 'deactivated')
    })
  })

  it('lists everything that applies in its order', () => {
    const worst = {
      ...cooling,
      operatorDisabled: true,
      message: unauthorized,
      nextRetryAt: fromNow(60),
    }
    const evidence = used({ fiveHour: 0, week: 0 }, { spendReached: { resetAt: null } })

    expect(stateOf(worst, evidence).blockedReasons).toEqual([
      'operator_disabled',
      'auth_invalid',
      'quota_exhausted_5h',
      'quota_exhausted_week',
      'quota_exhausted_spend',
      'upstream_retry_after',
    ])
    expect(
      stateOf({ ...cooling, message: told('quota') }, used({ week: 0 })).blockedReasons,
    ).toEqual(['quota_exhausted_week', 'cooldown'])
  })
})

describe('an auth fault in the message', () => {
  const faulty = { message: unauthorized, messageAt: fromNow(-600) }
  const direct = (ageSeconds: number, changes: Partial<QuotaSample> = {}) =>
    evidenceOf([aQuotaSample({ ageSeconds }, changes)])
  it.for<
    readonly [
      name: string,
      changes: Partial<Account>,
      evidence?: AccountEvidence | null,
      invalid?: boolean,
    ]
  >([
    ['stands by itself', faulty],
    ['falls to a later successful query', faulty, direct(599), false],
    ['not to one of the same time', faulty, direct(600)],
    ['not to an earlier one', faulty, direct(601)],
    [
      'not to headers, which may belong to another attempt',
      faulty,
      direct(599, { origin: 'headers' }),
    ],
    [
      'falls to a later query even if that shows no quota',
      faulty,
      direct(0, { limitReached: true }),
      false,
    ],
    ['falls to a later success', { ...faulty, lastSuccessAt: fromNow(-599) }, null, false],
    ['not to an earlier one', { ...faulty, lastSuccessAt: fromNow(-600) }],
    ['falls to a newer file', { ...faulty, modifiedAt: fromNow(-599) }, null, false],
    ['not to the file it was found with', { ...faulty, modifiedAt: fromNow(-600) }],
    [
      'stands when nobody knows how old it is',
      { message: unauthorized, messageAt: null, modifiedAt: NOW, lastSuccessAt: NOW },
      direct(0),
    ],
  ])('$0', ([, changes, evidence = null, invalid = true]) => {
    expect(stateOf(changes, evidence).blockedReasons.includes('auth_invalid')).toBe(invalid)
  })

  it('leaves the account routable but warned of once it has fallen', () => {
    expect(stateOf({ ...faulty, upstreamStatus: 'error', modifiedAt: NOW }).status.kind).toBe(
      'degraded',
    )
    expect(stateOf({ ...faulty, modifiedAt: NOW }).status.kind).toBe('message')
  })
})

describe('direct queries refused by the vendor', () => {
  const refused = (changes: Partial<RefusedLogin> = {}, samples: readonly QuotaSample[] = []) =>
    evidenceOf(samples, {
      refusedLogin: { inARow: 2, lastAt: fromNow(-600), httpStatus: 401, ...changes },
    })
  it.for<
    readonly [
      name: string,
      evidence: AccountEvidence,
      kind: AccountStatusKind,
      changes?: Partial<Account>,
    ]
  >([
    ['once prove nothing', refused({ inARow: 1 }), 'active'],
    ['twice condemn the login', refused(), 'auth_invalid'],
    ['more often too', refused({ inARow: 7 }), 'auth_invalid'],
    ['with 402 mean a deactivation', refused({ httpStatus: 402 }), 'deactivated'],
    [
      'fall to a later successful query',
      refused({}, [aQuotaSample({ ageSeconds: 599 })]),
      'active',
    ],
    ['not to an earlier one', refused({}, [aQuotaSample({ ageSeconds: 600 })]), 'auth_invalid'],
    ['fall to a later success', refused(), 'active', { lastSuccessAt: fromNow(-599) }],
    ['not to an earlier one', refused(), 'auth_invalid', { lastSuccessAt: fromNow(-600) }],
    ['fall to a newer file', refused(), 'active', { modifiedAt: fromNow(-599) }],
    ['not to the same file', refused(), 'auth_invalid', { modifiedAt: fromNow(-600) }],
    [
      'stand although an older fault in the message has fallen',
      refused(),
      'auth_invalid',
      { message: unauthorized, messageAt: fromNow(-900), modifiedAt: fromNow(-700) },
    ],
  ])('$0', ([, evidence, kind, changes = {}]) => {
    expect(stateOf(changes, evidence).status.kind).toBe(kind)
  })
})

describe('a usage-limit message', () => {
  const blockedUntil = (changes: Partial<Account>, ...samples: readonly QuotaSample[]) =>
    stateOf(changes, evidenceOf(samples)).status.until
  // Observed 600 s ago; its reset is 9,000 s ahead and belongs to neither window.
  const limited: Partial<Account> = {
    ...cooling,
    message: limit(9000, 600),
    nextRetryAt: fromNow(-1),
  }
  const reset = fromNow(9000)

  it.each<readonly [why: string, samples: readonly QuotaSample[], until: number | null]>([
    ['blocks when nothing was read', [], reset],
    [
      'is refuted by a newer direct sample with quota left',
      [aQuotaSample({ ageSeconds: 599 })],
      null,
    ],
    ['not by one of the same time', [aQuotaSample({ ageSeconds: 600 })], reset],
    ['not by an older one', [aQuotaSample({ ageSeconds: 601 })], reset],
    ['not by response headers', [aQuotaSample({}, { origin: 'headers' })], reset],
    [
      'not by a sample that shows one main window used up',
      [aQuotaSample({ week: 0, weekResetsInSeconds: 60 })],
      reset,
    ],
    [
      'not by a sample that reports a limit',
      [
        aQuotaSample(
          { weekResetsInSeconds: 60 },
          { limitReached: true, spendReached: { resetAt: fromNow(60) } },
        ),
      ],
      reset,
    ],
    ['not by a sample without windows', [aQuotaSample({ fiveHour: null, week: null })], reset],
    [
      'is refuted although another scope is used up',
      [
        aQuotaSample(
          {},
          {
            windows: [
              { id: 'week', periodSeconds: 604_800, percent: 5, resetAt: null },
              { id: 'extra:spark:week', periodSeconds: 604_800, percent: 0, resetAt: null },
            ],
          },
        ),
      ],
      null,
    ],
  ])('%s', (_, samples, until) => {
    expect(blockedUntil(limited, ...samples)).toBe(until)
  })

  it('of unknown age is not refuted', () => {
    const message: StatusMessage = { kind: 'usage_limit', resetsAt: reset, observedAt: null }

    expect(blockedUntil({ ...limited, message }, aQuotaSample())).toBe(reset)
  })

  it('that is refuted still leaves the proxy’s own retry time', () => {
    expect(
      stateOf({ ...limited, nextRetryAt: fromNow(9000) }, evidenceOf([aQuotaSample()])),
    ).toMatchObject({
      blockedReasons: ['upstream_retry_after'],
      status: { kind: 'retry_after', until: reset },
    })
  })

  it('that is refuted does not explain an account held back without a time', () => {
    expect(
      stateOf({ ...cooling, message: limit(9000, 600) }, evidenceOf([aQuotaSample()]))
        .blockedReasons,
    ).toEqual(['status_invalid'])
  })

  it('exhausts the window that resets then as well', () => {
    const sample = aQuotaSample({ fiveHourResetsInSeconds: 9060, ageSeconds: 700 })

    expect(stateOf(limited, evidenceOf([sample])).blockedReasons).toEqual([
      'quota_exhausted_5h',
      'upstream_retry_after',
    ])
  })

  it('without a time is refuted in the same way, by the age of the message', () => {
    const quota = {
      ...cooling,
      unavailable: false,
      message: told('quota'),
      messageAt: fromNow(-600),
    }

    expect(stateOf(quota, evidenceOf([aQuotaSample({ ageSeconds: 600 })])).blockedReasons).toEqual([
      'cooldown',
    ])
    expect(stateOf(quota, evidenceOf([aQuotaSample({ ageSeconds: 599 })])).status.kind).toBe(
      'degraded',
    )
  })
})

it('a query of ours that a page answered is no fault of the account', () => {
  const evidence = evidenceOf([], {
    probeFailure: { at: NOW, kind: 'blocked', httpStatus: 403, inARow: 9 },
  })

  expect(stateOf({}, evidence)).toMatchObject({
    blockedReasons: [],
    status: { kind: 'active', tone: 'good' },
  })
})

describe('what blocks an account', () => {
  const blocksFor = (changes: Partial<Account>, evidence: AccountEvidence | null = null) => {
    const account = anAccount('a', changes)
    const windows = mergeEvidence(evidence?.samples ?? [], account.message, {
      now: NOW,
      plannedIntervalSeconds: 300,
    })
    return blocksOf({ ...accountStateOf(account, evidence, windows, NOW), windows })
  }

  it.each<{
    readonly name: string
    readonly changes: Partial<Account>
    readonly evidence: AccountEvidence | null
    readonly blocks: readonly object[]
  }>([
    { name: 'nothing', changes: {}, evidence: null, blocks: [] },
    {
      name: 'a login never ends',
      changes: { message: unauthorized },
      evidence: null,
      blocks: [{ slug: 'auth_invalid', until: null }],
    },
    {
      name: 'a window ends at its reset, also behind a reason without an end',
      changes: { operatorDisabled: true },
      evidence: used({ fiveHour: 0, fiveHourResetsInSeconds: 600 }),
      blocks: [
        { slug: 'operator_disabled', until: null },
        { slug: 'quota_exhausted_5h', until: fromNow(600) },
      ],
    },
    {
      name: 'each of two windows has its own end',
      changes: {},
      evidence: used({
        fiveHour: 0,
        week: 0,
        fiveHourResetsInSeconds: 600,
        weekResetsInSeconds: 9000,
      }),
      blocks: [
        { slug: 'quota_exhausted_5h', until: fromNow(600) },
        { slug: 'quota_exhausted_week', until: fromNow(9000) },
      ],
    },
    {
      name: 'the hold of the proxy ends at the later of its own time and the limit of its message',
      changes: { ...cooling, message: limit(9000), nextRetryAt: fromNow(600) },
      evidence: null,
      blocks: [{ slug: 'upstream_retry_after', until: fromNow(9000) }],
    },
    {
      name: 'a cooldown names no end',
      changes: { ...cooling, message: told('quota') },
      evidence: null,
      blocks: [{ slug: 'cooldown', until: null }],
    },
  ])('$name', ({ changes, evidence, blocks }) => {
    expect(blocksFor(changes, evidence)).toEqual(blocks)
  })
})

describe('a login of a vendor whose tokens may just have expired', () => {
  const MINUTES = 60
  const suspected = {
    kind: 'auth_fault',
    code: 'unauthorized',
    deactivated: false,
    suspected: true,
  } as const

  interface Row {
    readonly why: string
    /** Ages of the first and the last refusal, in minutes. */
    readonly first: number
    readonly last?: number
    readonly changes?: Partial<Account>
    readonly refused?: Partial<RefusedLogin>
    readonly condemned: boolean
  }
  const rows: readonly Row[] = [
    { why: 'one refusal', first: 20, condemned: false },
    { why: 'two at once', first: 20, last: 20, condemned: false },
    { why: 'two within 15 min', first: 20, last: 5.1, condemned: false },
    { why: 'two 15 min apart', first: 20, last: 5, condemned: true },
    {
      why: 'a file written in between',
      first: 20,
      last: 15,
      changes: { modifiedAt: fromNow(-17 * MINUTES) },
      condemned: true,
    },
    {
      why: 'a file written before both',
      first: 20,
      last: 15,
      changes: { modifiedAt: fromNow(-20 * MINUTES) },
      condemned: false,
    },
    {
      why: 'a file written since',
      first: 40,
      last: 5,
      changes: { modifiedAt: fromNow(-1 * MINUTES) },
      condemned: false,
    },
    {
      why: 'a success in between',
      first: 40,
      last: 5,
      changes: { lastSuccessAt: fromNow(-30 * MINUTES) },
      condemned: false,
    },
    {
      why: 'a success before both',
      first: 40,
      last: 5,
      changes: { lastSuccessAt: fromNow(-41 * MINUTES) },
      condemned: true,
    },
    {
      why: 'Codex needs no time',
      first: 1,
      last: 0.5,
      changes: { provider: 'codex' },
      condemned: true,
    },
  ]

  it.each(rows)('queried: $why', ({ first, last, changes, condemned }) => {
    const refusedLogin: RefusedLogin = {
      inARow: last === undefined ? 1 : 2,
      ...(last === undefined ? {} : { firstAt: fromNow(-first * MINUTES) }),
      lastAt: fromNow(-(last ?? first) * MINUTES),
      httpStatus: 401,
    }
    const state = stateOf({ provider: 'claude', ...changes }, evidenceOf([], { refusedLogin }))

    expect(state.blockedReasons.includes('auth_invalid')).toBe(condemned)
  })

  it.each(rows.filter(({ changes }) => changes?.provider === undefined))(
    'seen in traffic: $why',
    ({ first, last, changes, condemned }) => {
      const verdict: Verdict = {
        origin: 'record',
        at: fromNow(-(last ?? first) * MINUTES),
        ...(last === undefined ? {} : { firstAt: fromNow(-first * MINUTES) }),
        message: suspected,
        retryAt: null,
        inARow: 1,
      }
      const { blockedReasons } = stateOf({ provider: 'claude', verdict, ...changes })

      expect(blockedReasons.includes('auth_invalid')).toBe(condemned)
    },
  )

  it('is lost at once where the vendor says so', () => {
    const revoked = { inARow: 1, lastAt: fromNow(-60), httpStatus: 403, revoked: true } as const
    const evidence = evidenceOf([], { refusedLogin: revoked })

    expect(stateOf({ provider: 'claude' }, evidence).status.kind).toBe('auth_invalid')
    expect(stateOf({ provider: 'claude', modifiedAt: NOW }, evidence).status.kind).toBe('active')
  })

  it('has ended where the vendor says so of its account', () => {
    const ended = { inARow: 1, lastAt: fromNow(-60), httpStatus: 403, revoked: true } as const
    const evidence = evidenceOf([], { refusedLogin: { ...ended, deactivated: true } })

    expect(stateOf({ provider: 'claude' }, evidence)).toMatchObject({
      status: { kind: 'deactivated' },
      blockedReasons: ['auth_invalid'],
      deactivated: true,
    })
  })

  it('is not lost because the list shows what an expired token has too', () => {
    const shown = { provider: 'claude', message: suspected, messageAt: fromNow(-60) }

    expect(stateOf(shown).blockedReasons).toEqual([])
    expect(
      stateOf({ ...shown, message: { ...suspected, suspected: false } }).blockedReasons,
    ).toEqual(['auth_invalid'])
  })
})
