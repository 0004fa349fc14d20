// Health and its actions, for the programs of this repository alone. Not published.
export { accountFaultOf } from './account-faults.ts'
export { type Answer, answerOf, answerTone, type Lasting } from './answer.ts'
export type { HealthEvaluation } from './evaluate-health.ts'
export type {
  NamedAccount,
  ToneAction,
} from './health-actions.ts'
export * from './health-history.ts'
export {
  diskRoomOf,
  FULL_DAYS_MIN,
  LAG_SECONDS_MAX,
  QUEUE_PERIOD_SECONDS,
  QUEUE_RETENTION_SECONDS_MIN,
  unpricedAfter,
} from './history-actions.ts'
export {
  actionChanges,
  actionTransitions,
  type OpenAction,
  REOPENS_WITHIN_MS,
} from './open-actions.ts'
export {
  type Readiness,
  readinessOf,
  snapshotAtUpstream,
  stalledSnapshot,
  type Unready,
  unreadyOf,
} from './snapshot.ts'
export type { HealthSource, UsageWayShown } from './source-health.ts'
