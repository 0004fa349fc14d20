import { type PlanKind, planLabel } from '@svc/core'
import type { SourceId } from '@svc/core/service'
import type { ActionTextsByCode } from '../conditions/action-condition.ts'
import type { ChangeTextsByCode } from '../conditions/change-texts.ts'
import type { SourceNames } from '../names/source-names.ts'
import { benchmarkText } from './benchmark-text.ts'
import { changes } from './changes.ts'
import { health } from './health.ts'
import { actionConditions } from './health-actions.ts'
import { pool } from './pool.ts'
import { countedAccountsText } from './provider-names.ts'
import { queries } from './queries.ts'
import { scoreReasons } from './score-reasons.ts'
import { snapshotSource } from './snapshot-source.ts'
import { sourceConditions } from './source-failures.ts'
import { sourceRows } from './source-rows.ts'
import { sources } from './sources.ts'
import { stats } from './stats.ts'
import { statuses } from './statuses.ts'
import { usage } from './usage.ts'
import { windowLabel } from './window-label.ts'

/** All texts that a language must provide; a missing one is a compile error. */
export interface Catalogue {
  readonly actions: ActionTextsByCode
  readonly benchmarkText: typeof benchmarkText
  readonly changes: ChangeTextsByCode
  /** `24 Codex accounts`. */
  readonly countedAccountsText: typeof countedAccountsText
  readonly health: typeof health
  /** The name of a plan, as `Prolite`. */
  planName(plan: PlanKind): string
  readonly pool: typeof pool
  readonly queries: typeof queries
  readonly scoreReasons: typeof scoreReasons
  readonly snapshotSource: typeof snapshotSource
  readonly sourceConditions: typeof sourceConditions
  readonly sourceRows: Readonly<Record<SourceId, SourceNames>>
  readonly sources: typeof sources
  readonly stats: typeof stats
  readonly statuses: typeof statuses
  readonly usage: typeof usage
  readonly windowLabel: typeof windowLabel
}

/** All English texts. */
export const english: Catalogue = {
  actions: actionConditions,
  benchmarkText,
  changes,
  countedAccountsText,
  health,
  planName: planLabel,
  pool,
  queries,
  scoreReasons,
  snapshotSource,
  sourceConditions,
  sourceRows,
  sources,
  stats,
  statuses,
  usage,
  windowLabel,
}
