import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { epochMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import { openHistory } from '@svc/history'
import { connectTo, ROLE } from '@svc/history/testing'
import type { Finding } from '../../bench/goals.ts'
import { median } from '../../bench/statistics.ts'
import { accountKey, WORLD_DAYS, WORLD_END } from '../world.ts'
import { type StoreDatabase, usageBytes } from './world.ts'

const DAY_MS = 86_400_000
const DAYS = 10

/** Days that are forgotten while somebody writes, against deleting the rows of one. */
export async function measureForgetting(
  world: StoreDatabase,
  rows: number,
): Promise<readonly Finding[]> {
  await logLockWaits(world)
  const store = await openHistory(world.address)
  // The first day is not a whole one.
  await forgetDay(store, WORLD_DAYS - 1)
  const writer = await startWriter(world)
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  const quiet = writer.take()
  const bytesBefore = await usageBytes(world)
  const lockWaits = lockWaitsFrom(world)
  const times: number[] = []
  for (let day = 2; day < DAYS + 2; day += 1) {
    const startedMs = performance.now()
    await forgetDay(store, WORLD_DAYS - day)
    times.push(performance.now() - startedMs)
  }
  const waits = writer.take()
  await writer.stop()
  const bytesBack = bytesBefore - (await usageBytes(world))
  await store.close()
  const deletedMs = await deleteOldestDay(world, WORLD_DAYS - DAYS - 1)
  const what = `of ${Math.round(rows / WORLD_DAYS)} rows`
  return [
    {
      id: 'fleet',
      what: `forgetting a day ${what}, the slowest of ${DAYS}`,
      measured: Math.max(...times) / 1000,
      unit: 's',
      bound: { atMost: 1 },
    },
    {
      id: 'fleet',
      what: `forgetting a day ${what} ÷ DELETE`,
      measured: median(times) / deletedMs,
      unit: '×',
      bound: null,
    },
    {
      id: 'fleet',
      what: `bytes given back for each row forgotten`,
      measured: bytesBack / ((rows / WORLD_DAYS) * DAYS),
      unit: 'B',
      bound: { atLeast: 1 },
    },
    {
      id: 'fleet',
      what: 'longest write meanwhile',
      measured: Math.max(...waits),
      unit: 'ms',
      bound: { atMost: 100 },
    },
    {
      id: 'fleet',
      what: 'longest that a write waited for a lock meanwhile',
      measured: Math.max(0, ...lockWaits()),
      unit: 'ms',
      bound: { atMost: 100 },
    },
    {
      id: 'fleet',
      what: 'longest write before',
      measured: Math.max(...quiet),
      unit: 'ms',
      bound: null,
    },
  ]
}

/** Every wait for a lock of a millisecond and more is noted in the log of the server. */
async function logLockWaits({ server }: StoreDatabase): Promise<void> {
  await server.sql(
    `ALTER ROLE ${ROLE} SET log_lock_waits = on; ALTER ROLE ${ROLE} SET deadlock_timeout = '1ms'`,
  )
}

/** Waits for locks from now on, in milliseconds, but for those of who forgets: nobody else locks a table against everybody. */
function lockWaitsFrom({ server }: StoreDatabase): () => readonly number[] {
  const log = join(server.folder, 'log')
  const { size } = statSync(log)
  return () => {
    const logged = readFileSync(log).subarray(size).toString()
    return [...logged.matchAll(/ acquired (\w+) on .* after ([\d.]+) ms/g)].flatMap(
      ([, lock, ms]) => (lock === 'AccessExclusiveLock' ? [] : [Number(ms)]),
    )
  }
}

/** Until nothing is left to forget by such a plan. */
async function forgetDay(
  store: Awaited<ReturnType<typeof openHistory>>,
  usageDays: number,
): Promise<void> {
  const plan = { usageDays, historyDays: WORLD_DAYS }
  const step = { asOf: WORLD_END, rowsMax: 2_000 }
  do {
    while (await store.retain(plan, step)) {}
  } while ((await store.backlogMs(plan, WORLD_END)) > 0)
}

/** Stores a request again and again, and notes how long each took. */
async function startWriter({ address }: StoreDatabase) {
  const store = await openHistory(address)
  let times: number[] = []
  let running = true
  let number = 0
  const writing = (async () => {
    while (running) {
      number += 1
      const detail = {
        at: epochMs(WORLD_END - (number % 1000)),
        key: BigInt(-number),
        accountKey: accountKey(0),
        apiName: 'sk-client-0',
        model: 'model-0',
        tokens: 1,
        failed: false,
      }
      const batch = {
        receivedAt: WORLD_END,
        details: [detail],
        quarantined: [],
        saturatedCount: 0,
      }
      const startedMs = performance.now()
      await store.usageOf(DEFAULT_UPSTREAM).record(batch)
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
async function deleteOldestDay({ address }: StoreDatabase, usageDays: number): Promise<number> {
  const from = (Math.floor(WORLD_END / DAY_MS) - usageDays) * DAY_MS
  const connection = await connectTo(address)
  const startedMs = performance.now()
  const deleted = await connection.run(
    `DELETE FROM svc_quota_monitor.usage WHERE at_ms >= ${from} AND at_ms < ${from + DAY_MS}`,
  )
  const tookMs = performance.now() - startedMs
  await connection.close()
  if (deleted === 0) throw new Error('there was nothing to delete')
  return tookMs
}
