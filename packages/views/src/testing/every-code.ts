import type { AccountStatusKind, HealthAction } from '@svc/core'
import type { NamedAccount } from '@svc/core/health'
import type { ChangeDetail } from '@svc/core/pool'
import type { HistoryFailureCode, KeyFileProblem, SourceFailureCode } from '@svc/core/service'
import { fromNow } from '@svc/core/testing'
import { storeConditions } from '../messages/en/history-failures.ts'
import { keyFileConditions, sourceConditions } from '../messages/en/source-failures.ts'
import { statuses } from '../messages/en/statuses.ts'

export const anAccount: NamedAccount = {
  authName: 'a.json',
  accountKey: 'a',
  title: 'a@example.com',
}

/** One action per code; a new code does not compile until it is added here. */
export const everyAction: Readonly<{
  [Code in HealthAction['code']]: Extract<HealthAction, { readonly code: Code }> | HealthAction
}> = {
  history_backlog: { code: 'history_backlog', backlogSeconds: 200_000 },
  history_disk_filling: { code: 'history_disk_filling', freeBytes: 3_000_000_000, days: 4.2 },
  history_lagging: { code: 'history_lagging', lagSeconds: 200 },
  prices_stale: { code: 'prices_stale', share: 0.24, since: fromNow(-90_000) },
  clock_doubted: { code: 'clock_doubted', reason: 'proxy', aheadSeconds: -100_000 },
  gateway_down: { code: 'gateway_down', since: fromNow(-60) },
  management_key_missing: { code: 'management_key_missing' },
  management_key_unreadable: { code: 'management_key_unreadable', reason: 'missing' },
  management_key_refused: {
    code: 'management_key_refused',
    at: fromNow(-60),
    nextAttemptAt: fromNow(8940),
    failure: 'unauthorized',
  },
  management_banned: { code: 'management_banned', until: fromNow(1800) },
  key_file_readable_by_others: { code: 'key_file_readable_by_others' },
  password_file_readable_by_others: { code: 'password_file_readable_by_others' },
  labels_file_readable_by_others: { code: 'labels_file_readable_by_others' },
  auth_files_readable_by_others: { code: 'auth_files_readable_by_others' },
  snapshot_partial: {
    code: 'snapshot_partial',
    failedSources: ['direct_quota', 'gateway'],
    othersCurrent: true,
  },
  snapshot_stale: { code: 'snapshot_stale', sampledAt: fromNow(-300) },
  snapshot_unavailable: { code: 'snapshot_unavailable' },
  auth_invalid: { code: 'auth_invalid', accounts: [anAccount] },
  deactivated: { code: 'deactivated', accounts: [anAccount] },
  login_wave: {
    code: 'login_wave',
    accounts: [
      { ...anAccount, cause: 'refresh_refused', lostAt: fromNow(-5_400) },
      { ...anAccount, accountKey: 'b', cause: 'refresh_refused', lostAt: fromNow(-4_200) },
      { ...anAccount, accountKey: 'c', cause: 'deactivated', lostAt: fromNow(-3_600) },
    ],
  },
  account_unavailable: { code: 'account_unavailable', accounts: [anAccount] },
  quota_hit: { code: 'quota_hit', accounts: [anAccount] },
  quota_query_refused: {
    code: 'quota_query_refused',
    accounts: [{ ...anAccount, httpStatus: 400, since: fromNow(-7200) }],
  },
  nothing_routable: {
    code: 'nothing_routable',
    provider: 'codex',
    blockedCount: 8,
    nextRoutableAt: fromNow(2460),
  },
  five_hour_below_minimum: { code: 'five_hour_below_minimum', knownUnits: 3.24, minimumUnits: 5 },
  weekly_below_minimum: { code: 'weekly_below_minimum', knownUnits: 0.01, minimumUnits: 5 },
  routable_below_minimum: { code: 'routable_below_minimum', routableCount: 1, minimumCount: 3 },
  runway_short: {
    code: 'runway_short',
    provider: 'codex',
    windowId: '5h',
    runsDryAt: fromNow(8_940),
    returnsBefore: null,
    returnsAgainAt: fromNow(18_000),
  },
  capacity_low: {
    code: 'capacity_low',
    provider: 'codex',
    windowId: 'week',
    knownUnits: 3.24,
    trackedUnits: 59,
  },
  failing_account: {
    code: 'failing_account',
    accounts: [anAccount],
    requestCount: 2_340,
    failedCount: 763,
  },
  subscription_ends: {
    code: 'subscription_ends',
    accounts: [
      { ...anAccount, state: 'ends_soon', until: fromNow(250_000), seenAt: fromNow(-1_000_000) },
    ],
  },
  banked_reset_lapses: {
    code: 'banked_reset_lapses',
    accounts: [
      { ...anAccount, until: fromNow(250_000), resetCount: 1, weekUsedUpUntil: fromNow(90_000) },
    ],
  },
  direct_quota_degraded: { code: 'direct_quota_degraded', recentFailed: 7, recentCount: 12 },
  history_failing: {
    code: 'history_failing',
    reason: 'disk_full',
    since: fromNow(-60),
    engine: 'sqlite',
  },
  evaluation_stalled: { code: 'evaluation_stalled', since: fromNow(-60) },
  history_unreadable: {
    code: 'history_unreadable',
    reason: null,
    since: fromNow(-60),
    engine: 'postgres',
  },
  history_wal_large: { code: 'history_wal_large', walBytes: 80_000_000 },
  usage_failing: { code: 'usage_failing', since: fromNow(-600) },
  usage_missed: { code: 'usage_missed', missedSeconds: 90 },
  usage_statistics_off: { code: 'usage_statistics_off' },
  usage_rival: { code: 'usage_rival' },
  usage_way_lost: { code: 'usage_way_lost' },
  subscriber_dropped: { code: 'subscriber_dropped' },
  usage_retention_short: { code: 'usage_retention_short', retentionSeconds: 10, neededSeconds: 20 },
  risky_listener: { code: 'risky_listener', host: '0.0.0.0' },
  notify_failing: {
    code: 'notify_failing',
    target: 'team_phone',
    failure: 'refused',
    since: fromNow(-60),
  },
}

