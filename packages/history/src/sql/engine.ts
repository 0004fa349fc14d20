import type { EpochMs } from '@svc/core'
import type { EngineState, LeaseName } from '@svc/core/service'
import type { UsageCounts, UsageDetail } from '@svc/core/usage'
import type { HistoryStore } from '../contract/history-store.ts'
import type { BucketPlace, MembersOfRequest } from '../usage/bucket-sums.ts'
import type { Connection, Held } from './connection.ts'
import type { RateNumbers } from './numbers.ts'

/** The parts of an open store that differ by engine. A method that fails rejects with HistoryError. */
export interface Engine extends Pick<HistoryStore, 'retain' | 'checkpoint' | 'close'> {
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
}

/** Names stored once, with the numbers that replace them in rows. */
export interface Dictionary {
  /**
   * Numbers of these names; new names get one. Call before a transaction, never inside, so that other writers see a new number at once and no number
   * of a rolled-back transaction is remembered. An unused name does no harm. Rejects with HistoryError.
   */
  idsOf(names: Iterable<string>): Promise<ReadonlyMap<string, number>>
}

export interface Dictionaries {
  readonly accounts: Dictionary
  readonly apiNames: Dictionary
  readonly models: Dictionary
  readonly upstreams: Dictionary
  readonly providers: Dictionary
  readonly rates: RateNumbers
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
  /** Stores distinct requests in the order of their keys and returns the new ones. Call inside a transaction. */
  insert(rows: readonly UsageRow[]): Promise<readonly UsageRow[]>
  /** Writes buckets, each at most once: `add` adds them to the stored sums, `larger` keeps the larger sums. Call inside a transaction. */
  put(buckets: readonly Bucket[], onConflict: 'add' | 'larger'): Promise<void>
}
