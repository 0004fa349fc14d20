import { epochMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import { HistoryError, type HistoryStore, openHistory, openUsage } from '@svc/history'
import { type PostgresServer, startPostgres, whyNoPostgres } from '@svc/history/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { eventually } from '../../../tooling/eventually.ts'
import { expectHeld, type Load, loadOn } from './load.ts'

const ALL = { range: 'all', group: 'total', metric: 'requests', top: 1, compare: false } as const
const NOW = epochMs(Date.UTC(2026, 11, 1))
const CONNECTIONS = 8

let server: PostgresServer
let database: string
let load: Load | null = null
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) return context.skip(why)
  server = await startPostgres({
    settings: { max_connections: CONNECTIONS, superuser_reserved_connections: 4 },
  })
  database = await server.createDatabase()
})
afterEach(async () => {
  await load?.stop()
  load = null
  await server?.remove()
})

/** What becomes of a promise of the store: `done`, or the code of its failure. */
async function outcome(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
    return 'done'
  } catch (error) {
    return error instanceof HistoryError ? error.code : error
  }
}

it('a database that may only be read is told, answers, and is written once it may', async () => {
  load = loadOn(() => server.address(database))
  await load.more(2)
  await server.sql('ALTER SYSTEM SET default_transaction_read_only = on; SELECT pg_reload_conf()')
  await load.failed('read_only')
  const usage = await openUsage({ location: server.address(database), retentionDays: 90 })
  expect((await usage.series(ALL, NOW))?.totals.requests).toBeGreaterThan(0)
  await usage.close()

  await server.sql(
    'SET default_transaction_read_only = off; ALTER SYSTEM RESET default_transaction_read_only; SELECT pg_reload_conf()',
  )
  await load.more(2)
  await load.finish()
  await expectHeld(server, database, load.acknowledged())
  expect([...load.failures()]).toEqual(['read_only'])
})

it('a database without a connection left is busy, and opens once one is free', async () => {
  const address = server.address(database)
  const others: HistoryStore[] = []
  let refused: unknown = 'done'
  while (refused === 'done')
    refused = await outcome(openHistory(address).then((store) => others.push(store)))
  expect(refused).toBe('busy')
  expect(others.length).toBeGreaterThan(0)

  await others.pop()?.close()
  const again = await openHistory(address)
  expect(await again.usageOf(DEFAULT_UPSTREAM).position()).toMatchObject({ lastPollAt: null })
  for (const store of [...others, again]) await store.close()
})

it('a lock that somebody keeps holds up a writer and a reader for so long only, and nobody afterwards', async () => {
  load = loadOn(() => server.address(database))
  await load.more(2)
  const usage = await openUsage({ location: server.address(database), retentionDays: 90 })
  const held = await server.hold(
    'LOCK TABLE svc_quota_monitor.usage, svc_quota_monitor.rollup_86400 IN ACCESS EXCLUSIVE MODE',
    database,
  )
  // A batch that was committed just before the lock is acknowledged just after it.
  await eventually('the writer waits for the lock', async () => {
    const waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    return (await server.sql(waiting)) !== '0'
  })
  const told = load.acknowledged()
  const asked = outcome(usage.series(ALL, NOW))
  await load.failed('busy')
  expect(load.acknowledged()).toBe(told)
  // The statement of a reader has a longer time-out than the lock of a writer.
  expect(await asked).toBe('busy')

  await held.release()
  expect(await outcome(usage.series(ALL, NOW))).toBe('done')
  await usage.close()
  await load.more(2)
  await load.finish()
  await expectHeld(server, database, load.acknowledged())
  expect([...load.failures()]).toEqual(['busy'])
})
