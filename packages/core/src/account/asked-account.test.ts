import { describe, expect, it } from 'vitest'
import { anAccount, aQuotaSample, evidenceOf, fromNow, NOW } from '../testing/builders.ts'
import {
  askedAccountOf,
  evidenceAskedElsewhere,
  evidenceWithAsked,
  mergedEvidence,
} from './asked-account.ts'

const pause = { until: fromNow(600), inARow: 2, reason: 'throttled' } as const
const failure = (ageSeconds: number) =>
  ({ at: fromNow(-ageSeconds), kind: 'auth', httpStatus: 401, inARow: 1 }) as const
const refused = { inARow: 1, lastAt: fromNow(-60), httpStatus: 401 } as const

it('what is stored of an account is what decides when it may be asked about again', () => {
  const evidence = evidenceOf([aQuotaSample()], { askedAt: NOW, vendorPause: pause })
  const asked = askedAccountOf(anAccount('ann', { provider: 'xai' }), evidence, fromNow(9))

  expect(asked).toEqual({
    upstream: 'default',
    authName: 'codex-ann@example.com-plus.json',
    accountKey: 'key-ann',
    provider: 'xai',
    verdict: null,
    waitUntil: fromNow(9),
    evidence: { probeFailure: null, refusedLogin: null, askedAt: NOW, vendorPause: pause },
  })
})

it.each([
  {
    what: 'a later query with its pause',
    current: evidenceOf([aQuotaSample()], { askedAt: fromNow(-900) }),
    asked: { askedAt: NOW, probeFailure: failure(0), refusedLogin: null, vendorPause: pause },
    expected: { askedAt: NOW, probeFailure: failure(0), vendorPause: pause },
  },
  {
    what: 'what was stored of the same query after its answer',
    current: evidenceOf([], { askedAt: fromNow(-60) }),
    asked: { askedAt: fromNow(-60), probeFailure: failure(60), refusedLogin: refused },
    expected: { askedAt: fromNow(-60), probeFailure: failure(60), refusedLogin: refused },
  },
  {
    what: 'nothing of an earlier query',
    current: evidenceOf([], { askedAt: fromNow(-60), refusedLogin: refused }),
    asked: { askedAt: fromNow(-900), probeFailure: failure(900), refusedLogin: null },
    expected: { askedAt: fromNow(-60), probeFailure: null, refusedLogin: refused },
  },
  {
    what: 'a pause no longer that a later query has not met',
    current: evidenceOf([], { askedAt: fromNow(-900), vendorPause: pause }),
    asked: { askedAt: NOW, probeFailure: null, refusedLogin: null },
    expected: { askedAt: NOW, vendorPause: undefined },
  },
])('evidence takes $what', ({ current, asked, expected }) => {
  const taken = evidenceWithAsked(current, asked)

  expect(taken.samples).toBe(current.samples)
  expect({ vendorPause: undefined, ...taken }).toMatchObject(expected)
})

const refusedTimes = (inARow: number) => ({ inARow, lastAt: fromNow(0), httpStatus: 401 })
const authFailure = { at: fromNow(0), kind: 'auth', httpStatus: 401, inARow: 1 } as const

describe('what an earlier process knew', () => {
  it('fills in samples of every origin that this one has not read', () => {
    const mine = aQuotaSample({ fiveHour: 10 }, { origin: 'headers' })
    const earlier = [
      aQuotaSample({ fiveHour: 90 }, { origin: 'headers' }),
      aQuotaSample({ fiveHour: 50 }),
    ]
    expect(mergedEvidence(evidenceOf([mine]), evidenceOf(earlier)).samples).toEqual([
      mine,
      earlier[1],
    ])
  })

  it.each([
    ['a refused login stays refused', evidenceOf([]), 2],
    [
      'one refusal more does not begin to count anew',
      evidenceOf([], { refusedLogin: refusedTimes(1), probeFailure: authFailure }),
      2,
    ],
    ['an answer of the vendor has cleared it', evidenceOf([aQuotaSample()]), null],
  ])('%s', (_, current, inARow) => {
    const merged = mergedEvidence(
      current,
      evidenceOf([], { refusedLogin: refusedTimes(2), probeFailure: authFailure }),
    )
    expect(merged.refusedLogin?.inARow ?? null).toBe(inARow)
    expect(merged.refusedLogin?.firstAt ?? merged.refusedLogin?.lastAt ?? null).toBe(
      inARow === null ? null : refusedTimes(2).lastAt,
    )
    expect(merged.probeFailure === null).toBe(inARow === null)
  })
})

describe('what another process knows that asks now', () => {
  const old = aQuotaSample({ fiveHour: 90 }, { sampledAt: fromNow(-600) })
  const newer = aQuotaSample({ fiveHour: 50 }, { sampledAt: fromNow(-60) })
  const headers = aQuotaSample({ fiveHour: 10 }, { origin: 'headers', sampledAt: fromNow(-90) })

  it('takes the place of what is older here, and of nothing that is newer', () => {
    const samplesOf = (mine: Parameters<typeof evidenceOf>[0], theirs: typeof mine) =>
      evidenceAskedElsewhere(evidenceOf(mine), evidenceOf(theirs)).samples
    expect(samplesOf([old], [newer, headers])).toEqual([newer, headers])
    expect(samplesOf([newer, headers], [old])).toEqual([newer, headers])
  })

  it('says which failures there were: those here are over', () => {
    const known = evidenceAskedElsewhere(
      evidenceOf([old], { refusedLogin: refusedTimes(2), probeFailure: authFailure }),
      evidenceOf([newer]),
    )
    expect(known).toMatchObject({ refusedLogin: null, probeFailure: null })
  })
})

describe('what the vendor allows', () => {
  const theirs = {
    askedAt: fromNow(-60),
    vendorPlan: { plan: 'pro', askedAt: fromNow(-60) },
    vendorPause: { until: fromNow(600), inARow: 2, reason: 'throttled' },
  } as const

  it('is remembered over a restart', () => {
    expect(mergedEvidence(evidenceOf([]), evidenceOf([], theirs))).toMatchObject(theirs)
  })

  it('is what this process knows, where it has asked', () => {
    const askedAt = fromNow(-5)
    const merged = mergedEvidence(evidenceOf([aQuotaSample()], { askedAt }), evidenceOf([], theirs))
    expect(merged.askedAt).toBe(askedAt)
    expect(merged).not.toHaveProperty('vendorPause')
  })

  it('is taken over from the monitor that asks, its end of a pause too', () => {
    const mine = evidenceOf([], { ...theirs, askedAt: fromNow(-900) })

    expect(evidenceAskedElsewhere(mine, evidenceOf([], theirs))).toMatchObject(theirs)
    expect(
      evidenceAskedElsewhere(mine, evidenceOf([], { askedAt: theirs.askedAt })),
    ).not.toHaveProperty('vendorPause')
  })

  it('stays a login that has ended', () => {
    const lost = { ...refusedTimes(1), revoked: true, deactivated: true } as const
    const merged = mergedEvidence(
      evidenceOf([], { refusedLogin: refusedTimes(1) }),
      evidenceOf([], { refusedLogin: lost }),
    )
    expect(merged.refusedLogin).toMatchObject({ revoked: true, deactivated: true })
  })
})
