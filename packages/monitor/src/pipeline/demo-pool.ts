import { type EpochMs, epochMs } from '@svc/core'
import { burnHoursOf, windowNameOf } from '@svc/core/pool'
import type { Clock } from '@svc/core/service'
import type { UsageReader } from '@svc/core/usage'
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
import type { Catalogue } from '@svc/views'
import { usageByAccount } from '../answers/account-usage.ts'
import { type ChartSource, encodeChart } from '../answers/encode-chart.ts'
import { type CourseSource, encodeCourse, encodeHealthHistory } from '../answers/encode-course.ts'
import { encodeRows } from '../answers/encode-rows.ts'
import type { TrendSeed } from '../store/store-threads.ts'
import { handOutOnce, type ObservedPool } from './observed-pool.ts'

/** The sample pool, with its usage and its course. */
export function createDemoPool(clock: Clock, words: Catalogue): ObservedPool {
  const refresher = createDemoRefresher(clock)
  const summaries = createDemoUsageReader()
  return {
    source: createDemoSource(refresher.lastAskedAt),
    refresher,
    history: null,
    recorded: {
      summaries,
      chart: chartsOf(summaries, words),
      accountCourse: coursesIn(words),
      health: async (now) => encodeHealthHistory(demoHealthHistory(now), now),
      cycles: async (weights, now) => demoPoolCycles(weights, now),
      accountUsage: (now) => usageByAccount(summaries, now),
      rows(request, left) {
        const from = epochMs(Math.max(left.from, demoUsageSince(clock.now())))
        return encodeRows(summaries, request, { ...left, from })
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

/** Charts of the sample, encoded here because it has no reader thread. */
function chartsOf(reader: UsageReader, words: Catalogue): ChartSource {
  return async (request, now) =>
    encodeChart(await reader.series(request.query, now), request, { now, words })
}

/** The recorded course of one account's quota. */
function coursesIn(words: Catalogue): CourseSource {
  return async (query, now) => {
    const course = demoQuotaCourse(query, now)
    return course === null ? null : encodeCourse(course, query, { now, words })
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
