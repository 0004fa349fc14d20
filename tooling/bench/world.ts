import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { dayOf } from '@svc/core/money'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageBatch, UsageDetail } from '@svc/core/usage'
import { createFakeUpstream, type FakeUpstream, livePool } from '@svc/fake-proxy'
import { type HistoryStore, openHistory } from '@svc/history'
import { seededRandom } from './goals.ts'
import { KEY } from './measured-service.ts'

/** Instant at which every world ends. */
export const WORLD_END: EpochMs = epochMs(Date.UTC(2026, 10, 20, 12, 34, 56))
export const WORLD_DAYS = 90
/** Pools of the worlds, in which each account has the models of one vendor: a large one, and one as operators have it. */
const POOLS = {
  large: { accounts: 500, models: 50, clients: 50, vendors: 5 },
  usual: { accounts: 200, models: 6, clients: 20, vendors: 3 },
} as const
const POOL = process.env.BENCH_POOL === 'usual' ? 'usual' : 'large'
const WORLD = POOLS[POOL]
const DAY_MS = 86_400_000
const ROWS_PER_BATCH = 5_000
/** Changes whenever the worlds or the steps of the store do, so that an old one is not taken for a new one. */
export const VERSION = POOL === 'large' ? '9' : '9_usual'

/** Kept between runs, because ten million rows take minutes. */
const folder = join(tmpdir(), 'svc-quota-monitor-worlds')

/** File of a store with this many requests over the last 90 days, the same every time; made unless an earlier run has done it. */
export async function worldOf(rows: number): Promise<string> {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `world-${VERSION}-${rows}.db`)
  if (existsSync(path)) return path
  const unfinished = `${path}.unfinished`
  for (const suffix of ['', '-wal', '-shm', '.lock']) rmSync(unfinished + suffix, { force: true })
  const startedMs = performance.now()
  const store = await openHistory(unfinished)
  const usage = store.usageOf(DEFAULT_UPSTREAM)
  const titles = Array.from(
    { length: WORLD.accounts },
    (_, index) => [accountKey(index), `user${index}@example.com`] as const,
  )
  await usage.nameAccounts(new Map(titles))
  const nextRequest = createRequests(rows)
  for (let done = 0; done < rows; done += ROWS_PER_BATCH) {
    const length = Math.min(ROWS_PER_BATCH, rows - done)
    await usage.record(batchOf(Array.from({ length }, nextRequest)))
    if (done % 500_000 === 0) await store.checkpoint()
  }
  await takeWorldPrices(store)
  await retainAll(store, WORLD_DAYS)
  await store.close()
  rmSync(`${unfinished}.lock`, { force: true })
  renameSync(unfinished, path)
  console.log(`made ${path} in ${Math.round((performance.now() - startedMs) / 1000)} s`)
  return path
}

/** Prices of all models, which changed once in the days of the world. */
async function takeWorldPrices(store: HistoryStore): Promise<void> {
  for (const [daysAgo, rate] of [
    [60, 2_000],
    [10, 3_000],
  ] as const) {
    const readAt = plusMs(WORLD_END, -daysAgo * DAY_MS)
    const rates = { in: rate, read: rate, write: rate, out: 4 * rate }
    const models = Array.from(
      { length: WORLD.models },
      (_, index) => [`model-${index}`, [{ tier: null, band: 0, rates }]] as const,
    )
    const source = { kind: 'litellm', sha256: String(rate), readAt } as const
    await store.takePrices({ models: new Map(models), source }, dayOf(readAt))
  }
}

/** Until nothing is left to forget of what is older than so many days. */
export async function retainAll(store: HistoryStore, usageDays: number): Promise<void> {
  const plan = { usageDays, historyDays: WORLD_DAYS }
  do {
    while (await store.retain(plan, { asOf: WORLD_END, rowsMax: 2_000 })) {}
  } while ((await store.backlogMs(plan, WORLD_END)) > 0)
}

function batchOf(details: readonly UsageDetail[]): UsageBatch {
  const receivedAt = details.at(-1)?.at ?? WORLD_END
  return { receivedAt, details, quarantined: [], saturatedCount: 0 }
}

/** A request that no world has, of the end of all worlds. */
export function lateRequest(number: number): UsageBatch {
  const at = plusMs(WORLD_END, -(number % 1000))
  return batchOf([{ ...createRequests(1)(), at, key: BigInt(-number) }])
}

export function accountKey(index: number): string {
  return index.toString(16).padStart(16, '0')
}

/** Creates a function that makes the next of so many requests, spread evenly over the days, each of anybody with any model of the account; the same in every run. */
function createRequests(rows: number): () => UsageDetail {
  const random = seededRandom(20_261_120)
  const pick = (count: number) => Math.floor(random() * count)
  const startMs = WORLD_END - WORLD_DAYS * DAY_MS + DAY_MS / 2
  const stepMs = (WORLD_END - startMs) / rows
  let number = 0
  return () => {
    number += 1
    const part = pick(20_000)
    const failed = random() < 0.02
    const account = pick(WORLD.accounts)
    const model = (account % WORLD.vendors) + WORLD.vendors * pick(WORLD.models / WORLD.vendors)
    return {
      at: epochMs(startMs + number * stepMs - random() * stepMs),
      key: BigInt.asIntN(64, (BigInt(pick(2 ** 32)) << 32n) | BigInt(number)),
      accountKey: accountKey(account),
      apiName: `sk-client-${pick(WORLD.clients).toString().padStart(4, '0')}`,
      model: `model-${model}`,
      tokens: 2 * part,
      failed,
      provider: 'codex',
      classes: { tokensIn: part, tokensCached: 0, tokensWritten: 0, tokensOut: part },
      latencyMs: 2 * part,
      firstTokenMs: part,
      failure: failed ? 'failedLimit' : null,
    }
  }
}

interface WorldProxy {
  readonly fake: FakeUpstream
  /** Positions of the accounts by their `auth_index`. */
  readonly placeByIndex: ReadonlyMap<string, number>
  /** Puts the next request of a world into the queue, as a success at this time. */
  readonly record: (at: EpochMs) => void
}

/** A proxy with the accounts of the worlds, which are used by `record` alone. */
export function worldProxy(now: () => EpochMs): WorldProxy {
  const accounts = livePool(WORLD.accounts, now())
  for (const account of accounts) account.requestsPerHour = 0
  const fake = createFakeUpstream({ now, managementKey: KEY, accounts })
  fake.settings.queueRetentionSeconds = 3_600
  const authIndexes = accounts.map((account) => fake.authIndexOf(account))
  const nextRequest = createRequests(1)
  return {
    fake,
    placeByIndex: new Map(authIndexes.map((authIndex, place) => [authIndex, place])),
    record(at) {
      const { accountKey: key, apiName, model, tokens } = nextRequest()
      const place = Number.parseInt(key, 16)
      fake.usage.record({
        at,
        source: accounts[place]?.email ?? '',
        authIndex: authIndexes[place] ?? '',
        apiKey: apiName,
        model,
        tokens,
      })
    },
  }
}
