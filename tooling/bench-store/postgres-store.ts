import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { UsageQuery } from '@svc/core/usage'
import { openUsage } from '@svc/history'
import { type PostgresServer, ROLE } from '@svc/history/testing'
import type { BenchStore } from './engine.ts'
import { WORLD_DAYS, WORLD_END } from './world.ts'

const RUNS = 5
const COLD_RUNS = 2

/** A database with the schema of a store. */
export interface StoreDatabase extends BenchStore {
  /** Runs statements as the superuser; resolves with the rows as lines. */
  sql(statements: string): Promise<string>
  /** Begins to watch the server's log; the result returns the lines written since. */
  logged(): () => string
}

export function databaseIn(server: PostgresServer, name: string): StoreDatabase {
  const sql = (statements: string) => server.sql(statements, name)
  const logged = () => {
    const log = join(server.folder, 'log')
    const { size } = statSync(log)
    return () => readFileSync(log).subarray(size).toString()
  }
  const store = { location: server.address(name), sql, logged }
  return {
    ...store,
    bytes: async () =>
      Number(
        await sql(
          `SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
           WHERE n.nspname = 'svc_quota_monitor' AND c.relkind = 'r' AND (c.relname LIKE 'usage\\_%' OR c.relname LIKE 'rollup\\_%')`,
        ),
      ),
    async chartProgram(query) {
      const statements = await statementsOf(store, query)
      return () => psqlTimes(sql, statements)
    },
    remove: async () => void (await server.sql(`DROP DATABASE ${name} WITH (FORCE)`)),
  }
}

/** Statements that the server received for one chart, with their parameters filled in. */
async function statementsOf(
  { location, sql, logged }: Pick<StoreDatabase, 'location' | 'sql' | 'logged'>,
  query: UsageQuery,
): Promise<readonly string[]> {
  await sql(`ALTER ROLE ${ROLE} SET log_statement = 'all'`)
  const usage = await openUsage({ location, retentionDays: WORLD_DAYS })
  const log = logged()
  await usage.series(query, WORLD_END)
  const statements = loggedStatements(log())
  await usage.close()
  await sql(`ALTER ROLE ${ROLE} RESET log_statement`)
  return statements
}

const PARAMETER = /\$(\d+) = ('(?:[^']|'')*'|NULL)/g

/** Statements in a log, where further lines of a statement begin with a tab and its parameters follow it. */
function loggedStatements(log: string): readonly string[] {
  const statements: string[] = []
  for (const entry of log.replaceAll('\n\t', ' ').split('\n')) {
    const [, statement] = /^LOG: {2}(?:statement|execute <unnamed>): (.*)$/.exec(entry) ?? []
    if (statement !== undefined) statements.push(statement)
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

/** Total time of the statements in each run, as psql reports it, without the first few runs. */
async function psqlTimes(
  sql: StoreDatabase['sql'],
  statements: readonly string[],
): Promise<readonly number[]> {
  const runs = RUNS + COLD_RUNS
  const script = statements.map((statement) => `${statement};\n`).join('')
  const output = await sql(`\\o /dev/null\n\\timing on\n${script.repeat(runs)}`)
  const times = [...output.matchAll(/^Time: ([\d.]+) ms/gm)].map(([, ms]) => Number(ms))
  const perRun = times.length / runs
  if (!Number.isInteger(perRun) || perRun === 0) throw new Error(`psql timed ${times.length}`)
  return Array.from({ length: runs }, (_, run) =>
    times.slice(run * perRun, (run + 1) * perRun).reduce((sum, ms) => sum + ms, 0),
  ).slice(COLD_RUNS)
}
