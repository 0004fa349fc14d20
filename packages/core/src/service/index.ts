// Facts, ports and clock of core, for the programs of this repository alone. Not published.

export type { ReceiptTime, TrustedTime } from '../clock/trusted-time.ts'
export {
  certainTimeOf,
  clockDoubtOf,
  falseAfterOf,
  forgettingTimeOf,
  isSeconded,
  latestTimeOf,
  proxyDoubtOf,
  SETTLED_AFTER_MS,
  type TimeWitnesses,
  usageTimeOf,
  vouchedTimeOf,
} from '../clock/trusted-time.ts'
export { isSameLogin } from '../facts/account.ts'
export {
  allSamplesOf,
  type BankedListQuery,
  type BankedResets,
  type QuotaClass,
  type RefusedLogin,
  type VendorRefusal,
} from '../facts/account-evidence.ts'
export type {
  DiskRoom,
  EngineName,
  EngineState,
  FileUse,
  HistoryFailureCode,
  HistoryState,
  ReadFailure,
  UnpricedUsage,
} from '../facts/history-state.ts'
export {
  type Duty,
  LEASE_MS,
  type Lease,
  type LeaseName,
  type Leases,
  leaseOf,
  POOL_LEASE,
  type ProxyLease,
  proxyOf,
  soleDuty,
} from '../facts/leases.ts'
export {
  BAN_SECONDS,
  type KeyFileProblem,
  type ManagementAccess,
  REFUSALS_TO_BAN,
  REFUSED_RETRY_SECONDS,
  type SecretFile,
} from '../facts/management-access.ts'
export {
  type ManagementRoute,
  managementPath,
  managementRoot,
  type ProxyGeneration,
  proxyGenerations,
} from '../facts/management-routes.ts'
export type {
  BenchmarkSummary,
  DirectQuotaTally,
  PausedProvider,
  RequestCounters,
  SourceValue,
  UsageFeedState,
} from '../facts/observation.ts'
export { isKnownPlan, knownPlanKinds, planKindsOf } from '../facts/plan.ts'
export {
  ASSUMED_PROVIDER,
  providerIds,
  providerLabel,
  providerRowOf,
} from '../facts/provider.ts'
export { withPassiveSample } from '../facts/reading.ts'
export type {
  EndedRefresh,
  RefreshElsewhere,
  RefreshFailure,
  RefreshScope,
  RefreshState,
  RefreshTally,
  RefreshTarget,
  RunningRefresh,
  SkippedAccounts,
} from '../facts/refresh.ts'
export {
  type Clock,
  type Log,
  type LogFields,
  type LogKind,
  type QuotaRefresher,
  type RefreshRun,
  type SnapshotSource,
  type SourceChange,
  TIMER_EARLY_MS,
} from '../facts/refresh.ts'
export {
  SCHEDULER_SILENCE_MS,
  type Scheduler,
  type SchedulerQuestion,
  type SchedulerState,
  schedulerStateOf,
  schedulerStates,
} from '../facts/scheduler.ts'
export type { OffReason, ProxySourceId, SourceFailureCode, SourceId } from '../facts/source.ts'
export type { Verdict, VerdictMessage } from '../facts/status-message.ts'
export { readStatusMessage, type StatusMessage } from '../facts/status-message.ts'
export type { ClockDoubt } from '../facts/time.ts'
export {
  instantToHttpDate,
  parseHttpDate,
  RETRY_AFTER_SECONDS_MAX,
  RETRY_AFTER_SECONDS_MIN,
  retryAfterSecondsOf,
} from '../facts/time.ts'
export {
  DEFAULT_UPSTREAM,
  fileKeyOf,
  UPSTREAM_NAME,
  type UpstreamName,
  upstreamOfFile,
} from '../facts/upstream.ts'
export {
  isMainWindow,
  isMainWindowId,
  type MainWindowId,
  mainWindowOf,
  type PerWindow,
  perWindow,
} from '../facts/window.ts'
export { filesAskedThrough, lastAskedAt, type UpstreamWay } from '../fleet/asked-through.ts'
export {
  mergeObservations,
  type NamedObservation,
  type SharedReadings,
} from '../fleet/merge-observations.ts'
export {
  errorCodeOf,
  errorPlace,
  maskName,
  maskText,
  Redacted,
  textHash,
} from '../privacy/hidden-text.ts'
