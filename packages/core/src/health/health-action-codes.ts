import type { HealthAction } from './health-actions.ts'

/** Why this is a record: a code that is missing here, or is none any more, does not compile. */
const codes: Readonly<Record<HealthAction['code'], true>> = {
  gateway_down: true,
  management_key_missing: true,
  management_key_unreadable: true,
  management_key_refused: true,
  management_banned: true,
  key_file_readable_by_others: true,
  labels_file_readable_by_others: true,
  auth_files_readable_by_others: true,
  clock_doubted: true,
  snapshot_partial: true,
  snapshot_stale: true,
  snapshot_unavailable: true,
  auth_invalid: true,
  deactivated: true,
  account_unavailable: true,
  quota_hit: true,
  nothing_routable: true,
  five_hour_below_minimum: true,
  weekly_below_minimum: true,
  routable_below_minimum: true,
  direct_quota_degraded: true,
  history_failing: true,
  history_unreadable: true,
  history_wal_large: true,
  history_backlog: true,
  usage_missed: true,
  usage_statistics_off: true,
  usage_rival: true,
  usage_retention_short: true,
  risky_listener: true,
  evaluation_stalled: true,
}

/** Every code an action can have: a closed set, so that metrics and documents can name all of them. */
export const healthActionCodes = Object.keys(codes) as readonly HealthAction['code'][]