export const sourceFailureCodes = Object.keys(sourceConditions) as SourceFailureCode[]

export const historyFailureCodes = Object.keys(storeConditions) as HistoryFailureCode[]

export const keyFileProblems = Object.keys(keyFileConditions) as KeyFileProblem[]

export const statusKinds = Object.keys(statuses.names) as AccountStatusKind[]

const benchmark = {
  generatedAt: fromNow(-86_400),
  speedup: 1.8437,
  tokenOverheadRatio: 1.2,
  weeklyToFiveHourMultiplier: 6,
}

export const everyChange: Readonly<{
  [Code in ChangeDetail['code']]: Extract<ChangeDetail, { readonly code: Code }> | ChangeDetail
}> = {
  account_added: { code: 'account_added', title: 'acc-1' },
  account_removed: { code: 'account_removed', title: 'acc-1' },
  account_renamed: {
    code: 'account_renamed',
    title: 'acc-1',
    fromAuthName: 'old.json',
    toAuthName: 'new.json',
  },
  plan_changed: { code: 'plan_changed', title: 'acc-1', from: 'plus', to: 'pro' },
  status_changed: {
    code: 'status_changed',
    title: 'acc-1',
    from: 'active',
    to: 'reset_scheduled',
    until: fromNow(2460),
  },
  window_exhausted: { code: 'window_exhausted', title: 'acc-1', windowId: '5h' },
  window_reset: { code: 'window_reset', title: 'acc-1', windowId: 'week' },
  vendor_reset: {
    code: 'vendor_reset',
    provider: 'codex',
    windowId: 'week',
    accountCount: 12,
    units: 8.4,
    seenAt: fromNow(-420),
  },
  banked_reset_arrived: {
    code: 'banked_reset_arrived',
    provider: 'codex',
    accountCount: 3,
    count: 4,
    accountKeys: ['key-1', 'key-2', 'key-3'],
    seenAt: fromNow(-420),
  },
  banked_reset_spent: { code: 'banked_reset_spent', title: 'acc-1', count: 1 },
  banked_reset_lapsed: { code: 'banked_reset_lapsed', title: 'acc-1', count: 2 },
  source_changed: { code: 'source_changed', from: 'live', to: 'partial' },
  gateway_changed: { code: 'gateway_changed', up: false },
  proxy_restarted: { code: 'proxy_restarted' },
  history_started: { code: 'history_started' },
  benchmark_changed: {
    code: 'benchmark_changed',
    from: { ...benchmark, generatedAt: null },
    to: benchmark,
  },
}
