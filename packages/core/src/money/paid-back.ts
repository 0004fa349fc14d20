import type { ProviderId } from '../facts/provider.ts'
import { type Cost, nanoUsdOf } from '../usage/usage-cost.ts'

/** Price of an account's subscription, or that of each account of a plan, from a UTC day on. */
export interface SubscriptionPrice {
  readonly of:
    | { readonly account: string }
    | { readonly provider: ProviderId; readonly plan: string }
  readonly usd: number
  readonly per: 'month' | 'year'
  /** UTC day, counted from 1970. */
  readonly fromDay: number
}

export interface AccountPlan {
  readonly account: string
  readonly provider: ProviderId
  readonly plan: string | null
}

/** Usage of an account in the last 30 days, or since it was first seen. */
export interface AccountCost extends AccountPlan {
  readonly cost: Cost
  readonly tokens: number
  /** Recorded share of that time, 0 to 1; null if unknown. */
  readonly coverage: number | null
  /** Days since it was first seen. */
  readonly daysSeen: number
}

/** Worth of subscriptions at the list prices of the API, in dollars. */
export interface PaidBack {
  /** Null if nothing has a price. */
  readonly listUsd30d: number | null
  readonly subscriptionUsd30d: number
  /** List price divided by the price of the subscription, one decimal; null if no account was seen for a week, or nothing was paid or priced. */
  readonly paidBack: number | null
  /** True if some of the usage was not recorded or has no price. */
  readonly isAtLeast: boolean
}

const DAYS = 30
const DAYS_MIN = 7
/** Days of a month on average. */
const MONTH_DAYS = 30.4375
const COVERAGE_MIN = 0.95
const UNPRICED_MAX = 0.05

/** Sums up accounts that have a subscription; null if none of them has one. See docs/rules.md#cost. */
export function paidBackOf(
  accounts: readonly AccountCost[],
  subscriptions: readonly SubscriptionPrice[],
  today: number,
): PaidBack | null {
  const paid = accounts.flatMap((one) => {
    const subscription = subscriptionOf(one, subscriptions, today)
    if (subscription === null) return []
    const { usd, per } = subscription
    const usdADay = (per === 'year' ? usd / 12 : usd) / MONTH_DAYS
    return [{ ...one, usdADay, listUsd: usdOf(one) }]
  })
  if (paid.length === 0) return null
  const seen = paid.filter(({ daysSeen }) => daysSeen >= DAYS_MIN)
  const listUsd = totalOf(seen.map((one) => one.listUsd))
  const paidUsd = seen.reduce(
    (sum, { usdADay, daysSeen }) => sum + usdADay * Math.min(DAYS, daysSeen),
    0,
  )
  const tokens = paid.reduce((sum, one) => sum + one.tokens, 0)
  const unpriced = paid.reduce((sum, { cost }) => sum + cost.unpricedTokens, 0)
  return {
    listUsd30d: totalOf(paid.map((one) => one.listUsd)),
    subscriptionUsd30d: paid.reduce((sum, { usdADay }) => sum + usdADay * DAYS, 0),
    paidBack: listUsd === null || paidUsd === 0 ? null : Math.round((listUsd / paidUsd) * 10) / 10,
    isAtLeast:
      unpriced > tokens * UNPRICED_MAX ||
      paid.some(({ coverage }) => coverage === null || coverage < COVERAGE_MIN),
  }
}

/** The newest subscription of an account, or else of its plan. */
function subscriptionOf(
  { account, provider, plan }: AccountPlan,
  subscriptions: readonly SubscriptionPrice[],
  today: number,
): SubscriptionPrice | null {
  const inForce = subscriptions
    .filter(({ fromDay }) => fromDay <= today)
    .sort((one, other) => other.fromDay - one.fromDay)
  return (
    inForce.find(({ of }) => 'account' in of && of.account === account) ??
    inForce.find(({ of }) => 'plan' in of && of.provider === provider && of.plan === plan) ??
    null
  )
}

function usdOf({ cost, tokens }: AccountCost): number | null {
  const nanoUsd = nanoUsdOf(cost, tokens)
  return nanoUsd === null ? null : nanoUsd / 1e9
}

/** Null if all are unknown. */
function totalOf(amounts: readonly (number | null)[]): number | null {
  const known = amounts.filter((usd) => usd !== null)
  return known.length === 0 ? null : known.reduce((sum, usd) => sum + usd, 0)
}
