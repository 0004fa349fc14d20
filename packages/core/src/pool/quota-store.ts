import type { AskedAccount } from '../account/asked-account.ts'
import type { EpochMs } from '../facts/time.ts'
import type { BurnHours } from './burn-forecast.ts'
import type { CapacityPoint, WindowReadingRecord } from './capacity-point.ts'
import type { ProxyStanding } from './evaluated-pool.ts'
import type { PoolRecord } from './pool-record.ts'
import type { RecentChange } from './recent-changes.ts'
import type { RememberedPool } from './remembered-pool.ts'

/** Store of the pool's course. Methods reject if the store cannot be used. */
export interface QuotaStore {
  /** Stores the whole record or nothing. */
  record(record: PoolRecord, memory?: PoolMemoryUpdate): Promise<void>
  /** The pool as last seen; null if it was never stored. */
  remembered(): Promise<RememberedPool | null>
  keepAsked(accounts: readonly AskedAccount[], at: EpochMs): Promise<void>
  asked(): Promise<readonly AskedAccount[]>
  /** Stores the memory of messages sent to a target, as text. */
  rememberTold(target: string, memory: string): Promise<void>
  /** Memory of sent notifications, by target name. */
  told(): Promise<ReadonlyMap<string, string>>
  /** Newest first. */
  changes(max: number): Promise<readonly RecentChange[]>
  /** Oldest first. */
  points(since: EpochMs): Promise<readonly CapacityPoint[]>
  /** Units used in each window of each pool, by hour; by `windowNameOf`. */
  burnHours(since: EpochMs): Promise<ReadonlyMap<string, BurnHours>>
  /** The newest reading of every account and window. */
  latestReadings(): Promise<readonly WindowReadingRecord[]>
}

/** Changes of the pool since it was last stored. */
export interface PoolMemoryUpdate extends ProxyStanding {
  readonly listedAt: number
  /** Text of an account by its file name; null for a file that is gone. */
  readonly texts: readonly (readonly [authName: string, text: string | null])[]
  /** Text of a login by its identity, as by `textOfLogin`; null for one that was not listed for a long time. Left out: none has changed. */
  readonly logins?: readonly (readonly [identity: string, text: string | null])[]
}
