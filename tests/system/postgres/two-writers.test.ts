import { epochMs } from '@svc/core'
import type { UsageBatch, UsageDetail } from '@svc/core/usage'
import { type HistoryStore, openHistory } from '@svc/history'
import { ownDatabases, whyNoPostgres } from '@svc/history/testing'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { DAY_MS, START } from '../../store-steps.ts'
import { wrongSums } from './sums-of-rows.ts'

const databases = ownDatabases()
let address = ''
let database = ''
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  address = await databases.nextAddress()
  database = new URL(address).pathname.slice(1)
})
afterAll(() => databases.remove())

const ROUNDS = 200
const BATCH = 40

/** Requests of the last hour, every eighth of a day of its own, for names of which some are new in each batch. */
function detailsOf(round: number): readonly UsageDetail[] {
  return Array.from({ length: BATCH }, (_, index) => ({
    at: epochMs(
      START - (index === 0 && round % 8 === 0 ? (round / 8 + 1) * DAY_MS : index * 90_000),
    ),
    key: BigInt(round * BATCH + index),
    accountKey: `account ${index % 7 === 0 ? round : index % 7}`,
    apiName: `key ${index % 5}`,
    model: `model ${index % 11 === 0 ? round : 0}`,
    tokens: index,
    failed: index % 9 === 0,
    provider: index % 2 === 0 ? 'codex' : 'claude',
  }))
}

const batchOf = (details: readonly UsageDetail[]): UsageBatch => ({
  receivedAt: START,
  details,
  quarantined: [{ reason: 'bad_shape', shape: '{}' }],
  saturatedCount: 0,
})
const openAll = (count: number): Promise<readonly HistoryStore[]> =>
  Promise.all(Array.from({ length: count }, () => openHistory(address)))
const closeAll = (stores: readonly HistoryStore[]) =>
  Promise.all(stores.map((store) => store.close()))
const sql = async (statement: string) => (await databases.server()).sql(statement, database)
const deadlocks = () => sql(`SELECT deadlocks FROM pg_stat_database WHERE datname = '${database}'`)

describe('several writers of one store', () => {
  it('store a batch that both have got once, however they meet', async () => {
    const stores = await openAll(2)
    for (let round = 0; round < ROUNDS; round += 1) {
      const details = detailsOf(round)
      const tallies = await Promise.all(
        stores.map((store, writer) =>
          store.usageOf('default').record(batchOf(writer === 0 ? details : details.toReversed()), {
            lastPollAt: START,
            treeRequests: null,
          }),
        ),
      )
      const stored = tallies.reduce((sum, tally) => sum + tally.stored, 0)
      const duplicate = tallies.reduce((sum, tally) => sum + tally.duplicate, 0)
      expect([stored, duplicate], `round ${round}`).toEqual([BATCH, BATCH])
    }
    await closeAll(stores)

    expect(await sql('SELECT count(*) FROM svc_quota_monitor.usage')).toBe(String(ROUNDS * BATCH))
    expect(await wrongSums(await databases.server(), database, START)).toBe('')
    expect(
      await sql('SELECT sum(requests) FROM svc_quota_monitor.rollup_86400 WHERE grouping = 0'),
    ).toBe(String(ROUNDS * BATCH))
    expect(await sql('SELECT count(*) FROM svc_quota_monitor.quarantine')).toBe('200')
    expect(await deadlocks()).toBe('0')
  }, 600_000)

  it('give each new name one number, without a gap', async () => {
    const stores = await openAll(8)
    const names = Array.from({ length: 1_000 }, (_, index) => `name ${index}`)
    await Promise.all(
      stores.map((store, writer) => {
        // Each begins with another name.
        const turned = [...names.slice(writer * 125), ...names.slice(0, writer * 125)]
        const details = turned.map(
          (name, index): UsageDetail => ({
            at: epochMs(START - index),
            key: BigInt(writer),
            accountKey: name,
            apiName: name,
            model: name,
            tokens: 1,
            failed: false,
            provider: 'codex',
          }),
        )
        return store.usageOf('default').record(batchOf(details))
      }),
    )
    await closeAll(stores)

    for (const table of ['accounts', 'api_names', 'models'])
      expect(await sql(`SELECT count(*), max(id) FROM svc_quota_monitor.${table}`)).toBe(
        '1000|1000',
      )
    expect(
      await sql(
        `SELECT count(*) FROM svc_quota_monitor.usage u JOIN svc_quota_monitor.accounts a ON a.id = u.account_id
         JOIN svc_quota_monitor.api_names n ON n.id = u.api_name_id AND n.name = a.key
         JOIN svc_quota_monitor.models m ON m.id = u.model_id AND m.name = a.key`,
      ),
    ).toBe('8000')
    expect(await wrongSums(await databases.server(), database, START)).toBe('')
    expect(await deadlocks()).toBe('0')
  }, 600_000)

  it('store batches that overlap in part while a third forgets old days', async () => {
    const stores = await openAll(3)
    const [forgetful, ...writers] = stores
    const plan = { usageDays: 3, historyDays: 3 }
    const record = async (store: HistoryStore, first: number) => {
      for (let round = 0; round < 60; round += 1)
        await store
          .usageOf(first === 0 ? 'tokyo' : 'berlin')
          .record(batchOf([...detailsOf(first + round), ...detailsOf(first + round + 1)]))
    }
    await Promise.all([
      ...writers.map((store, index) => record(store, index * 3)),
      (async () => {
        for (let step = 0; step < 100; step += 1)
          await forgetful?.retain(plan, { asOf: START, rowsMax: 1_000 })
      })(),
    ])
    await closeAll(stores)

    expect(await wrongSums(await databases.server(), database, START)).toBe('')
    expect(await deadlocks()).toBe('0')
  }, 600_000)
})
