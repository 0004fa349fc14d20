import type { EpochMs } from '@svc/core'
import type { EngineState, QuotaStore } from '@svc/core/service'
import type { UsageStore } from '@svc/core/usage'
import type { RetentionPlan, RetentionStep } from './retention-plan.ts'

/** The one writer of a store, whatever engine keeps it. Every method rejects with HistoryError, and has then done nothing. */
export interface HistoryStore {
  readonly usage: UsageStore
  readonly quota: QuotaStore
  facts(): Promise<StoreFacts>
  /** Milliseconds since `since` in which usage may have been missed. */
  missedMs(since: EpochMs, now: EpochMs): Promise<number>
  /** One short step of forgetting what is too old; false when there is nothing left to do. */
  retain(plan: RetentionPlan, step: RetentionStep): Promise<boolean>
  /** How far the oldest row lies before the cut of a plan, in milliseconds; 0 when none does. */
  backlogMs(plan: RetentionPlan, asOf: EpochMs): Promise<number>
  /** Takes back what a wrong clock has left behind: a cut, and gaps and changes, that lie after this time. */
  settleFuture(falseAfter: EpochMs): Promise<void>
  /** Regular upkeep of the engine, such as to move what is in a log into the database. */
  checkpoint(): Promise<void>
  close(): Promise<void>
}

/** What is known of an open store. Null: nothing was stored yet. */
export interface StoreFacts {
  /** True when the store had no content before it was opened. */
  readonly isNew: boolean
  readonly engine: EngineState
  /** When the request of the newest row began, by the proxy's clock; null without rows. */
  readonly newestRecordAt: EpochMs | null
  /** A time as of which nothing too old was left: of the last forgetting, or of the oldest row where there was none; null without rows. */
  readonly forgottenAsOf: EpochMs | null
  readonly counters: Readonly<Record<CounterName, number>>
}

/** Records since the store was made. */
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
