import { epochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM, type HistoryFailureCode } from '@svc/core/service'
import type { UsageBatch, UsageDetail } from '@svc/core/usage'
import { HistoryError, type HistoryStore, openHistory } from '@svc/history'
import type { PostgresServer } from '@svc/history/testing'
import { expect } from 'vitest'
import { eventually, pause } from '../../../tooling/eventually.ts'

const START = epochMs(Date.UTC(2026, 10, 20, 21))
/** Far enough apart that a load of a few seconds comes to several days, each of which has a table of its own. */
const ROW_EVERY_MS = 7_000
const ROWS = 200
/** What each batch holds once more of the one before, as when a proxy is asked again. */
const REPEATED_ROWS = 20
const RETRY_MS = 50

/** A writer that never stops: it hands over batch after batch, and one that fails again, to a store that it opens anew. */
export interface Load {
  /** How many batches the store has said to hold. */
  acknowledged(): number
  /** Why batches, and opening the store, have failed. */
  failures(): ReadonlySet<HistoryFailureCode>
  /** Until so many more batches are stored. */
  more(batches: number): Promise<void>
  /** Until it has failed for this reason. */
  failed(code: HistoryFailureCode): Promise<void>
  /** Ends when one more batch is stored. */
  finish(): Promise<void>
  /** Ends, whatever has become of the batch in hand. */
  stop(): Promise<void>
}

/** Writes to whatever address is named at the time. */
export function loadOn(address: () => string): Load {
  const failures = new Set<HistoryFailureCode>()
  let acknowledged = 0
  let [isFinishing, isOver] = [false, false]
  const write = async () => {
    let store: HistoryStore | null = null
    while (!isOver) {
      const batch = batchOf(acknowledged)
      try {
        store ??= await openHistory(address())
        await handOver(store, batch)
        acknowledged += 1
        isOver ||= isFinishing
      } catch (error) {
        if (!(error instanceof HistoryError)) throw error
        failures.add(error.code)
        await store?.close()
        store = null
        await pause(RETRY_MS)
      }
    }
    await store?.close()
  }
  const writing = write()
  let broken: unknown = null
  writing.catch((error) => {
    broken = error
  })
  const until = (what: string, check: () => boolean) =>
    eventually(what, () => {
      if (broken !== null) throw broken
      return check()
    })
  return {
    acknowledged: () => acknowledged,
    failures: () => failures,
    more(batches) {
      const wanted = acknowledged + batches
      return until(`${wanted} batches are stored`, () => acknowledged >= wanted)
    },
    failed: (code) => until(`a batch fails: ${code}`, () => failures.has(code)),
    finish() {
      isFinishing = true
      return writing
    },
    stop() {
      isOver = true
      return writing
    },
  }
}

async function handOver(store: HistoryStore, batch: UsageBatch): Promise<void> {
  const usage = store.usageOf(DEFAULT_UPSTREAM)
  await usage.markPop(batch.receivedAt)
  await usage.record(batch, { lastPollAt: batch.receivedAt, treeRequests: null })
}

function batchOf(number: number): UsageBatch {
  const first = Math.max(0, number * ROWS - REPEATED_ROWS)
  const end = (number + 1) * ROWS
  return {
    receivedAt: plusMs(START, end * ROW_EVERY_MS),
    details: Array.from({ length: end - first }, (_, index) => detailOf(first + index)),
    quarantined: [],
    saturatedCount: 0,
  }
}

function detailOf(number: number): UsageDetail {
  return {
    at: plusMs(START, number * ROW_EVERY_MS),
    key: BigInt(number),
    accountKey: `account-${number % 7}`,
    apiName: `key-${number % 5}`,
    // A new one now and then, so that the dictionaries grow under the load.
    model: `model-${Math.floor(number / 1_000)}`,
    tokens: 3,
    failed: number % 2 === 1,
  }
}

const TIERS = [60, 900, 7_200, 86_400] as const

/** Asserts that a server holds these batches, each row of them once, with sums that say the same. */
export async function expectHeld(
  server: PostgresServer,
  database: string,
  batches: number,
): Promise<void> {
  const rows = batches * ROWS
  const sums = TIERS.map(
    (tier) =>
      `SELECT DISTINCT '${tier} s: ' || sum(requests) || ', ' || sum(tokens) || ', ' || sum(failed)
       FROM svc_quota_monitor.rollup_${tier} GROUP BY grouping`,
  )
  const held = await server.sql(
    [
      `SELECT count(*), count(DISTINCT key), min(key), max(key) FROM svc_quota_monitor.usage`,
      ...sums,
    ].join(';\n'),
    database,
  )
  expect(held.split('\n')).toEqual([
    `${rows}|${rows}|0|${rows - 1}`,
    ...TIERS.map((tier) => `${tier} s: ${rows}, ${3 * rows}, ${rows / 2}`),
  ])
}

/** How many batches a server holds whole, counted from the first. */
export async function batchesHeld(server: PostgresServer, database: string): Promise<number> {
  const rows = await server.sql('SELECT count(*) FROM svc_quota_monitor.usage', database)
  return Math.floor(Number(rows) / ROWS)
}
