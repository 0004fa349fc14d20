import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plusMs } from '@svc/core'
import { bucketStartsOf, spanAskedBy, type UsageGroup, type UsageQuestion } from '@svc/core/usage'
import { groupings } from '@svc/history/testing'
import { openSqlite } from '@svc/sqlite'
import { WORLD_DAYS, WORLD_END, worldOf } from '../bench/world.ts'
import type { BareWriter, BenchStore, Engine } from './engine.ts'

export const sqliteEngine: Engine = {
  ingest: { ratioMin: 0.6, thousandsMin: 25, batch: 500, everyMs: 20, countsReading: true },
  charts: { p95MsMax: 50, program: 'sqlite3', ratioMax: { P6: 1.5, P7: 1.3 } },
  bytesMax: 120,
  sustained: { eventsPerSecond: 5_000, readMsMax: 100 },
  emptyStore: async () => emptyFile(),
  bareWriter: async () => bareWriter(),
  world: async (rows) => storeIn(await worldOf(rows)),
  async copyOfWorld(rows) {
    const store = emptyFile()
    copyFileSync(await worldOf(rows), store.location)
    return store
  },
  close: async () => undefined,
}

/** A store in an existing file, which `remove` leaves in place. */
function storeIn(location: string): BenchStore {
  return {
    location,
    bytes: async () => statSync(location).size,
    chartProgram: async (query) => () => sqlite3Times(location, query),
    remove: async () => undefined,
  }
}

/** A store in a file of its own folder, which is removed with it. */
function emptyFile(): BenchStore {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  return {
    ...storeIn(join(folder, 'history.db')),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

function bareWriter(): BareWriter {
  const { location, remove } = emptyFile()
  const db = openSqlite(location)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec(
    'CREATE TABLE usage (at INTEGER, key BLOB, account INTEGER, model TEXT, tokens INTEGER, failed INTEGER, PRIMARY KEY (at, key)) WITHOUT ROWID, STRICT',
  )
  const insert = db.prepare('INSERT OR IGNORE INTO usage VALUES (?, ?, ?, ?, ?, ?)')
  return {
    async insert(rows) {
      db.exec('BEGIN IMMEDIATE')
      for (const { atMs, key, accountId, model, tokens, failed } of rows)
        insert.run(atMs, key, accountId, model, tokens.total, failed ? 1 : 0)
      db.exec('COMMIT')
    },
    async close() {
      db.close()
      await remove()
    },
  }
}

/** Column of a row and grouping of the sums for each group; the total has no members and is ranked by account. */
const MEMBERS: Readonly<Record<UsageGroup, readonly [column: string, grouping: number]>> = {
  total: ['account_id', groupings.account],
  account: ['account_id', groupings.account],
  client: ['api_name_id', groupings.api],
  model: ['model_id', groupings.model],
  api: ['api_name_id', groupings.api],
  provider: ['provider_id', groupings.provider],
  upstream: ['upstream_id', groupings.upstream],
}

/** Times of the sqlite3 program for the top users and their points, without its own start. */
async function sqlite3Times(path: string, query: UsageQuestion): Promise<readonly number[]> {
  const timed = (sql: string) => {
    const startedMs = performance.now()
    const { status, stderr } = spawnSync('sqlite3', ['-readonly', path, sql], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    })
    if (status !== 0) throw new Error(`sqlite3: ${stderr}`)
    return performance.now() - startedMs
  }
  return [timed(chartSql(query)) - timed('SELECT 1')]
}

function chartSql({ range, group, top }: UsageQuestion): string {
  const earliest = plusMs(WORLD_END, (0.5 - WORLD_DAYS) * 86_400_000)
  const span = spanAskedBy({ range }, WORLD_END, earliest)
  const [start] = bucketStartsOf(span)
  const from = Number(start)
  const [column, grouping] = MEMBERS[group]
  const tier = [86_400, 7_200, 900].find((seconds) => span.bucketSeconds % seconds === 0)
  const isTotal = group === 'total'
  const within =
    tier === undefined
      ? `at_ms >= ${from} AND at_ms < ${WORLD_END}`
      : `tier_seconds = ${tier} AND bucket_s >= ${from / 1000} AND bucket_s < ${Math.ceil(WORLD_END / 1000)}`
  const rank =
    tier === undefined
      ? `SELECT ${column} m, sum(tokens) t FROM usage WHERE ${within} GROUP BY m`
      : `SELECT member_id m, sum(tokens) t FROM rollups WHERE grouping = ${grouping} AND ${within} GROUP BY m`
  const shown = (member: string) =>
    isTotal ? '' : `AND ${member} IN (SELECT m FROM (${rank}) ORDER BY t DESC LIMIT ${top})`
  return tier === undefined
    ? `${rank}; SELECT ${isTotal ? '0' : column} m, (at_ms - ${from}) / ${span.bucketSeconds * 1000} b, count(*), sum(tokens), sum(failed) FROM usage WHERE ${within} ${shown(column)} GROUP BY m, b`
    : `${rank}; SELECT member_id, bucket_s, requests, tokens, failed FROM rollups WHERE grouping = ${isTotal ? groupings.total : grouping} AND ${within} ${shown('member_id')}`
}
