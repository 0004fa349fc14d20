import type { Account } from '@svc/core'
import type { VerdictMessage } from '@svc/core/service'
import { anAccount, aQuotaSample, fromNow, NOW } from '@svc/core/testing'
import type { AccountActivity } from '@svc/core/usage'
import { describe, expect, it } from 'vitest'
import { createUsageSuccesses, onOurTime } from './usage-successes.ts'

const listOf = (...accounts: ReturnType<typeof anAccount>[]) => ({
  accounts,
  skipped: [],
  requestCounters: null,
})
const alice = anAccount('alice')
const key = alice.selector.accountKey
const NOTHING = {
  accountKey: key,
  authIndex: alice.selector.authIndex,
  lastSuccessAt: null,
  samples: [],
  refusal: null,
}
const successAt = (seconds: number | null) => ({
  ...NOTHING,
  lastSuccessAt: seconds === null ? null : fromNow(seconds),
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

describe('refusals that usage shows', () => {
  const refusalAt = (seconds: number, message: VerdictMessage = { kind: 'quota' }) => ({
    ...NOTHING,
    refusal: { at: fromNow(seconds), message },
  })
  const verdictAfter = (...activity: readonly AccountActivity[]) => {
    const successes = createUsageSuccesses()
    for (const one of activity) successes.note([one])
    return successes.appliedTo(listOf(alice)).accounts[0]?.verdict ?? null
  }

  it('are the verdict of the file that was asked, until it succeeds', () => {
    const verdict = { origin: 'record', at: fromNow(-30), message: { kind: 'quota' } }
    expect(verdictAfter(refusalAt(-30))).toMatchObject(verdict)
    expect(verdictAfter(refusalAt(-30), successAt(-31))).toMatchObject(verdict)
    expect(verdictAfter(refusalAt(-30), successAt(-29))).toBeNull()
    expect(verdictAfter(successAt(-29), refusalAt(-30))).toBeNull()
    expect(verdictAfter({ ...refusalAt(-30), authIndex: 'another file' })).toBeNull()
    expect(verdictAfter(refusalAt(-30), { ...successAt(-9), authIndex: 'another file' })).toEqual(
      verdictAfter(refusalAt(-30)),
    )
  })

  it('go before what the list shows only where they are newer', () => {
    const successes = createUsageSuccesses()
    successes.note([refusalAt(-30, { kind: 'auth_fault', code: 'x', deactivated: false })])
    const listed = (seconds: number): Account => ({
      ...alice,
      verdict: {
        origin: 'list',
        at: fromNow(seconds),
        message: { kind: 'auth_fault', code: 'y', deactivated: false },
        retryAt: null,
        inARow: 1,
      },
    })
    const originWith = (account: Account) =>
      successes.appliedTo(listOf(account)).accounts[0]?.verdict?.origin
    expect(originWith(listed(-31))).toBe('record')
    expect(originWith(listed(-29))).toBe('list')
  })

  it('wait longer each time, where each comes after the wait of the one before', () => {
    expect(verdictAfter(refusalAt(-300), refusalAt(-290))).toMatchObject({
      at: fromNow(-300),
      inARow: 1,
    })
    expect(verdictAfter(refusalAt(-300), refusalAt(-240))).toMatchObject({
      at: fromNow(-240),
      inARow: 2,
    })
    expect(verdictAfter(refusalAt(-300), successAt(-299), refusalAt(-240))).toMatchObject({
      inARow: 1,
    })
  })
})

it.each([
  { skew: null, moved: 0 },
  { skew: 4, moved: 0 },
  { skew: 600, moved: -600 },
  { skew: -600, moved: 600 },
])('times of the proxy are told on our clock: $skew s ahead', ({ skew, moved }) => {
  const refusal = { at: NOW, message: { kind: 'quota' } } as const
  const activity = { ...NOTHING, lastSuccessAt: NOW, samples: [aQuotaSample()], refusal }

  expect(onOurTime(activity, skew)).toMatchObject({
    lastSuccessAt: fromNow(moved),
    samples: [{ sampledAt: fromNow(moved) }],
    refusal: { at: fromNow(moved) },
  })
  expect(onOurTime(NOTHING, skew)).toEqual(NOTHING)
})
