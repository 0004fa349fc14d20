import { anAccount, aQuotaSample, fromNow, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createUsageSuccesses, onOurTime } from './usage-successes.ts'

const listOf = (...accounts: ReturnType<typeof anAccount>[]) => ({
  accounts,
  otherProviders: new Map<string, number>(),
  skipped: [],
  requestCounters: null,
})
const alice = anAccount('alice')
const key = alice.selector.accountKey
const successAt = (seconds: number | null) => ({
  accountKey: key,
  lastSuccessAt: seconds === null ? null : fromNow(seconds),
  sample: null,
})

describe('successes that usage shows', () => {
  it.each([
    { why: 'later than the counts', listed: -60, noted: -10, shown: -10 },
    { why: 'earlier than the counts', listed: -10, noted: -60, shown: -10 },
    { why: 'where the counts show none', listed: null, noted: -10, shown: -10 },
    { why: 'none', listed: -10, noted: null, shown: -10 },
  ])('$why', ({ listed, noted, shown }) => {
    const successes = createUsageSuccesses()
    const account = { ...alice, lastSuccessAt: listed === null ? null : fromNow(listed) }
    successes.note([successAt(noted)])

    expect(successes.appliedTo(listOf(account)).accounts[0]?.lastSuccessAt).toBe(fromNow(shown))
  })

  it('do not go backwards when older records come later', () => {
    const successes = createUsageSuccesses()
    successes.note([successAt(-10), successAt(-60)])

    expect(successes.appliedTo(listOf(alice)).accounts[0]?.lastSuccessAt).toBe(fromNow(-10))
  })

  it('are forgotten with the account', () => {
    const successes = createUsageSuccesses()
    successes.note([successAt(-10)])
    successes.appliedTo(listOf())

    expect(successes.appliedTo(listOf(alice)).accounts[0]?.lastSuccessAt).toBeNull()
  })
})

it.each([
  { skew: null, moved: 0 },
  { skew: 4, moved: 0 },
  { skew: 600, moved: -600 },
  { skew: -600, moved: 600 },
])('times of the proxy are told on our clock: $skew s ahead', ({ skew, moved }) => {
  const activity = { accountKey: key, lastSuccessAt: NOW, sample: aQuotaSample() }

  expect(onOurTime(activity, skew)).toMatchObject({
    lastSuccessAt: fromNow(moved),
    sample: { sampledAt: fromNow(moved) },
  })
  expect(onOurTime({ accountKey: key, lastSuccessAt: null, sample: null }, skew)).toEqual({
    accountKey: key,
    lastSuccessAt: null,
    sample: null,
  })
})
