import { DAY_MS, type EpochMs, epochMs, HOUR_MS } from '@svc/core'
import type { ModelRates, PriceSource } from '@svc/core/money'
import type { LeaseName } from '@svc/core/service'

/** Number of days that single requests and the pool's history are kept. Rolled-up usage has its own tiers, in `usage/tiers.ts`. */
export interface RetentionPlan {
  /** Whole UTC days a usage row is kept; its day rollup stays. */
  readonly usageDays: number
  readonly historyDays: number
}

/** Time of a step, and its maximum of deleted rows per transaction, which keeps locks short. */
export interface RetentionStep {
  readonly asOf: EpochMs
  readonly rowsMax: number
}

/** Start of the oldest day whose single rows a plan keeps. */
export function cutOf({ usageDays }: RetentionPlan, asOf: EpochMs): EpochMs {
  return epochMs((Math.floor(asOf / DAY_MS) - usageDays) * DAY_MS)
}

/** Longest time that the proxy keeps unread records, and so their maximum age. See docs/upstream.md#usage-queue. */
const UNREAD_MS_MAX = HOUR_MS

/**
 * New cut, from the newest day with sums, after a wrong clock has moved it into the future; null: no cut. Rows of a day with sums may be deleted
 * already, so they are not accepted again, except those the proxy may still have.
 */
export function cutAfterWrongClock(newestDayS: number | null, falseAfter: EpochMs): EpochMs | null {
  if (newestDayS === null) return null
  return epochMs(Math.min(falseAfter - UNREAD_MS_MAX, newestDayS * 1000 + DAY_MS))
}

export interface OpenOptions {
  /** Further schema steps of a file; for tests only. */
  readonly laterMigrations?: readonly string[]
  readonly onUpdate?: (from: number, to: number) => void
  /** Reads every page of a file first, as after damage; takes seconds for a large store. */
  readonly thorough?: boolean
  /** File with the password of a database; null or absent without one. */
  readonly passwordFile?: string | null
  /**
   * Terms of this process's leases, read at each decision, for a database that several monitors may have open. After losing a lease, a monitor still
   * stores records, but its decisions reject with HistoryError, not_holder. Absent: no lease is required.
   */
  readonly terms?: ReadonlyMap<LeaseName, number>
}

/** Location of a store, and the number of days it keeps single requests. */
export interface UsageLocation {
  readonly location: string
  /** File with the password of a database; null or absent without one. */
  readonly passwordFile?: string | null
  /** Address of a standby that is read instead; null or absent without one. */
  readonly replica?: string | null
  readonly retentionDays: number
}

/** A price file: the rates of each of its models. */
export interface TakenPrices {
  readonly models: ReadonlyMap<string, ModelRates>
  readonly source: PriceSource
}

export const counterNames = [
  'seen',
  'stored',
  'duplicate',
  'quarantined',
  'expired',
  'saturated',
  'missing',
] as const
export type CounterName = (typeof counterNames)[number]
