import { ASSUMED_PROVIDER } from '@svc/core/service'
import { OTHER_ACCOUNT } from '@svc/core/usage'
import { measuresOfRow } from '../usage/measures.ts'
import type { Grouping } from '../usage/tiers.ts'

/** Provider of a row, or the one that `providerOfUsage` assumes if the row has none. */
export const PROVIDER_COLUMN = `coalesce(provider_id, (SELECT p.id FROM svc_quota_monitor.accounts AS a JOIN svc_quota_monitor.providers AS p
  ON p.name = CASE WHEN a.key LIKE '${OTHER_ACCOUNT}%' THEN substr(a.key, ${OTHER_ACCOUNT.length + 1}) ELSE '${ASSUMED_PROVIDER}' END WHERE a.id = account_id))`

export const MEMBER_COLUMNS: Readonly<Record<Grouping, string>> = {
  total: '0',
  account: 'account_id',
  model: 'model_id',
  api: 'api_name_id',
  upstream: 'upstream_id',
  provider: PROVIDER_COLUMN,
}

/** Sums of usage rows, in the order of `measureColumns`; not limited to exact numbers. */
export const SUMS_OF_ROWS: readonly string[] = measuresOfRow.map(
  (value) => `coalesce(sum(${value}), 0)`,
)
