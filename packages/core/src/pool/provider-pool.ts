import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import { isPresent, type QuotaWindow } from '../account/quota-window.ts'
import type { ReclaimWindow } from '../account/reclaim-window.ts'
import { groupedBy } from '../facts/grouping.ts'
import { capacityWeightOf } from '../facts/plan.ts'
import { ASSUMED_PROVIDER, type ProviderId, providerIds, providerRowOf } from '../facts/provider.ts'
import { type EpochMs, firstInstant } from '../facts/time.ts'
import type { UpstreamName } from '../facts/upstream.ts'
import {
  type MainWindowId,
  mainWindows,
  meteringWindows,
  perWindow,
  type WindowId,
} from '../facts/window.ts'
import { capacityOf, furtherCapacityOf, quotaIn, type WindowCapacity } from './capacity.ts'
import type { EvaluatedPool, ProviderPool, UpstreamStanding } from './evaluated-pool.ts'
import { resetColumnsOf } from './reset-schedule.ts'

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
    nextRoutableAt: firstInstant(accounts.map(({ status }) => status.until)),
    capacity: perWindow(({ id }) => capacityOf(metered, id)),
    furtherCapacity: furtherCapacityOf(provider, metered),
    resetColumns: resetColumnsOf(accounts, now),
    firstRound: null,
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
  return [...groupedBy(ranked, ({ account }) => account.provider)]
    .sort(([one], [other]) => byDisplayOrder(one, other))
    .map(([provider, accounts]) => providerPoolOf(provider, accounts, now))
}

/** The pool for requests that name no provider: Codex if it has an account, else the provider with most accounts. */
export function primaryPool(pools: readonly ProviderPool[], now: EpochMs): ProviderPool {
  const [first = providerPoolOf(ASSUMED_PROVIDER, [], now), ...others] = pools
  if (first.provider === ASSUMED_PROVIDER) return first
  return others.reduce(
    (most, next) => (next.accounts.length > most.accounts.length ? next : most),
    first,
  )
}

