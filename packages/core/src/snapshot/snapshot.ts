import type { HealthEvaluation } from '../health/evaluate-health.ts'
import type { RecentChange } from '../health/recent-changes.ts'
import type { EvaluatedPool } from './evaluated-pool.ts'

/** The evaluated, immutable result of one observation at one time. */
export interface Snapshot extends EvaluatedPool {
  readonly health: HealthEvaluation
  /** Newest first, at most 50. */
  readonly recentChanges: readonly RecentChange[]
}
