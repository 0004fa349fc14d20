// Rules for one account, for the programs of this repository alone. Not published.
export {
  DEFAULT_MULTIPLIER,
  meteringWindowOf,
  spendablePercentsOf,
} from './account-quota.ts'
export { isUnknownRefusal } from './account-status.ts'
export * from './asked-account.ts'
export { authFaultOf, blocksOf, namingBlockOf } from './blocked-reasons.ts'
export { blockedModelsOf } from './evaluated-account.ts'
export {
  BANKED_EXPIRIES_MAX,
  BANKED_KEPT_MS,
  isBankedListDue,
  type Subscription,
  subscriptionOf,
  subscriptionStates,
} from './lapses.ts'
export { isVerdictMessage, verdictAfter } from './lasting-verdict.ts'
export { isUsedUp, newestDirectSample, refusedWindows } from './merge-evidence.ts'
export {
  BLOCKED_PROBE_SECONDS,
  plannedIntervalSeconds,
  probeScheduleOf,
} from './probe-schedule.ts'
export {
  COURSE_POINTS_MAX,
  COURSE_RESETS_MAX,
  type CourseMoment,
  type CoursePoint,
  type CourseQuery,
  type CourseRangeId,
  type CourseReading,
  courseRangeIds,
  courseRanges,
  courseSpanOf,
  silentMsMaxOf,
  unrecordedCourses,
  type WindowCourse,
  windowCourseOf,
} from './quota-course.ts'
export { isMarked, isPresent } from './quota-window.ts'
export { RECLAIM_PERCENT_MIN, RECLAIM_RESET_SECONDS_MAX } from './reclaim-window.ts'
export {
  hasNotStarted,
  isNotStarted,
  NO_SCORE,
  notStartedWindowOf,
  type ScoreComponents,
  scoredQuotasOf,
  scoreMaximaOf,
  timeShareLeft,
} from './routing-score.ts'
export {
  type Cycle,
  type CycleReading,
  cycleStates,
} from './window-cycles.ts'
