import type { NotifyStanding } from '../facts/notify.ts'
import type { EvaluatedPool } from '../pool/evaluated-pool.ts'
import type { RecentChange } from '../pool/recent-changes.ts'
import type { HealthEvaluation } from './evaluate-health.ts'

/** The evaluated, immutable result of one observation at one time. */
export interface Snapshot extends EvaluatedPool {
  readonly health: HealthEvaluation
  /** Newest first, as many as the list of at most 50 rows needs; see `changeRowsOf`. */
  readonly recentChanges: readonly RecentChange[]
  /** Each target of messages; left out without targets. */
  readonly notify?: readonly NotifyStanding[]
}
