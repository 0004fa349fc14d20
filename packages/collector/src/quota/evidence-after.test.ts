import { type AccountEvidence, type EpochMs, evidenceFrom } from '@svc/core'
import { aQuotaSample, evidenceOf, fromNow, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import type { ProbeResult } from '../providers/contract/provider.ts'
import {
  disabledProbeOf,
  evidenceAfter,
  evidenceWithPassive,
  evidenceWithPlan,
  showsAllWindowsOf,
} from './evidence-after.ts'

const login = (provider: string) => ({ provider, email: 'alice@example.com' })
const refused = (httpStatus = 401): ProbeResult => ({ kind: 'auth', httpStatus })
const failed: ProbeResult = { kind: 'failed', code: 'server_error', httpStatus: 503 }
const after = (evidence: AccountEvidence, result: ProbeResult, isListedAgain = false) =>
  evidenceAfter(evidence, result, {
    now: NOW,
    isListedAgain,
    account: login('codex'),
    provenAt: null,
    pause: null,
  })

describe('after a query', () => {
  it('a sample replaces the one of its origin and ends every failure', () => {
    const headers = aQuotaSample({ week: 70 }, { origin: 'headers' })
    const before = after(evidenceOf([aQuotaSample({ week: 50 }), headers]), refused())
    const sample = aQuotaSample({ week: 40 })

    expect(after(before, { kind: 'sample', sample })).toEqual({
      ...before,
      samples: [headers, sample],
      probeFailure: null,
      refusedLogin: null,
    })
  })

  it('an answer that does not tell the banked resets leaves the last count with its time', () => {
    const told = after(evidenceFrom([]), {
      kind: 'sample',
      sample: aQuotaSample({ ageSeconds: 600 }, { bankedResetCount: 2 }),
    })
    const remembered = {
      ...told.bankedResets,
      isRemembered: true,
    } as AccountEvidence['bankedResets']
    expect(
      after(
        { ...told, ...(remembered && { bankedResets: remembered }) },
        {
          kind: 'sample',
          sample: aQuotaSample({}, { bankedResetCount: 1 }),
        },
      ).bankedResets,
    ).toEqual({ count: 1, sampledAt: NOW, expiresAt: [] })
    const silent = after(told, { kind: 'sample', sample: aQuotaSample() })
    const again = after(silent, {
      kind: 'sample',
      sample: aQuotaSample({}, { bankedResetCount: 0 }),
    })

    expect(silent.bankedResets).toEqual({ count: 2, sampledAt: fromNow(-600), expiresAt: [] })
    expect(again.bankedResets).toMatchObject({ count: 0, sampledAt: NOW })
    expect(again.samples).toEqual([aQuotaSample()])
  })

  it('failures are counted in a row, and leave samples as they are', () => {
    const sample = aQuotaSample()
    const twice = after(after(evidenceOf([sample]), failed), failed)

    expect(twice).toMatchObject({
      samples: [sample],
      probeFailure: { at: NOW, kind: 'failed', httpStatus: 503, inARow: 2 },
      refusedLogin: null,
    })
  })

  it('of thousands of windows the account keeps its own and few others, and says so', () => {
    const scoped = Array.from({ length: 2000 }, (_, at) => ({
      ...{ id: `pool_${at}:5h`, periodSeconds: 18_000, percent: 50, resetAt: null },
    }))
    const { windows, ...rest } = aQuotaSample()
    const sample = { ...rest, windows: [...scoped, ...windows] }
    const [kept] = after(evidenceFrom([]), { kind: 'sample', sample }).samples

    expect(kept?.windows).toEqual([...windows, ...scoped].slice(0, 64))
    expect(kept).toMatchObject({
      unreadableWindowCount: 2000 + windows.length - 64,
      unknownNames: ['windows_beyond_64'],
    })
  })

  it('an unknown refusal has the time of the first in a row', () => {
    const unknown = (httpStatus: number): ProbeResult => ({
      kind: 'failed',
      code: 'unexpected_status',
      httpStatus,
    })
    const first = { at: fromNow(-4000), kind: 'failed', httpStatus: 400, inARow: 1 } as const
    const again = after(evidenceOf([], { probeFailure: first }), unknown(403))

    expect(again.probeFailure).toEqual({
      at: NOW,
      kind: 'failed',
      httpStatus: 403,
      inARow: 2,
      firstAt: first.at,
    })
    expect(after(again, failed).probeFailure).not.toHaveProperty('firstAt')
    expect(after(after(again, failed), unknown(400)).probeFailure).not.toHaveProperty('firstAt')
  })

  it('an account that has ended is one that must not be asked for twice', () => {
    const ended: ProbeResult = { kind: 'auth', httpStatus: 403, revoked: true, ended: true }

    expect(after(evidenceFrom([]), ended).refusedLogin).toMatchObject({
      revoked: true,
      deactivated: true,
    })
    expect(after(after(evidenceFrom([]), ended), refused()).refusedLogin).toMatchObject({
      revoked: true,
      deactivated: true,
    })
  })

  it.each([
    ['without a new list is the same refusal', false, 1],
    ['after a new list is a second one', true, 2],
  ])('a further refusal %s', (_what, isListedAgain, inARow) => {
    const once = after(evidenceFrom([]), refused())

    expect(once.refusedLogin).toEqual({ inARow: 1, lastAt: NOW, httpStatus: 401 })
    expect(after(once, refused(402), isListedAgain).refusedLogin).toEqual({
      inARow,
      firstAt: NOW,
      lastAt: NOW,
      httpStatus: 402,
    })
  })

  it('a failure that says nothing of the login leaves a refusal as it was', () => {
    const once = after(evidenceFrom([]), refused())

    expect(after(once, failed, true).refusedLogin).toEqual(once.refusedLogin)
  })
})

describe('a sample that came unasked', () => {
  const known = aQuotaSample({ week: 50, ageSeconds: 60 }, { origin: 'headers' })

  it('replaces an older one of its origin', () => {
    const newer = aQuotaSample({ week: 40 }, { origin: 'headers' })

    expect(evidenceWithPassive(evidenceOf([known]), newer, login('codex'))?.samples).toEqual([
      newer,
    ])
  })

  it.each([60, 90])('is dropped where it is no newer: %i s old', (ageSeconds) => {
    expect(
      evidenceWithPassive(
        evidenceOf([known]),
        aQuotaSample({ ageSeconds }, { origin: 'headers' }),
        login('codex'),
      ),
    ).toBeNull()
  })

  it('takes the place of known windows one by one, each until its reset', () => {
    const premium = (resetInSeconds: number) => ({
      id: 'premium:week',
      periodSeconds: 604_800,
      percent: 0,
      resetAt: fromNow(resetInSeconds),
    })
    const withPremium = (resetInSeconds: number) => ({
      ...known,
      windows: [...known.windows, premium(resetInSeconds)],
    })
    const newer = aQuotaSample({ week: 40 }, { origin: 'headers' })
    const after = (resetInSeconds: number, provider: string) =>
      evidenceWithPassive(evidenceOf([withPremium(resetInSeconds)]), newer, login(provider))
        ?.samples

    expect(after(60, 'claude')).toEqual([{ ...known, windows: [premium(60)] }, newer])
    expect(after(0, 'claude')).toEqual([newer])
    // An answer of Codex shows all of its windows.
    expect(after(60, 'codex')).toEqual([newer])
  })

  it('that comes late adds the windows that are not known since', () => {
    const newer = aQuotaSample({ week: 40, fiveHour: null }, { origin: 'headers' })
    const late = (provider: string) =>
      evidenceWithPassive(evidenceOf([newer]), known, login(provider))

    expect(late('codex')).toBeNull()
    expect(late('claude')?.samples.map(({ windows }) => windows.map(({ id }) => id))).toEqual([
      ['5h'],
      ['week'],
    ])
    expect(
      evidenceWithPassive(evidenceOf(late('claude')?.samples ?? []), known, login('claude')),
    ).toBeNull()
  })

  it('that is a word without windows keeps the windows known before, and counts once', () => {
    const word = { ...aQuotaSample({}, { origin: 'headers', limitReached: true }), windows: [] }
    const told = evidenceWithPassive(evidenceOf([known]), word, login('codex'))

    expect(told?.samples.flatMap(({ windows }) => windows)).toEqual(known.windows)
    expect(told?.samples.at(-1)?.limitReached).toBe(true)
    expect(told && evidenceWithPassive(told, word, login('codex'))).toBeNull()
  })

  it('replaces a query where it shows every main window that the query showed', () => {
    const both = aQuotaSample()
    const weekAlone = aQuotaSample({ fiveHour: null })

    expect(showsAllWindowsOf(both, both)).toBe(true)
    expect(showsAllWindowsOf(weekAlone, both)).toBe(true)
    expect(showsAllWindowsOf(both, weekAlone)).toBe(false)
    expect(showsAllWindowsOf(null, both)).toBe(false)
  })
})

describe('a diagnostic query', () => {
  it.each<readonly [state: string, result: ProbeResult]>([
    ['ok', { kind: 'sample', sample: aQuotaSample() }],
    ['exhausted', { kind: 'sample', sample: aQuotaSample({ week: 0 }) }],
    ['exhausted', { kind: 'sample', sample: aQuotaSample({}, { limitReached: true }) }],
    [
      'exhausted',
      { kind: 'sample', sample: aQuotaSample({}, { spendReached: { resetAt: null } }) },
    ],
    ['auth_invalid', refused()],
    ['error', failed],
  ])('says %s', (state, result) => {
    expect(disabledProbeOf(result, NOW)).toMatchObject({ state, probedAt: NOW })
  })
})

describe('what the vendor knows of an account', () => {
  const context = {
    now: NOW,
    isListedAgain: true,
    account: login('kimi'),
    provenAt: null,
    pause: null,
  }
  const sampleWith = (vendorIdentity?: string): ProbeResult => ({
    kind: 'sample',
    sample: aQuotaSample({}, vendorIdentity === undefined ? {} : { vendorIdentity }),
  })
  const identityIn = ({ samples }: AccountEvidence) => samples.at(-1)?.vendorIdentity

  it('is kept as a hash of it and the provider', () => {
    const one = evidenceAfter(evidenceFrom([]), sampleWith('org-1'), context)
    const same = evidenceAfter(evidenceFrom([]), sampleWith('org-1'), context)
    const other = evidenceAfter(evidenceFrom([]), sampleWith('org-2'), context)
    const elsewhere = { ...context, account: login('claude') }
    const claude = evidenceAfter(evidenceFrom([]), sampleWith('org-1'), elsewhere)
    const passive = evidenceWithPassive(
      evidenceFrom([]),
      aQuotaSample({}, { origin: 'headers', vendorIdentity: 'org-1' }),
      login('kimi'),
    )

    expect(identityIn(one)).toMatch(/^[0-9a-f]{16}$/)
    expect([identityIn(same), passive && identityIn(passive)]).toEqual(
      Array(2).fill(identityIn(one)),
    )
    expect(new Set([one, other, claude].map(identityIn)).size).toBe(3)
    expect(disabledProbeOf(sampleWith('org-1'), NOW)).not.toMatchObject({
      sample: { vendorIdentity: expect.anything() },
    })
  })

  it('outlasts answers that do not name it', () => {
    const one = evidenceAfter(evidenceFrom([]), sampleWith('org-1'), context)

    expect(identityIn(evidenceAfter(one, sampleWith(), context))).toBe(identityIn(one))
  })

  const asked = { askedAt: NOW, account: login('kimi') }

  it('is the one that the query for the plan has named', () => {
    const read = evidenceAfter(evidenceFrom([]), sampleWith(), context)
    const named = evidenceWithPlan(read, { plan: null, vendorIdentity: 'org-1' }, asked)

    expect(identityIn(named)).toBe(
      identityIn(evidenceAfter(evidenceFrom([]), sampleWith('org-1'), context)),
    )
    expect(identityIn(evidenceWithPlan(named, null, asked))).toBe(identityIn(named))
  })

  it('names the plan where an answer does not, until it is asked again', () => {
    const known = evidenceWithPlan(evidenceFrom([]), { plan: 'pro', vendorIdentity: null }, asked)

    expect(evidenceAfter(known, sampleWith(), context).samples[0]?.plan).toBe('pro')
    expect(evidenceWithPlan(known, null, asked).vendorPlan).toEqual({ plan: 'pro', askedAt: NOW })
  })

  it('is a pause as long as the last query was refused', () => {
    const pause = { until: NOW, inARow: 1, reason: 'throttled' } as const
    const throttled: ProbeResult = { kind: 'throttled', httpStatus: 429, retryAfterSeconds: null }
    const refusedAt = evidenceAfter(evidenceOf([aQuotaSample()]), throttled, { ...context, pause })

    expect(refusedAt).toMatchObject({ vendorPause: pause, samples: [{ origin: 'direct' }] })
    expect(evidenceAfter(refusedAt, sampleWith(), context)).not.toHaveProperty('vendorPause')
  })
})

describe('refusals of a login', () => {
  const before = evidenceOf([], {
    refusedLogin: { inARow: 1, lastAt: fromNow(-3_600), httpStatus: 401 },
  })
  const again = (provenAt: EpochMs | null, result = refused()) =>
    evidenceAfter(before, result, {
      now: NOW,
      isListedAgain: true,
      account: login('kimi'),
      provenAt,
      pause: null,
    }).refusedLogin

  it('begin anew after a success', () => {
    expect(again(null)).toMatchObject({ inARow: 2, firstAt: fromNow(-3_600) })
    expect(again(fromNow(-3_601))).toMatchObject({ inARow: 2 })
    expect(again(fromNow(-60))).toEqual({ inARow: 1, lastAt: NOW, httpStatus: 401 })
  })

  it('for good stay for good', () => {
    expect(again(null, { kind: 'auth', httpStatus: 401, revoked: true })?.revoked).toBe(true)
  })
})
