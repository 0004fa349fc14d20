import type { EpochMs } from '@svc/core'
import type { SnapshotSource } from '@svc/core/service'
import { exampleObservationAt } from './example-observation.ts'
import { SAMPLE_POOL } from './example-pool.ts'
import { evidenceOnceAsked } from './sampling.ts'

export { demoCapacityPoints, demoHealthHistory } from './capacity-history.ts'
export { createDemoRefresher, type DemoRefresher } from './demo-refresher.ts'
export { demoServiceAt } from './example-observation.ts'
export { createDemoUsageReader, earliestAt as demoUsageSince } from './example-usage.ts'
export { demoPoolCycles, demoQuotaCourse } from './quota-course.ts'
export { demoRecentChanges } from './recent-changes.ts'

/**
 * The sample pool of `--demo`. Its state depends only on the time and on the last manual refresh of each account: it reads nothing, runs no
 * timer and never calls back.
 */
export function createDemoSource(
  lastAskedAt: (accountKey: string) => EpochMs | null = () => null,
): SnapshotSource {
  return {
    start() {},
    latest(now) {
      const observation = exampleObservationAt(now)
      const evidence = new Map(observation.evidenceByAuthName)
      for (const row of SAMPLE_POOL) {
        const askedAt = lastAskedAt(row.accountKey)
        const known = evidence.get(row.authName) ?? null
        const found = askedAt === null ? known : evidenceOnceAsked(row, known, askedAt)
        if (found !== null) evidence.set(row.authName, found)
      }
      return { ...observation, evidenceByAuthName: evidence }
    },
    stop: () => Promise.resolve(),
  }
}
