import { DEFAULT_UPSTREAM } from '@svc/core/service'
import { openHistory } from '@svc/history'
import { connectTo } from '@svc/history/testing'
import { openSqlite } from '@svc/sqlite'
import { type Finding, findingsOf, median } from '../bench/goals.ts'
import { NO_PROXY } from '../bench/measured-service.ts'
import { lateRequest, retainAll, WORLD_DAYS, WORLD_END } from '../bench/world.ts'
import { pause } from '../eventually.ts'
import { type BenchStore, type Engine, withStore } from './engine.ts'
import { startStoreService } from './service.ts'
import { sqliteEngine } from './sqlite.ts'

const SECONDS_MAX = 60
/** Days that are kept, of ninety. */
const DAYS_KEPT = 20

/** Speed at which a SQLite store deletes rows after its retention was shortened, while the service runs. */
export const measureSqliteForgetting = (rows: number): Promise<readonly Finding[]> =>
  withStore(sqliteEngine.copyOfWorld(rows), async ({ location }) => {
    const db = openSqlite(location, { readonly: true })
    const count = () => Number(db.prepare('SELECT count(*) FROM usage').pluck().get())
    const service = await startStoreService(location, NO_PROXY, {
      'usage-retention-days': String(DAYS_KEPT),
    })
    const before = count()
    let left = before
    let beganMs: number | null = null
    let endedMs = performance.now()
    for (const untilMs = performance.now() + SECONDS_MAX * 1000; performance.now() < untilMs; ) {
      await pause(250)
      const now = count()
      if (now < left) {
        beganMs ??= endedMs
        endedMs = performance.now()
      }
      left = now
      if (left < (before * (DAYS_KEPT + 2)) / WORLD_DAYS) break
    }
    await service.stop()
    db.close()
    const seconds = beganMs === null ? SECONDS_MAX : (performance.now() - beganMs) / 1000
    const thousands = (before - left) / seconds / 1000
    const what = `rows forgotten a second, ${rows / 1e6} M rows`
    return findingsOf([['fleet', what, thousands, 'k rows/s', { atLeast: 5 }]])
  })

const DAY_MS = 86_400_000
const DAYS = 10

/** Compares forgetting days of a database while another client writes with deleting the rows of one day. */
export const measurePostgresForgetting = (
  engine: Engine,
  rows: number,
): Promise<readonly Finding[]> =>
  withStore(engine.copyOfWorld(rows), async (database) => {
    const store = await openHistory(database.location)
    // The first day is not a whole one.
    await retainAll(store, WORLD_DAYS - 1)
    const writer = await startWriter(database)
    await pause(2_000)
    const quiet = writer.take()
    const bytesBefore = await database.bytes()
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
    return findingsOf([
      ['fleet', `${day}, the slowest of ${DAYS}`, Math.max(...times) / 1000, 's', { atMost: 1 }],
      ['fleet', `${day} ÷ DELETE`, median(times) / deletedMs, '×'],
      ['fleet', 'bytes given back for each row forgotten', bytesPerRow, 'B', { atLeast: 1 }],
      ['fleet', 'longest write meanwhile', Math.max(...waits), 'ms', { atMost: 100 }],
      ['fleet', 'longest write before', Math.max(...quiet), 'ms'],
    ])
  })

/** Stores requests continuously and records how long each took. */
async function startWriter({ location }: BenchStore) {
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
async function deleteOldestDay({ location }: BenchStore, usageDays: number): Promise<number> {
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
