import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import { isPresent, type QuotaWindow } from '../account/quota-window.ts'
import { capacityWeightOf } from '../facts/plan.ts'
import { ASSUMED_PROVIDER, type ProviderId, providerIds, providerRowOf } from '../facts/provider.ts'
import type { EpochMs } from '../facts/time.ts'
import {
  type MainWindowId,
  mainWindows,
  meteringWindows,
  perWindow,
  type WindowId,
} from '../facts/window.ts'
import { capacityOf, furtherCapacityOf, type WindowCapacity } from './capacity.ts'
import type { ProviderPool } from './evaluated-pool.ts'
import { resetColumnsOf } from './reset-schedule.ts'
import { uniqueAccounts } from './upstream-places.ts'

/** One provider's accounts as a pool. */
export function providerPoolOf(
  provider: ProviderId,
  accounts: readonly EvaluatedAccount[],
  now: EpochMs,
): ProviderPool {
  const { unit } = providerRowOf(provider)
  return poolOf({ provider, unit }, accounts, uniqueAccounts(accounts), now)
}

/** These accounts, in their order, as a pool. `counted`: the files that count, if several proxies list an account. */
export function poolOf(
  { provider, unit }: Pick<ProviderPool, 'provider' | 'unit'>,
  accounts: readonly EvaluatedAccount[],
  counted: readonly EvaluatedAccount[],
  now: EpochMs,
): ProviderPool {
  const metered = unit !== 'mixed' && isMetered(provider, accounts) ? accounts : []
  const routableCount = counted.filter(({ routable }) => routable).length
  return {
    provider,
    unit,
    accounts,
    routableCount,
    blockedCount: counted.length - routableCount,
    untrackedCount: counted.filter(isUntracked).length,
    topScore: accounts.reduce((top, { score }) => Math.max(top, score), 0),
    nextRoutableAt: earliest(accounts.map(({ status }) => status.until)),
    capacity: perWindow(({ id }) => capacityOf(metered, id)),
    furtherCapacity: furtherCapacityOf(provider, metered),
    resetColumns: resetColumnsOf(accounts, now),
  }
}

function isUntracked({ account: { provider }, plan }: EvaluatedAccount): boolean {
  return capacityWeightOf({ provider, plan }) === 0
}

/** False if no account has a limit of its own, as at a vendor that limits models only. */
function isMetered(provider: ProviderId, accounts: readonly EvaluatedAccount[]): boolean {
  return (
    providerRowOf(provider).furtherWindows.length === 0 ||
    accounts.some(({ windows }) => windows.some(isPresent))
  )
}

/** Ranked accounts as one pool for each provider, in display order. */
export function poolsOf(
  ranked: readonly EvaluatedAccount[],
  now: EpochMs,
): readonly ProviderPool[] {
  const byProvider = new Map<ProviderId, EvaluatedAccount[]>()
  for (const one of ranked) {
    const { provider } = one.account
    const known = byProvider.get(provider)
    if (known === undefined) byProvider.set(provider, [one])
    else known.push(one)
  }
  return [...byProvider]
    .sort(([one], [other]) => byDisplayOrder(one, other))
    .map(([provider, accounts]) => providerPoolOf(provider, accounts, now))
}

/** The pool that is used if no provider is named: that of Codex if it has an account, else the one with most accounts. */
export function primaryPool(pools: readonly ProviderPool[], now: EpochMs): ProviderPool {
  const [first = providerPoolOf(ASSUMED_PROVIDER, [], now), ...others] = pools
  if (first.provider === ASSUMED_PROVIDER) return first
  return others.reduce(
    (most, next) => (next.accounts.length > most.accounts.length ? next : most),
    first,
  )
}

/** The pools of all providers except that of `primaryPool`. */
export function otherPools({
  provider,
  pools,
}: {
  readonly provider: ProviderId
  readonly pools: readonly ProviderPool[]
}): readonly ProviderPool[] {
  return pools.filter((pool) => pool.provider !== provider)
}

/** The main windows that some account has, or may have while none was read; one that no plan has is metered by its substitute. */
export function ownWindows({ accounts }: Pick<ProviderPool, 'accounts'>): readonly MainWindowId[] {
  const counted = accounts.filter(({ countedInCapacity }) => countedInCapacity)
  const idsWhere = (holds: (window: QuotaWindow) => boolean) =>
    mainWindows
      .map(({ id }) => id)
      .filter((id) => counted.some(({ quota }) => holds(quota[id].window)))
  const isUnread = idsWhere(({ state }) => state !== 'unknown').length === 0
  return idsWhere((window) => isPresent(window) && (isUnread || window.state !== 'unknown'))
}

/** The capacity in each window that some account has, shortest first. */
export function capacitiesOf(pool: ProviderPool): readonly WindowCapacity<WindowId>[] {
  const seconds = ({ windowId }: WindowCapacity<WindowId>) => meteringWindows.get(windowId) ?? 0
  return [...ownWindows(pool).map((id) => pool.capacity[id]), ...pool.furtherCapacity].sort(
    (one, other) => seconds(one) - seconds(other),
  )
}

/** The accounts of every provider, in display order. */
export function allAccountsOf({
  pools,
}: {
  readonly pools: readonly ProviderPool[]
}): readonly EvaluatedAccount[] {
  const [only, ...others] = pools
  return only !== undefined && others.length === 0
    ? only.accounts
    : pools.flatMap(({ accounts }) => accounts)
}

/** The provider of each account, by key. */
export function providerByKeyOf(
  pool: Parameters<typeof allAccountsOf>[0],
): ReadonlyMap<string, ProviderId> {
  return new Map(
    allAccountsOf(pool).map(({ account, selector }) => [selector.accountKey, account.provider]),
  )
}

/** Order of two providers: those with a row as in their table, others by name. */
function byDisplayOrder(one: ProviderId, other: ProviderId): number {
  const place = (provider: ProviderId) => {
    const index = providerIds.indexOf(provider)
    return index < 0 ? providerIds.length : index
  }
  return place(one) - place(other) || (one < other ? -1 : 1)
}

function earliest(instants: readonly (EpochMs | null)[]): EpochMs | null {
  return instants.reduce<EpochMs | null>(
    (first, at) => (at !== null && (first === null || at < first) ? at : first),
    null,
  )
}
