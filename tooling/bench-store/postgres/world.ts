import { spawnSync } from 'node:child_process'
import { type EpochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageDetail } from '@svc/core/usage'
import { openHistory } from '@svc/history'
import { groupings, type PostgresServer, startPostgres, tiers } from '@svc/history/testing'
import { accountKey, WORLD, WORLD_DAYS, WORLD_END } from '../world.ts'

const DAY_MS = 86_400_000
const WORLD_START: EpochMs = plusMs(WORLD_END, -WORLD_DAYS * DAY_MS + DAY_MS / 2)

/** A database with the schema of a store. */
export interface StoreDatabase {
  readonly server: PostgresServer
  readonly name: string
  readonly address: string
}

/** A server that commits to the disk, as one does that is not a test, with memory for what is asked often. It stays in a folder where one is named. */
export function startServer(kept: string | null): Promise<PostgresServer> {
  return startPostgres({
    fsync: true,
    settings: { shared_buffers: '1GB', max_wal_size: '8GB', log_line_prefix: '' },
    ...(kept === null ? {} : { kept }),
  })
}

export async function emptyStore(server: PostgresServer): Promise<StoreDatabase> {
  const name = await server.createDatabase()
  const address = server.address(name)
  await (await openHistory(address)).close()
  return { server, name, address }
}

/** A store of this many requests over the last 90 days, spread as in the worlds of SQLite; built unless the server has kept one. */
export async function worldIn(server: PostgresServer, rows: number): Promise<StoreDatabase> {
  const name = `world_${rows}`
  const world = { server, name, address: server.address(name) }
  const found = await server.sql(`SELECT 1 FROM pg_database WHERE datname = '${name}'`)
  if (found !== '') {
    // Its schema may be older than this program.
    await (await openHistory(world.address)).close()
    return world
  }
  const startedMs = performance.now()
  const built = await emptyStore(server)
  await nameEverybody(built)
  await withoutSafety(server, () => fill(built, rows))
  await server.sql(`ALTER DATABASE ${built.name} RENAME TO ${name}`)
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  console.log(`built a database of ${rows} rows in ${seconds} s`)
  return world
}

/** The names and the days are made by the store itself. */
async function nameEverybody({ address }: StoreDatabase): Promise<void> {
  const store = await openHistory(address)
  const details = everyNameAndDay()
  await store
    .usageOf(DEFAULT_UPSTREAM)
    .record({ receivedAt: WORLD_END, details, quarantined: [], saturatedCount: 0 })
  await store
    .usageOf(DEFAULT_UPSTREAM)
    .nameAccounts(
      new Map(details.map(({ accountKey: key }, index) => [key, `user${index}@example.com`])),
    )
  await store.close()
}

function everyNameAndDay(): readonly UsageDetail[] {
  return Array.from({ length: WORLD.accounts }, (_, index) => ({
    at: plusMs(WORLD_START, (index % (WORLD_DAYS + 1)) * DAY_MS),
    key: BigInt(index),
    accountKey: accountKey(index),
    apiName: `sk-client-${index % WORLD.clients}`,
    model: `model-${index % WORLD.models}`,
    tokens: 0,
    failed: false,
    provider: 'codex',
  }))
}

/** What a server may leave out while rows are made that could be made again: a table that a transaction has emptied is then not written to the log. */
const UNSAFE = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  autovacuum: 'off',
  work_mem: '128MB',
}

async function withoutSafety(server: PostgresServer, work: () => Promise<void>): Promise<void> {
  for (const [name, value] of Object.entries(UNSAFE))
    await server.sql(`ALTER SYSTEM SET ${name} = '${value}'`)
  await server.stop()
  await server.start()
  await work()
  await server.sql('ALTER SYSTEM RESET ALL')
  await server.stop()
  // All of it is on the disk before anything is measured.
  spawnSync('sync')
  await server.start()
}

/** Rows and their sums are made by the database, a day at a time, because ten million rows through the store take an hour. */
async function fill({ server, name }: StoreDatabase, rows: number): Promise<void> {
  const run = (statements: string) => server.sql(statements, name)
  const tables = ['usage', ...tiers.map(({ seconds }) => `rollup_${seconds}`)]
  await run(`TRUNCATE ${tables.map((table) => `svc_quota_monitor.${table}`).join()}`)
  const firstDay = Math.floor(WORLD_START / DAY_MS)
  const lastDay = Math.floor(WORLD_END / DAY_MS)
  for (let day = firstDay; day <= lastDay; day += 1) {
    await run(`SELECT setseed(${(day % 1000) / 1000}); BEGIN; ${rowsOfDay(day, rows)} COMMIT`)
    await run(sumsOfDay(day))
    if (day % 10 === 0) console.log(`${day - firstDay + 1} of ${lastDay - firstDay + 1} days`)
  }
  await run('VACUUM (ANALYZE)')
}

