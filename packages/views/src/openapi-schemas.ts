import type { BaseIssue, BaseSchema } from 'valibot'
import { accountDetailSchema } from './payloads/account-detail.ts'
import { capacitySchema, nextReturnSchema } from './payloads/capacity.ts'
import { capacityPartsSchema } from './payloads/capacity-parts.ts'
import { healthzSchema, readErrorSchema, readyzSchema } from './payloads/errors.ts'
import { healthItemSchema, healthSchema } from './payloads/health.ts'
import { healthHistorySchema } from './payloads/health-history.ts'
import { pickRequestSchema, pickSchema } from './payloads/pick.ts'
import { actionEventSchema, snapshotEventSchema } from './payloads/pool-events.ts'
import { pricesSchema } from './payloads/prices.ts'
import {
  coursePointSchema,
  cycleSchema,
  quotaCourseSchema,
  windowCourseSchema,
} from './payloads/quota-course.ts'
import { quotaWindowSchema, reclaimWindowSchema } from './payloads/quota-window.ts'
import { recommendationItemSchema, scoreComponentsSchema } from './payloads/recommendation-item.ts'
import { recommendationsSchema } from './payloads/recommendations.ts'
import {
  manualRefreshSchema,
  refreshRequestSchema,
  refreshResultSchema,
} from './payloads/refresh.ts'
import { resetRowSchema } from './payloads/resets-tab.ts'
import { statsTabSchema } from './payloads/stats.ts'
import {
  statsSeriesLineSchema,
  statsSeriesPointSchema,
  statsSeriesSchema,
  usageBreakdownSchema,
} from './payloads/stats-series-schema.ts'
import { statsWindowsSchema, windowUseSchema } from './payloads/stats-windows.ts'
import { statusSnapshotSchema, statusSummarySchema } from './payloads/status.ts'
import { disabledProbeSchema, poolAccountSchema, statusTabsSchema } from './payloads/status-tabs.ts'
import { usageFailuresSchema } from './payloads/usage-failures.ts'
import { usageRowSchema, usageRowsSchema } from './payloads/usage-rows.ts'
import { accountSelectorSchema, metricItemSchema } from './payloads/wire-schema.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** Response header of every answer. */
export const cacheControl = { 'Cache-Control': { $ref: '#/components/headers/CacheControl' } }

/** All named resources; schemas refer to them instead of repeating them. */
export const schemas = {
  Healthz: healthzSchema,
  Readyz: readyzSchema,
  StatusSnapshot: statusSnapshotSchema,
  StatusSummary: statusSummarySchema,
  StatusTabs: statusTabsSchema,
  Capacity: capacitySchema,
  Recovery: nextReturnSchema,
  PoolAccount: poolAccountSchema,
  DisabledProbe: disabledProbeSchema,
  ResetRow: resetRowSchema,
  CapacityParts: capacityPartsSchema,
  Recommendations: recommendationsSchema,
  RecommendationItem: recommendationItemSchema,
  Pick: pickSchema,
  PickRequest: pickRequestSchema,
  AccountSelector: accountSelectorSchema,
  AccountDetail: accountDetailSchema,
  ScoreComponents: scoreComponentsSchema,
  QuotaWindow: quotaWindowSchema,
  ReclaimWindow: reclaimWindowSchema,
  Health: healthSchema,
  HealthItem: healthItemSchema,
  SnapshotEvent: snapshotEventSchema,
  ActionEvent: actionEventSchema,
  StatsTab: statsTabSchema,
  UsageRow: usageRowSchema,
  UsageRows: usageRowsSchema,
  UsageFailures: usageFailuresSchema,
  Prices: pricesSchema,
  MetricItem: metricItemSchema,
  StatsSeries: statsSeriesSchema,
  StatsSeriesLine: statsSeriesLineSchema,
  StatsSeriesPoint: statsSeriesPointSchema,
  UsageBreakdown: usageBreakdownSchema,
  HealthHistory: healthHistorySchema,
  QuotaCourse: quotaCourseSchema,
  WindowCourse: windowCourseSchema,
  CoursePoint: coursePointSchema,
  Cycle: cycleSchema,
  StatsWindows: statsWindowsSchema,
  WindowUse: windowUseSchema,
  ManualQuotaRefreshResult: refreshResultSchema,
  ManualQuotaRefreshRequest: refreshRequestSchema,
  ManualRefresh: manualRefreshSchema,
  ReadError: readErrorSchema,
} satisfies Readonly<Record<string, BaseSchema<unknown, unknown, BaseIssue<unknown>>>>

export function json(name: keyof typeof schemas): JsonObject {
  return { 'application/json': { schema: schemaRef(name) } }
}

export function schemaRef(name: keyof typeof schemas): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}