/** The pools that a snapshot is of: that of its provider, or those of the providers it names. */
export function poolsInScope(pool: EvaluatedPool): readonly ProviderPool[] {
  if (pool.unit !== 'mixed') return [pool]
  const names = pool.provider.split(',')
  return pool.provider === 'all'
    ? pool.pools
    : pool.pools.filter(({ provider }) => names.includes(provider))
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

/** Main windows that an account has, or may have before any reading. A window that no plan has is metered by its substitute. */
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

/**
 * For each window that is one quantity with others, the ids of all of them, that with least unknown first: no account is known to have two of them, so
 * that their figures are the same. A window of its own is left out.
 */
export function sharedWindowsOf(pool: ProviderPool): ReadonlyMap<WindowId, readonly WindowId[]> {
  const shared = new Map<WindowId, readonly WindowId[]>()
  if (pool.unit === 'mixed') return shared
  const counted = pool.accounts.filter(
    ({ countedInCapacity, capacityWeight }) => countedInCapacity && capacityWeight > 0,
  )
  const ids = [...capacitiesOf(pool)]
    .sort((a, b) => a.unknownUnits - b.unknownUnits)
    .map(({ windowId }) => windowId)
  /** The window that meters an account in this one; null without a reading. */
  const meterOf = (account: EvaluatedAccount, windowId: WindowId) => {
    const { percent, metered } = quotaIn(account, windowId)
    return percent === null ? null : metered.id
  }
  for (const one of ids) {
    if (shared.has(one) || counted.every((account) => meterOf(account, one) === null)) continue
    const isOne = (other: WindowId) =>
      counted.every((account) => {
        const meters = [meterOf(account, one), meterOf(account, other)]
        return meters.includes(null) || meters[0] === meters[1]
      })
    const alike = ids.filter(isOne)
    if (alike.length > 1) for (const id of alike) shared.set(id, alike)
  }
  return shared
}

/** Accounts of every provider, joined once for all parts of a snapshot: a large pool has ten thousand, and each answer asks several times. */
const joinedAccounts = new WeakMap<readonly ProviderPool[], readonly EvaluatedAccount[]>()

/** The accounts of every provider, in display order. */
export function allAccountsOf({
  pools,
}: {
  readonly pools: readonly ProviderPool[]
}): readonly EvaluatedAccount[] {
  const [only, ...others] = pools
  if (only !== undefined && others.length === 0) return only.accounts
  const accounts = joinedAccounts.get(pools) ?? pools.flatMap((pool) => pool.accounts)
  joinedAccounts.set(pools, accounts)
  return accounts
}

/** The provider of each account, by key. */
export function providerByKeyOf(
  pool: Parameters<typeof allAccountsOf>[0],
): ReadonlyMap<string, ProviderId> {
  return new Map(
    allAccountsOf(pool).map(({ account, selector }) => [selector.accountKey, account.provider]),
  )
}

/** Order of two providers: known ones as in their table, then others by name. */
function byDisplayOrder(one: ProviderId, other: ProviderId): number {
  const place = (provider: ProviderId) => {
    const index = providerIds.indexOf(provider)
    return index < 0 ? providerIds.length : index
  }
  return place(one) - place(other) || (one < other ? -1 : 1)
}

type Place = Pick<EvaluatedAccount, 'account' | 'selector'>

/** Names of the proxies that list each account, in alphabetical order, by accountKey. */
export function upstreamsByAccountKey(
  accounts: readonly Place[],
): ReadonlyMap<string, readonly UpstreamName[]> {
  return new Map(
    [...groupedBy(accounts, ({ selector }) => selector.accountKey)].map(([key, files]) => [
      key,
      [...new Set(files.map(({ account }) => account.upstream))].sort(),
    ]),
  )
}

/**
 * The files that count: if several proxies list an account, only its files at the proxy of its best file. Two files at one proxy are two
 * logins and both count. `ranked` is best first.
 */
export function uniqueAccounts<Ranked extends Place>(ranked: readonly Ranked[]): readonly Ranked[] {
  const upstreamByKey = new Map<string, UpstreamName>()
  return ranked.filter(({ account, selector }) => {
    const counted = upstreamByKey.get(selector.accountKey) ?? account.upstream
    upstreamByKey.set(selector.accountKey, counted)
    return counted === account.upstream
  })
}

/** Accounts whose 5h quota is lost within the hour if nobody spends it, each once over its files. */
export function reclaimableAccounts(accounts: readonly EvaluatedAccount[]) {
  return accounts.filter(
    (account): account is EvaluatedAccount & { readonly reclaim: ReclaimWindow } =>
      account.reclaim !== null && account.countedInCapacity,
  )
}

/** Banked resets of several accounts. */
export interface BankedTotal {
  /** Number of accounts that have one. */
  readonly accountCount: number
  readonly count: number
  /** The soonest known expiry; null if none is known. */
  readonly lapsesAt: EpochMs | null
}

/** Sum of the banked resets of accounts, each counted once over its files; null if the vendor told none of any account. */
export function bankedTotalOf(accounts: readonly EvaluatedAccount[]): BankedTotal | null {
  const told = accounts.flatMap(({ bankedResets, countedInCapacity }) =>
    bankedResets !== undefined && countedInCapacity ? [bankedResets] : [],
  )
  if (told.length === 0) return null
  return {
    accountCount: told.filter(({ count }) => count > 0).length,
    count: told.reduce((sum, { count }) => sum + count, 0),
    lapsesAt: firstInstant(told.map(({ expiresAt }) => expiresAt[0] ?? null)),
  }
}

export type UncountedStanding = Omit<UpstreamStanding, 'fileCount' | 'routableCount'>

/** Adds to each proxy the number of files it lists, and the number that may be used. */
export function countedAt(
  standings: readonly UncountedStanding[],
  accounts: readonly Pick<EvaluatedAccount, 'account' | 'routable'>[],
): readonly UpstreamStanding[] {
  const counted = standings.map((standing) => ({ ...standing, fileCount: 0, routableCount: 0 }))
  const byName = new Map(counted.map((standing) => [standing.name, standing]))
  for (const { account, routable } of accounts) {
    const standing = byName.get(account.upstream)
    if (standing === undefined) continue
    standing.fileCount += 1
    if (routable) standing.routableCount += 1
  }
  return counted
}

/** Windows, flags, types, limits and fields of one vendor that this version does not know. */
export interface UnknownNames {
  readonly provider: ProviderId
  /** Total number of names; `names` has the first of them. */
  readonly count: number
  readonly names: readonly string[]
}

/** Maximum number of names shown of one provider. */
const NAMES_MAX = 24

/** Unknown names in the newest readings of these accounts, by provider; no rule uses them. */
export function unknownNamesIn(accounts: readonly EvaluatedAccount[]): readonly UnknownNames[] {
  const found = new Map<ProviderId, Set<string>>()
  for (const { account, unknownNames = [] } of accounts) {
    const names = found.get(account.provider) ?? new Set<string>()
    for (const name of unknownNames) found.set(account.provider, names.add(name))
  }
  return [...found]
    .map(([provider, names]) => ({
      provider,
      count: names.size,
      names: [...names].sort().slice(0, NAMES_MAX),
    }))
    .sort((one, other) => (one.provider < other.provider ? -1 : 1))
}
