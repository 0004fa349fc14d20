import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type UsageQuery, usageGroups, usageRangeIds } from '@svc/core/usage'
import { openUsage } from '@svc/history'
import { ROLE } from '@svc/history/testing'
import type { Finding } from '../../bench/goals.ts'
import { median, percentile } from '../../bench/statistics.ts'
import { WORLD_DAYS, WORLD_END } from '../world.ts'
import type { StoreDatabase } from './world.ts'

/** Both are asked in turns, so that what else the machine does slows both. */
const ROUNDS = 5
const RUNS = 5
const COLD_RUNS = 2
const TOP = 8

/** Every chart, against psql with the same statements. */
export async function measureSeries(
  world: StoreDatabase,
  rows: number,
): Promise<readonly Finding[]> {
  const usage = await openUsage({ location: world.address, retentionDays: WORLD_DAYS })
  const millions = `${rows / 1e6} M rows`
  const slowest = { p95: 0, name: '' }
  const ratios: number[] = []
  const together = { ours: 0, psql: 0 }
  for (const range of usageRangeIds)
    for (const group of usageGroups) {
      const query = { range, group, metric: 'tokens', top: TOP } as const
      const statements = await statementsOf(world, query)
      const times: number[] = []
      const psql: number[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        times.push(...(await timesOf(() => usage.series(query, WORLD_END))))
        psql.push(...(await psqlTimes(world, statements)))
      }
      const p95 = percentile(times, 0.95)
      const ratio = median(times) / median(psql)
      ratios.push(ratio)
      together.ours += median(times)
      together.psql += median(psql)
      if (p95 > slowest.p95) Object.assign(slowest, { p95, name: `${range} by ${group}` })
      console.log(
        `${range.padEnd(4)} ${group.padEnd(8)} median ${median(times).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, ${ratio.toFixed(2)} × psql`,
      )
    }
  const summaryTimes = await timesOf(() => usage.summary(WORLD_END))
  await usage.close()
  return [
    {
      id: 'fleet',
      what: `slowest chart (${slowest.name}), p95, ${millions}`,
      measured: slowest.p95,
      unit: 'ms',
      bound: { atMost: 100 },
    },
    {
      id: 'fleet',
      what: `slowest chart ÷ psql with the same SQL, ${millions}`,
      measured: Math.max(...ratios),
      unit: '×',
      bound: { atMost: 2 },
    },
    {
      id: 'fleet',
      what: `all charts together ÷ psql with the same SQL, ${millions}`,
      measured: together.ours / together.psql,
      unit: '×',
      bound: { atMost: 2 },
    },
    {
      id: 'fleet',
      what: `summary, p95, ${millions}`,
      measured: percentile(summaryTimes, 0.95),
      unit: 'ms',
      bound: null,
    },
  ]
}

/** How long each answer took, in milliseconds, without the first few. */
async function timesOf(ask: () => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = []
  for (let run = 0; run < RUNS + COLD_RUNS; run += 1) {
    const startedMs = performance.now()
    await ask()
    times.push(performance.now() - startedMs)
  }
  return times.slice(COLD_RUNS)
}

/** What the server was asked for one chart, its parameters put in. */
async function statementsOf(
  { server, address }: StoreDatabase,
  query: UsageQuery,
): Promise<readonly string[]> {
  const log = join(server.folder, 'log')
  await server.sql(`ALTER ROLE ${ROLE} SET log_statement = 'all'`)
  const usage = await openUsage({ location: address, retentionDays: WORLD_DAYS })
  const { size } = statSync(log)
  await usage.series(query, WORLD_END)
  const logged = readFileSync(log).subarray(size).toString()
  await usage.close()
  await server.sql(`ALTER ROLE ${ROLE} RESET log_statement`)
  return loggedStatements(logged)
}

const PARAMETER = /\$(\d+) = ('(?:[^']|'')*'|NULL)/g

/** Lines of a statement after its first begin with a tab; its parameters come after it. */
function loggedStatements(log: string): readonly string[] {
  const statements: string[] = []
  for (const entry of log.replaceAll('\n\t', ' ').split('\n')) {
    const [, sql] = /^LOG: {2}(?:statement|execute <unnamed>): (.*)$/.exec(entry) ?? []
    if (sql !== undefined) statements.push(sql)
    const [, parameters] = /^DETAIL: {2}parameters: (.*)$/.exec(entry) ?? []
    const last = statements.pop()
    if (last === undefined) continue
    const values = new Map(
      [...(parameters ?? '').matchAll(PARAMETER)].map(([, number, value]) => [number, value]),
    )
    statements.push(last.replace(/\$(\d+)/g, (name, number) => values.get(number) ?? name))
  }
  return statements
}

/** What psql itself says that all of the statements took, run by run. */
async function psqlTimes(
  { server, name }: StoreDatabase,
  statements: readonly string[],
): Promise<readonly number[]> {
  const script = statements.map((sql) => `${sql};`).join('\n')
  const output = await server.sql(
    `\\o /dev/null\n\\timing on\n${Array.from({ length: RUNS + COLD_RUNS }, () => script).join('\n')}\n`,
    name,
  )
  const times = [...output.matchAll(/^Time: ([\d.]+) ms/gm)].map(([, ms]) => Number(ms))
  const perRun = times.length / (RUNS + COLD_RUNS)
  if (!Number.isInteger(perRun) || perRun === 0) throw new Error(`psql timed ${times.length}`)
  return Array.from({ length: RUNS + COLD_RUNS }, (_, run) =>
    times.slice(run * perRun, (run + 1) * perRun).reduce((sum, ms) => sum + ms, 0),
  ).slice(COLD_RUNS)
}
