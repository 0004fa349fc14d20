import { expect, it } from 'vitest'
import { type AccountCost, paidBackOf, type SubscriptionPrice } from './paid-back.ts'

const usd = (dollars: number, unpricedTokens = 0) => ({
  units: BigInt(dollars) * 10n ** 16n,
  unpricedTokens,
  assumedTokens: 0,
})
const account: AccountCost = {
  account: 'a',
  provider: 'codex',
  plan: 'plus',
  cost: usd(60),
  tokens: 1_000,
  coverage: 1,
  daysSeen: 100,
}
const TODAY = 20_000
const plus: SubscriptionPrice = {
  of: { provider: 'codex', plan: 'plus' },
  usd: 20,
  per: 'month',
  fromDay: 0,
}
const ofAccount: SubscriptionPrice = { of: { account: 'a' }, usd: 120, per: 'year', fromDay: 10 }
const MONTH = 30 / 30.4375

it.each([
  [
    'of its plan',
    account,
    [plus],
    { listUsd30d: 60, subscriptionUsd30d: 20 * MONTH, paidBack: 3, isAtLeast: false },
  ],
  [
    'of the account before its plan',
    account,
    [plus, ofAccount],
    { subscriptionUsd30d: 10 * MONTH, paidBack: 6.1 },
  ],
  [
    'of the newest in force',
    account,
    [plus, { ...plus, usd: 30, fromDay: TODAY }, { ...plus, usd: 90, fromDay: TODAY + 1 }],
    { paidBack: 2 },
  ],
  [
    'for the days since it was seen',
    { ...account, daysSeen: 10 },
    [plus],
    { listUsd30d: 60, paidBack: 9.1 },
  ],
  ['not within a week', { ...account, daysSeen: 6 }, [plus], { listUsd30d: 60, paidBack: null }],
  ['not of a free plan', account, [{ ...plus, usd: 0 }], { paidBack: null }],
  [
    'not of unpriced usage',
    { ...account, cost: usd(0, 1_000) },
    [plus],
    { listUsd30d: null, paidBack: null, isAtLeast: true },
  ],
  ['at least, with a gap', { ...account, coverage: 0.94 }, [plus], { isAtLeast: true }],
  [
    'at least, where the coverage is unknown',
    { ...account, coverage: null },
    [plus],
    { isAtLeast: true },
  ],
  [
    'at least, with unpriced tokens',
    { ...account, cost: usd(60, 51) },
    [plus],
    { isAtLeast: true },
  ],
  [
    'exactly, with few unpriced tokens',
    { ...account, cost: usd(60, 50), coverage: 0.95 },
    [plus],
    { isAtLeast: false },
  ],
] as const)('tells what a subscription was worth %s', (_, one, subscriptions, expected) => {
  expect(paidBackOf([one], subscriptions, TODAY)).toMatchObject(expected)
})

it('sums up a pool, of those alone who have a subscription', () => {
  const others = [
    { ...account, account: 'b', cost: usd(20) },
    { ...account, account: 'c', plan: 'pro', cost: usd(999) },
    { ...account, account: 'd', provider: 'claude', cost: usd(999) },
  ]
  expect(paidBackOf([account, ...others], [plus], TODAY)).toMatchObject({
    listUsd30d: 80,
    subscriptionUsd30d: 40 * MONTH,
    paidBack: 2,
  })
  expect(paidBackOf(others.slice(1), [plus], TODAY)).toBeNull()
})
