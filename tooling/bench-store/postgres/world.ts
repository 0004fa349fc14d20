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

/** A server that commits to the disk, as one does that is not a test, with memory for what is asked often. */
export function startServer(): Promise<PostgresServer> {
  return startPostgres({
    fsync: true,
    settings: { shared_buffers: '1GB', max_wal_size: '8GB', log_line_prefix: '' },
  })
}

export async function emptyStore(server: PostgresServer): Promise<StoreDatabase> {
  const name = await server.createDatabase()
  const address = server.address(name)
  await (await openHistory(address)).close()
  return { server, name, address }
}

/**
 * A store of this many requests over the last 90 days, spread as in the worlds of SQLite. The names and the days are made by the store itself, rows and
 * sums by the database, because ten million rows through the store take an hour.
 */
export async function worldIn(server: PostgresServer, rows: number): Promise<StoreDatabase> {
  const startedMs = performance.now()
  const world = await emptyStore(server)
  const store = await openHistory(world.address)
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
  await server.sql(generationSql(rows), world.name)
  await server.sql('VACUUM (ANALYZE)', world.name)
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  console.log(`built a database of ${rows} rows in ${seconds} s`)
  return world
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

function generationSql(rows: number): string {
  const stepMs = (WORLD_END - WORLD_START) / rows
  const sums = tiers.flatMap(({ seconds, keptSeconds }) => {
    const since = Number.isFinite(keptSeconds)
      ? WORLD_END - (keptSeconds + seconds) * 1000
      : WORLD_START
    return Object.entries(groupings).map(([name, grouping]) => {
      const bucket = `at_ms / ${seconds * 1000} * ${seconds}`
      return `INSERT INTO svc_quota_monitor.rollup_${seconds}
        SELECT ${grouping}, ${bucket}, ${COLUMNS[name as keyof typeof groupings]}, count(*), sum(tokens), sum(failed::int),
          sum(tokens_in), sum(tokens_cached), sum(tokens_written), sum(tokens_out)
        FROM svc_quota_monitor.usage WHERE at_ms >= ${since} AND ${bucket} + ${seconds} > ${WORLD_END / 1000 - (Number.isFinite(keptSeconds) ? keptSeconds : 1e9)}
        GROUP BY 2, 3 ORDER BY 2, 3;`
    })
  })
  return `
    DELETE FROM svc_quota_monitor.usage;
    ${tiers.map(({ seconds }) => `TRUNCATE svc_quota_monitor.rollup_${seconds};`).join('\n')}
    SELECT setseed(0.2026);
    INSERT INTO svc_quota_monitor.usage (at_ms, key, account_id, api_name_id, model_id, upstream_id, provider_id, failed, tokens,
      tokens_in, tokens_cached, tokens_written, tokens_out, latency_ms, first_token_ms)
    SELECT ${WORLD_START} + floor((number - random()) * ${stepMs})::bigint, number::bigint * 1000003 + floor(random() * 1000000)::bigint,
      1 + floor(random() * ${WORLD.accounts})::int, 1 + floor(random() * ${WORLD.clients})::int, 1 + floor(random() * ${WORLD.models})::int,
      1, 1, random() < 0.02, 2 * part, part, 0, 0, part, 2 * part, part
    FROM (SELECT number, floor(random() * 20000)::int AS part FROM generate_series(1, ${rows}) AS numbers (number)) AS requests;
    ${sums.join('\n')}`
}

const COLUMNS: Readonly<Record<keyof typeof groupings, string>> = {
  total: '0',
  account: 'account_id',
  model: 'model_id',
  api: 'api_name_id',
  upstream: 'upstream_id',
  provider: 'provider_id',
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
