import type { Catalogue } from '../en/catalogue.ts'
import { benchmarkText } from './benchmark-text.ts'
import { changes } from './changes.ts'
import { health } from './health.ts'
import { actions } from './health-actions.ts'
import { planName } from './plan-name.ts'
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

/** All texts in simplified Chinese. */
export const chinese: Catalogue = {
  actions,
  benchmarkText,
  changes,
  countedAccountsText,
  health,
  planName,
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
