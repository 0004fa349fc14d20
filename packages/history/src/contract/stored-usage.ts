import type { EpochMs, Interval } from '@svc/core'
import type { CourseMoment, CourseQuery, WindowCourse } from '@svc/core/account'
import type { HealthHistory, HealthMoment } from '@svc/core/health'
import type { PriceSettings, PricesSeen } from '@svc/core/money'
import type { PoolCycles } from '@svc/core/pool'
import type { UsageReader } from '@svc/core/usage'

/** Location of a store, and the number of days it keeps single requests. */
export interface UsageLocation {
  readonly location: string
  /** File with the password of a database; null or absent without one. */
  readonly passwordFile?: string | null
  /** Address of a standby that is read instead; null or absent without one. */
  readonly replica?: string | null
  readonly retentionDays: number
}

/** Reads quota courses and the pool's health history from a store. */
export interface StoredCourses {
  /** One course for each main window; null if the store has no reading of the account. Rejects with HistoryError. */
  course(query: CourseQuery, moment: CourseMoment): Promise<readonly WindowCourse[] | null>
  /** Time of the first reading of each account, by its key, as far as readings are kept. Rejects with HistoryError. */
  firstRead(): Promise<ReadonlyMap<string, EpochMs>>
  /**
   * The windows of these accounts in a span that ends now or earlier; `weights`: Plus units of a full window, by account key. A hundred accounts take as long as a slow chart, so
   * split the accounts of a large pool over several calls. Rejects with HistoryError.
   */
  cycles(
    weights: ReadonlyMap<string, number>,
    span: Interval,
    silentMsMax: number,
  ): Promise<PoolCycles>
  /** Reads the pool's health history. Rejects with HistoryError. */
  health(moment: HealthMoment): Promise<HealthHistory>
}

/** Reads a store and never writes. Each answer reflects one moment. A method that fails rejects with HistoryError. */
export interface StoredUsage extends UsageReader, StoredCourses {
  useLabels(labels: ReadonlyMap<string, string>): void
  usePrices(prices: PriceSettings): void
  /** Models of the last 30 days with their prices. Rejects with HistoryError. */
  prices(now: EpochMs): Promise<PricesSeen>
  close(): Promise<void>
}
