import type { AccountSelector } from '../facts/account.ts'
import type { PlanKind } from '../facts/plan.ts'
import type { ProviderId } from '../facts/provider.ts'
import type { EpochMs } from '../facts/time.ts'
import type { UpstreamName } from '../facts/upstream.ts'
import { FIVE_HOUR, mainWindows, type PerWindow } from '../facts/window.ts'
import { byRank, type Rankable } from './rank-pool.ts'

/** Reasons for a pick, or for picking none. */
export const pickReasons = [
  'kept',
  'best',
  'spread',
  'released',
  'none_listed',
  'none_matching',
  'all_blocked',
  'all_avoided',
] as const
export type PickReason = (typeof pickReasons)[number]

/** Accounts at most this many points below the best eligible one count as equally good. See docs/rules.md#picking. */
const NEAR_POINTS = 10
/** Points deducted from an account for each other caller that uses it. */
const OTHER_USER_POINTS = 2

/** Account fields that a pick reads; `EvaluatedAccount` has all of them. An omitted field is unknown. */
export interface Pickable extends Rankable {
  readonly selector: AccountSelector
  readonly plan?: PlanKind
  readonly account?: { readonly upstream: UpstreamName; readonly provider?: ProviderId }
  /** Percent of each main window that can be spent now; null = unknown. */
  readonly quota?: PerWindow<{ readonly spendable: number | null }>
  /** `until`: when a blocked account is expected back; null = unknown. */
  readonly status?: { readonly until: EpochMs | null }
}

/** Accounts to consider. An omitted list excludes no account; an account of unknown value does not match a list. */
export interface AccountFilter {
  readonly plans?: readonly PlanKind[]
  readonly providers?: readonly ProviderId[]
  readonly upstreams?: readonly UpstreamName[]
}

/** Request for one account. An `authName` stands for the file of that name at every proxy. */
export interface PickRequest extends AccountFilter {
  readonly keep?: string | null | undefined
  readonly avoid?: Iterable<string> | undefined
  /** Minimum spendable percent of a window; excludes accounts of unknown quota. */
  readonly minPercent?: Partial<PerWindow<number>>
  /** Minimum spendable Plus units in the 5h window, as capped by the week. */
  readonly minUnits?: number
  /** Number of other callers per account. */
  readonly otherUsers?: ReadonlyMap<string, number>
  /** Whether `keep` was picked recently and stays while callers outnumber the accounts near the best. Default: false. */
  readonly stays?: boolean
}

/** The picked account; or none, and the time the first matching blocked one is expected back (null if none is or the time is unknown). */
export type AccountPick<Account> =
  | {
      readonly item: Account
      readonly kept: boolean
      readonly reason: 'kept' | 'best' | 'spread'
    }
  | {
      readonly none: true
      readonly nextAt: EpochMs | null
      readonly reason: 'none_listed' | 'none_matching' | 'all_blocked' | 'all_avoided'
    }

/**
 * Picks the account for the next request, never a blocked or avoided one. Keeps the current account while it is within 10 points of the best eligible
 * one; else takes the best within 10 points, less 2 points per other caller. With more callers than accounts within 10 points, a caller without an
 * account gets the best of the least used accounts with a score above 0. The order of `pool` does not matter.
 */
export function pickAccount<Account extends Pickable>(
  pool: readonly Account[],
  request: PickRequest,
): AccountPick<Account> {
  if (pool.length === 0) return { none: true, nextAt: null, reason: 'none_listed' }
  const fitting = pool.filter((account) => fits(account, request))
  const routable = fitting.filter((account) => account.routable)
  const enough = routable.filter((account) => hasEnough(account, request))
  const avoid = new Set(request.avoid)
  const eligible = enough.filter(({ selector }) => !avoid.has(selector.authName))
  const best = firstOf(eligible, byRank)
  if (best === null) {
    const isBlocked = fitting.length > 0 && routable.length === 0
    const reason = isBlocked ? 'all_blocked' : enough.length === 0 ? 'none_matching' : 'all_avoided'
    return { none: true, nextAt: nextReturn(fitting), reason }
  }
  const users = ({ selector }: Account) => request.otherUsers?.get(selector.authName) ?? 0
  const near = eligible.filter(({ score }) => score >= best.score - NEAR_POINTS)
  const scored = eligible.filter(({ score }) => score > 0)
  const isCrowded = near.length <= scored.reduce((sum, account) => sum + users(account), 0)
  const held = firstOf(
    eligible.filter(({ selector }) => selector.authName === request.keep),
    byRank,
  )
  if (held !== null && (near.includes(held) || (isCrowded && request.stays === true)))
    return { item: held, kept: true, reason: 'kept' }
  // A caller that still has an account leaves it for a better one alone; one that has none goes where few are.
  const isNew = held === null
  const band = isNew && isCrowded ? scored : near
  const fewest = Math.min(...band.map(users))
  const usersMax = isNew ? fewest + (isCrowded ? 0 : 1) : Number.POSITIVE_INFINITY
  const points = (account: Account) => account.score - OTHER_USER_POINTS * users(account)
  const open = band.filter((account) => users(account) <= usersMax)
  const item = firstOf(open, (a, b) => points(b) - points(a) || byRank(a, b)) ?? best
  return { item, kept: false, reason: item === best ? 'best' : 'spread' }
}

/** Whether an account matches the filter. */
export function fits(
  { plan, account }: Pick<Pickable, 'plan' | 'account'>,
  { plans, providers, upstreams }: AccountFilter,
): boolean {
  return (
    isAmong(plan, plans) &&
    isAmong(account?.provider, providers) &&
    isAmong(account?.upstream, upstreams)
  )
}

function isAmong(value: string | undefined, values: readonly string[] | undefined): boolean {
  return values === undefined || (value !== undefined && values.includes(value))
}

function hasEnough(
  { quota, capacityWeight }: Pickable,
  { minPercent = {}, minUnits }: PickRequest,
): boolean {
  const isAtLeast = (value: number | null | undefined, least: number | undefined) =>
    least === undefined || (value ?? Number.NEGATIVE_INFINITY) >= least
  const units = quota?.[FIVE_HOUR].spendable ?? null
  return (
    mainWindows.every(({ id }) => isAtLeast(quota?.[id].spendable, minPercent[id])) &&
    isAtLeast(units === null ? null : (units * capacityWeight) / 100, minUnits)
  )
}

function nextReturn(accounts: readonly Pickable[]): EpochMs | null {
  return firstOf(
    accounts.flatMap(({ routable, status }) =>
      routable || status === undefined || status.until === null ? [] : [status.until],
    ),
    (a, b) => a - b,
  )
}

/** First value in this order; null for an empty list. */
function firstOf<Value>(
  values: readonly Value[],
  order: (a: Value, b: Value) => number,
): Value | null {
  return values.reduce<Value | null>(
    (first, value) => (first === null || order(value, first) < 0 ? value : first),
    null,
  )
}
