export { roundedUnits } from './format/format.ts'
export { type Language, languageOf } from './language/language.ts'
export type { Catalogue } from './messages/en/catalogue.ts'
export { healthActionCodes } from './messages/en/health-actions.ts'
export { catalogueOf, createWording, type Wording } from './messages/wording.ts'
export {
  type AccountDetail,
  type AccountUsage,
  accountDetailSchema,
  accountDetailView,
} from './payloads/account-detail.ts'
export { answerView } from './payloads/answer.ts'
export {
  type AskedSpan,
  EVERY_PROVIDER,
  type InvalidParameter,
  questionParameters,
  questionPartOf,
  unknownIdWarnings,
} from './payloads/asked-usage.ts'
export { leftUnitsView } from './payloads/capacity.ts'
export {
  type CapacityParts,
  capacityPartsSchema,
  capacityPartsView,
} from './payloads/capacity-parts.ts'
export { statsSeriesCsv } from './payloads/csv.ts'
export {
  type ErrorSlug,
  errorBodies,
  healthzBody,
  healthzSchema,
  type ReadError,
} from './payloads/errors.ts'
export { type Health, type HealthItem, healthSchema, healthView } from './payloads/health.ts'
export {
  type HealthHistoryPayload,
  healthHistorySchema,
  healthHistoryView,
} from './payloads/health-history.ts'
export { noticesView } from './payloads/notices.ts'
export {
  type Pick,
  pickBodyOf,
  pickSchema,
  pickView,
} from './payloads/pick.ts'
export {
  eventSchemas,
  newsView,
  type PoolEvent,
  snapshotEventView,
} from './payloads/pool-events.ts'
export { type Prices, pricesSchema, pricesView } from './payloads/prices.ts'
export {
  COURSE_RANGE_DEFAULT,
  type NoCourseReason,
  type QuotaCourse,
  quotaCourseSchema,
  quotaCourseView,
} from './payloads/quota-course.ts'
export type { RecommendationItem } from './payloads/recommendation-item.ts'
export {
  RANKING_LIMIT_MAX,
  type Recommendations,
  recommendationsSchema,
  recommendationsView,
} from './payloads/recommendations.ts'
export {
  manualRefreshView,
  type RefreshResult,
  refreshRequestOf,
  refreshResultView,
} from './payloads/refresh.ts'
export { resetsCalendar } from './payloads/resets-calendar.ts'
export { type StatsTab, statsTabSchema, statsView } from './payloads/stats.ts'
export {
  filterView,
  type SeriesQuery,
  seriesDefaults,
  statsSeriesView,
} from './payloads/stats-series.ts'
export {
  SERIES_TOP_MAX,
  SERIES_TOP_MIN,
  type StatsSeries,
  statsSeriesSchema,
} from './payloads/stats-series-schema.ts'
export {
  type StatsWindows,
  statsWindowsSchema,
  statsWindowsView,
} from './payloads/stats-windows.ts'
export {
  type StatusSnapshot,
  statusFrameView,
  statusSnapshotSchema,
  statusView,
} from './payloads/status.ts'
export { type UsageFailuresPayload, usageFailuresView } from './payloads/usage-failures.ts'
export {
  type UsagePageFormat,
  type UsageRowFormat,
  type UsageRows,
  usagePageFormats,
  usageRowFormats,
  usageRowLines,
  usageRowsHead,
} from './payloads/usage-rows.ts'
export type { StatusContext, ViewContext } from './payloads/view-context.ts'
