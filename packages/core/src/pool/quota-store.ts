import type { EpochMs } from '../facts/time.ts'
import type { PerWindow } from '../facts/window.ts'
import type { BurnHours } from './burn-forecast.ts'
import type { CapacityPoint, WindowReadingRecord } from './capacity-point.ts'
import type { ProxyStanding } from './evaluated-pool.ts'
import type { PoolRecord } from './pool-record.ts'
import type { RecentChange } from './recent-changes.ts'
import type { RememberedPool } from './remembered-pool.ts'

/** Where the course of the pool is kept. Every method rejects when the store cannot be used. */
export interface QuotaStore {
  /** All of it or nothing. */
  record(record: PoolRecord, memory?: PoolMemoryUpdate): Promise<void>
  /** How the pool was last seen; null when that was never kept. */
  remembered(): Promise<RememberedPool | null>
  /** Newest first. */
  changes(max: number): Promise<readonly RecentChange[]>
  /** Oldest first. */
  points(since: EpochMs): Promise<readonly CapacityPoint[]>
  /** What was used in each window by the hour. */
  burnHours(since: EpochMs): Promise<PerWindow<BurnHours>>
  /** The newest of every account and window. */
  latestReadings(): Promise<readonly WindowReadingRecord[]>
}

/** What has changed of the pool since it was last kept. */
export interface PoolMemoryUpdate extends ProxyStanding {
  readonly listedAt: number
  /** Text of an account by its file name; null for one that is gone. */
  readonly texts: readonly (readonly [authName: string, text: string | null])[]
}
