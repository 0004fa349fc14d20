import { type UsageMetric, usageGroups, usageMetrics, usageRangeIds } from '@svc/core/usage'
import { openUsage } from '@svc/history'
import { type Finding, findingsOf } from '../bench/goals.ts'
import { percentile } from '../bench/statistics.ts'
import type { Engine } from './engine.ts'
import { timesOf } from './series.ts'
import { WORLD_DAYS, WORLD_END } from './world.ts'

const TOP = 8

/** The slowest chart of each metric, of all ranges and groups. */
export async function measureMetrics(engine: Engine, rows: number): Promise<readonly Finding[]> {
  const { id, p95MsMax } = engine.goals.charts
  const world = await engine.world(rows)
  const usage = await openUsage({ location: world.location, retentionDays: WORLD_DAYS })
  const slowest = async (metric: UsageMetric) => {
    let found = { name: '', p95: 0 }
    for (const range of usageRangeIds)
      for (const group of usageGroups) {
        const query = { range, group, metric, top: TOP }
        const p95 = percentile(await timesOf(() => usage.series(query, WORLD_END)), 0.95)
        if (p95 > found.p95) found = { name: `${range} by ${group}`, p95 }
      }
    return found
  }
  const findings: (readonly [string, string, number, string, { readonly atMost: number }])[] = []
  for (const metric of usageMetrics) {
    const { name, p95 } = await slowest(metric)
    findings.push([
      id,
      `slowest chart of ${metric} (${name}), p95, ${rows / 1e6} M rows`,
      p95,
      'ms',
      { atMost: p95MsMax },
    ])
  }
  await usage.close()
  return findingsOf(findings)
}
