import { createHash } from 'node:crypto'
import { decodeQueue } from '@svc/collector'
import { type EpochMs, HOUR_MS, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageBatch } from '@svc/core/usage'
import { openHistory } from '@svc/history'
import { type Finding, findingsOf, median, medianInterval } from '../bench/goals.ts'
import { accountKey, WORLD_DAYS, WORLD_END, worldProxy } from '../bench/world.ts'
import { type BareRow, type BenchStore, type Engine, withStore } from './engine.ts'

const ROUNDS = 5
/** Enough that most requests add to sums that are there, as in a service that sums a quarter of an hour at a time. */
const RECORDS = 250_000

/** P8: stores a queue of records with everything on, compared with the least that any program would do. */
export async function measureIngest(engine: Engine): Promise<readonly Finding[]> {
  const { ratioMin, thousandsMin, batch, countsReading } = engine.ingest
  const answers = { batches: queueAnswers(engine.ingest), countsReading }
  const rates: { readonly ours: number; readonly bare: number }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const bare = await bareRate(engine, answers)
    const ours = await withStore(engine.emptyStore(), (store) => ourRate(store, answers))
    rates.push({ bare, ours })
  }
  const ratios = rates.map(({ ours, bare }) => ours / bare)
  const thousands = (of: 'ours' | 'bare') => median(rates.map((rate) => rate[of])) / 1000
  const ratio = `ingest ÷ bare loop, ${batch} rows a transaction`
  return findingsOf([
    ['P8', ratio, median(ratios), '×', { atLeast: ratioMin }, medianInterval(ratios)],
    ['P8', 'ingest', thousands('ours'), 'k rows/s', { atLeast: thousandsMin }],
    ['P8', 'bare loop', thousands('bare'), 'k rows/s'],
  ])
}

interface Answers {
  readonly batches: readonly Buffer[]
  readonly countsReading: boolean
}

const { fake, placeByIndex, record } = worldProxy(() => WORLD_END)

/** Queue answers as the proxy writes them, with the shape and spread of the worlds. */
function queueAnswers({ batch, everyMs }: Engine['ingest']): readonly Buffer[] {
  for (let number = 0; number < RECORDS; number += 1)
    record(plusMs(WORLD_END, Math.floor((number - RECORDS) * everyMs)))
  return Array.from({ length: RECORDS / batch }, () =>
    Buffer.from(`[${fake.usage.take(batch, WORLD_END, 1e9)}]`),
  )
}

const directory = {
  ownerByIndex: new Map(
    Array.from(placeByIndex, ([authIndex, place]) => [
      authIndex,
      { accountKey: accountKey(place), provider: 'codex' },
    ]),
  ),
  ownerByEmail: new Map(),
  titleByKey: new Map<string, string>(),
}

async function ourRate({ location }: BenchStore, answers: Answers): Promise<number> {
  const store = await openHistory(location)
  const usage = store.usageOf(DEFAULT_UPSTREAM)
  const upkeep = async (asOf: EpochMs) => {
    const plan = { usageDays: WORLD_DAYS, historyDays: WORLD_DAYS }
    while (await store.retain(plan, { asOf, rowsMax: 1 })) {}
  }
  await upkeep(plusMs(WORLD_END, -HOUR_MS))
  const write = async (batch: UsageBatch) => {
    await usage.markPop(WORLD_END)
    await usage.record(batch, { lastPollAt: WORLD_END, treeRequests: null })
  }
  // The sums that wait for upkeep are part of the cost.
  const rate = await rateOf(answers, usageBatchOf, write, () => upkeep(plusMs(WORLD_END, HOUR_MS)))
  const { counters } = await store.facts()
  await store.close()
  if (counters.stored !== RECORDS) throw new Error('some requests were not stored')
  return rate
}

async function bareRate(engine: Engine, answers: Answers): Promise<number> {
  const writer = await engine.bareWriter()
  const rate = await rateOf(answers, bareRowsOf, writer.insert)
  await writer.close()
  return rate
}

/** Rows per second. */
async function rateOf<Read>(
  { batches, countsReading }: Answers,
  read: (batch: Buffer) => Read,
  write: (rows: Read) => Promise<void>,
  end = async () => {},
): Promise<number> {
  const ready = countsReading ? null : batches.map(read)
  const startedMs = performance.now()
  for (const [index, batch] of batches.entries()) await write(ready?.[index] ?? read(batch))
  await end()
  return (RECORDS * 1000) / (performance.now() - startedMs)
}

function usageBatchOf(batch: Buffer): UsageBatch {
  const decoded = decodeQueue(batch, { directory, receivedAt: WORLD_END })
  if (decoded === null) throw new Error('the queue answered no list')
  return decoded.batch
}

interface QueueRecord {
  readonly timestamp: string
  readonly auth_index: string
  readonly api_key: string
  readonly model: string
  readonly tokens: Readonly<Record<'total_tokens' | 'input_tokens' | 'output_tokens', number>>
  readonly latency_ms: number
  readonly failed: boolean
}

function bareRowsOf(batch: Buffer): readonly BareRow[] {
  return (JSON.parse(batch.toString()) as readonly QueueRecord[]).map((record) => ({
    atMs: Date.parse(record.timestamp),
    key: createHash('sha256').update(JSON.stringify(record)).digest().subarray(0, 8),
    accountId: placeByIndex.get(record.auth_index) ?? 0,
    apiKey: record.api_key,
    model: record.model,
    tokens: {
      total: record.tokens.total_tokens,
      input: record.tokens.input_tokens,
      output: record.tokens.output_tokens,
    },
    latencyMs: record.latency_ms,
    failed: record.failed,
  }))
}
