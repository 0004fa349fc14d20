import type { NotifyStanding } from '../facts/notify.ts'
import type { Scheduler } from '../facts/scheduler.ts'
import type { EvaluatedPool } from '../pool/evaluated-pool.ts'
import type { RecentChange } from '../pool/recent-changes.ts'
import type { VendorWatch } from '../pool/vendor-reset.ts'
import type { HealthEvaluation } from './evaluate-health.ts'

/** The evaluated, immutable result of one observation at one time. */
export interface Snapshot extends EvaluatedPool {
  readonly health: HealthEvaluation
  /** Newest first, as many as the list of at most 50 rows needs; see `changeRowsOf`. */
  readonly recentChanges: readonly RecentChange[]
  /** Each target of messages; left out without targets. */
  readonly notify?: readonly NotifyStanding[]
  /** Schedulers that asked for the ranking; left out before the first question. */
  readonly schedulers?: readonly Scheduler[]
  /** Readings the next evaluation compares with, and the last resets by the vendor. */
  readonly vendorWatch: VendorWatch
}
