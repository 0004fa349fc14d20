export type { UsageMeasures } from '../facts/observation.ts'
export {
  type AccountActivity,
  type IngestedUsage,
  laterOf,
  noteActivity,
  type PassiveQuota,
  type TreeTotals,
  type UsageFacts,
  type UsageRefusal,
} from './decoded-usage.ts'
export {
  causesWithin,
  type FailureCause,
  failureCauseOf,
  otherCause,
  type ProviderCause,
} from './failure-cause.ts'
export { bandBounds, bandOf, type ServiceTier, serviceTierOf, serviceTiers } from './rate.ts'
export type {
  DocumentRecorder,
  Recorder,
  RecorderContext,
  RecorderRow,
  RowRecorder,
} from './recorder.ts'
export {
  balanceAtEmptyQueue,
  balanceAtList,
  noBalance,
  type RequestBalance,
  restartedBalance,
} from './request-balance.ts'
export {
  emptyRow,
  entryOf,
  providerMember,
  type UsageGroup,
  type UsageMember,
  type UsageMode,
  type UsageRecord,
  type UsageRow,
  usageGroups,
  usageModes,
} from './usage.ts'
export { addedCost, type Cost, nanoUsdOf, noCost } from './usage-cost.ts'
export {
  addTo,
  costIn,
  emptySum,
  type FailureClass,
  failureClassOf,
  isFailing,
  scaled,
  sumOfUsage,
  type TokenClasses,
  type UsageCount,
  type UsageCounts,
  type UsageSum,
} from './usage-counts.ts'
export {
  isUncovered,
  type UsageCoverage,
  usageCoverageOf,
  type WatchedTime,
} from './usage-coverage.ts'
export {
  OTHER_ACCOUNT,
  providerOfAccount,
  providerOfUsage,
  type QuarantinedRecord,
  type UsageBatch,
  type UsageDetail,
  type UsageGap,
  type UsageTally,
} from './usage-detail.ts'
export {
  type CauseCount,
  daysOf,
  type FailuresQuestion,
  rankFailures,
  statusClassOf,
  type UsageFailures,
} from './usage-failures.ts'
export {
  type ClientIncrement,
  type CountedCost,
  type CountedIncrements,
  countedIncrements,
  createUsageIncrements,
  createUsageLabels,
  type PriceableUsage,
  type UsageIncrements,
  type UsageRanking,
} from './usage-increments.ts'
export {
  metricOf,
  metricRow,
  metricUnits,
  type RequestTime,
  rankOf,
  type UsageMetric,
  usageMetrics,
} from './usage-metrics.ts'
export {
  type PercentileLine,
  type PercentileQuery,
  percentilesOf,
  rowsRefusals,
  timeAskedBy,
  type UsagePercentiles,
} from './usage-percentiles.ts'
export {
  type AnswerSource,
  finestKept,
  type PlanFacts,
  type PlanRefusal,
  piecesOf,
  planFacet,
  planRefusals,
  planUsage,
  QUESTION_REQUESTS_MAX,
  type QuestionPlan,
  type Tier,
  tiers,
  tiersOfPairs,
  tiersOfTotal,
  type UsagePiece,
} from './usage-plan.ts'
export {
  breakdownGroupOf,
  countedPart,
  countOfStatus,
  dimensionsOf,
  type FailureStatus,
  failureStatuses,
  idIn,
  isAsked,
  isByResult,
  pairOf,
  type UsageDimension,
  type UsageFilter,
  type UsageQuestion,
  usageDimensions,
  usageResults,
} from './usage-question.ts'
export type { FeedPosition, UsageReader, UsageStore } from './usage-request.ts'
export {
  placeAt,
  REQUESTS_READ_MAX,
  type RequestPlace,
  type RequestsPage,
  type RowsLeft,
  type UsageRequest,
} from './usage-request.ts'
export {
  breakdownOf,
  changePercentOf,
  isPlanned,
  longestSpanFrom,
  newestFirst,
  type PreviousPeriod,
  previousSpanOf,
  type QuestionRefused,
  seriesOf,
  settledPlan,
  smoothed,
  spanAskedBy,
  totalMember,
  type UsageBreakdown,
  type UsageLine,
  type UsageSeries,
} from './usage-series.ts'
export {
  bucketIndexOf,
  bucketOf,
  bucketStartsOf,
  customSpanOf,
  fixedRanges,
  isBucketOf,
  type UsageBucketId,
  type UsageRangeId,
  type UsageSpan,
  usageBucketIds,
  usageRangeIds,
  usageSpanOf,
} from './usage-span.ts'
export {
  coveragePercentOf,
  LIVE_WINDOW_SECONDS,
  recentUsageOf,
  type UsageHistory,
  type UsageReading,
  type UsageSummary,
} from './usage-summary.ts'
