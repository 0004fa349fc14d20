export { roundedUnits } from './capacity.ts'
export { type ErrorSlug, errorBodies, healthzBody, healthzSchema, type ReadError, readErrorSchema, readyzSchema } from './errors.ts'
export { createZone, type Zone } from './format.ts'
export { type Health, type HealthItem, healthSchema, healthView } from './health.ts'
export {
  type QuotaWindow,
  type RecommendationItem,
  type Recommendations,
  recommendationsSchema,
  recommendationsView,
} from './recommendations.ts'
export { manualRefreshView, type RefreshResult, refreshResultView, refreshScopeOf } from './refresh.ts'
export { type StatsTab, statsTabSchema, statsView } from './stats.ts'
export {
  SERIES_TOP_MAX,
  SERIES_TOP_MIN,
  type SeriesQuery,
  type StatsSeries,
  seriesDefaults,
  statsSeriesSchema,
  statsSeriesView,
} from './stats-series.ts'
export { statsSeriesCsv } from './stats-series-csv.ts'
export { type StatusSnapshot, statusSnapshotSchema, statusView } from './status.ts'
export type { StatusTabs } from './status-tabs.ts'
export type { StatusContext, UsageContext, ViewContext } from './view-context.ts'
