import { furtherQuotaOf, type WindowQuota } from '../account/account-quota.ts'
import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import { isStale } from '../account/quota-window.ts'
import { type ProviderId, providerRowOf } from '../facts/provider.ts'
import type { EpochMs } from '../facts/time.ts'
import { fileKeyOf } from '../facts/upstream.ts'
import { isMainWindowId, type MainWindowId, type WindowId } from '../facts/window.ts'

/** Quota that one reset gives back to the pool: the units of one account. */
export interface CapacityReturn {
  readonly at: EpochMs
  /** Plus units, > 0. */
  readonly units: number
  /** Key of the account's file, as by `fileKeyOf`. */
  readonly fileKey: string
  readonly title: string
}

/** A pool's capacity in one window, in units of its provider (of Codex: 1 = a full window of a Plus account). */
export interface WindowCapacity<Id extends WindowId = MainWindowId> {
  readonly windowId: Id
  /** Units of the full windows of every enabled account with a tracked plan. */
  readonly trackedUnits: number
  /** Units known to be left, including stale readings; <= trackedUnits. */
  readonly knownUnits: number
  /** The part of `knownUnits` on routable accounts; the rest is held. */
  readonly usableUnits: number
  /** The part of `knownUnits` on blocked accounts, which cannot be spent until those accounts are free. */
  readonly heldUnits: number
  /** Tracked units that were never read; counted neither as empty nor as full. */
  readonly unknownUnits: number
  /** Share of the accounts whose weight is unknown because their plan was never read. They are part of no units. Omitted if none. */
  readonly unweighedShare?: number
  /** The part of `knownUnits` that rests on stale readings. */
  readonly staleUnits: number
  /** The part of `usableUnits` that rests on stale readings. */
  readonly usableStaleUnits: number
  /** Accounts that have used up this window itself, regardless of caps by other windows; dead logins do not count. */
  readonly exhaustedCount: number
  /** Units returned by the next resets, soonest first. */
  readonly returns: readonly CapacityReturn[]
  /** Units that become usable by resets and as accounts become free, soonest first. */
  readonly gains: readonly Pick<CapacityReturn, 'at' | 'units'>[]
}

/** The pool's capacity in one window. Accounts not `countedInCapacity` (second files of one account) are left out. */
export function capacityOf(
  accounts: readonly EvaluatedAccount[],
  windowId: MainWindowId,
): WindowCapacity {
  return summed(accounts, windowId)
}

/** Capacity in each further window of a provider that some account has, shortest first. */
export function furtherCapacityOf(
  provider: ProviderId,
  accounts: readonly EvaluatedAccount[],
): readonly WindowCapacity<WindowId>[] {
  const { furtherWindows } = providerRowOf(provider)
  return furtherWindows
    .filter((id) => accounts.some(({ windows }) => windows.some((window) => window.id === id)))
    .map((id) => summed(accounts, id))
}

/** Quota of an account in a window that counts in the capacity of its pool. */
export function quotaIn({ account, quota, windows }: EvaluatedAccount, id: WindowId): WindowQuota {
  return isMainWindowId(id)
    ? quota[id]
    : furtherQuotaOf(windows, id, providerRowOf(account.provider).furtherWindows)
}

/** One account's part of the capacity in a window. */
export interface CapacityPart {
  readonly account: EvaluatedAccount
  /** The sum it belongs to. */
  readonly state: 'usable' | 'held' | 'unknown'
  readonly units: number
  /** Whether it rests on a stale reading. */
  readonly stale: boolean
}

/** The parts that add up to a pool's capacity in a window. */
export function capacityPartsOf(
  { accounts }: { readonly accounts: readonly EvaluatedAccount[] },
  windowId: WindowId,
): readonly CapacityPart[] {
  return accounts.filter(isCounted).map((account): CapacityPart => {
    const { metered, spendable } = quotaIn(account, windowId)
    const units = leftUnitsOf(account, spendable)
    if (units === null)
      return { account, state: 'unknown', units: account.capacityWeight, stale: false }
    const state = account.routable ? 'usable' : 'held'
    return { account, state, units, stale: isStale(metered) }
  })
}

/** Whether an account may have quota of any size, because its plan was never read. */
export function isUnweighed(account: EvaluatedAccount): boolean {
  const { planUnasked = false, countedInCapacity, capacityWeight, quotaClass } = account
  return planUnasked && countedInCapacity && capacityWeight === 0 && quotaClass !== 'none'
}

function isCounted({ countedInCapacity, capacityWeight }: EvaluatedAccount): boolean {
  return countedInCapacity && capacityWeight > 0
}

