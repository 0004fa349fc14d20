import { spawnSync } from 'node:child_process'
import {
  bucketStartsOf,
  type UsageGroup,
  type UsageRangeId,
  usageGroups,
  usageRangeIds,
  usageSpanOf,
} from '@svc/core/usage'
import { openUsage } from '@svc/history'
import type { Finding } from '../bench/goals.ts'
import { median, percentile } from '../bench/statistics.ts'
import { WORLD_DAYS, WORLD_END, worldOf } from './world.ts'

const RUNS = 30
const COLD_RUNS = 5
const TOP = 8

/** P6 and P7: every chart, against the sqlite3 program answering the plain question. */
export async function measureSeries(rows: number): Promise<readonly Finding[]> {
  const path = await worldOf(rows)
  const usage = await openUsage({ location: path, retentionDays: WORLD_DAYS })
  const millions = `${rows / 1e6} M rows`
  const findings: Finding[] = []
  let worst = 0
  let worstName = ''
  const sums = { rollup: { ours: 0, program: 0 }, recent: { ours: 0, program: 0 } }
  let worstRatio = 0
  let worstRawRatio = 0
  for (const range of usageRangeIds) {
    for (const group of usageGroups) {
      const query = { range, group, metric: 'tokens', top: TOP } as const
      const all = await timesOf(() => usage.series(query, WORLD_END))
      const times = all.slice(COLD_RUNS)
      const p95 = percentile(times, 0.95)
      if (p95 > worst) {
        worst = p95
        worstName = `${range} by ${group}`
      }
      const program = programMs(path, range, group)
      const ratio = median(times) / program
      const sum = sums[range === '1h' || range === '6h' ? 'recent' : 'rollup']
      sum.ours += median(times)
      sum.program += program
      if (range === '1h' || range === '6h') worstRawRatio = Math.max(worstRawRatio, ratio)
      else worstRatio = Math.max(worstRatio, ratio)
      console.log(
        `${range.padEnd(4)} ${group.padEnd(8)} median ${median(times).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, ${ratio.toFixed(2)} × sqlite3`,
      )
    }
  }
  const summaryTimes = await timesOf(() => usage.summary(WORLD_END))
  await usage.close()
  findings.push({
    id: 'P6',
    what: `slowest chart (${worstName}), p95, ${millions}`,
    measured: worst,
    unit: 'ms',
    bound: { atMost: 50 },
  })
  findings.push({
    id: 'P6',
    what: `slowest rollup chart ÷ sqlite3, ${millions}`,
    measured: worstRatio,
    unit: '×',
    bound: { atMost: 1.5 },
  })
  findings.push({
    id: 'P7',
    what: `slowest 1h or 6h chart ÷ sqlite3, ${millions}`,
    measured: worstRawRatio,
    unit: '×',
    bound: { atMost: 1.3 },
  })
  findings.push({
    id: 'P6',
    what: `all rollup charts together ÷ sqlite3, ${millions}`,
    measured: sums.rollup.ours / sums.rollup.program,
    unit: '×',
    bound: { atMost: 1.5 },
  })
  findings.push({
    id: 'P7',
    what: `all 1h and 6h charts together ÷ sqlite3, ${millions}`,
    measured: sums.recent.ours / sums.recent.program,
    unit: '×',
    bound: { atMost: 1.3 },
  })
  findings.push({
    id: 'P6',
    what: `summary, p95, ${millions}`,
    measured: percentile(summaryTimes, 0.95),
    unit: 'ms',
    bound: null,
  })
  return findings
}

/** How long each of `RUNS` answers took, in milliseconds. */
async function timesOf(ask: () => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = []
  for (let run = 0; run < RUNS; run += 1) {
    const startedMs = performance.now()
    await ask()
    times.push(performance.now() - startedMs)
  }
  return times
}

const COLUMNS: Readonly<Record<UsageGroup, string>> = {
  total: 'account_id',
  account: 'account_id',
  client: 'api_name_id',
  model: 'model_id',
  api: 'api_name_id',
  provider: 'provider_id',
  upstream: 'upstream_id',
}
const GROUPINGS: Readonly<Record<UsageGroup, number>> = {
  total: 1,
  account: 1,
  client: 3,
  model: 2,
  api: 3,
  provider: 5,
  upstream: 4,
}

/** Time of the sqlite3 program for who used most and their points, warm, its own start taken off. */
function programMs(path: string, range: UsageRangeId, group: UsageGroup): number {
  const span = usageSpanOf(
    range,
    WORLD_END,
    (WORLD_END - WORLD_DAYS * 86_400_000 + 43_200_000) as typeof WORLD_END,
  )
  const [start] = bucketStartsOf(span)
  const from = Number(start)
  const member = COLUMNS[group]
  const raw = span.bucketSeconds < 900
  const tier = [86_400, 7_200, 900].find((seconds) => span.bucketSeconds % seconds === 0)
  const rank = raw
    ? `SELECT ${member} m, sum(tokens) t FROM usage WHERE at_ms >= ${from} AND at_ms < ${WORLD_END} GROUP BY m`
    : `SELECT member_id m, sum(tokens) t FROM rollups WHERE grouping = ${GROUPINGS[group]} AND tier_seconds = ${tier} AND bucket_s >= ${from / 1000} AND bucket_s < ${Math.ceil(WORLD_END / 1000)} GROUP BY m`
  const shown = `(SELECT m FROM (${rank}) ORDER BY t DESC LIMIT ${TOP})`
  const points = raw
    ? `SELECT ${group === 'total' ? '0' : member} m, (at_ms - ${from}) / ${span.bucketSeconds * 1000} b, count(*), sum(tokens), sum(failed) FROM usage WHERE at_ms >= ${from} AND at_ms < ${WORLD_END} ${group === 'total' ? '' : `AND ${member} IN ${shown}`} GROUP BY m, b`
    : `SELECT member_id, bucket_s, requests, tokens, failed FROM rollups WHERE grouping = ${group === 'total' ? 0 : GROUPINGS[group]} AND tier_seconds = ${tier} AND bucket_s >= ${from / 1000} AND bucket_s < ${Math.ceil(WORLD_END / 1000)} ${group === 'total' ? '' : `AND member_id IN ${shown}`}`
  const timed = (sql: string) =>
    median(
      Array.from({ length: 5 }, () => {
        const startedMs = performance.now()
        const { status, stderr } = spawnSync('sqlite3', ['-readonly', path, sql], {
          encoding: 'utf8',
          maxBuffer: 1 << 28,
        })
        if (status !== 0) throw new Error(`sqlite3: ${stderr}`)
        return performance.now() - startedMs
      }),
    )
  return Math.max(0.1, timed(`${rank}; ${points}`) - timed('SELECT 1'))
}
