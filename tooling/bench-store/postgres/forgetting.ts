import { DEFAULT_UPSTREAM } from '@svc/core/service'
import { openHistory } from '@svc/history'
import { connectTo, ROLE } from '@svc/history/testing'
import { type Finding, findingsOf } from '../../bench/goals.ts'
import { median } from '../../bench/statistics.ts'
import { pause } from '../../eventually.ts'
import { lateRequest, retainAll, WORLD_DAYS, WORLD_END } from '../world.ts'
import type { StoreDatabase } from './database.ts'

const DAY_MS = 86_400_000
const DAYS = 10

/** Days that are forgotten while somebody writes, against deleting the rows of one. */
export async function measureForgetting(
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

/** Waits for locks in milliseconds, but for those of who forgets: nobody else locks a table against everybody. */
function lockWaitsIn(log: string): readonly number[] {
  return [...log.matchAll(/ acquired (\w+) on .* after ([\d.]+) ms/g)].flatMap(([, lock, ms]) =>
    lock === 'AccessExclusiveLock' ? [] : [Number(ms)],
  )
}

/** Stores a request again and again, and notes how long each took. */
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

/** How long deleting the rows of the oldest day takes, in milliseconds. */
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
