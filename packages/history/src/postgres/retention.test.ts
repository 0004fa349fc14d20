import { epochMs, plusMs } from '@svc/core'
import { POOL_LEASE } from '@svc/core/service'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { HistoryStore } from '../sql/history-store.ts'
import { type FreshSchema, freshSchemas } from '../testing/fresh-schemas.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { aBatch, aDetail, NOW } from '../testing/stored-usage.ts'
import { groupings, tiersOf } from '../usage/tiers.ts'
import { createPartitions } from './partitions.ts'
import { createFence, forgetUnwatched, openPostgresStore, retentionStep } from './postgres-store.ts'

const DAY_MS = 86_400_000
const STEP = { asOf: NOW, rowsMax: 2_000 }

const schemas = freshSchemas()
let fresh: FreshSchema
let store: HistoryStore
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  fresh = await schemas.next()
  store = await openPostgresStore(fresh.address)
  return () => store.close()
})
afterAll(() => schemas.remove())

const forget = async (days: number, asOf = NOW) => {
  while (await store.retain({ usageDays: days, historyDays: days }, { ...STEP, asOf })) {}
}
const record = (...ages: readonly number[]) =>
  store
    .usageOf('default')
    .record(aBatch(ages.map((age) => aDetail(age, { at: plusMs(NOW, -age), key: BigInt(age) }))))
const numberOf = async (sql: string) => Number((await fresh.rows(sql))[0]?.[0])

describe('retention', () => {
  it('forgets rows by whole days, and keeps what they add up to', async () => {
    const ages = Array.from({ length: 3_000 }, (_, number) => number * 1_500_000)
    await record(...ages)
    const before = (await store.facts()).engine
    expect(await store.backlogMs({ usageDays: 10, historyDays: 10 }, NOW)).toBeGreaterThan(DAY_MS)
    await forget(10)

    const cut = Math.floor(NOW / DAY_MS - 10) * DAY_MS
    expect(await numberOf('SELECT min(at_ms) FROM svc_quota_monitor.usage')).toBeGreaterThanOrEqual(
      cut,
    )
    expect(await numberOf('SELECT count(*) FROM svc_quota_monitor.usage')).toBe(
      ages.filter((age) => NOW - age >= cut).length,
    )
    expect(before).toMatchObject({ name: 'postgres', dayCount: 53 })
    expect((await store.facts()).engine).toMatchObject({ dayCount: 11 })
    expect(await store.backlogMs({ usageDays: 10, historyDays: 10 }, NOW)).toBe(0)
    expect(
      await numberOf('SELECT sum(requests) FROM svc_quota_monitor.rollup_86400 WHERE grouping = 0'),
    ).toBe(3_000)
    for (const grouping of Object.values(groupings))
      for (const { seconds, keptSeconds } of tiersOf(grouping).slice(0, -1))
        expect(
          await numberOf(
            `SELECT min(bucket_s) FROM svc_quota_monitor.rollup_${seconds} WHERE grouping = ${grouping}`,
          ),
        ).toBeGreaterThan(NOW / 1000 - keptSeconds - 2 * seconds)
  })

  it('deletes nothing once another monitor has the lease, though the step had begun before', async () => {
    const old = 9 * DAY_MS
    await record(old)
    const { session } = fresh
    await session.run(
      `INSERT INTO svc_quota_monitor.capacity_points (window_id, at_ms, known_units, tracked_units, unknown_units, burned_units)
       VALUES ('week', $1, 1, 1, 0, 1)`,
      [plusMs(NOW, -old)],
    )
    await session.run(
      `INSERT INTO svc_quota_monitor.quota_samples (account_id, window_id, at_ms, percent)
       SELECT id, 'week', $1, 50 FROM svc_quota_monitor.accounts`,
      [plusMs(NOW, -old)],
    )
    await session.run(
      // Sums by rate have no minutes.
      'INSERT INTO svc_quota_monitor.rollup_60 SELECT * FROM svc_quota_monitor.rollup_86400 WHERE grouping <= 5',
    )
    await store
      .usageOf('default')
      .recordGap({ from: plusMs(NOW, -old), to: plusMs(NOW, 1 - old), reason: 'batch_lost' })
    const counted = async () => {
      const counts: Record<string, number> = {}
      for (const table of ['usage', 'rollup_60', 'gaps', 'capacity_points', 'quota_samples'])
        counts[table] = await numberOf(`SELECT count(*) FROM svc_quota_monitor.${table}`)
      return counts
    }
    const before = await counted()
    expect(Math.min(...Object.values(before))).toBeGreaterThan(0)

    // A monitor without the lease, whose step gets past the first question of it.
    const fence = createFence(session, new Map([[POOL_LEASE, 1]]))
    const partitions = createPartitions(session)
    const cut = plusMs(NOW, -2 * DAY_MS)
    await expect(partitions.dropOldest(cut, fence)).rejects.toMatchObject({ code: 'not_holder' })
    const parts = {
      fence: { ...fence, demand: async () => undefined },
      lockCut: async () => undefined,
      partitions: { dropOldest: async () => false },
    }
    await retentionStep(session, parts, { usageDays: 2, historyDays: 2 }, STEP)
    expect(await counted()).toEqual(before)

    await session.run(
      `INSERT INTO svc_quota_monitor.leases VALUES ($1, 'this one', 1, clock_timestamp())`,
      [POOL_LEASE],
    )
    expect(await partitions.dropOldest(cut, fence)).toBe(true)
    while (await retentionStep(session, parts, { usageDays: 2, historyDays: 2 }, STEP)) {}
    expect(Math.max(...Object.values(await counted()))).toBe(0)
  })

  it('forgets the accounts of a proxy that nobody has acted for in as long as the course is kept', async () => {
    const { session } = fresh
    await session.run(
      `INSERT INTO svc_quota_monitor.meta SELECT name, 'text' FROM unnest($1::text[]) AS kept (name)`,
      [
        ['a', 'tokyo/a', 'removed/a', 'removed/b', 'removed-too/a'].map(
          (file) => `account ${file}`,
        ),
      ],
    )
    await session.run(
      `INSERT INTO svc_quota_monitor.leases SELECT name, 'this one', 1, clock_timestamp() + days * interval '1 day'
       FROM (VALUES ('pool', 0), ('proxy/default', 0), ('proxy/tokyo', -1), ('proxy/removed', -3), ('proxy/removed-too', -9)) AS held (name, days)`,
    )
    const kept = async () =>
      (
        await session.rows<{ name: string }>(
          "SELECT name FROM svc_quota_monitor.meta WHERE name LIKE 'account %' ORDER BY name",
        )
      ).map(({ name }) => name.slice('account '.length))
    // By the clock of the database: that of a monitor may be wrong.
    const [{ now }] = (await session.rows<{ now: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now',
    )) as [{ now: number }]
    const wrongClock = epochMs(Math.floor(now) + 400 * DAY_MS)

    await forgetUnwatched(session, createFence(session, new Map([[POOL_LEASE, 2]])), 2)
    expect(await kept()).toHaveLength(5)
    await forget(5, wrongClock)
    expect(await kept()).toEqual(['a', 'removed/a', 'removed/b', 'tokyo/a'])
    await forgetUnwatched(session, createFence(session, new Map([[POOL_LEASE, 1]])), 2)
    expect(await kept()).toEqual(['a', 'tokyo/a'])
    await session.run(
      `UPDATE svc_quota_monitor.leases SET expires_at = clock_timestamp() - interval '3 days' WHERE name = 'proxy/default'`,
    )
    await forget(2)
    expect(await kept()).toEqual(['tokyo/a'])
  })
})