function summed<Id extends WindowId>(
  accounts: readonly EvaluatedAccount[],
  windowId: Id,
): WindowCapacity<Id> {
  let trackedUnits = 0
  let usableUnits = 0
  let heldUnits = 0
  let unknownUnits = 0
  let staleUnits = 0
  let usableStaleUnits = 0
  let exhaustedCount = 0
  const poolReturns: CapacityReturn[] = []
  const gains: Pick<CapacityReturn, 'at' | 'units'>[] = []

  const parts = capacityPartsOf({ accounts }, windowId)
  const unweighedCount = accounts.filter(isUnweighed).length
  for (const { account, state, units, stale } of parts) {
    const weight = account.capacityWeight
    trackedUnits += weight
    if (state === 'unknown') {
      unknownUnits += units
      continue
    }
    if (account.routable) usableUnits += units
    else heldUnits += units
    if (stale) staleUnits += units
    if (stale && account.routable) usableStaleUnits += units
    if (isLoggedOut(account)) continue
    const { window, returns } = quotaIn(account, windowId)
    if (window.state === 'exhausted') exhaustedCount += 1
    const { title } = account
    const fileKey = fileKeyOf(account.account)
    const freeAt = account.routable ? null : account.status.until
    const isFreed = account.routable || freeAt !== null
    if (freeAt !== null && units > 0) gains.push({ at: freeAt, units })
    for (const { at, percent } of returns) {
      const returned = (weight * percent) / 100
      poolReturns.push({ at, units: returned, fileKey, title })
      if (isFreed) gains.push({ at: freeAt !== null && freeAt > at ? freeAt : at, units: returned })
    }
  }
  // Sums of tenths drift, but known units never exceed tracked units.
  const knownUnits = Math.min(usableUnits + heldUnits, trackedUnits)
  usableUnits = Math.min(usableUnits, knownUnits)
  return {
    windowId,
    trackedUnits,
    knownUnits,
    usableUnits,
    heldUnits: knownUnits - usableUnits,
    unknownUnits,
    ...(unweighedCount > 0 && { unweighedShare: unweighedCount / (unweighedCount + parts.length) }),
    staleUnits: Math.min(staleUnits, knownUnits),
    usableStaleUnits: Math.min(usableStaleUnits, usableUnits),
    exhaustedCount,
    returns: poolReturns.sort(bySoonest),
    gains: gains.sort((a, b) => a.at - b.at),
  }
}

interface WeighedAccount {
  /** Plus units of a full window. */
  readonly capacityWeight: number
  readonly blockedReasons: readonly string[]
}

/** Plus units an account can spend in a window now, if `spendable` percent of the window can be spent; null = unknown. */
export function leftUnitsOf(account: WeighedAccount, spendable: number | null): number | null {
  if (isLoggedOut(account)) return 0
  return spendable === null ? null : (account.capacityWeight * spendable) / 100
}

/** True for a dead login, which cannot spend anything. */
function isLoggedOut({ blockedReasons }: WeighedAccount): boolean {
  return blockedReasons.includes('auth_invalid')
}

/** Whether nothing is known of the quota: none was read, or none is tracked. */
export function isWhollyUnknown({
  unknownUnits,
  trackedUnits,
}: Pick<WindowCapacity, 'unknownUnits' | 'trackedUnits'>): boolean {
  return unknownUnits >= trackedUnits
}

/** Largest unknown share of the tracked units at which the known units can still estimate the whole. See docs/rules.md#capacity. */
export const UNKNOWN_SHARE_MAX = 0.2

/** Whether the known units are only a lower bound, because too many units were not read. */
export function isLowerBound({
  unknownUnits,
  trackedUnits,
  unweighedShare = 0,
}: Pick<WindowCapacity, 'unknownUnits' | 'trackedUnits' | 'unweighedShare'>): boolean {
  return unknownUnits > UNKNOWN_SHARE_MAX * trackedUnits || unweighedShare > UNKNOWN_SHARE_MAX
}

/**
 * Whether nothing is known of what is usable: nothing was read, or none of what was read is usable while routable accounts may have more.
 * `atLeast`: what `isLowerBound` says, where an answer tells that in place of the share.
 */
export function isUsableUnknown(
  capacity: Parameters<typeof isLowerBound>[0] &
    Pick<WindowCapacity, 'usableUnits'> & { readonly atLeast?: boolean | undefined },
  routableCount: number,
): boolean {
  const { usableUnits, unknownUnits, unweighedShare = 0, atLeast = false } = capacity
  const mayHaveMore = routableCount > 0 && (unknownUnits + unweighedShare > 0 || atLeast)
  return isWhollyUnknown(capacity) || (usableUnits === 0 && mayHaveMore)
}

/** Share of the tracked units below which a window's quota is low. See docs/rules.md#capacity. */
export const LOW_SHARE = 0.1

/** Whether `units` is a low share of the whole. Never true for a lower bound, whose share is unknown. */
export function isLowShare(units: number, of: Parameters<typeof isLowerBound>[0]): boolean {
  return units < LOW_SHARE * of.trackedUnits && !isLowerBound(of)
}

function bySoonest(a: CapacityReturn, b: CapacityReturn): number {
  return a.at - b.at || b.units - a.units || (a.fileKey < b.fileKey ? -1 : 1)
}
