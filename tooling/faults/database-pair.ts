import { type PostgresServer, startPostgres, startRelay } from '@svc/history/testing'
import { eventually, pause } from '../eventually.ts'

/** A database with a standby that has all it was told, at an address that stays. */
export interface DatabasePair {
  readonly address: string
  /** Runs statements as the superuser; the rows come as lines. */
  sql(statements: string): Promise<string>
  /** Kills the primary, and starts it again. */
  killPrimary(downMs: number): Promise<void>
  /** Kills the standby, without which nothing is stored, and starts it again. */
  killStandby(downMs: number): Promise<void>
  /** Kills the primary for good. The standby takes over, and gets a standby of its own. */
  failOver(): Promise<void>
  /** Cuts every connection. */
  cut(): void
  remove(): Promise<void>
}

/** Starts both servers. */
export async function startPair(): Promise<DatabasePair> {
  let primary = await startPostgres()
  const database = await primary.createDatabase()
  let standby = await followed(primary)
  const relay = await startRelay(primary.port)
  return {
    address: primary.address(database).replace(`:${primary.port}/`, `:${relay.port}/`),
    sql: (statements) => primary.sql(statements, database),
    async killPrimary(downMs) {
      await primary.kill()
      await pause(downMs)
      await primary.start()
    },
    async killStandby(downMs) {
      await standby.kill()
      await pause(downMs)
      await standby.start()
    },
    async failOver() {
      await primary.kill()
      await standby.promote()
      await primary.remove()
      primary = standby
      relay.aim(primary.port)
      standby = await followed(primary)
    },
    cut: () => relay.aim(primary.port),
    async remove() {
      await relay.close()
      await primary.remove()
    },
  }
}

/** A new standby, once the primary waits for it before it says that something is stored. */
async function followed(primary: PostgresServer): Promise<PostgresServer> {
  const standby = await primary.standby()
  await primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'; SELECT pg_reload_conf()")
  const written = await primary.sql('SELECT pg_current_wal_lsn()')
  await eventually('the standby has what was stored before', async () => {
    const has = `SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND flush_lsn >= '${written}'`
    return (await primary.sql(has)) === '1'
  })
  return standby
}
