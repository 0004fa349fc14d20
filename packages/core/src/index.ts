export { type Account, type AccountSelector, accountNamed, type RequestSlot, type UpstreamStatus } from './account/account.ts'
export type { AccountStatus, AccountStatusKind, Tone } from './account/account-status.ts'
export { capacityWeightOf, knownPlanKinds, type PlanKind, planKindOf, planLabel } from './account/plan.ts'
export { readStatusMessage, type StatusMessage } from './account/status-message.ts'
export { type ForgottenAsOf, forgettingTimeOf } from './clock/forgetting-time.ts'
export {
  type ClockDoubt,
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
export { type ActionChanges, type ActionCount, actionChanges } from './health/action-changes.ts'
export type { HealthEvaluation, HealthSource } from './health/evaluate-health.ts'
export { healthActionCodes } from './health/health-action-codes.ts'
export {
  type HealthAction,
  type HealthThresholds,
  type NamedAccount,
  QUEUE_RETENTION_SECONDS_MIN,
  type SourceId,
  type ToneAction,
} from './health/health-actions.ts'
export type { OpenAction } from './health/open-action.ts'
export { isReady, type Readiness, readinessOf } from './health/readiness.ts'
export type { ChangeDetail, RecentChange } from './health/recent-changes.ts'
export { stalledSnapshot } from './health/stalled-snapshot.ts'
export type {
  Clock,
  FeedPosition,
  Log,
  LogFields,
  LogKind,
  QuotaRefresher,
  RefreshRun,
  SnapshotSource,
  SourceChange,
  UsageReader,
  UsageStore,
} from './ports.ts'
export { maskText } from './privacy/mask-text.ts'
export { Redacted } from './privacy/redacted.ts'
export { type BurnHours, burnHoursOf, hourOf } from './quota/burn-forecast.ts'
export type { CapacityStep, WindowCapacity } from './quota/capacity.ts'
export type { CapacityPoint, WindowReadingRecord } from './quota/capacity-point.ts'
export { type EffectiveQuota, effectiveQuotaOf, type WeeklyToFiveHourMultiplier } from './quota/effective-quota.ts'
export { newestDirectSample } from './quota/merge-evidence.ts'
export { memoryOf, nothingRecorded, type PoolRecord, poolStep } from './quota/pool-record.ts'
export { type ProbeSchedule, plannedIntervalSeconds, probeScheduleOf } from './quota/probe-schedule.ts'
export {
  FIVE_HOUR_SECONDS,
  isMainWindow,
  isStale,
  percentOf,
  type QuotaSample,
  type QuotaWindow,
  type ReadingOrigin,
  resetAtOf,
  WEEK_SECONDS,
  type WindowId,
  type WindowReading,
  windowIdOf,
  windowOf,
} from './quota/quota-window.ts'
export { hasResetBetween, type ResetColumn, type ResetRow } from './quota/reset-schedule.ts'
export {
  type AccountQuota,
  accountQuotasOf,
  dryInstant,
  type Runway,
  type RunwayContext,
  runwayOf,
} from './quota/runway.ts'
export { noTrends, type Trends, type WindowTrend } from './quota/trends.ts'
export { RECLAIM_PERCENT_MIN, RECLAIM_RESET_SECONDS_MAX, type ReclaimWindow, reclaimWindowOf } from './reclaim/reclaim-window.ts'
export {
  type EndedRefresh,
  endedRefresh,
  type RefreshFailure,
  type RefreshScope,
  type RefreshState,
  type RefreshTally,
  type RunningRefresh,
  refreshDeadlineMs,
} from './refresh/refresh-state.ts'
export { type Block, type BlockedReason, blocksOf } from './scoring/blocked-reasons.ts'
export { rankAccounts } from './scoring/rank-accounts.ts'
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
} from './scoring/routing-score.ts'
export { type AccountPolicy, evaluateAccount } from './snapshot/evaluate-account.ts'
export { defaultPolicy, type EvaluationPolicy, evaluateSnapshot, type Past } from './snapshot/evaluate-snapshot.ts'
export type { EvaluatedAccount } from './snapshot/evaluated-account.ts'
export type { EvaluatedPool, ProxyStanding, SnapshotSourceKind } from './snapshot/evaluated-pool.ts'
export {
  type AccountEvidence,
  type AccountList,
  type BenchmarkSummary,
  type DirectQuotaTally,
  type DisabledProbe,
  evidenceFrom,
  type HistoryFailureCode,
  type HistoryState,
  type KeyFileProblem,
  type ManagementAccess,
  type Observation,
  type OffReason,
  offBecause,
  type ProbeFailure,
  type QuotaClass,
  type ReadFailure,
  type RefusedLogin,
  type RequestCounters,
  type SecretFile,
  type SourceFailureCode,
  type SourceOutcome,
  type SourceReading,
  type UsageFeedState,
} from './snapshot/observation.ts'
export { rankPool } from './snapshot/rank-pool.ts'
export {
  mergedEvidence,
  type RememberedAccount,
  type RememberedPool,
  rememberedObservation,
  textOfAccount,
  withRemembered,
} from './snapshot/remembered-pool.ts'
export type { Snapshot } from './snapshot/snapshot.ts'
export { type EpochMs, epochMs, instantToHttpDate, instantToIso, parseInstant, plusMs, secondsUntil } from './time.ts'
export {
  type AccountActivity,
  type DecodedTree,
  type DecodedUsage,
  type IngestedUsage,
  laterOf,
  noteActivity,
  type TreeTotals,
} from './usage/decoded-usage.ts'
export { balanceAtEmptyQueue, balanceAtList, noBalance, type RequestBalance, restartedBalance } from './usage/request-balance.ts'
export {
  addTo,
  sumOfUsage,
  type UsageGroup,
  type UsageMeasures,
  type UsageMember,
  type UsageMetric,
  type UsageMode,
  type UsageRecord,
  type UsageRow,
  usageGroups,
  usageMetrics,
  usageModes,
} from './usage/usage.ts'
export type { QuarantinedRecord, UsageBatch, UsageDetail, UsageGap, UsageTally } from './usage/usage-detail.ts'
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
