import type { EpochMs } from '@svc/core'
import type {
  BurnHours,
  CapacityPoint,
  PoolRecord,
  ProxyStanding,
  RecentChange,
  RememberedPool,
  WindowReadingRecord,
} from '@svc/core/service'

/** Where the course of the pool is kept. */
export interface QuotaStore {
  /** All of it or nothing. Throws what SQLite throws. */
  record(record: PoolRecord, memory?: PoolMemoryUpdate): void
  /** How the pool was last seen; null when that was never kept. */
  remembered(): RememberedPool | null
  /** Newest first. */
  changes(max: number): readonly RecentChange[]
  /** Oldest first. */
  points(since: EpochMs): readonly CapacityPoint[]
  /** What was used in each window by the hour. */
  burnHours(since: EpochMs): Readonly<Record<CapacityPoint['windowId'], BurnHours>>
  /** The newest of every account and window. */
  latestReadings(): readonly WindowReadingRecord[]
  /** Deletes up to `rowsMax` rows from before `before`; false when there are none left. */
  prune(before: EpochMs, rowsMax: number): boolean
}

/** What has changed of the pool since it was last kept. */
export interface PoolMemoryUpdate extends ProxyStanding {
  readonly listedAt: number
  /** Text of an account by its file name; null for one that is gone. */
  readonly texts: readonly (readonly [authName: string, text: string | null])[]
}
