import { describe, expect, it } from 'vitest'
import { accountNamed } from '../facts/account.ts'
import { fromNow, NOW } from '../testing/index.ts'
import { subscriptionOf } from './subscription.ts'

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
    { why: 'a reading since', changes: { lastSample: answered }, state: 'renewed' },
    {
      why: 'a reading before it',
      changes: { lastSample: { ...answered, at: fromNow(-2 * DAY) } },
      state: 'ended',
    },
    {
      why: 'a message that may be old',
      changes: { lastSample: { ...answered, origin: 'status-message' } },
      state: 'ended',
    },
    {
      why: 'an answer as a free account',
      changes: { lastSample: answered, plan: 'free' },
      state: 'ended',
    },
    {
      why: 'a deactivated account',
      changes: { lastSample: answered, deactivated: true },
      state: 'ended',
    },
  ] as const)('is $state with $why', ({ changes, state }) => {
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
