import { epochMs } from '@svc/core'
import {
  type UsageMetric,
  type UsageQuestion,
  type UsageRangeId,
  usageGroups,
  usageMetrics,
  usageRangeIds,
} from '@svc/core/usage'
import { openUsage } from '@svc/history'
import { type Finding, findingsOf, median, percentile } from '../bench/goals.ts'
import { WORLD_DAYS, WORLD_END } from '../bench/world.ts'
import type { Engine } from './engine.ts'

/** Store and program are queried in turn, so that other load on the machine slows both. */
const ROUNDS = 5
const RUNS = 5
const COLD_RUNS = 2

const charts = usageRangeIds.flatMap((range) =>
  usageGroups.map((group) => ({ range, group, top: 8, name: `${range} by ${group}` })),
)

/** P7 is the goal of charts of rows, P6 of charts of sums. */
function goalOf(range: UsageRangeId): 'P6' | 'P7' {
  return range === '1h' || range === '6h' ? 'P7' : 'P6'
}

/** P6 and P7: every chart, compared with the engine's own program on the same question. */
export async function measureSeries(
  { charts: goals, world }: Engine,
  rows: number,
): Promise<readonly Finding[]> {
  const { location, chartProgram } = await world(rows)
  const usage = await openUsage({ location, retentionDays: WORLD_DAYS })
  const measured: {
    readonly name: string
    readonly goal: 'P6' | 'P7'
    /** Medians, in milliseconds. */
    readonly ours: number
    readonly program: number
    readonly p95: number
  }[] = []
  for (const { name, ...chart } of charts) {
    const query = { ...chart, metric: 'tokens' } as const
    const askProgram = await chartProgram(query)
    const [times, programTimes]: [number[], number[]] = [[], []]
    for (let round = 0; round < ROUNDS; round += 1) {
      times.push(...(await timesOf(() => usage.series(query, WORLD_END))))
      programTimes.push(...(await askProgram()))
    }
    const [ours, program] = [median(times), Math.max(0.1, median(programTimes))]
    measured.push({ name, goal: goalOf(query.range), ours, program, p95: percentile(times, 0.95) })
    console.log(`${name}: ${ours.toFixed(1)} ms, ${(ours / program).toFixed(2)} × ${goals.program}`)
  }
  const summaryTimes = await timesOf(() => usage.summary(WORLD_END))
  await usage.close()
  const millions = `${rows / 1e6} M rows`
  const slowest = measured.reduce((one, other) => (other.p95 > one.p95 ? other : one))
  const compared = (['P6', 'P7'] as const).flatMap((goal) => {
    const ofGoal = measured.filter((chart) => chart.goal === goal)
    const sum = (of: 'ours' | 'program') => ofGoal.reduce((total, chart) => total + chart[of], 0)
    const worst = Math.max(...ofGoal.map(({ ours, program }) => ours / program))
    const together = sum('ours') / sum('program')
    const kind = goal === 'P6' ? 'chart of sums' : '1h or 6h chart'
    const bound = { atMost: goals.ratioMax[goal] }
    return [
      [goal, `slowest ${kind} ÷ ${goals.program}, ${millions}`, worst, '×', bound],
      [goal, `every ${kind} together ÷ ${goals.program}, ${millions}`, together, '×', bound],
    ] as const
  })
  const bound = { atMost: goals.p95MsMax }
  return findingsOf([
    ['P6', `slowest chart (${slowest.name}), p95, ${millions}`, slowest.p95, 'ms', bound],
    ...compared,
    ['P6', `summary, p95, ${millions}`, percentile(summaryTimes, 0.95), 'ms'],
  ])
}

/** Time of each answer in milliseconds, without the first few. */
async function timesOf(ask: () => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = []
  for (let run = 0; run < RUNS + COLD_RUNS; run += 1) {
    const startedMs = performance.now()
    await ask()
    times.push(performance.now() - startedMs)
  }
  return times.slice(COLD_RUNS)
}

/** Rounds for the slowest charts, so that one disturbance by the machine does not set their p95. */
const METRIC_ROUNDS = 8

