export {
  type EffectiveQuota,
  effectiveQuotaOf,
  type QuotaReturn,
  type WeeklyToFiveHourMultiplier,
  type WindowQuota,
  windowQuotasOf,
} from './account/account-quota.ts'
export type { AccountStatus, AccountStatusKind, Tone } from './account/account-status.ts'
export { type Block, type BlockedReason, blocksOf } from './account/blocked-reasons.ts'
export { mergedEvidence } from './account/earlier-evidence.ts'
export { type AccountPolicy, evaluateAccount } from './account/evaluate-account.ts'
export type { EvaluatedAccount } from './account/evaluated-account.ts'
export { newestDirectSample } from './account/merge-evidence.ts'
export {
  type ProbeSchedule,
  plannedIntervalSeconds,
  probeScheduleOf,
} from './account/probe-schedule.ts'
export {
  isStale,
  percentOf,
  type QuotaWindow,
  resetAtOf,
  windowOf,
} from './account/quota-window.ts'
export {
  RECLAIM_PERCENT_MIN,
  RECLAIM_RESET_SECONDS_MAX,
  type ReclaimWindow,
  reclaimWindowOf,
} from './account/reclaim-window.ts'
export {
  hasNotStarted,
  paceOf,
  type ScoreComponents,
  type ScoringInput,
  type ScoringPolicy,
  scoreComponentsOf,
  scoreMaximaOf,
  scoreOf,
  scoringPolicy,
  timeShareLeft,
} from './account/routing-score.ts'
export { type ForgottenAsOf, forgettingTimeOf } from './clock/forgetting-time.ts'
export {
  certainTimeOf,
  clockDoubtOf,
  falseAfterOf,
  isSeconded,
  latestTimeOf,
  SETTLED_AFTER_MS,
  type TimeWitnesses,
  usageTimeOf,
  vouchedTimeOf,
} from './clock/time-witnesses.ts'
export type { ReceiptTime, TrustedTime } from './clock/trusted-time.ts'
export { defaultPolicy, type EvaluationPolicy, evaluateSnapshot, type Past } from './evaluate.ts'
export {
  type Account,
  type AccountSelector,
  accountNamed,
  type ProviderId,
  type RequestSlot,
  type UpstreamStatus,
} from './facts/account.ts'
export {
  type AccountEvidence,
  type DisabledProbe,
  evidenceFrom,
  type ProbeFailure,
  type QuotaClass,
  type RefusedLogin,
} from './facts/account-evidence.ts'
export type { ClockDoubt } from './facts/clock-doubt.ts'
export type { HistoryFailureCode, HistoryState, ReadFailure } from './facts/history-state.ts'
export type { KeyFileProblem, ManagementAccess, SecretFile } from './facts/management-access.ts'
export type {
  AccountList,
  BenchmarkSummary,
  DirectQuotaTally,
  Observation,
  RequestCounters,
  UsageFeedState,
} from './facts/observation.ts'
export {
  capacityWeightOf,
  knownPlanKinds,
  type PlanKind,
  planKindOf,
  planLabel,
} from './facts/plan.ts'
export type {
  Clock,
  Log,
  LogFields,
  LogKind,
  QuotaRefresher,
  RefreshRun,
  SnapshotSource,
  SourceChange,
} from './facts/ports.ts'
export type { QuotaSample, ReadingOrigin, WindowReading } from './facts/reading.ts'
export type {
  EndedRefresh,
  RefreshFailure,
  RefreshScope,
  RefreshState,
  RefreshTally,
  RunningRefresh,
} from './facts/refresh.ts'
export {
  type OffReason,
  offBecause,
  type SourceFailureCode,
  type SourceId,
  type SourceOutcome,
  type SourceReading,
} from './facts/source.ts'
export { readStatusMessage, type StatusMessage } from './facts/status-message.ts'
export {
  type EpochMs,
  epochMs,
  instantToHttpDate,
  instantToIso,
  parseInstant,
  plusMs,
  secondsUntil,
} from './facts/time.ts'
export type { UsageMeasures } from './facts/usage-measures.ts'
export {
  FIVE_HOUR_SECONDS,
  isMainWindow,
  isMainWindowId,
  type MainWindow,
  type MainWindowId,
  mainWindowOf,
  mainWindows,
  type PerWindow,
  perWindow,
  WEEK_SECONDS,
  type WindowId,
  windowIdOf,
} from './facts/window.ts'
export { type ActionChanges, type ActionCount, actionChanges } from './health/action-changes.ts'
export type { HealthEvaluation, HealthSource } from './health/evaluate-health.ts'
export { healthActionCodes } from './health/health-action-codes.ts'
export {
  type HealthAction,
  type HealthThresholds,
  type NamedAccount,
  QUEUE_RETENTION_SECONDS_MIN,
  type ToneAction,
} from './health/health-actions.ts'
export type { OpenAction } from './health/open-action.ts'
export { isReady, type Readiness, readinessOf } from './health/readiness.ts'
export type { Snapshot } from './health/snapshot.ts'
export { stalledSnapshot } from './health/stalled-snapshot.ts'
export { type BurnHours, burnHoursOf, hourOf } from './pool/burn-forecast.ts'
export type { CapacityStep, WindowCapacity } from './pool/capacity.ts'
export type { CapacityPoint, WindowReadingRecord } from './pool/capacity-point.ts'
export type { EvaluatedPool, ProxyStanding, SnapshotSourceKind } from './pool/evaluated-pool.ts'
export { memoryOf, nothingRecorded, type PoolRecord, poolStep } from './pool/pool-record.ts'
export { rankAccounts } from './pool/rank-accounts.ts'
export { rankPool } from './pool/rank-pool.ts'
export type { ChangeDetail, RecentChange } from './pool/recent-changes.ts'
export { endedRefresh, refreshDeadlineMs } from './pool/refresh-end.ts'
export {
  type RememberedAccount,
  type RememberedPool,
  rememberedObservation,
  textOfAccount,
  withRemembered,
} from './pool/remembered-pool.ts'
export { hasResetBetween, type ResetColumn, type ResetRow } from './pool/reset-schedule.ts'
export {
  type AccountQuota,
  accountQuotasOf,
  dryInstant,
  type Runway,
  type RunwayContext,
  runwayOf,
} from './pool/runway.ts'
export { noTrends, type Trends, type WindowTrend } from './pool/trends.ts'
export { errorPlace } from './privacy/error-place.ts'
export { maskText } from './privacy/mask-text.ts'
export { Redacted } from './privacy/redacted.ts'
export {
  type AccountActivity,
  type DecodedTree,
  type DecodedUsage,
  type IngestedUsage,
  laterOf,
  noteActivity,
  type TreeTotals,
} from './usage/decoded-usage.ts'
export type { FeedPosition, UsageReader, UsageStore } from './usage/ports.ts'
export {
  balanceAtEmptyQueue,
  balanceAtList,
  noBalance,
  type RequestBalance,
  restartedBalance,
} from './usage/request-balance.ts'
export {
  addTo,
  sumOfUsage,
  type UsageGroup,
  type UsageMember,
  type UsageMetric,
  type UsageMode,
  type UsageRecord,
  type UsageRow,
  usageGroups,
  usageMetrics,
  usageModes,
} from './usage/usage.ts'
export type {
  QuarantinedRecord,
  UsageBatch,
  UsageDetail,
  UsageGap,
  UsageTally,
} from './usage/usage-detail.ts'
export {
  breakdownOf,
  bucketMinutesOf,
  bucketStartsOf,
  fixedRanges,
  seriesOf,
  smoothed,
  totalMember,
  type UsageBreakdown,
  type UsageLine,
  type UsageQuery,
  type UsageRangeId,
  type UsageSeries,
  type UsageSpan,
  usageRangeIds,
  usageSpanOf,
} from './usage/usage-series.ts'
export {
  coveragePercentOf,
  LIVE_WINDOW_SECONDS,
  recentUsageOf,
  type UsageHistory,
  type UsageReading,
  type UsageSummary,
} from './usage/usage-summary.ts'
