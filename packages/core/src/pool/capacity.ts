import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import { isStale } from '../account/quota-window.ts'
import type { EpochMs } from '../facts/time.ts'
import { fileKeyOf } from '../facts/upstream.ts'
import type { MainWindowId } from '../facts/window.ts'

/** What one reset gives back to the pool: the units of one account. */
export interface CapacityReturn {
  readonly at: EpochMs
  /** Plus units, > 0. */
  readonly units: number
  /** The file of the account, by `fileKeyOf`. */
  readonly fileKey: string
  readonly title: string
}

/** What the pool has left in one window, in Plus units (1 = a full window of a Plus account). */
export interface WindowCapacity {
  readonly windowId: MainWindowId
  /** Full windows of every enabled account of a tracked plan. */
  readonly trackedUnits: number
  /** What is known to be left, stale readings included; <= trackedUnits. */
  readonly knownUnits: number
  /** Tracked units of which nothing is known; counted neither as empty nor as full. */
  readonly unknownUnits: number
  /** The part of `knownUnits` that rests on stale readings. */
  readonly staleUnits: number
  /** Accounts that have used this window up; a dead login, which cannot spend either, is none of them. */
  readonly exhaustedCount: number
  /** What the next resets give back, soonest first; the first is the next return. */
  readonly returns: readonly CapacityReturn[]
}

/** The pool's capacity in one window. Accounts not `countedInCapacity` (second files of one account) are left out. */
export function capacityOf(
  accounts: readonly EvaluatedAccount[],
  windowId: MainWindowId,
): WindowCapacity {
  let trackedUnits = 0
  let knownUnits = 0
  let unknownUnits = 0
  let staleUnits = 0
  let exhaustedCount = 0
  const poolReturns: CapacityReturn[] = []

  for (const account of accounts) {
    const weight = account.capacityWeight
    if (!account.countedInCapacity || weight === 0) continue
    trackedUnits += weight
    const { metered, spendable, returns } = account.quota[windowId]
    const units = leftUnitsOf(account, spendable)
    if (units === null) {
      unknownUnits += weight
      continue
    }
    knownUnits += units
    if (isStale(metered)) staleUnits += units
    if (isLoggedOut(account)) continue
    if (units === 0) exhaustedCount += 1
    const { title } = account
    const fileKey = fileKeyOf(account.account)
    for (const { at, percent } of returns) {
      poolReturns.push({ at, units: (weight * percent) / 100, fileKey, title })
    }
  }
  // Sums of tenths drift; what is known can never exceed what is tracked.
  knownUnits = Math.min(knownUnits, trackedUnits)
  return {
    windowId,
    trackedUnits,
    knownUnits,
    unknownUnits,
    staleUnits: Math.min(staleUnits, knownUnits),
    exhaustedCount,
    returns: poolReturns.sort(bySoonest),
  }
}

interface WeighedAccount {
  /** Plus units of a full window. */
  readonly capacityWeight: number
  readonly blockedReasons: readonly string[]
}

/** Plus units of an account that can be spent in a window now, of which `spendable` percent can be; null = unknown. */
export function leftUnitsOf(account: WeighedAccount, spendable: number | null): number | null {
  if (isLoggedOut(account)) return 0
  return spendable === null ? null : (account.capacityWeight * spendable) / 100
}

/** A dead login cannot spend anything. */
function isLoggedOut({ blockedReasons }: WeighedAccount): boolean {
  return blockedReasons.includes('auth_invalid')
}

/** When more than this share of the tracked units is unknown, nothing follows for the whole. See docs/rules.md#capacity. */
const UNKNOWN_SHARE_MAX = 0.2

/** What is known to be left is no more than a lower bound: too much has not been read. */
export function isLowerBound({
  unknownUnits,
  trackedUnits,
}: Pick<WindowCapacity, 'unknownUnits' | 'trackedUnits'>): boolean {
  return unknownUnits > UNKNOWN_SHARE_MAX * trackedUnits
}

function bySoonest(a: CapacityReturn, b: CapacityReturn): number {
  return a.at - b.at || b.units - a.units || (a.fileKey < b.fileKey ? -1 : 1)
}