/** P6: slowest chart of each metric by its median, over all ranges and groups. */
export async function measureMetrics(
  { charts: { p95MsMax }, world }: Engine,
  rows: number,
): Promise<readonly Finding[]> {
  const { location } = await world(rows)
  const usage = await openUsage({ location, retentionDays: WORLD_DAYS })
  const slowest = async (metric: UsageMetric) => {
    let found = { name: '', middle: 0, ask: async (): Promise<unknown> => null }
    for (const { name, ...chart } of charts) {
      const ask = () => usage.series({ ...chart, metric }, WORLD_END)
      const middle = median(await timesOf(ask))
      if (middle > found.middle) found = { name, middle, ask }
    }
    const times: number[] = []
    for (let round = 0; round < METRIC_ROUNDS; round += 1) times.push(...(await timesOf(found.ask)))
    const what = `slowest chart of ${metric} (${found.name}), p95, ${rows / 1e6} M rows`
    // Cost is added up from the sums by rate.
    const atMost = metric === 'cost' ? 300 : p95MsMax
    return ['P6', what, percentile(times, 0.95), 'ms', { atMost }] as const
  }
  const findings = []
  for (const metric of usageMetrics) findings.push(await slowest(metric))
  await usage.close()
  return findingsOf(findings)
}

/** Maximum number of requests that a question may read one by one. */
const REQUESTS_MAX = 990_000
const DAY_MS = 86_400_000

/** P6: costs, questions of two dimensions, or of a filter that only requests tell: from the sums by rate, and from as many requests as are allowed. */
export async function measureQuestions(
  { world }: Engine,
  rows: number,
): Promise<readonly Finding[]> {
  const { location } = await world(rows)
  const usage = await openUsage({ location, retentionDays: WORLD_DAYS })
  const days = Math.min(1, REQUESTS_MAX / rows) * WORLD_DAYS
  const from = epochMs(Math.ceil((WORLD_END - days * DAY_MS) / 60_000) * 60_000)
  const ofRequests = { range: 'custom', between: { from, to: WORLD_END } } as const
  const pairs = { range: '30d', metric: 'tokens', top: 8 } as const
  const costs = (['total', 'account', 'client', 'model'] as const).map(
    (group) => [`cost by ${group}`, 300, { ...pairs, metric: 'cost', group }] as const,
  )
  const { breakdown } = await usage.series({ ...pairs, group: 'client' }, WORLD_END)
  const one = { client: breakdown.rows.slice(0, 1).map(({ id }) => id) }
  const asked: readonly (readonly [name: string, atMostMs: number, question: UsageQuestion])[] = [
    ...costs,
    ['account and model', 300, { ...pairs, group: 'account', second: 'model' }],
    ['client and model', 300, { ...pairs, group: 'client', second: 'model' }],
    ['model of one client', 300, { ...pairs, group: 'model', filter: one }],
    ['account and client', 500, { ...pairs, ...ofRequests, group: 'account', second: 'client' }],
    ['account of one client', 500, { ...pairs, ...ofRequests, group: 'account', filter: one }],
    [
      'model, failed',
      500,
      { ...pairs, ...ofRequests, group: 'model', filter: { result: 'failed' } },
    ],
  ]
  const findings = []
  for (const [name, atMost, question] of asked) {
    const times = await timesOf(() => usage.series(question, WORLD_END))
    const what = `${name}, ${atMost === 300 ? '30 days of sums' : 'requests'}, ${rows / 1e6} M rows`
    findings.push(['P6', what, median(times), 'ms', { atMost }] as const)
  }
  await usage.close()
  return findingsOf(findings)
}

/** P10: disk space of a request, with its share of keys and sums. */
export async function measureSize(
  { bytesMax, world }: Engine,
  rows: number,
): Promise<readonly Finding[]> {
  const bytes = (await (await world(rows)).bytes()) / rows
  const what = `bytes a row with key and sums, ${rows / 1e6} M rows`
  return findingsOf([['P10', what, bytes, 'B', { atMost: bytesMax }]])
}
