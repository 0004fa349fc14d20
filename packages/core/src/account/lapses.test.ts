import { describe, expect, it } from 'vitest'
import { accountNamed } from '../facts/account.ts'
import type { BankedResets } from '../facts/account-evidence.ts'
import { aQuotaSample, evidenceOf, fromNow, NOW } from '../testing/index.ts'
import { mergedEvidence } from './asked-account.ts'
import { bankedResetsOf, subscriptionOf } from './lapses.ts'

const DAY = 86_400

const evaluated = (
  inSeconds: number | null,
  changes: Partial<Parameters<typeof subscriptionOf>[0]> = {},
) => ({
  account: accountNamed('ann', {
    subscribedUntil: inSeconds === null ? null : fromNow(inSeconds),
    modifiedAt: fromNow(-3 * DAY),
  }),
  plan: 'plus' as const,
  deactivated: false,
  lastSample: null,
  ...changes,
})
const stateOf = (...of: Parameters<typeof evaluated>) =>
  subscriptionOf(evaluated(...of), NOW)?.state

describe('a subscription', () => {
  it('is not known of without an end', () => {
    expect(subscriptionOf(evaluated(null), NOW)).toBeNull()
  })

  it('says its end, and when its login was written', () => {
    expect(subscriptionOf(evaluated(30 * DAY), NOW)).toEqual({
      state: 'running',
      until: fromNow(30 * DAY),
      seenAt: fromNow(-3 * DAY),
    })
  })

  it.each([
    { inSeconds: 7 * DAY + 1, state: 'running' },
    { inSeconds: 7 * DAY, state: 'ends_soon' },
    { inSeconds: DAY + 1, state: 'ends_soon' },
    { inSeconds: DAY, state: 'last_day' },
    { inSeconds: 1, state: 'last_day' },
    { inSeconds: 0, state: 'ended' },
    { inSeconds: -DAY, state: 'ended' },
  ])('$inSeconds s before its end is $state', ({ inSeconds, state }) => {
    expect(stateOf(inSeconds)).toBe(state)
  })
})

describe('a subscription past its end', () => {
  const answered = { at: fromNow(-60), origin: 'direct' } as const

  it.each([
    ['a reading since', { lastSample: answered }, 'renewed'],
    ['a reading before it', { lastSample: { ...answered, at: fromNow(-2 * DAY) } }, 'ended'],
    [
      'a message that may be old',
      { lastSample: { ...answered, origin: 'status-message' } },
      'ended',
    ],
    ['an answer as a free account', { lastSample: answered, plan: 'free' }, 'ended'],
    ['a deactivated account', { lastSample: answered, deactivated: true }, 'ended'],
  ] as const)('is $2 with $0', (_, changes, state) => {
    expect(stateOf(-DAY, changes)).toBe(state)
  })

  it('goes on where a request succeeded since', () => {
    const account = accountNamed('ann', {
      subscribedUntil: fromNow(-DAY),
      lastSuccessAt: fromNow(-10),
    })

    expect(stateOf(null, { account })).toBe('renewed')
  })
})

describe('banked resets', () => {
  const known = (banked: Partial<BankedResets>, readAgo = 0) =>
    bankedResetsOf(
      evidenceOf([aQuotaSample({ ageSeconds: readAgo })], {
        bankedResets: { count: 2, sampledAt: NOW, expiresAt: [], ...banked },
      }),
      NOW,
    )
  const answered = (count: number) =>
    ({ askedAt: fromNow(-DAY), count, outcome: 'answered' }) as const

  it('are unknown until a reading tells them', () => {
    expect(bankedResetsOf(null, NOW)).toBeNull()
    expect(bankedResetsOf(evidenceOf([aQuotaSample()]), NOW)).toBeNull()
  })

  it.each([
    { toldAgo: DAY, readAgo: 0, is: 'kept' },
    { toldAgo: DAY + 1, readAgo: 0, is: 'unknown' },
    { toldAgo: 3 * DAY, readAgo: 3 * DAY, is: 'kept' },
  ])('told $toldAgo s ago, with a reading $readAgo s ago, are $is', ({ toldAgo, readAgo, is }) => {
    const banked = known({ sampledAt: fromNow(-toldAgo) }, readAgo)

    expect(banked === null ? 'unknown' : 'kept').toBe(is)
    if (banked !== null) expect(banked).toMatchObject({ count: 2, stale: true })
  })

  it('are stale while only an earlier process was told them', () => {
    expect(known({})).toMatchObject({ stale: false })
    const earlier = evidenceOf([aQuotaSample()], {
      bankedResets: { count: 2, sampledAt: NOW, expiresAt: [fromNow(60)] },
    })
    expect(bankedResetsOf(mergedEvidence(evidenceOf([]), earlier), NOW)).toEqual({
      count: 2,
      sampledAt: NOW,
      expiresAt: [fromNow(60)],
      stale: true,
    })
  })

  it('have only expiries to come', () => {
    const expiresAt = [fromNow(0), fromNow(60), fromNow(DAY)]

    expect(known({ expiresAt, listQuery: answered(3) })).toMatchObject({
      expiresAt: [fromNow(60), fromNow(DAY)],
      stale: false,
    })
  })

  it('have unknown expiries once one was spent, as nobody knows which', () => {
    const expiresAt = [fromNow(60), fromNow(DAY), fromNow(2 * DAY)]

    expect(known({ expiresAt, listQuery: answered(3) })?.expiresAt).toEqual([])
    expect(known({ expiresAt, count: 4, listQuery: answered(3) })?.expiresAt).toEqual(expiresAt)
    expect(known({ expiresAt, count: 0, listQuery: answered(3) })?.expiresAt).toEqual([])
  })
})
