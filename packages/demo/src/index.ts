export { createDemoRefresher } from './demo-refresher.ts'
export { createDemoSource, demoServiceAt } from './example-observation.ts'
export { createDemoUsageReader, earliestAt as demoUsageSince } from './example-usage.ts'
export {
  demoCapacityPoints,
  demoHealthHistory,
  demoPoolCycles,
  demoQuotaCourse,
} from './quota-course.ts'
export { demoRecentChanges } from './recent-changes.ts'
