import type { EpochMs } from '@svc/core'
import type { EngineState, LeaseName } from '@svc/core/service'
import type { UsageCounts, UsageDetail } from '@svc/core/usage'
import type { RetentionPlan, RetentionStep } from '../contract/history-store.ts'
import type { BucketPlace, MembersOfRequest } from '../usage/bucket-sums.ts'
import type { Connection, Held } from './connection.ts'
import type { Dictionaries } from './dictionary.ts'

/** The parts of an open store that differ by engine. A method that fails rejects with HistoryError. */
export interface Engine {
  readonly db: Connection
  readonly names: Dictionaries
  readonly fence: Fence
  readonly rows: RowWriter
  /**
   * Locks the cut, before which no request is stored, until the transaction ends: against being moved by others, or against their reading it, in
   * order to move it.
   */
  lockCut(against: 'moving' | 'reading'): Promise<void>
  state(): Promise<EngineState>
  /** Deletes some expired rows in one short step; false if there were none. */
  retain(plan: RetentionPlan, step: RetentionStep): Promise<boolean>
  /** Regular upkeep of the engine, such as moving its log into the database. */
  checkpoint(): Promise<void>
  close(): Promise<void>
}

/** Keeps a monitor that has unknowingly lost a lease from deciding anything. */
export interface Fence {
  /** Rejects with HistoryError, not_holder, unless all of these leases are still held. Call last in a transaction, which is then rolled back. */
  demand(...leases: readonly LeaseName[]): Promise<void>
  readonly condition: Held
}

/** A request with the dictionary numbers of its names. */
export interface UsageRow {
  readonly detail: UsageDetail
  readonly members: MembersOfRequest
  /** Number of its cause, for a failed request that is to be counted by it. */
  readonly causeId?: number
}

export interface Bucket {
  readonly place: BucketPlace
  readonly sum: UsageCounts
}

/** Writes requests and sums in batches of thousands. Rejects with HistoryError if a trigger drops any. */
export interface RowWriter {
  /** Makes room for requests of these times. Call before a transaction. */
  makeRoom(times: Iterable<EpochMs>): Promise<void>
  /** Clears cached facts about the store, which may be wrong after a failure. */
  distrust(): void
  /** Stores distinct requests in the order of their keys and returns the new ones; calls `meanwhile` while the database works. Call inside a transaction. */
  insert(rows: readonly UsageRow[], meanwhile?: () => void): Promise<readonly UsageRow[]>
  /** Writes buckets, each at most once: `add` adds them to the stored sums, `larger` keeps the larger sums. Call inside a transaction. */
  put(buckets: readonly Bucket[], onConflict: 'add' | 'larger'): Promise<void>
}
