import { WEEK, type WindowId } from '../facts/window.ts'
import { isWhollyUnknown } from './capacity.ts'
import type { SnapshotSourceKind } from './evaluated-pool.ts'

/** Requirements on the pool before a job starts. */
export interface GuardNeed {
  readonly window: WindowId
  /** Plus units left on routable accounts; 0 asks for accounts alone. */
  readonly minUnits: number
  readonly minAccounts: number
  readonly maxAgeSeconds: number
  /** Whether readings and lists of any age count. */
  readonly staleOk: boolean
}

/** The requirements unless others are named. */
export const defaultNeed: GuardNeed = {
  window: WEEK,
  minUnits: 2,
  minAccounts: 1,
  maxAgeSeconds: 300,
  staleOk: false,
}

/** The pool as an answer of the service shows it. */
export interface GuardFacts {
  /** Kind of the snapshot; a kind from a later version counts as no reading. */
  readonly source: string
  /** Age of the account list at the time of the answer; null if unknown. */
  readonly ageSeconds: number | null
  readonly routableCount: number
  /** False if some accounts are known to have no such window, and none is known to have one. Left out: true. */
  readonly hasWindow?: boolean
  /** Whether routable accounts may have quota of any size, because too many plans were never read. Left out: false. */
  readonly hasUnweighed?: boolean
  /** Capacity of the window that is needed; null if the answer has none. */
  readonly capacity: {
    readonly trackedUnits: number
    readonly usableUnits: number
    readonly usableStaleUnits: number
    readonly unknownUnits: number
  } | null
}

const READ: readonly string[] = [
  'live',
  'partial',
  'stale',
  'demo',
] satisfies readonly SnapshotSourceKind[]

const verdicts = {
  enough: 'enough',
  too_few_accounts: 'not_enough',
  too_few_units: 'not_enough',
  no_reading: 'unknown',
  age_unknown: 'unknown',
  stale: 'unknown',
  no_window: 'unknown',
  no_capacity: 'unknown',
  units_stale: 'unknown',
  units_unknown: 'unknown',
} as const

/** Whether the pool meets the requirements, with the numbers that were compared. */
export interface GuardVerdict extends GuardNeed {
  readonly verdict: 'enough' | 'not_enough' | 'unknown'
  /** The first rule that decides. */
  readonly reason: keyof typeof verdicts
  /** Plus units that count; null without a capacity, like the next two, and as long as none were read. */
  readonly units: number | null
  /** Plus units that only stale readings show; 0 where these count. */
  readonly staleUnits: number | null
  /** Plus units that were never read. */
  readonly unknownUnits: number | null
  readonly routableCount: number
  readonly ageSeconds: number | null
}

/** Compares the pool with requirements. An unknown value never meets one, and a requirement that is not a number is never met. See docs/rules.md#guard. */
export function guardOf(facts: GuardFacts, need: GuardNeed): GuardVerdict {
  const counted = countedUnits(facts, need)
  const reason = reasonOf(facts, need, counted)
  const { capacity, routableCount, ageSeconds } = facts
  const units = capacity === null || isWhollyUnknown(capacity) ? null : counted.units
  return {
    ...need,
    verdict: verdicts[reason],
    reason,
    ...counted,
    units,
    routableCount,
    ageSeconds,
  }
}

type CountedUnits = Pick<GuardVerdict, 'units' | 'staleUnits' | 'unknownUnits'>

function countedUnits({ capacity, hasWindow }: GuardFacts, { staleOk }: GuardNeed): CountedUnits {
  // Other windows stand for one that an account lacks, and tell nothing of that.
  if (capacity === null || !(capacity.trackedUnits > 0) || hasWindow === false)
    return { units: null, staleUnits: null, unknownUnits: null }
  const { usableUnits, usableStaleUnits, unknownUnits } = capacity
  const staleUnits = staleOk ? 0 : usableStaleUnits
  return { units: thousandths(usableUnits - staleUnits), staleUnits, unknownUnits }
}

function reasonOf(
  { source, ageSeconds, routableCount, hasWindow, hasUnweighed = false }: GuardFacts,
  { minUnits, minAccounts, maxAgeSeconds, staleOk }: GuardNeed,
  { units, staleUnits, unknownUnits }: CountedUnits,
): GuardVerdict['reason'] {
  if (!READ.includes(source)) return 'no_reading'
  if (!staleOk) {
    if (ageSeconds === null) return 'age_unknown'
    if (source === 'stale' || !(ageSeconds <= maxAgeSeconds)) return 'stale'
  }
  if (!(routableCount >= minAccounts)) return 'too_few_accounts'
  if (minUnits === 0) return 'enough'
  if (hasWindow === false) return 'no_window'
  if (units === null || staleUnits === null || unknownUnits === null)
    return hasUnweighed ? 'units_unknown' : 'no_capacity'
  if (units >= minUnits) return 'enough'
  if (thousandths(units + staleUnits) >= minUnits) return 'units_stale'
  return hasUnweighed || thousandths(units + staleUnits + unknownUnits) >= minUnits
    ? 'units_unknown'
    : 'too_few_units'
}

/** Rounds a difference or sum of units to the precision of the wire, so that units that add up to a requirement meet it. */
function thousandths(units: number): number {
  return Math.round(units * 1000) / 1000
}
