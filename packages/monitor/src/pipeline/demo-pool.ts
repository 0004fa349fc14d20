import { type EpochMs, epochMs } from '@svc/core'
import { burnHoursOf, windowNameOf } from '@svc/core/pool'
import type { Clock } from '@svc/core/service'
import {
  createDemoRefresher,
  createDemoSource,
  createDemoUsageReader,
  demoCapacityPoints,
  demoHealthHistory,
  demoPoolCycles,
  demoQuotaCourse,
  demoRecentChanges,
  demoServiceAt,
  demoUsageSince,
} from '@svc/demo'
import {
  type Catalogue,
  healthHistoryView,
  pricesView,
  quotaCourseView,
  usageFailuresView,
} from '@svc/views'
import { encodeJson } from '../answers/encode-json.ts'
import { encodeChart, encodeRows, usageByAccount } from '../answers/history-questions.ts'
import type { TrendSeed } from '../store/store-threads.ts'
import { handOutOnce, type ObservedPool } from './observed-pool.ts'

/** The sample pool, with its usage and its course. */
export function createDemoPool(clock: Clock, words: Catalogue): ObservedPool {
  const refresher = createDemoRefresher(clock)
  const usage = createDemoUsageReader()
  const unpricedSeries: typeof usage.series = async (question, now) => ({
    ...(await usage.series(question, now)),
    isPriced: false,
  })
  return {
    source: createDemoSource(refresher.lastAskedAt),
    refresher,
    history: null,
    // Encoded here, because the sample has no reader thread.
    recorded: {
      summary: usage.summary,
      chart: async (request, now) =>
        encodeChart(await usage.series(request.query, now), request, words),
      async course(query, now) {
        const course = demoQuotaCourse(query, now)
        return course === null ? null : encodeJson(quotaCourseView(course, query, { now, words }))
      },
      health: async (now) => encodeJson(healthHistoryView(demoHealthHistory(now), now)),
      cycles: async (weights, span) => demoPoolCycles(weights, span),
      failures: async (question, now) =>
        encodeJson(usageFailuresView(await usage.failures(question, now), words)),
      prices: async (_, now) => encodeJson(pricesView(usage.prices(now), null, words)),
      // Without cost, because the sample has no sums: adding up thirty days takes seconds.
      accountUsage: (now) =>
        usageByAccount({ series: unpricedSeries, firstRead: async () => new Map() }, [], now),
      unpricedShare: async () => null,
      rows(request, left) {
        const from = epochMs(Math.max(left.from, demoUsageSince(clock.now())))
        return encodeRows(usage, request, { ...left, from })
      },
    },
    serviceAt: demoServiceAt,
    takeRecorded: handOutOnce(demoRecentChanges(clock.now())),
    courseUntil,
    restore() {},
    adopt() {},
    useAsked() {},
    askedElsewhere: () => null,
    reload() {},
  }
}

/** Past course of the sample pool. */
function courseUntil(now: EpochMs): TrendSeed {
  const points = demoCapacityPoints(now)
  const names = new Set(points.map(windowNameOf))
  const burnHours = new Map(
    [...names].map((name) => [
      name,
      burnHoursOf(points.filter((point) => windowNameOf(point) === name)),
    ]),
  )
  return { readings: [], points, burnHours, changes: [] }
}
