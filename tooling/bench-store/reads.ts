import { spawnSync } from 'node:child_process'
import { mainWindows } from '@svc/core'
import { courseRangeIds, silentMsMaxOf } from '@svc/core/account'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import {
  type UsageMetric,
  type UsageRangeId,
  usageGroups,
  usageMetrics,
  usageRangeIds,
} from '@svc/core/usage'
import { openHistory, openUsage } from '@svc/history'
import { type Finding, findingsOf, median, percentile, seededRandom } from '../bench/goals.ts'
import type { Engine } from './engine.ts'
import { accountKey, keptFile, WORLD_DAYS, WORLD_END } from './world.ts'

/** Store and program are queried in turn, so that other load on the machine slows both. */
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

/** P6 and P7: every chart, compared with the engine's own program on the same question. */
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
const METRIC_TOP = 8

/** Slowest chart of each metric by its median, over all ranges and groups. */
export async function measureMetrics(engine: Engine, rows: number): Promise<readonly Finding[]> {
  const { id, p95MsMax } = engine.goals.charts
  const world = await engine.world(rows)
  const usage = await openUsage({ location: world.location, retentionDays: WORLD_DAYS })
  const slowest = async (metric: UsageMetric) => {
    let found = { name: '', middle: 0, ask: async (): Promise<unknown> => null }
    for (const range of usageRangeIds)
      for (const group of usageGroups) {
        const ask = () => usage.series({ range, group, metric, top: METRIC_TOP }, WORLD_END)
        const middle = median(await timesOf(ask))
        if (middle > found.middle) found = { name: `${range} by ${group}`, middle, ask }
      }
    const times: number[] = []
    for (let round = 0; round < METRIC_ROUNDS; round += 1) times.push(...(await timesOf(found.ask)))
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

/** P10: disk space of a request, with its share of keys and sums. */
export async function measureSize(engine: Engine, rows: number): Promise<readonly Finding[]> {
  const { id, what, bytesMax } = engine.goals.size
  const { bytes } = await engine.world(rows)
  const perRow = (await bytes()) / rows
  return findingsOf([[id, `${what}, ${rows / 1e6} M rows`, perRow, 'B', { atMost: bytesMax }]])
}

const ACCOUNTS = 1_000
/** A busy account is read every 5 min and changes at every second reading. */
const READ_EVERY_MS = 10 * 60_000
/** The pool of such accounts changes at every write. */
const WATCHED_EVERY_MS = 60_000
const DAY_MS = 86_400_000
const COURSE_RUNS = 40
/** Version of the recorded pool; changes whenever its contents do. */
const VERSION = 1

/** Courses of single accounts of a large pool, computed as in the reading thread, each account for the first time. */
export async function measureCourses(): Promise<readonly Finding[]> {
  const path = await recordedPool()
  const reader = await openUsage({ location: path, retentionDays: WORLD_DAYS })
  const random = seededRandom(11)
  const findings: Finding[] = []
  for (const range of courseRangeIds) {
    const times: number[] = []
    for (let run = 0; run < COURSE_RUNS; run += 1) {
      const query = { accountKey: accountKey(Math.floor(random() * ACCOUNTS)), range }
      const startedMs = performance.now()
      const course = await reader.course(query, { now: WORLD_END, silentMsMax: silentMsMaxOf(60) })
      const tookMs = performance.now() - startedMs
      if (course === null || course.some(({ points }) => points.length === 0))
        throw new Error('an account of the pool has no course')
      times.push(tookMs)
    }
    const what = `course of one of ${ACCOUNTS} accounts over ${range}, ${WORLD_DAYS} days stored, p95`
    findings.push(...findingsOf([['course', what, percentile(times, 0.95), 'ms', { atMost: 50 }]]))
  }
  await reader.close()
  return findings
}

const recordedPool = (): Promise<string> =>
  keptFile(`pool-${VERSION}-${ACCOUNTS}.db`, async (path) => {
    const store = await openHistory(path)
    const keys = Array.from({ length: ACCOUNTS }, (_, index) => accountKey(index))
    await store.usageOf(DEFAULT_UPSTREAM).nameAccounts(new Map(keys.map((key) => [key, key])))
    await store.close()
    const { status, stderr } = spawnSync('sqlite3', [path, fillingSql()], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`sqlite3: ${stderr}`)
  })

/** Fills the store day by day, so that the rows of an account are as scattered as in a store that has grown. */
function fillingSql(): string {
  const startMs = WORLD_END - WORLD_DAYS * DAY_MS
  const windows = mainWindows.map(({ id, seconds }) => `('${id}', ${seconds * 1000})`).join(', ')
  const days = `generate_series(0, ${WORLD_DAYS - 1}) AS day`
  return `
    CREATE TEMP TABLE windows (id TEXT, ms INTEGER);
    INSERT INTO windows VALUES ${windows};
    BEGIN;
    INSERT INTO quota_samples (account_id, window_id, at_ms, percent, reset_at_ms)
    SELECT account, name, at, round(100.0 - 100.0 * since / ms, 1), at - since + ms FROM (
      SELECT *, (at + account * 1000003) % ms AS since FROM (
        SELECT accounts.id AS account, windows.id AS name, ms,
          ${startMs} + day.value * ${DAY_MS} + step.value + accounts.id * 137 AS at
        FROM ${days} CROSS JOIN accounts CROSS JOIN windows
        CROSS JOIN generate_series(0, ${DAY_MS - 1}, ${READ_EVERY_MS}) AS step));
    INSERT INTO capacity_points (window_id, at_ms, known_units, tracked_units, unknown_units, burned_units)
    SELECT windows.id, at.value, ${ACCOUNTS / 2}, ${ACCOUNTS}, 0, 1
    FROM windows CROSS JOIN generate_series(${startMs}, ${WORLD_END}, ${WATCHED_EVERY_MS}) AS at;
    COMMIT;`
}
