import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EpochMs, epochMs, mainWindows, plusMs } from '@svc/core'
import { courseRangeIds, silentMsMaxOf } from '@svc/core/account'
import type { CapacityPoint, PoolRecord, WindowReadingRecord } from '@svc/core/pool'
import {
  type UsageDetail,
  type UsageSummary,
  usageGroups,
  usageMetrics,
  usageRangeIds,
} from '@svc/core/usage'
import { type HistoryStore, openHistory, openUsage, type StoredUsage } from '@svc/history'
import { ownDatabases, whyNoPostgres } from '@svc/history/testing'
import { openSqlite } from '@svc/sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { seededRandom } from '../../../tooling/bench/goals.ts'

const DAY_MS = 86_400_000
const NOW = epochMs(Date.UTC(2026, 10, 20, 12, 34, 56, 789))
/** `DIFFERENTIAL_RECORDS=1000000` for a large world. */
const RECORDS = Number(process.env.DIFFERENTIAL_RECORDS ?? 20_000)
const BATCH = Math.min(5_000, RECORDS / 20)
/** A large world takes long to store. */
const WITHIN_MS = Math.max(300_000, RECORDS * 10)
const UPSTREAMS = ['default', 'tokyo', "it's 𝟙"]
const LABELS = new Map([
  ['key-0', 'Team'],
  ['key-1', 'Team'],
  ['key-2', 'CI'],
])
const ACCOUNTS = Array.from({ length: 40 }, (_, index) => `account-${index}`)
const PLAN = { usageDays: 30, historyDays: 30 }

const folder = mkdtempSync(join(tmpdir(), 'svc-differential-'))
const file = join(folder, 'history.db')
const databases = ownDatabases()
let stores: readonly [sqlite: HistoryStore, postgres: HistoryStore]
let usages: readonly [sqlite: StoredUsage, postgres: StoredUsage]

beforeAll(async () => {
  if (whyNoPostgres() !== null) return
  const address = await databases.nextAddress()
  stores = [await openHistory(file), await openHistory(address)]
  // What is random in a store, so that both call clients the same.
  const server = await databases.server()
  await server.sql(
    `UPDATE svc_quota_monitor.meta SET value = '${fingerprintKey()}' WHERE name = 'fingerprint_key'`,
    new URL(address).pathname.slice(1),
  )
  for (const store of stores) await fill(store)
  usages = [
    await openUsage({ location: file, retentionDays: 90 }),
    await openUsage({ location: address, retentionDays: 90 }),
  ]
  for (const usage of usages) usage.useLabels(LABELS)
}, WITHIN_MS)
beforeEach((context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
})
afterAll(async () => {
  for (const opened of [...(usages ?? []), ...(stores ?? [])]) await opened.close()
  await databases.remove()
  rmSync(folder, { recursive: true, force: true })
})

function fingerprintKey(): string {
  const db = openSqlite(file, { readonly: true })
  try {
    return String(db.prepare("SELECT value FROM meta WHERE name = 'fingerprint_key'").pluck().get())
  } finally {
    db.close()
  }
}

/** The same world every time: late records and repeated ones, gaps, three proxies, and the course of a pool. */
async function fill(store: HistoryStore): Promise<void> {
  const random = seededRandom(20_261_120)
  const pick = (count: number) => Math.floor(random() * count)
  let number = 0
  const detail = (): UsageDetail => {
    number += 1
    const tokensIn = pick(20_000)
    const tokensOut = pick(20_000)
    return {
      at: plusMs(NOW, 3_600_000 - Math.floor(random() ** 4 * 100 * DAY_MS)),
      key: BigInt.asIntN(64, BigInt(number) * 0x9e3779b97f4a7c15n),
      accountKey: pick(20) === 0 ? 'other:gemini' : (ACCOUNTS[pick(ACCOUNTS.length)] ?? ''),
      apiName: `key-${pick(12)}`,
      model: `模型 ${pick(9)}`,
      tokens: tokensIn + tokensOut,
      failed: pick(30) === 0,
      provider: pick(3) === 0 ? null : 'codex',
      classes: pick(3) === 0 ? null : { tokensIn, tokensCached: 0, tokensWritten: 0, tokensOut },
      latencyMs: pick(2) === 0 ? null : pick(60_000),
    }
  }
  let last: readonly UsageDetail[] = []
  for (let done = 0; done < RECORDS; done += BATCH) {
    const details = [...Array.from({ length: BATCH }, detail), ...last.slice(0, BATCH / 4)]
    const usage = store.usageOf(UPSTREAMS[pick(UPSTREAMS.length)] ?? '')
    const position = { lastPollAt: plusMs(NOW, -pick(30 * DAY_MS)), treeRequests: pick(1000) }
    const batch = { receivedAt: NOW, details, quarantined: [], saturatedCount: 0 }
    await usage.record(batch, position)
    const from = plusMs(NOW, -pick(20 * DAY_MS))
    await usage.recordGap({ from, to: plusMs(from, pick(DAY_MS)), reason: 'batch_lost' })
    last = details
  }
  await store
    .usageOf('default')
    .nameAccounts(new Map(ACCOUNTS.slice(0, 30).map((key) => [key, `${key}@example.com`])))
  for (let day = 40; day >= 0; day -= 1) await store.quota.record(poolOf(day, random))
}

