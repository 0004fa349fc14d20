import type { SnapshotSource } from '@svc/core'
import { sampleObservationAt } from './sample-observation.ts'

export { demoCapacitySteps } from './capacity-history.ts'
export { demoRecentChanges } from './recent-changes.ts'
export { createDemoUsageReader } from './sample-usage.ts'

/**
 * The sample pool behind `--demo`. What it shows follows from the time it is asked for: it reads nothing, runs no timer
 * and never calls back.
 */
export function createDemoSource(): SnapshotSource {
  return {
    start() {},
    latest: sampleObservationAt,
    stop: () => Promise.resolve(),
  }
}
