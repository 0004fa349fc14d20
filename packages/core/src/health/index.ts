// Health and its actions, for the programs of this repository alone. Not published.
export { type AccountFault, accountFaultOf } from './account-fault.ts'
export { actionChanges, actionTransitions } from './action-changes.ts'
export { type Answer, answerOf, answerTones, type Lasting } from './answer.ts'
export { diskRoomOf } from './disk-forecast.ts'
export type { HealthEvaluation } from './evaluate-health.ts'
export type {
  NamedAccount,
  ToneAction,
} from './health-actions.ts'
export {
  HEALTH_HISTORY_DAYS,
  type HealthHistory,
  type HealthMoment,
  type HealthRecord,
  healthHistoryOf,
  healthSpanOf,
  QUARTER_MS,
  type QuarterShares,
  quarterSharesOf,
  type RecordedState,
  recordedStates,
  type StateStretch,
} from './health-history.ts'
export {
  FULL_DAYS_MIN,
  LAG_SECONDS_MAX,
  QUEUE_PERIOD_SECONDS,
  QUEUE_RETENTION_SECONDS_MIN,
} from './history-actions.ts'
export { type OpenAction, REOPENS_WITHIN_MS } from './open-action.ts'
export { type Readiness, readinessOf, type Unready, unreadyOf } from './readiness.ts'
export { snapshotAtUpstream } from './snapshot-at-upstream.ts'
export type { HealthSource } from './source-health.ts'
export { stalledSnapshot } from './stalled-snapshot.ts'
