import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageDetail } from '@svc/core/usage'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type FreshSchema, freshSchemas } from '../testing/fresh-schemas.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { aBatch, aDetail, NOW } from '../testing/stored-usage.ts'
import { createMeta } from './meta.ts'
import { openPostgresStore } from './postgres-store.ts'
import { createUsageExtent } from './usage-extent.ts'

const DAY_MS = 86_400_000
const startOfDay = (at: number) => Math.floor(at / DAY_MS) * DAY_MS

const schemas = freshSchemas()
let fresh: FreshSchema
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  fresh = await schemas.next()
})
afterAll(() => schemas.remove())

async function store(...details: readonly UsageDetail[]): Promise<void> {
  const opened = await openPostgresStore(fresh.address)
  await opened.usageOf(DEFAULT_UPSTREAM).record(aBatch(details))
  await opened.close()
}
const extent = async () => createUsageExtent(fresh.session, await createMeta(fresh.session).read())
const addGap = (from: EpochMs, to: EpochMs) =>
  fresh.session.run(
    "INSERT INTO svc_quota_monitor.gaps (upstream_id, from_ms, to_ms, reason) VALUES (1, $1, $2, 'batch_lost')",
    [from, to],
  )

describe('usage in PostgreSQL', () => {
  it('that a store has none of begins and ends nowhere', async () => {
    const { earliest, latest } = await extent()

    expect([await earliest(), await latest(NOW)]).toEqual([null, null])
  })

  it('begins with its first row, although the day of that began before', async () => {
    await store(aDetail(60), aDetail(5))

    expect(await (await extent()).earliest()).toBe(NOW - 60_000)
  })

  it('begins with the day of which only the sum is left', async () => {
    const old = aDetail(1, { at: plusMs(NOW, -5 * DAY_MS), key: 9n })
    await store(old, aDetail(5))
    expect(await (await extent()).earliest()).toBe(old.at)
    await fresh.session.run(`DELETE FROM svc_quota_monitor.usage WHERE at_ms = ${old.at}`)
    expect(await (await extent()).earliest()).toBe(startOfDay(old.at))
    await fresh.session.run('DELETE FROM svc_quota_monitor.usage')

    expect(await (await extent()).earliest()).toBe(startOfDay(old.at))
  })

  it('begins before the cut as long as what is older has not gone', async () => {
    const old = aDetail(1, { at: plusMs(NOW, -30 * DAY_MS) })
    await store(old, aDetail(5))
    await createMeta(fresh.session).set({ cut_ms: NOW })

    expect(await (await extent()).earliest()).toBe(old.at)
  })

  it('ends with the newest row before now, however long ago that was', async () => {
    await store(aDetail(60), aDetail(0), aDetail(-60))
    const { latest } = await extent()

    expect(await latest(NOW)).toBe(NOW - 60_000)
    expect(await latest(plusMs(NOW, 1))).toBe(NOW)
    expect(await latest(plusMs(NOW, 40 * DAY_MS))).toBe(NOW + 60_000)
  })
})

describe('the time that was observed, in PostgreSQL', () => {
  it('is none before the proxy was read', async () => {
    expect(await (await extent()).history(NOW)).toMatchObject({
      observedSeconds: 0,
      gapSeconds: 0,
    })
  })

  it('has gaps only where it was observed', async () => {
    await createMeta(fresh.session).set({ first_poll_ms: plusMs(NOW, -DAY_MS) })
    await addGap(plusMs(NOW, -DAY_MS - 5000), plusMs(NOW, -DAY_MS + 3000))
    await addGap(plusMs(NOW, -2000), plusMs(NOW, 9000))

    expect(await (await extent()).history(NOW)).toMatchObject({
      observedSeconds: 86_400,
      gapSeconds: 5,
    })
  })

  it('is watched since the first poll, or since what was handed over then', async () => {
    await createMeta(fresh.session).set({ first_poll_ms: plusMs(NOW, -30_000) })
    await addGap(plusMs(NOW, -2000), NOW)
    await store(aDetail(60))

    expect(await (await extent()).watch(plusMs(NOW, -DAY_MS))).toEqual({
      since: plusMs(NOW, -60_000),
      missed: [{ from: plusMs(NOW, -2000), to: NOW }],
    })
  })
})

it('says how large the database is, what was counted and when it was written last', async () => {
  const meta = createMeta(fresh.session)
  await meta.set({ last_write_ms: epochMs(NOW - 7) })
  await meta.add({ duplicate: 4, missing: 2 })
  const [[bytes] = []] = await fresh.rows('SELECT pg_database_size(current_database())::int')

  const history = await (await extent()).history(NOW)
  expect(history).toMatchObject({ lastWriteAt: NOW - 7, duplicates: 4, missing: 2 })
  expect(Number(history.databaseBytes) / Number(bytes)).toBeCloseTo(1, 1)
})
