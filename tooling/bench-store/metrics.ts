import { type UsageMetric, usageGroups, usageMetrics, usageRangeIds } from '@svc/core/usage'
import { openUsage } from '@svc/history'
import { type Finding, findingsOf } from '../bench/goals.ts'
import { median, percentile } from '../bench/statistics.ts'
import type { Engine } from './engine.ts'
import { timesOf } from './series.ts'
import { WORLD_DAYS, WORLD_END } from './world.ts'

const TOP = 8

/** Rounds of the slowest chart, so that its p95 is not the one time the machine did something else. */
const ROUNDS = 8

/** The slowest chart of each metric by its median, of all ranges and groups. */
export async function measureMetrics(engine: Engine, rows: number): Promise<readonly Finding[]> {
  const { id, p95MsMax } = engine.goals.charts
  const world = await engine.world(rows)
  const usage = await openUsage({ location: world.location, retentionDays: WORLD_DAYS })
  const slowest = async (metric: UsageMetric) => {
    let found = { name: '', middle: 0, ask: async (): Promise<unknown> => null }
    for (const range of usageRangeIds)
      for (const group of usageGroups) {
        const ask = () => usage.series({ range, group, metric, top: TOP }, WORLD_END)
        const middle = median(await timesOf(ask))
        if (middle > found.middle) found = { name: `${range} by ${group}`, middle, ask }
      }
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) times.push(...(await timesOf(found.ask)))
    return { name: found.name, p95: percentile(times, 0.95) }
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
