import { plusMs } from '@svc/core'
import type { UsageStore } from '@svc/core/usage'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { HistoryStore } from '../sql/history-store.ts'
import { type FreshSchema, freshSchemas } from '../testing/fresh-schemas.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { aBatch, aDetail, NOW } from '../testing/stored-usage.ts'
import { createPartitions } from './partitions.ts'
import { createFence, openPostgresStore } from './postgres-store.ts'

const DAY_MS = 86_400_000
const PLAN = { usageDays: 1, historyDays: 1 }

const schemas = freshSchemas()
let fresh: FreshSchema
let store: HistoryStore
let usage: UsageStore
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  fresh = await schemas.next()
  store = await openPostgresStore(fresh.address)
  usage = store.usageOf('default')
  return () => store.close()
})
afterAll(() => schemas.remove())

const countOf = async (table: string) =>
  (await fresh.rows(`SELECT count(*) FROM svc_quota_monitor.${table}`))[0]?.[0]

describe('a batch', () => {
  it('of a day that another monitor has forgotten and that counts again is stored when it is sent again', async () => {
    await usage.record(aBatch([aDetail(1)]))
    await createPartitions(fresh.session).dropOldest(
      plusMs(NOW, 2 * DAY_MS),
      createFence(fresh.session, null),
    )

    await expect(usage.record(aBatch([aDetail(2)]))).rejects.toThrow()
    expect(await usage.record(aBatch([aDetail(2)]))).toMatchObject({ stored: 1 })
  })
})

describe('forgetting and storing at once, from two monitors', () => {
  it('never counts a request a second time', async () => {
    const old = aDetail(1, { at: plusMs(NOW, -3 * DAY_MS) })
    await usage.record(aBatch([old]))
    const other = await openPostgresStore(fresh.address)
    try {
      const [recorded] = await Promise.all([
        usage.record(aBatch([old, aDetail(2)])),
        (async () => {
          while (await other.retain(PLAN, { asOf: NOW, rowsMax: 10 })) {}
        })(),
      ])
      expect(recorded.stored).toBe(1)
    } finally {
      await other.close()
    }
    expect(await usage.record(aBatch([old]))).toMatchObject({ expired: 1 })
    expect(
      await fresh.rows(
        'SELECT sum(requests)::int FROM svc_quota_monitor.rollup_86400 WHERE grouping = 0',
      ),
    ).toEqual([[2]])
  })
})

describe('gaps', () => {
  it('are taken back once what was popped is stored after all', async () => {
    await usage.record(aBatch([]), { lastPollAt: plusMs(NOW, -60_000), treeRequests: null })
    await usage.markPop(NOW)
    await usage.endInterruptedPop()
    await usage.record(aBatch([aDetail(1)]), undefined, plusMs(NOW, -5_000))
    expect(await countOf('gaps'), 'of another pop').toBe(1)
    await usage.record(aBatch([aDetail(2)]), undefined, NOW)

    expect(await countOf('gaps')).toBe(0)
  })
})
