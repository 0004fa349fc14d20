import { epochMs, plusMs } from '@svc/core'
import { type LeaseName, leaseOf, POOL_LEASE } from '@svc/core/service'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HistoryStore } from '../sql/history-store.ts'
import { type FreshSchema, freshSchemas } from '../testing/fresh-schemas.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { aBatch, NOW, someDetails } from '../testing/stored-usage.ts'
import { openPostgresLeases } from './leases.ts'
import { openPostgresStore } from './postgres-store.ts'

const TOKYO = leaseOf('tokyo')
const PLAN = { usageDays: 1, historyDays: 1 }
const GAP = { from: NOW, to: plusMs(NOW, 1_000), reason: 'batch_lost' } as const
const POINT = {
  provider: 'codex',
  windowId: '5h',
  at: NOW,
  knownUnits: 1,
  trackedUnits: 2,
  unknownUnits: 0,
  burnedUnits: 0,
} as const
const ASKED = {
  upstream: 'tokyo',
  authName: 'ana.json',
  accountKey: 'ana',
  provider: 'claude',
  verdict: null,
  waitUntil: null,
  evidence: { probeFailure: null, refusedLogin: null, askedAt: NOW },
} as const
const NOTHING = { points: [], readings: [], changes: [] }
const NOT_HOLDER = { code: 'not_holder', engine: 'postgres' }

const schemas = freshSchemas()
const open: { close(): Promise<void> }[] = []
let fresh: FreshSchema
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  fresh = await schemas.next()
})
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})
afterAll(() => schemas.remove())

/** A monitor of the shared store, which knows the terms of its leases as it last heard of them. */
async function aMonitor(holder: string) {
  const terms = new Map<LeaseName, number>()
  const store: HistoryStore = await openPostgresStore(fresh.address, { terms })
  const leases = openPostgresLeases({ location: fresh.address, holder })
  open.push(store, leases)
  return {
    store,
    usage: store.usageOf('tokyo'),
    async take(...names: readonly LeaseName[]) {
      for (const { name, isOurs, term } of await leases.take(names))
        if (isOurs) terms.set(name, term)
    },
    leave: (...names: readonly LeaseName[]) => leases.release(names),
  }
}

const rowsOf = (table: string) => fresh.rows(`SELECT * FROM svc_quota_monitor.${table}`)

/** Two monitors; the first had every lease, the second has them now, and the first does not know it. */
async function aReplacedMonitor() {
  const [old, next] = [await aMonitor('old'), await aMonitor('next')]
  await old.take(TOKYO, POOL_LEASE)
  await old.usage.markPop(NOW)
  await old.leave(TOKYO, POOL_LEASE)
  await next.take(TOKYO, POOL_LEASE)
  return { old, next }
}

describe('a monitor that has been replaced and does not know it', () => {
  it('has its batch stored, and its position not', async () => {
    const { old, next } = await aReplacedMonitor()
    const positionOfNext = { lastPollAt: plusMs(NOW, 60_000), treeRequests: null }
    await next.usage.record(aBatch([]), positionOfNext)
    await next.usage.markPop(plusMs(NOW, 61_000))
    const marked = await rowsOf('feeds')

    const tally = await old.usage.record(aBatch(someDetails(5)), {
      lastPollAt: plusMs(NOW, 2_000),
      treeRequests: 7,
    })
    expect(tally.stored).toBe(5)
    expect(await rowsOf('usage')).toHaveLength(5)
    expect(await next.usage.position()).toEqual(positionOfNext)
    // The mark of the other's pop stands as well.
    expect(await rowsOf('feeds')).toEqual(marked)
  })

  it.each<readonly [string, (old: Awaited<ReturnType<typeof aMonitor>>) => Promise<unknown>]>([
    ['marks no pop', ({ usage }) => usage.markPop(NOW)],
    ['ends no pop', ({ usage }) => usage.clearPop()],
    ['counts no gap', ({ usage }) => usage.recordGap(GAP)],
    ['counts nothing as missing', ({ usage }) => usage.recordMissing(3, GAP)],
    ['counts no pop as interrupted', ({ usage }) => usage.endInterruptedPop()],
    ['forgets nothing', ({ store }) => store.retain(PLAN, { asOf: NOW, rowsMax: 100 })],
    ['writes no course', ({ store }) => store.quota.record({ ...NOTHING, points: [POINT] })],
    ['keeps no query', ({ store }) => store.quota.keepAsked([ASKED], NOW)],
    ['remembers nothing told', ({ store }) => store.quota.rememberTold('phone', '{}')],
    [
      'says nothing of accounts',
      ({ store }) =>
        store.quota.record(NOTHING, {
          listedAt: NOW,
          source: 'live',
          gatewayUp: true,
          texts: [['tokyo/ana.json', '{}']],
        }),
    ],
  ])('%s', async (_, decide) => {
    const { old, next } = await aReplacedMonitor()
    const kept = async () => {
      const rows: unknown[] = []
      for (const table of ['feeds', 'gaps', 'capacity_points', 'meta', 'asked_accounts'])
        rows.push(await rowsOf(table))
      return rows
    }
    const before = await kept()
    await expect(decide(old)).rejects.toMatchObject(NOT_HOLDER)
    expect(await kept()).toEqual(before)

    await decide(next)
  })

  it('has its batch stored though a wrong clock has left a cut in the future', async () => {
    const { old } = await aReplacedMonitor()
    await fresh.rows(
      `INSERT INTO svc_quota_monitor.meta VALUES ('cut_ms', '${plusMs(NOW, 86_400_000)}')`,
    )
    await old.store.settleFuture(plusMs(NOW, 60_000))

    expect((await old.usage.record(aBatch(someDetails(3)))).stored).toBe(3)
  })

  it('that takes its lease again decides under its new term', async () => {
    const { old, next } = await aReplacedMonitor()
    await next.leave(TOKYO)
    await expect(old.usage.markPop(NOW)).rejects.toMatchObject(NOT_HOLDER)
    await old.take(TOKYO)

    await old.usage.markPop(NOW)
    await expect(next.usage.markPop(NOW)).rejects.toMatchObject(NOT_HOLDER)
  })
})

describe('a lease', () => {
  it('is of one proxy: the other monitor decides about another', async () => {
    const [one, other] = [await aMonitor('one'), await aMonitor('other')]
    await one.take(TOKYO)
    await other.take(leaseOf('berlin'))

    await one.usage.markPop(NOW)
    await other.store.usageOf('berlin').markPop(NOW)
    await expect(other.usage.markPop(NOW)).rejects.toMatchObject(NOT_HOLDER)
    await expect(one.store.usageOf('berlin').markPop(NOW)).rejects.toMatchObject(NOT_HOLDER)
  })

  it('that nobody ever had lets nobody decide', async () => {
    const { usage } = await aMonitor('one')

    await expect(usage.markPop(NOW)).rejects.toMatchObject(NOT_HOLDER)
    expect(
      (await usage.record(aBatch(someDetails(2)), { lastPollAt: NOW, treeRequests: null })).stored,
    ).toBe(2)
    expect(await usage.position()).toEqual({ lastPollAt: null, treeRequests: null })
  })

  it('is not asked for by who has the store for itself, as a program that imports', async () => {
    const store = await openPostgresStore(fresh.address)
    open.push(store)
    const usage = store.usageOf('tokyo')
    await usage.markPop(NOW)
    await usage.record(aBatch(someDetails(2)), { lastPollAt: epochMs(NOW), treeRequests: null })

    expect((await usage.position()).lastPollAt).toBe(NOW)
  })
})
