import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeQueue } from '@svc/collector'
import { epochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import { createFakeUpstream } from '@svc/fake-proxy'
import { openHistory } from '@svc/history'
import { openSqlite } from '@svc/sqlite'
import type { Finding } from '../bench/goals.ts'
import { median, medianInterval, seededRandom } from '../bench/statistics.ts'
import { accountKey, WORLD, WORLD_END, worldOf } from './world.ts'

const ROUNDS = 5
const RECORDS = 50_000
const BATCH = 500

/** P8 and P10: a queue of records into the store, against the least that any program would do. */
export async function measureIngest(rows: number): Promise<readonly Finding[]> {
  const batches = queueAnswers()
  const rates: { ours: number; bare: number }[] = []
  for (let round = 0; round < ROUNDS; round += 1)
    rates.push({ bare: await bareRate(batches), ours: await ourRate(batches) })
  const ratios = rates.map(({ ours, bare }) => ours / bare)
  const path = await worldOf(rows)
  return [
    {
      id: 'P8',
      what: 'ingest ÷ bare loop',
      measured: median(ratios),
      unit: '×',
      bound: { atLeast: 0.6 },
      interval: medianInterval(ratios),
    },
    {
      id: 'P8',
      what: 'ingest',
      measured: median(rates.map(({ ours }) => ours)) / 1000,
      unit: 'k rows/s',
      bound: { atLeast: 25 },
    },
    {
      id: 'P8',
      what: 'bare loop',
      measured: median(rates.map(({ bare }) => bare)) / 1000,
      unit: 'k rows/s',
      bound: null,
    },
    {
      id: 'P10',
      what: `bytes an event, ${rows / 1e6} M rows`,
      measured: statSync(path).size / rows,
      unit: 'B',
      bound: { atMost: 120 },
    },
  ]
}

/** Answers of the queue as the proxy writes them, of the shape and spread of the worlds. */
function queueAnswers(): readonly Buffer[] {
  const random = seededRandom(8)
  const pick = (count: number) => Math.floor(random() * count)
  const fake = createFakeUpstream({ now: () => WORLD_END, managementKey: 'bench' })
  for (let number = 0; number < RECORDS; number += 1) {
    fake.usage.record({
      at: plusMs(WORLD_END, number * 20 - RECORDS * 20),
      source: `user${pick(WORLD.accounts)}@example.com`,
      authIndex: accountKey(pick(WORLD.accounts)),
      apiKey: `sk-client-${pick(WORLD.clients)}`,
      model: `model-${pick(WORLD.models)}`,
      tokens: pick(40_000),
    })
  }
  return Array.from({ length: RECORDS / BATCH }, () =>
    Buffer.from(fake.usage.pop(BATCH, WORLD_END, 1e9)),
  )
}

const directory = {
  ownerByIndex: new Map(
    Array.from({ length: WORLD.accounts }, (_, index) => [
      accountKey(index),
      { accountKey: accountKey(index), provider: 'codex' },
    ]),
  ),
  ownerByEmail: new Map(),
  titleByKey: new Map<string, string>(),
}

function ourRate(batches: readonly Buffer[]): Promise<number> {
  return inFolder(async (folder) => {
    const store = await openHistory(join(folder, 'history.db'))
    const startedMs = performance.now()
    for (const batch of batches) {
      await store.usageOf(DEFAULT_UPSTREAM).markPop(WORLD_END)
      const decoded = decodeQueue(JSON.parse(batch.toString()), {
        directory,
        receivedAt: WORLD_END,
      })
      if (decoded === null) throw new Error('the queue answered no list')
      await store
        .usageOf(DEFAULT_UPSTREAM)
        .record(decoded.batch, { lastPollAt: WORLD_END, treeRequests: null })
    }
    const seconds = (performance.now() - startedMs) / 1000
    await store.close()
    return RECORDS / seconds
  })
}

function bareRate(batches: readonly Buffer[]): Promise<number> {
  return inFolder(async (folder) => {
    const db = openSqlite(join(folder, 'bare.db'))
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    db.exec(
      'CREATE TABLE usage (at INTEGER, key BLOB, source TEXT, model TEXT, tokens INTEGER, failed INTEGER, PRIMARY KEY (at, key)) WITHOUT ROWID, STRICT',
    )
    const insert = db.prepare('INSERT OR IGNORE INTO usage VALUES (?, ?, ?, ?, ?, ?)')
    const startedMs = performance.now()
    for (const batch of batches) {
      db.exec('BEGIN IMMEDIATE')
      for (const record of JSON.parse(batch.toString()) as readonly BareRecord[]) {
        const key = createHash('sha256').update(JSON.stringify(record)).digest().subarray(0, 8)
        insert.run(
          epochMs(Date.parse(record.timestamp)),
          key,
          record.source,
          record.model,
          record.tokens.total_tokens,
          record.failed ? 1 : 0,
        )
      }
      db.exec('COMMIT')
    }
    const seconds = (performance.now() - startedMs) / 1000
    db.close()
    return RECORDS / seconds
  })
}

interface BareRecord {
  readonly timestamp: string
  readonly source: string
  readonly model: string
  readonly tokens: { readonly total_tokens: number }
  readonly failed: boolean
}

async function inFolder(work: (folder: string) => Promise<number>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
