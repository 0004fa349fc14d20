import type { LeaseName } from '@svc/core/service'

/** How a store is opened for writing. */
export interface OpenOptions {
  /** Steps of a file's schema after the ones there are; only tests know of such. */
  readonly laterMigrations?: readonly string[]
  /** Reads every page of a file first, as after damage; takes seconds for a large store. */
  readonly thorough?: boolean
  /** A file with the password of a database; null or left out where there is none. */
  readonly passwordFile?: string | null
  /**
   * Terms of the leases that this process holds, as they are at each question; of a database that several monitors may have open. Who has lost one stores
   * records still, and decides nothing: HistoryError, not_holder. Left out: no lease is asked for.
   */
  readonly terms?: ReadonlyMap<LeaseName, number>
}
