import { epochMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageDetail } from '@svc/core/usage'
import { openHistory } from '@svc/history'
import { connectTo, type PostgresServer } from '@svc/history/testing'
import type { Finding } from '../../bench/goals.ts'
import { median, medianInterval, seededRandom } from '../../bench/statistics.ts'
import { accountKey, WORLD, WORLD_END } from '../world.ts'
import { emptyStore } from './world.ts'

const ROUNDS = 5
const BATCHES = 10
const BATCH = 5_000
/** A fleet that fills a transaction a second. */
const BATCH_MS = 1_000

/** Requests in batches, everything on, against the least that any program would do: the same rows into a table of the same shape. */
export async function measureIngest(server: PostgresServer): Promise<readonly Finding[]> {
  const rates: { ours: number; bare: number }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const batches = batchesOf(round)
    const [bare, ours] = [await bareRate(server, batches), await ourRate(server, batches)]
    rates.push({ bare, ours })
  }
  const ratios = rates.map(({ ours, bare }) => ours / bare)
  return [
    {
      id: 'fleet',
      what: `ingest ÷ bare loop, ${BATCH} rows a transaction`,
      measured: median(ratios),
      unit: '×',
      bound: { atLeast: 0.5 },
      interval: medianInterval(ratios),
    },
    {
      id: 'fleet',
      what: 'ingest',
      measured: median(rates.map(({ ours }) => ours)) / 1000,
      unit: 'k rows/s',
      bound: { atLeast: 10 },
    },
    {
      id: 'fleet',
      what: 'bare loop',
      measured: median(rates.map(({ bare }) => bare)) / 1000,
      unit: 'k rows/s',
      bound: null,
    },
  ]
}

function batchesOf(round: number): readonly (readonly UsageDetail[])[] {
  const random = seededRandom(8 + round)
  const pick = (count: number) => Math.floor(random() * count)
  const startMs = WORLD_END - BATCHES * BATCH_MS
  return Array.from({ length: BATCHES }, (_, batch) =>
    Array.from({ length: BATCH }, (_, index) => {
      const part = pick(20_000)
      return {
        at: epochMs(startMs + batch * BATCH_MS + Math.floor((index / BATCH) * BATCH_MS)),
        key: BigInt.asIntN(64, (BigInt(pick(2 ** 32)) << 32n) | BigInt(batch * BATCH + index)),
        accountKey: accountKey(pick(WORLD.accounts)),
        apiName: `sk-client-${pick(WORLD.clients)}`,
        model: `model-${pick(WORLD.models)}`,
        tokens: 2 * part,
        failed: random() < 0.02,
        provider: 'codex',
        classes: { tokensIn: part, tokensCached: 0, tokensWritten: 0, tokensOut: part },
        latencyMs: part,
      }
    }),
  )
}

async function ourRate(
  server: PostgresServer,
  batches: readonly (readonly UsageDetail[])[],
): Promise<number> {
  const { address } = await emptyStore(server)
  const store = await openHistory(address)
  const usage = store.usageOf(DEFAULT_UPSTREAM)
  const startedMs = performance.now()
  for (const details of batches) {
    await usage.markPop(WORLD_END)
    await usage.record(
      { receivedAt: WORLD_END, details, quarantined: [], saturatedCount: 0 },
      { lastPollAt: WORLD_END, treeRequests: null },
    )
  }
  const seconds = (performance.now() - startedMs) / 1000
  const { counters } = await store.facts()
  await store.close()
  if (counters.stored !== BATCHES * BATCH) throw new Error('some requests were not stored')
  return (BATCHES * BATCH) / seconds
}

/** What a row is made of, as the text of a column: the types of the columns, and their values. */
const COLUMNS: Readonly<
  Record<string, readonly [type: string, value: (detail: UsageDetail) => unknown]>
> = {
  at_ms: ['bigint', ({ at }) => at],
  key: ['bigint', ({ key }) => key],
  account_id: ['int', ({ accountKey: key }) => Number.parseInt(key, 16)],
  api_name_id: ['int', ({ apiName }) => apiName.slice(-2).replace('-', '')],
  model_id: ['int', ({ model }) => model.slice(6)],
  upstream_id: ['smallint', () => 1],
  provider_id: ['smallint', () => 1],
  failed: ['boolean', ({ failed }) => failed],
  tokens: ['bigint', ({ tokens }) => tokens],
  tokens_in: ['bigint', ({ classes }) => classes?.tokensIn],
  tokens_cached: ['bigint', ({ classes }) => classes?.tokensCached],
  tokens_written: ['bigint', ({ classes }) => classes?.tokensWritten],
  tokens_out: ['bigint', ({ classes }) => classes?.tokensOut],
  latency_ms: ['int', ({ latencyMs }) => latencyMs],
}
const BARE = `INSERT INTO svc_quota_monitor.usage (${Object.keys(COLUMNS).join(', ')})
  SELECT * FROM unnest(${Object.values(COLUMNS)
    .map(([type], index) => `$${index + 1}::${type}[]`)
    .join(', ')}) ON CONFLICT DO NOTHING RETURNING at_ms, key`

async function bareRate(
  server: PostgresServer,
  batches: readonly (readonly UsageDetail[])[],
): Promise<number> {
  const { address } = await emptyStore(server)
  const [[first] = []] = batches
  const store = await openHistory(address)
  // Makes the day.
  const details = first === undefined ? [] : [{ ...first, key: 0n }]
  await store
    .usageOf(DEFAULT_UPSTREAM)
    .record({ receivedAt: WORLD_END, details, quarantined: [], saturatedCount: 0 })
  await store.close()
  const connection = await connectTo(address)
  const startedMs = performance.now()
  for (const batch of batches)
    await connection.run(
      BARE,
      Object.values(COLUMNS).map(([, value]) => `{${batch.map(value).join(',')}}`),
    )
  const seconds = (performance.now() - startedMs) / 1000
  await connection.close()
  return (BATCHES * BATCH) / seconds
}
