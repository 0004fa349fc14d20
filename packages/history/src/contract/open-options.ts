import type { LeaseName } from '@svc/core/service'

export interface OpenOptions {
  /** Further schema steps of a file; for tests only. */
  readonly laterMigrations?: readonly string[]
  readonly onUpdate?: (from: number, to: number) => void
  /** Reads every page of a file first, as after damage; takes seconds for a large store. */
  readonly thorough?: boolean
  /** File with the password of a database; null or absent without one. */
  readonly passwordFile?: string | null
  /**
   * Terms of this process's leases, read at each decision, for a database that several monitors may have open. A monitor that has lost a lease still
   * stores records but decides nothing: HistoryError, not_holder. Absent: no lease is required.
   */
  readonly terms?: ReadonlyMap<LeaseName, number>
}
