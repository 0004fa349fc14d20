import { DAY_MS, type EpochMs, epochMs, HOUR_MS } from '@svc/core'
import type { DatedPrice, ModelRates, PriceSource } from '@svc/core/money'
import type { QuotaStore } from '@svc/core/pool'
import type { EngineState, LeaseName, UpstreamName } from '@svc/core/service'
import type { UsageStore } from '@svc/core/usage'

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

/** A price file: the rates of each of its models. */
export interface TakenPrices {
  readonly models: ReadonlyMap<string, ModelRates>
  readonly source: PriceSource
}

/** Writer of a store with any engine. A method that rejects with HistoryError has changed nothing. */
export interface HistoryStore {
  readonly quota: QuotaStore
  usageOf(upstream: UpstreamName): UsageStore
  /** Takes a price file for the models that the store has seen, from the UTC day `today` on; returns the prices that are new. */
  takePrices(file: TakenPrices, today: number): Promise<readonly DatedPrice[]>
  /** All proxies whose usage was ever kept, oldest first. */
  upstreams(): Promise<readonly UpstreamName[]>
  facts(): Promise<StoreFacts>
  /** Milliseconds since `since` in which usage may have been missed. */
  missedMs(since: EpochMs, now: EpochMs): Promise<number>
  /** Deletes some expired rows in one short step; false if there were none. */
  retain(plan: RetentionPlan, step: RetentionStep): Promise<boolean>
  /** Age of the oldest row beyond the plan's cut in milliseconds; 0 if no row is older than the cut. */
  backlogMs(plan: RetentionPlan, asOf: EpochMs): Promise<number>
  /** Undoes the effects of a clock that was ahead of `falseAfter`: a cut, gaps and changes. */
  settleFuture(falseAfter: EpochMs): Promise<void>
  /** Regular upkeep of the engine, such as moving its log into the database. */
  checkpoint(): Promise<void>
  close(): Promise<void>
}

/** Facts about an open store; a fact is null if nothing was stored yet. */
export interface StoreFacts {
  /** Whether the store was empty before it was opened. */
  readonly isNew: boolean
  readonly engine: EngineState
  /** Start time of the newest request, by the proxy's clock; null without rows. */
  readonly newestRecordAt: EpochMs | null
  /** A time at which the store had no expired row: the last deletion, or the oldest row if there was no deletion; null without rows. */
  readonly forgottenAsOf: EpochMs | null
  readonly counters: Readonly<Record<CounterName, number>>
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
