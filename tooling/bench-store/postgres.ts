import { DEFAULT_UPSTREAM } from '@svc/core/service'
import { moveHistory, openHistory } from '@svc/history'
import { connectTo, type PostgresServer, ROLE, startPostgres } from '@svc/history/testing'
import { type Finding, findingsOf, median } from '../bench/goals.ts'
import { pause } from '../eventually.ts'
import type { BareRow, BareWriter, BenchStore, Engine } from './engine.ts'
import { databaseIn, type StoreDatabase } from './postgres-store.ts'
import { lateRequest, retainAll, VERSION, WORLD_DAYS, WORLD_END, worldOf } from './world.ts'

const DAY_MS = 86_400_000
const DAYS = 10

/** Compares forgetting days while another client writes with deleting the rows of one day. */
async function measureForgetting(
  database: StoreDatabase,
  rows: number,
): Promise<readonly Finding[]> {
  // Every wait for a lock of a millisecond and more is noted in the log of the server.
  await database.sql(
    `ALTER ROLE ${ROLE} SET log_lock_waits = on; ALTER ROLE ${ROLE} SET deadlock_timeout = '1ms'`,
  )
  const store = await openHistory(database.location)
  // The first day is not a whole one.
  await retainAll(store, WORLD_DAYS - 1)
  const writer = await startWriter(database)
  await pause(2_000)
  const quiet = writer.take()
  const bytesBefore = await database.bytes()
  const logged = database.logged()
  const times: number[] = []
  for (let day = 2; day < DAYS + 2; day += 1) {
    const startedMs = performance.now()
    await retainAll(store, WORLD_DAYS - day)
    times.push(performance.now() - startedMs)
  }
  const waits = writer.take()
  await writer.stop()
  const bytesBack = bytesBefore - (await database.bytes())
  await store.close()
  const deletedMs = await deleteOldestDay(database, WORLD_DAYS - DAYS - 1)
  const day = `forgetting a day of ${Math.round(rows / WORLD_DAYS)} rows`
  const bytesPerRow = bytesBack / ((rows / WORLD_DAYS) * DAYS)
  const lockMs = Math.max(0, ...lockWaitsIn(logged()))
  return findingsOf([
    ['fleet', `${day}, the slowest of ${DAYS}`, Math.max(...times) / 1000, 's', { atMost: 1 }],
    ['fleet', `${day} ÷ DELETE`, median(times) / deletedMs, '×'],
    ['fleet', 'bytes given back for each row forgotten', bytesPerRow, 'B', { atLeast: 1 }],
    ['fleet', 'longest write meanwhile', Math.max(...waits), 'ms', { atMost: 100 }],
    ['fleet', 'longest that a write waited for a lock meanwhile', lockMs, 'ms', { atMost: 100 }],
    ['fleet', 'longest write before', Math.max(...quiet), 'ms'],
  ])
}

/** Waits for locks in milliseconds, except those of the client that forgets, which alone takes exclusive locks. */
function lockWaitsIn(log: string): readonly number[] {
  return [...log.matchAll(/ acquired (\w+) on .* after ([\d.]+) ms/g)].flatMap(([, lock, ms]) =>
    lock === 'AccessExclusiveLock' ? [] : [Number(ms)],
  )
}

/** Stores requests continuously and records how long each took. */
async function startWriter({ location }: StoreDatabase) {
  const store = await openHistory(location)
  let times: number[] = []
  let running = true
  const writing = (async () => {
    for (let number = 1; running; number += 1) {
      const startedMs = performance.now()
      await store.usageOf(DEFAULT_UPSTREAM).record(lateRequest(number))
      times.push(performance.now() - startedMs)
    }
  })()
  return {
    take() {
      const taken = times
      times = []
      return taken
    },
    async stop() {
      running = false
      await writing
      await store.close()
    },
  }
}

/** Deletes the rows of the oldest day; resolves with the milliseconds it took. */
async function deleteOldestDay({ location }: StoreDatabase, usageDays: number): Promise<number> {
  const from = (Math.floor(WORLD_END / DAY_MS) - usageDays) * DAY_MS
  const connection = await connectTo(location)
  const startedMs = performance.now()
  const deleted = await connection.run(
    `DELETE FROM svc_quota_monitor.usage WHERE at_ms >= ${from} AND at_ms < ${from + DAY_MS}`,
  )
  const tookMs = performance.now() - startedMs
  await connection.close()
  if (deleted === 0) throw new Error('there was nothing to delete')
  return tookMs
}

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
    goals: {
      ingest: {
        id: 'fleet',
        ratioMin: 0.5,
        thousandsMin: 10,
        batch: 5_000,
        everyMs: 0.2,
        countsReading: false,
      },
      charts: {
        id: 'fleet',
        p95MsMax: 100,
        program: 'psql with the same SQL',
        kinds: [{ id: 'fleet', one: 'chart', all: 'charts', ratioMax: 2, has: () => true }],
      },
      size: { id: 'fleet', what: 'bytes a row with key and sums', bytesMax: 150 },
      sustained: { eventsPerSecond: 3_000, readMsMax: 150, bytesMax: null },
    },
    rows: '1000000',
    parts: {
      async forgetting(rows) {
        await world(rows)
        const template = nameOfWorld(rows)
        return await measureForgetting(
          databaseIn(server, await server.createDatabase({ template })),
          rows,
        )
      },
    },
    emptyStore,
    bareWriter: async () => bareWriter(await emptyStore()),
    world,
    close: () => server.remove(),
  }
}

const nameOfWorld = (rows: number) => `world_${VERSION}_${rows}`

/** The SQLite world in a database; built unless the server has kept it. */
async function worldIn(server: PostgresServer, rows: number): Promise<StoreDatabase> {
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
