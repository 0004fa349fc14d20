import type { EpochMs } from '@svc/core'
import type { QuotaStore } from '@svc/core/pool'
import type { EngineState, UpstreamName } from '@svc/core/service'
import type { UsageStore } from '@svc/core/usage'
import type { RetentionPlan, RetentionStep } from './retention-plan.ts'

/** The only writer of a store, with any engine. A method that rejects with HistoryError has changed nothing. */
export interface HistoryStore {
  readonly quota: QuotaStore
  usageOf(upstream: UpstreamName): UsageStore
  /** All proxies whose usage was ever kept, oldest first. */
  upstreams(): Promise<readonly UpstreamName[]>
  facts(): Promise<StoreFacts>
  /** Milliseconds since `since` in which usage may have been missed. */
  missedMs(since: EpochMs, now: EpochMs): Promise<number>
  /** Deletes some expired rows in one short step; false if none are left. */
  retain(plan: RetentionPlan, step: RetentionStep): Promise<boolean>
  /** Milliseconds from the oldest row to the plan's cut; 0 if no row is before it. */
  backlogMs(plan: RetentionPlan, asOf: EpochMs): Promise<number>
  /** Removes traces of a wrong clock after this time: a cut, gaps and changes. */
  settleFuture(falseAfter: EpochMs): Promise<void>
  /** Regular upkeep of the engine, such as moving its log into the database. */
  checkpoint(): Promise<void>
  close(): Promise<void>
}

/** Facts about an open store. Null: nothing was stored yet. */
export interface StoreFacts {
  /** Whether the store was empty before it was opened. */
  readonly isNew: boolean
  readonly engine: EngineState
  /** Start of the request of the newest row, by the proxy's clock; null without rows. */
  readonly newestRecordAt: EpochMs | null
  /** A time at which no expired row was left: the last forgetting, or without one the oldest row; null without rows. */
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
