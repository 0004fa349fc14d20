import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageBatch, UsageDetail } from '@svc/core/usage'
import { type HistoryStore, openHistory } from '@svc/history'
import { seededRandom } from '../bench/goals.ts'

/** What every world ends with. */
export const WORLD_END: EpochMs = epochMs(Date.UTC(2026, 10, 20, 12, 34, 56))
export const WORLD_DAYS = 90
export const WORLD = { accounts: 500, models: 50, clients: 50 } as const
const DAY_MS = 86_400_000
const ROWS_PER_BATCH = 5_000
/** Changes whenever the worlds do, so that an old one is not taken for a new one. */
export const VERSION = 6

/** Kept between runs, because ten million rows take minutes. */
const folder = join(tmpdir(), 'svc-quota-monitor-worlds')

/** A file of this name, filled unless an earlier run has done it. */
export async function keptFile(
  name: string,
  fill: (path: string) => Promise<void>,
): Promise<string> {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, name)
  if (existsSync(path)) return path
  const unfinished = `${path}.unfinished`
  for (const suffix of ['', '-wal', '-shm', '.lock']) rmSync(unfinished + suffix, { force: true })
  const startedMs = performance.now()
  await fill(unfinished)
  rmSync(`${unfinished}.lock`, { force: true })
  renameSync(unfinished, path)
  console.log(`made ${name} in ${Math.round((performance.now() - startedMs) / 1000)} s`)
  return path
}

/** A store of this many requests over the last 90 days, the same every time. */
export const worldOf = (rows: number): Promise<string> =>
  keptFile(`world-${VERSION}-${rows}.db`, async (path) => {
    const store = await openHistory(path)
    const usage = store.usageOf(DEFAULT_UPSTREAM)
    const titles = Array.from(
      { length: WORLD.accounts },
      (_, index) => [accountKey(index), `user${index}@example.com`] as const,
    )
    await usage.nameAccounts(new Map(titles))
    const nextDetails = detailsOf(rows)
    for (let done = 0; done < rows; done += ROWS_PER_BATCH) {
      await usage.record(batchOf(nextDetails(Math.min(ROWS_PER_BATCH, rows - done))))
      if (done % 500_000 === 0) await store.checkpoint()
    }
    await retainAll(store, WORLD_DAYS)
    await store.close()
  })

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
  const [detail] = detailsOf(1)(1)
  const at = plusMs(WORLD_END, -(number % 1000))
  return batchOf(detail === undefined ? [] : [{ ...detail, at, key: BigInt(-number) }])
}

export function accountKey(index: number): string {
  return index.toString(16).padStart(16, '0')
}

/** Requests spread evenly over the days, each of anybody with anything. */
function detailsOf(rows: number): (count: number) => readonly UsageDetail[] {
  const random = seededRandom(20_261_120)
  const pick = (count: number) => Math.floor(random() * count)
  const startMs = WORLD_END - WORLD_DAYS * DAY_MS + DAY_MS / 2
  const stepMs = (WORLD_END - startMs) / rows
  let number = 0
  return (count) =>
    Array.from({ length: count }, () => {
      number += 1
      const part = pick(20_000)
      const failed = random() < 0.02
      return {
        at: epochMs(startMs + number * stepMs - random() * stepMs),
        key: BigInt.asIntN(64, (BigInt(pick(2 ** 32)) << 32n) | BigInt(number)),
        accountKey: accountKey(pick(WORLD.accounts)),
        apiName: `sk-client-${pick(WORLD.clients).toString().padStart(4, '0')}`,
        model: `model-${pick(WORLD.models)}`,
        tokens: 2 * part,
        failed,
        provider: 'codex',
        classes: { tokensIn: part, tokensCached: 0, tokensWritten: 0, tokensOut: part },
        latencyMs: 2 * part,
        firstTokenMs: part,
        failure: failed ? 'failedLimit' : null,
      }
    })
}