/** What was recorded of a pool on one day, many days before now; on every fifth nobody watched. */
function poolOf(day: number, random: () => number): PoolRecord {
  const at = (share: number): EpochMs => plusMs(NOW, -Math.round((day + share) * DAY_MS))
  const quarters = day % 5 === 3 ? [] : Array.from({ length: 96 }, (_, quarter) => quarter / 96)
  const points = quarters.flatMap((share) =>
    mainWindows.map(
      ({ id }): CapacityPoint => ({
        provider: 'codex',
        windowId: id,
        at: at(share),
        knownUnits: random() * 100,
        trackedUnits: random() * 100,
        unknownUnits: random(),
        burnedUnits: random(),
      }),
    ),
  )
  const readings = ACCOUNTS.slice(0, 5).flatMap((accountKey) =>
    Array.from({ length: 6 }, (): WindowReadingRecord => {
      const readAt = at(random())
      return {
        accountKey,
        windowId: mainWindows[Math.floor(random() * mainWindows.length)]?.id ?? '5h',
        at: readAt,
        percent: Math.round(random() * 1000) / 10,
        resetAt: random() < 0.3 ? null : plusMs(readAt, Math.floor(random() * 5 * 3_600_000)),
        ...(random() < 0.5 ? {} : { origin: 'headers', sampledAt: plusMs(readAt, -5_000) }),
      }
    }),
  )
  const change = { tone: 'good', detail: { code: 'gateway_changed', up: day % 2 === 0 } } as const
  return { points, readings, changes: [{ at: at(0.5), ...change }] }
}

/** What both engines answer, as text: charts and files made of equal texts are equal to the byte. */
async function texts<Answer>(ask: (usage: StoredUsage) => Promise<Answer>) {
  const [sqlite, postgres] = await Promise.all(usages.map(ask))
  return { sqlite: textOf(sqlite), postgres: textOf(postgres) }
}

function textOf(answer: unknown): string {
  return JSON.stringify(answer, (_, value) => (value instanceof Map ? [...value] : value))
}

async function expectSame<Answer>(
  what: string,
  ask: (usage: StoredUsage) => Promise<Answer>,
): Promise<void> {
  const { sqlite, postgres } = await texts(ask)
  expect(postgres, what).toBe(sqlite)
}

const CHARTS = usageRangeIds.flatMap((range) =>
  usageGroups.flatMap((group) =>
    usageMetrics.flatMap((metric) =>
      [false, true].map((compare) => ({ range, group, metric, top: 4, compare })),
    ),
  ),
)

const sorted = <Row extends { readonly id: string }>(rows: readonly Row[]) =>
  [...rows].sort((one, other) => (one.id < other.id ? -1 : 1))

/** Accounts and models of a summary come in no order, and how large a store is is its own. */
function comparable({ live, lastDay, history: { databaseBytes, ...history } }: UsageSummary) {
  return {
    live: { ...live, accounts: sorted(live.accounts) },
    lastDay: { ...lastDay, accounts: sorted(lastDay.accounts), models: sorted(lastDay.models) },
    history,
  }
}

async function expectAllSame(now: EpochMs): Promise<void> {
  for (const chart of CHARTS)
    await expectSame(JSON.stringify(chart), (usage) => usage.series(chart, now))
  await expectSame('the summary', async (usage) => comparable(await usage.summary(now)))
  const moment = { now, silentMsMax: silentMsMaxOf(60) }
  for (const range of courseRangeIds)
    for (const accountKey of [...ACCOUNTS.slice(0, 6), 'other:gemini'])
      await expectSame(`${accountKey} over ${range}`, (usage) =>
        usage.course({ accountKey, range }, moment),
      )
}

async function expectSameStores(): Promise<void> {
  const [sqlite, postgres] = await Promise.all(
    stores.map(async (store) => {
      const { engine, ...facts } = await store.facts()
      return {
        facts,
        upstreams: [...(await store.upstreams())].sort(),
        positions: await Promise.all(UPSTREAMS.map((name) => store.usageOf(name).position())),
        missed: await store.missedMs(plusMs(NOW, -30 * DAY_MS), NOW),
        points: (await store.quota.points(epochMs(0))).map((point) => JSON.stringify(point)).sort(),
        burned: await store.quota.burnHours(epochMs(0)),
        readings: (await store.quota.latestReadings()).map((one) => JSON.stringify(one)).sort(),
        changes: await store.quota.changes(1_000),
      }
    }),
  )
  expect({ ...postgres, burned: null }).toEqual({ ...sqlite, burned: null })
  // Sums of fractions depend on their order in the last digit.
  for (const { id } of mainWindows) {
    const [one, other] = [sqlite?.burned.get(id), postgres?.burned.get(id)]
    expect(other?.firstAt).toBe(one?.firstAt)
    expect(other?.unitsByHour.size).toBe(one?.unitsByHour.size)
    for (const [hour, units] of one?.unitsByHour ?? [])
      expect(other?.unitsByHour.get(hour)).toBeCloseTo(units, 9)
  }
}

describe('the same world in SQLite and in PostgreSQL', () => {
  it(
    `of ${RECORDS} records has the same charts to the byte, summaries and courses`,
    async () => {
      await expectAllSame(NOW)
      await expectSameStores()
    },
    WITHIN_MS,
  )

  it(
    'has them three days later too, when what is old has been forgotten',
    async () => {
      const later = plusMs(NOW, 3 * DAY_MS)
      for (const store of stores)
        while (await store.retain(PLAN, { asOf: later, rowsMax: 5_000 })) {}

      await expectAllSame(later)
      await expectSameStores()
    },
    WITHIN_MS,
  )
})