function tableOf(day: number): string {
  const [date = ''] = new Date(day * DAY_MS).toISOString().split('T')
  return `svc_quota_monitor.usage_${date.replaceAll('-', '')}`
}

/** Requests have numbers in the order of time. */
function rowsOfDay(day: number, rows: number): string {
  const stepMs = (WORLD_END - WORLD_START) / rows
  const before = (at: number) => Math.min(rows, Math.max(0, Math.ceil((at - WORLD_START) / stepMs)))
  const [from, to] = [day * DAY_MS, (day + 1) * DAY_MS]
  return `
    TRUNCATE ${tableOf(day)};
    INSERT INTO ${tableOf(day)} (at_ms, key, account_id, api_name_id, model_id, upstream_id, provider_id, failed, tokens,
      tokens_in, tokens_cached, tokens_written, tokens_out, latency_ms, first_token_ms)
    SELECT greatest(${from}, least(${to - 1}, ${WORLD_START} + floor((number - random()) * ${stepMs})::bigint)),
      number::bigint * 1000003 + floor(random() * 1000000)::bigint,
      1 + floor(random() * ${WORLD.accounts})::int, 1 + floor(random() * ${WORLD.clients})::int, 1 + floor(random() * ${WORLD.models})::int,
      1, 1, random() < 0.02, 2 * part, part, 0, 0, part, 2 * part, part
    FROM (SELECT number, floor(random() * 20000)::int AS part FROM generate_series(${before(from) + 1}, ${before(to)}) AS numbers (number)) AS requests;`
}

const MEMBERS: Readonly<Record<Exclude<keyof typeof groupings, 'total'>, string>> = {
  account: 'account_id',
  model: 'model_id',
  api: 'api_name_id',
  upstream: 'upstream_id',
  provider: 'provider_id',
}

/** What is still kept of a day, each width of bucket with one look at its rows. */
function sumsOfDay(day: number): string {
  const members = Object.entries(MEMBERS)
  const whose = (then: (grouping: number, column: string) => string | number) =>
    `CASE ${members
      .map(([name, column]) => {
        const grouping = groupings[name as keyof typeof groupings]
        return `WHEN grouping(${column}) = 0 THEN ${then(grouping, column)}`
      })
      .join(' ')} ELSE 0 END`
  return tiers
    .map(({ seconds, keptSeconds }) => {
      const bucket = `at_ms / ${seconds * 1000} * ${seconds}`
      const kept = Number.isFinite(keptSeconds)
        ? `WHERE ${bucket} + ${seconds} > ${WORLD_END / 1000 - keptSeconds}`
        : ''
      if (Number.isFinite(keptSeconds) && (day + 1) * DAY_MS < WORLD_END - keptSeconds * 1000)
        return ''
      return `INSERT INTO svc_quota_monitor.rollup_${seconds} (grouping, bucket_s, member_id, requests, tokens, failed,
          tokens_in, tokens_cached, tokens_written, tokens_out)
        SELECT ${whose((grouping) => grouping)}, bucket_s, ${whose((_, column) => column)}, count(*), sum(tokens), sum(failed::int),
          sum(tokens_in), sum(tokens_cached), sum(tokens_written), sum(tokens_out)
        FROM (SELECT *, ${bucket} AS bucket_s FROM ${tableOf(day)} ${kept}) AS requests
        GROUP BY GROUPING SETS ((bucket_s), ${members.map(([, column]) => `(bucket_s, ${column})`).join(', ')}) ORDER BY 1, 2, 3;`
    })
    .join('\n')
}

/** Rows and sums with their keys, in bytes. */
export async function usageBytes({ server, name }: StoreDatabase): Promise<number> {
  return Number(
    await server.sql(
      `SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = 'svc_quota_monitor' AND c.relkind = 'r' AND (c.relname LIKE 'usage\\_%' OR c.relname LIKE 'rollup\\_%')`,
      name,
    ),
  )
}
