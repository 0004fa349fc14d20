// Facts, ports and clock of core, for the programs of this repository alone. Not published.

export * from '../clock/trusted-time.ts'
export { isSameLogin } from '../facts/account.ts'
export {
  allSamplesOf,
  type BankedListQuery,
  type BankedResets,
  type QuotaClass,
  type RefusedLogin,
  type VendorRefusal,
} from '../facts/account-evidence.ts'
export * from '../facts/grouping.ts'
export type * from '../facts/history-state.ts'
export * from '../facts/leases.ts'
export * from '../facts/management-access.ts'
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
export * from '../facts/refresh.ts'
export {
  SCHEDULER_SILENCE_MS,
  type Scheduler,
  type SchedulerQuestion,
  type SchedulerState,
  schedulerStateOf,
  schedulerStates,
} from '../facts/scheduler.ts'
export type { OffReason, ProxySourceId, SourceFailureCode, SourceId } from '../facts/source.ts'
export * from '../facts/status-message.ts'
export type { ClockDoubt } from '../facts/time.ts'
export {
  firstInstant,
  instantToHttpDate,
  lastInstant,
  parseHttpDate,
  RETRY_AFTER_SECONDS_MAX,
  RETRY_AFTER_SECONDS_MIN,
  retryAfterSecondsOf,
} from '../facts/time.ts'
export * from '../facts/upstream.ts'
export {
  isMainWindow,
  isMainWindowId,
  type MainWindowId,
  mainWindowOf,
  type PerWindow,
  perWindow,
} from '../facts/window.ts'
export { filesAskedThrough, lastAskedAt, type UpstreamWay } from '../fleet/asked-through.ts'
export * from '../fleet/merge-observations.ts'
export * from '../privacy/hidden-text.ts'
