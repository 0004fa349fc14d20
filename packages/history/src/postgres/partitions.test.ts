import { epochMs } from '@svc/core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type FreshSchema, freshSchemas } from '../testing/fresh-schemas.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { connectionOf } from './address.ts'
import { createPartitions } from './partitions.ts'
import { createFence } from './postgres-store.ts'
import { openSession } from './session.ts'

const DAY_MS = 86_400_000
const DAY = epochMs(Date.UTC(2026, 10, 20))

const schemas = freshSchemas()
let fresh: FreshSchema
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  fresh = await schemas.next()
})
afterAll(() => schemas.remove())

const tables = async () =>
  (
    await fresh.rows(
      "SELECT tablename FROM pg_tables WHERE tablename LIKE 'usage\\_%' ORDER BY tablename",
    )
  ).flat()
const insert = (at: number) =>
  fresh.session.run(
    'INSERT INTO svc_quota_monitor.usage (at_ms, key, account_id, api_name_id, model_id, upstream_id, failed, tokens) VALUES ($1, 1, 1, 1, 1, 1, false, 1)',
    [at],
  )
const at = (...offsets: readonly number[]) => offsets.map((offset) => epochMs(DAY + offset))

describe('the days of single requests', () => {
  it('are made once for all times in them', async () => {
    const partitions = createPartitions(fresh.session)
    await partitions.ensure(at(0, 1, DAY_MS - 1, DAY_MS, -1))
    await partitions.ensure(at(5))

    expect(await tables()).toEqual(['usage_20261119', 'usage_20261120', 'usage_20261121'])
    expect(await partitions.count()).toBe(3)
    await insert(DAY - DAY_MS)
    await insert(DAY + 2 * DAY_MS - 1)
    await expect(insert(DAY + 2 * DAY_MS)).rejects.toThrow()
  })

  it.each([
    ['the first year', -62_135_596_800_000],
    ['a time before that', -70_000_000_000_000],
    ['the year 12000', 316_516_000_000_000],
  ])('can be as far away as %s', async (_, far) => {
    await createPartitions(fresh.session).ensure([epochMs(far)])

    expect(await insert(far)).toBe(1)
    expect(await createPartitions(fresh.session).count()).toBe(1)
  })

  it('can be more than are made at a time', async () => {
    const partitions = createPartitions(fresh.session)
    await partitions.ensure(at(...Array.from({ length: 45 }, (_, day) => day * DAY_MS)))

    expect(await partitions.count()).toBe(45)
  })

  it('are made by two monitors at once', async () => {
    const other = await openSession(connectionOf(fresh.address, null))
    const days = at(...Array.from({ length: 30 }, (_, day) => day * DAY_MS))
    try {
      await Promise.all(
        [fresh.session, other].map((session) => createPartitions(session).ensure(days)),
      )
    } finally {
      await other.close()
    }

    expect(await createPartitions(fresh.session).count()).toBe(30)
  })

  it('are dropped oldest first, as far as they end before a time', async () => {
    const partitions = createPartitions(fresh.session)
    await partitions.ensure(at(0, DAY_MS, -DAY_MS))

    expect(
      await partitions.dropOldest(epochMs(DAY + DAY_MS), createFence(fresh.session, null)),
    ).toBe(true)
    expect(await tables()).toEqual(['usage_20261120', 'usage_20261121'])
    expect(
      await partitions.dropOldest(epochMs(DAY + DAY_MS), createFence(fresh.session, null)),
    ).toBe(true)
    expect(
      await partitions.dropOldest(epochMs(DAY + 2 * DAY_MS - 1), createFence(fresh.session, null)),
    ).toBe(false)
    expect(await tables()).toEqual(['usage_20261121'])
    await partitions.ensure(at(0))
    expect(await tables()).toEqual(['usage_20261120', 'usage_20261121'])
  })

  it('stay while somebody is reading', async () => {
    const partitions = createPartitions(fresh.session)
    await partitions.ensure(at(0))
    const reader = await openSession(connectionOf(fresh.address, null))
    try {
      await reader.transaction('read', async () => {
        await reader.rows('SELECT count(*) FROM svc_quota_monitor.usage')
        expect(
          await partitions.dropOldest(epochMs(DAY + DAY_MS), createFence(fresh.session, null)),
        ).toBe(false)
      })
      expect(
        await partitions.dropOldest(epochMs(DAY + DAY_MS), createFence(fresh.session, null)),
      ).toBe(true)
    } finally {
      await reader.close()
    }
  })

  it('that somebody has given up and not dropped are dropped', async () => {
    const partitions = createPartitions(fresh.session)
    await partitions.ensure(at(0))
    await fresh.session.run(
      'CREATE TABLE svc_quota_monitor.forgotten_usage_20010203 (LIKE svc_quota_monitor.usage)',
    )
    expect(await partitions.dropOldest(DAY, createFence(fresh.session, null))).toBe(false)

    expect(
      await fresh.rows(
        "SELECT c.relname FROM pg_class c WHERE c.relname LIKE 'forgotten%' AND c.relnamespace = 'svc_quota_monitor'::regnamespace",
      ),
    ).toEqual([])
    expect(await tables()).toEqual(['usage_20261120'])
  })

  it('that another monitor has dropped are made again once they are distrusted', async () => {
    const [partitions, other] = [0, 1].map(() => createPartitions(fresh.session))
    await partitions?.ensure(at(0))
    await other?.dropOldest(epochMs(DAY + DAY_MS), createFence(fresh.session, null))
    await partitions?.ensure(at(0))
    expect(await tables()).toEqual([])

    partitions?.distrust()
    await partitions?.ensure(at(0))
    expect(await tables()).toEqual(['usage_20261120'])
  })
})
