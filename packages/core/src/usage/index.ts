export type { UsageMeasures } from '../facts/observation.ts'
export * from './decoded-usage.ts'
export * from './failure-cause.ts'
export { bandBounds, bandOf, type ServiceTier, serviceTierOf, serviceTiers } from './rate.ts'
export type * from './recorder.ts'
export * from './request-balance.ts'
export * from './usage.ts'
export { addedCost, type Cost, nanoUsdOf, noCost } from './usage-cost.ts'
export {
  addTo,
  costIn,
  emptySum,
  type FailureClass,
  failureClassOf,
  isFailing,
  restOf,
  scaled,
  sumOfUsage,
  type TokenClasses,
  type UsageCount,
  type UsageCounts,
  type UsageSum,
} from './usage-counts.ts'
export * from './usage-coverage.ts'
export * from './usage-detail.ts'
export * from './usage-failures.ts'
export * from './usage-increments.ts'
export * from './usage-metrics.ts'
export {
  type PercentileLine,
  type PercentileQuery,
  percentilesOf,
  rowsRefusals,
  timeAskedBy,
  type UsagePercentiles,
} from './usage-percentiles.ts'
export * from './usage-plan.ts'
export * from './usage-question.ts'
export * from './usage-request.ts'
export * from './usage-series.ts'
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
export * from './usage-summary.ts'
