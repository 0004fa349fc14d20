import { type UsageRangeId, usageGroups, usageRangeIds } from '@svc/core/usage'
import { openUsage } from '@svc/history'
import { type Finding, findingsOf } from '../bench/goals.ts'
import { median, percentile } from '../bench/statistics.ts'
import type { Engine } from './engine.ts'
import { WORLD_DAYS, WORLD_END } from './world.ts'

/** Store and program are asked in turns, so that what else the machine does slows both. */
const ROUNDS = 5
const RUNS = 5
const COLD_RUNS = 2
const TOP = 8

interface Chart {
  readonly range: UsageRangeId
  readonly name: string
  /** Medians, in milliseconds. */
  readonly ours: number
  readonly program: number
  readonly p95: number
}

/** P6 and P7: every chart, against the engine's own program with the same question. */
export async function measureSeries(engine: Engine, rows: number): Promise<readonly Finding[]> {
  const { id, p95MsMax, program, kinds } = engine.goals.charts
  const world = await engine.world(rows)
  const usage = await openUsage({ location: world.location, retentionDays: WORLD_DAYS })
  const charts: Chart[] = []
  for (const range of usageRangeIds)
    for (const group of usageGroups) {
      const query = { range, group, metric: 'tokens', top: TOP } as const
      const askProgram = await world.chartProgram(query)
      const [times, programTimes]: [number[], number[]] = [[], []]
      for (let round = 0; round < ROUNDS; round += 1) {
        times.push(...(await timesOf(() => usage.series(query, WORLD_END))))
        programTimes.push(...(await askProgram()))
      }
      const chart = {
        range,
        name: `${range} by ${group}`,
        ours: median(times),
        p95: percentile(times, 0.95),
        program: Math.max(0.1, median(programTimes)),
      }
      charts.push(chart)
      console.log(
        `${range.padEnd(4)} ${group.padEnd(8)} median ${chart.ours.toFixed(1)} ms, p95 ${chart.p95.toFixed(1)} ms, ${(chart.ours / chart.program).toFixed(2)} × ${program}`,
      )
    }
  const summaryTimes = await timesOf(() => usage.summary(WORLD_END))
  await usage.close()
  const millions = `${rows / 1e6} M rows`
  const slowest = charts.reduce((one, other) => (other.p95 > one.p95 ? other : one))
  const compared = kinds.flatMap((kind) => {
    const ofKind = charts.filter(({ range }) => kind.has(range))
    const sum = (of: 'ours' | 'program') => ofKind.reduce((total, chart) => total + chart[of], 0)
    const worst = Math.max(...ofKind.map((chart) => chart.ours / chart.program))
    const bound = { atMost: kind.ratioMax }
    return [
      [kind.id, `slowest ${kind.one} ÷ ${program}, ${millions}`, worst, '×', bound],
      [
        kind.id,
        `all ${kind.all} together ÷ ${program}, ${millions}`,
        sum('ours') / sum('program'),
        '×',
        bound,
      ],
    ] as const
  })
  return findingsOf([
    [
      id,
      `slowest chart (${slowest.name}), p95, ${millions}`,
      slowest.p95,
      'ms',
      { atMost: p95MsMax },
    ],
    ...compared,
    [id, `summary, p95, ${millions}`, percentile(summaryTimes, 0.95), 'ms'],
  ])
}

/** How long each answer took, in milliseconds, without the first few. */
export async function timesOf(ask: () => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = []
  for (let run = 0; run < RUNS + COLD_RUNS; run += 1) {
    const startedMs = performance.now()
    await ask()
    times.push(performance.now() - startedMs)
  }
  return times.slice(COLD_RUNS)
}
