// Names of core for the programs of this repository alone: ports, the clock, health and the pool over time. Not published.
export {
  DEFAULT_MULTIPLIER,
  meteringWindowOf,
  spendablePercentsOf,
} from '../account/account-quota.ts'
export { blocksOf, namingBlockOf } from '../account/blocked-reasons.ts'
export { evidenceAskedElsewhere, mergedEvidence } from '../account/earlier-evidence.ts'
export { isVerdictMessage, verdictAfter } from '../account/lasting-verdict.ts'
export { newestDirectSample } from '../account/merge-evidence.ts'
export {
  BLOCKED_PROBE_SECONDS,
  plannedIntervalSeconds,
  probeScheduleOf,
} from '../account/probe-schedule.ts'
export {
  COURSE_POINTS_MAX,
  COURSE_RESETS_MAX,
  type CourseMoment,
  type CoursePoint,
  type CourseQuery,
  type CourseRangeId,
  type CourseReading,
  type CourseReset,
  courseRangeIds,
  courseRanges,
  courseSpanOf,
  type Stretch,
  silentMsMaxOf,
  unrecordedCourses,
  type WindowCourse,
  type WindowRecord,
  windowCourseOf,
} from '../account/quota-course.ts'
export { RECLAIM_PERCENT_MIN, RECLAIM_RESET_SECONDS_MAX } from '../account/reclaim-window.ts'
export {
  hasNotStarted,
  isNotStarted,
  NO_SCORE,
  notStartedWindowOf,
  scoreMaximaOf,
  timeShareLeft,
} from '../account/routing-score.ts'
export { type Subscription, subscriptionOf, subscriptionStates } from '../account/subscription.ts'
export { forgettingTimeOf } from '../clock/forgetting-time.ts'
export {
  certainTimeOf,
  clockDoubtOf,
  falseAfterOf,
  isSeconded,
  latestTimeOf,
  proxyDoubtOf,
  SETTLED_AFTER_MS,
  type TimeWitnesses,
  usageTimeOf,
  vouchedTimeOf,
} from '../clock/time-witnesses.ts'
export type { ReceiptTime, TrustedTime } from '../clock/trusted-time.ts'
export {
  allSamplesOf,
  type EvidenceElsewhere,
  type QuotaClass,
  type RefusedLogin,
} from '../facts/account-evidence.ts'
export type { ClockDoubt } from '../facts/clock-doubt.ts'
export { type Duty, soleDuty } from '../facts/duty.ts'
export type {
  EngineName,
  EngineState,
  HistoryFailureCode,
  HistoryState,
  ReadFailure,
} from '../facts/history-state.ts'
export {
  LEASE_MS,
  type Lease,
  type LeaseName,
  type Leases,
  leaseOf,
  POOL_LEASE,
  type ProxyLease,
  proxyOf,
} from '../facts/leases.ts'
export {
  BAN_SECONDS,
  type KeyFileProblem,
  type ManagementAccess,
  REFUSALS_TO_BAN,
  REFUSED_RETRY_SECONDS,
  type SecretFile,
} from '../facts/management-access.ts'
export type {
  BenchmarkSummary,
  DirectQuotaTally,
  OtherLogin,
  RequestCounters,
  SourceValue,
  UsageFeedState,
} from '../facts/observation.ts'
export { isKnownPlan, knownPlanKinds } from '../facts/plan.ts'
export type {
  Clock,
  Log,
  LogFields,
  LogKind,
  QuotaRefresher,
  RefreshRun,
  SnapshotSource,
  SourceChange,
} from '../facts/ports.ts'
export {
  ASSUMED_PROVIDER,
  commonProviderLabel,
  type KnownProviderId,
  providerLabel,
} from '../facts/provider.ts'
export type {
  EndedRefresh,
  RefreshElsewhere,
  RefreshFailure,
  RefreshScope,
  RefreshState,
  RefreshTally,
  RefreshTarget,
  RunningRefresh,
} from '../facts/refresh.ts'
export type { OffReason, ProxySourceId, SourceFailureCode, SourceId } from '../facts/source.ts'
export { readStatusMessage, type StatusMessage } from '../facts/status-message.ts'
export { instantToHttpDate } from '../facts/time.ts'
export {
  DEFAULT_UPSTREAM,
  fileKeyOf,
  type UpstreamName,
  upstreamOfFile,
} from '../facts/upstream.ts'
export type { Verdict, VerdictMessage } from '../facts/verdict.ts'
export { isMainWindow, isMainWindowId, mainWindowOf, perWindow } from '../facts/window.ts'
export { filesAskedThrough, lastAskedAt, type UpstreamWay } from '../fleet/asked-through.ts'
export {
  mergeObservations,
  type NamedObservation,
  type SharedReadings,
} from '../fleet/merge-observations.ts'
export { type AccountFault, accountFaultOf } from '../health/account-fault.ts'
export { actionChanges } from '../health/action-changes.ts'
export type { HealthEvaluation } from '../health/evaluate-health.ts'
export type {
  NamedAccount,
  ToneAction,
} from '../health/health-actions.ts'
export {
  LAG_SECONDS_MAX,
  QUEUE_PERIOD_SECONDS,
  QUEUE_RETENTION_SECONDS_MIN,
} from '../health/history-actions.ts'
export type { OpenAction } from '../health/open-action.ts'
export { isReady, type Readiness, readinessOf } from '../health/readiness.ts'
export { snapshotAtUpstream } from '../health/snapshot-at-upstream.ts'
export type { HealthSource } from '../health/source-health.ts'
export { stalledSnapshot } from '../health/stalled-snapshot.ts'
export { type BurnHours, burnHoursOf, hourOf, READINGS_MS_MIN } from '../pool/burn-forecast.ts'
export {
  type CapacityReturn,
  isLowerBound,
  isLowShare,
  leftUnitsOf,
  type WindowCapacity,
} from '../pool/capacity.ts'
export type { CapacityPoint, WindowReadingRecord } from '../pool/capacity-point.ts'
export { type ChangeRow, changeRowsOf } from '../pool/change-rows.ts'
export type {
  ProxyStanding,
  SnapshotSourceKind,
  UpstreamStanding,
} from '../pool/evaluated-pool.ts'
export {
  isGapBetween,
  memoryOf,
  nothingRecorded,
  type PoolRecord,
  poolStep,
} from '../pool/pool-record.ts'
export type { PoolMemoryUpdate, QuotaStore } from '../pool/quota-store.ts'
export type { ChangeDetail, RecentChange } from '../pool/recent-changes.ts'
export { endedRefresh, refreshDeadlineMs } from '../pool/refresh-end.ts'
export {
  type RememberedAccount,
  type RememberedPool,
  rememberedObservation,
  textOfAccount,
  withRemembered,
} from '../pool/remembered-pool.ts'
export { type AccountReset, hasResetBetween } from '../pool/reset-schedule.ts'
export {
  type AccountQuota,
  accountQuotasOf,
  dryInstant,
  RUNWAY_HOURS_MAX,
  type Runway,
  type RunwayContext,
  runwayOf,
} from '../pool/runway.ts'
export { noTrends, type Trends, type WindowTrend } from '../pool/trends.ts'
export { countedOnce } from '../pool/upstream-places.ts'
export { errorPlace } from '../privacy/error-place.ts'
export { maskName, maskText, textHash } from '../privacy/mask-text.ts'
export { Redacted } from '../privacy/redacted.ts'
