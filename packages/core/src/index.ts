export {
  type WeeklyToFiveHourMultiplier,
  type WindowQuota,
  windowQuotasOf,
} from './account/account-quota.ts'
export type { AccountStatus, AccountStatusKind, Tone } from './account/account-status.ts'
export type { BlockedReason } from './account/blocked-reasons.ts'
export { type AccountPolicy, evaluateAccount } from './account/evaluate-account.ts'
export type { EvaluatedAccount } from './account/evaluated-account.ts'
export {
  isStale,
  percentOf,
  type QuotaWindow,
  resetAtOf,
  windowOf,
} from './account/quota-window.ts'
export { type ReclaimWindow, reclaimWindowOf } from './account/reclaim-window.ts'
export {
  type ScoreComponents,
  type ScoringInput,
  type ScoringPolicy,
  scoreComponentsOf,
  scoreOf,
  scoringPolicy,
} from './account/routing-score.ts'
export { defaultPolicy, type EvaluationPolicy, evaluateSnapshot, type Past } from './evaluate.ts'
export {
  type Account,
  type AccountSelector,
  accountNamed,
  type RequestSlot,
  type UpstreamStatus,
} from './facts/account.ts'
export { type AccountEvidence, type DisabledProbe, evidenceFrom } from './facts/account-evidence.ts'
export {
  type AccountList,
  type Observation,
  type ProxyObservation,
  readSources,
  type ServiceObservation,
  type SkippedEntry,
  type SourceReadings,
} from './facts/observation.ts'
export { capacityWeightOf, type PlanKind, planKindOf, planLabel } from './facts/plan.ts'
export type { ProviderId } from './facts/provider.ts'
export type {
  QuotaSample,
  ReadingNote,
  ReadingOrigin,
  WindowReading,
} from './facts/reading.ts'
export { offBecause, type SourceReading } from './facts/source.ts'
export {
  DAY_MS,
  type EpochMs,
  epochMs,
  HOUR_MS,
  type Interval,
  instantToIso,
  MINUTE_MS,
  parseInstant,
  plusMs,
  secondsUntil,
} from './facts/time.ts'
export {
  FIVE_HOUR_SECONDS,
  type MainWindow,
  type MainWindowId,
  mainWindows,
  type PerWindow,
  WEEK_SECONDS,
  type WindowId,
  windowIdOf,
} from './facts/window.ts'
export type { HealthAction } from './health/health-actions.ts'
export type { Snapshot } from './health/snapshot.ts'
export { LOW_SHARE } from './pool/capacity.ts'
export * from './pool/guard.ts'
export {
  type AccountFilter,
  type AccountPick,
  type Pickable,
  type PickReason,
  type PickRequest,
  pickAccount,
  pickReasons,
} from './pool/pick.ts'
export { rankAccounts, rankPool } from './pool/rank-pool.ts'
