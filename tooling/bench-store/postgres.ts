import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageQuestion } from '@svc/core/usage'
import { moveHistory, openHistory, openUsage } from '@svc/history'
import { connectTo, type PostgresServer, ROLE, startPostgres } from '@svc/history/testing'
import { lateRequest, retainAll, VERSION, WORLD_DAYS, WORLD_END, worldOf } from '../bench/world.ts'
import type { BareRow, BareWriter, BenchStore, Engine } from './engine.ts'

/** Starts a server that commits to disk like a real one, with memory for frequent queries; all of it is deleted unless a folder is named. */
export async function startPostgresEngine(kept: string | null): Promise<Engine> {
  const server = await startPostgres({
    fsync: true,
    settings: { shared_buffers: '1GB', max_wal_size: '8GB', log_line_prefix: '' },
    ...(kept === null ? {} : { kept }),
  })
  const emptyStore = async () => {
    const store = databaseIn(server, await server.createDatabase())
    await (await openHistory(store.location)).close()
    return store
  }
  const world = (rows: number) => worldIn(server, rows)
  return {
    ingest: {
      ratioMin: 0.5,
      thousandsMin: 10,
      batch: 5_000,
      everyMs: 0.2,
      countsReading: false,
    },
    charts: { p95MsMax: 100, program: 'psql with the same SQL', ratioMax: { P6: 2, P7: 2 } },
    bytesMax: 150,
    sustained: { eventsPerSecond: 3_000, readMsMax: 150 },
    emptyStore,
    bareWriter: async () => bareWriter(await emptyStore()),
    world,
    async copyOfWorld(rows) {
      await world(rows)
      return databaseIn(server, await server.createDatabase({ template: nameOfWorld(rows) }))
    },
    close: () => server.remove(),
  }
}

const nameOfWorld = (rows: number) => `world_${VERSION}_${rows}`

/** The SQLite world in a database; built unless the server has kept it. */
async function worldIn(server: PostgresServer, rows: number): Promise<BenchStore> {
  const name = nameOfWorld(rows)
  const world = databaseIn(server, name)
  if ((await server.sql(`SELECT 1 FROM pg_database WHERE datname = '${name}'`)) !== '') {
    // Its schema may be older than this program.
    await (await openHistory(world.location)).close()
    return world
  }
  const from = await worldOf(rows)
  const startedMs = performance.now()
  const unfinished = await server.createDatabase()
  const to = server.address(unfinished)
  await moveHistory({ from, to, passwordFile: null, upstream: null, now: WORLD_END })
  const store = await openHistory(to)
  await retainAll(store, WORLD_DAYS)
  await store.close()
  await server.sql('VACUUM (ANALYZE)', unfinished)
  await server.sql(`ALTER DATABASE ${unfinished} RENAME TO ${name}`)
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  console.log(`moved a world of ${rows} rows in ${seconds} s`)
  return world
}

function databaseIn(server: PostgresServer, name: string): BenchStore {
  const location = server.address(name)
  return {
    location,
    bytes: async () =>
      Number(
        await server.sql(
          `SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
           WHERE n.nspname = 'svc_quota_monitor' AND c.relkind = 'r' AND (c.relname LIKE 'usage\\_%' OR c.relname LIKE 'rollup\\_%')`,
          name,
        ),
      ),
    async chartProgram(query) {
      const statements = await statementsOf(server, location, query)
      return () => psqlTimes(server, name, statements)
    },
    remove: async () => void (await server.sql(`DROP DATABASE ${name} WITH (FORCE)`)),
  }
}

/** Statements that the server received for one chart, with their parameters filled in. */
async function statementsOf(
  server: PostgresServer,
  location: string,
  query: UsageQuestion,
): Promise<readonly string[]> {
  await server.sql(`ALTER ROLE ${ROLE} SET log_statement = 'all'`)
  const usage = await openUsage({ location, retentionDays: WORLD_DAYS })
  const log = join(server.folder, 'log')
  const { size } = statSync(log)
  await usage.series(query, WORLD_END)
  const statements = loggedStatements(readFileSync(log).subarray(size).toString())
  await usage.close()
  await server.sql(`ALTER ROLE ${ROLE} RESET log_statement`)
  return statements
}

const RUNS = 5
const COLD_RUNS = 2

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
  server: PostgresServer,
  database: string,
  statements: readonly string[],
): Promise<readonly number[]> {
  const runs = RUNS + COLD_RUNS
  const script = statements.map((statement) => `${statement};\n`).join('')
  const output = await server.sql(`\\o /dev/null\n\\timing on\n${script.repeat(runs)}`, database)
  const times = [...output.matchAll(/^Time: ([\d.]+) ms/gm)].map(([, ms]) => Number(ms))
  const perRun = times.length / runs
  if (!Number.isInteger(perRun) || perRun === 0) throw new Error(`psql timed ${times.length}`)
  return Array.from({ length: runs }, (_, run) =>
    times.slice(run * perRun, (run + 1) * perRun).reduce((sum, ms) => sum + ms, 0),
  ).slice(COLD_RUNS)
}

/** Columns of a row, with their types and their values as text. */
const COLUMNS: Readonly<Record<string, readonly [type: string, value: (row: BareRow) => unknown]>> =
  {
    at_ms: ['bigint', ({ atMs }) => atMs],
    key: ['bigint', ({ key }) => key.readBigInt64BE()],
    account_id: ['int', ({ accountId }) => accountId],
    api_name_id: ['int', ({ apiKey }) => apiKey.slice(-2).replace('-', '')],
    model_id: ['int', ({ model }) => model.slice(6)],
    upstream_id: ['smallint', () => 1],
    provider_id: ['smallint', () => 1],
    failed: ['boolean', ({ failed }) => failed],
    tokens: ['bigint', ({ tokens }) => tokens.total],
    tokens_in: ['bigint', ({ tokens }) => tokens.input],
    tokens_cached: ['bigint', () => 0],
    tokens_written: ['bigint', () => 0],
    tokens_out: ['bigint', ({ tokens }) => tokens.output],
    latency_ms: ['int', ({ latencyMs }) => latencyMs],
  }
const BARE = `INSERT INTO svc_quota_monitor.usage (${Object.keys(COLUMNS).join(', ')})
  SELECT * FROM unnest(${Object.values(COLUMNS)
    .map(([type], index) => `$${index + 1}::${type}[]`)
    .join(', ')}) ON CONFLICT DO NOTHING RETURNING at_ms, key`

/** Writes into the store's own table, in which the store makes a partition for each day. */
async function bareWriter({ location, remove }: BenchStore): Promise<BareWriter> {
  const store = await openHistory(location)
  await store.usageOf(DEFAULT_UPSTREAM).record(lateRequest(1))
  await store.close()
  const connection = await connectTo(location)
  return {
    async insert(rows) {
      await connection.run(
        BARE,
        Object.values(COLUMNS).map(([, value]) => `{${rows.map(value).join(',')}}`),
      )
    },
    async close() {
      await connection.close()
      await remove()
    },
  }
}
