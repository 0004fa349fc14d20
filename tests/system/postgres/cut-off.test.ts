import { epochMs } from '@svc/core'
import type { UsageBatch, UsageDetail } from '@svc/core/usage'
import { openHistory, openUsage } from '@svc/history'
import { type OwnDatabases, ownDatabases, whyNoPostgres } from '@svc/history/testing'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { compareCharts } from '../../store-contract.ts'
import { createModel } from '../../store-model.ts'
import { DAY_MS, LISTED, START } from '../../store-steps.ts'
import { type CuttingProxy, startCuttingProxy, type Way } from './cutting-proxy.ts'
import { wrongSums } from './sums-of-rows.ts'

const databases: OwnDatabases = ownDatabases()
let proxy: CuttingProxy | null = null
beforeEach((context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
})
afterAll(async () => {
  await proxy?.close()
  await databases.remove()
})

/** Needs every statement that a batch can need: new names, a new day, and a record that cannot be kept. Two of its requests come with every batch. */
function batchOf(number: number): UsageBatch {
  const details = Array.from({ length: 9 }, (_, index): UsageDetail => {
    const isNew = index < 7
    // So long ago that every batch has as many sums.
    const age = index === 0 ? (number + 40) * DAY_MS : index * 60_000 + (isNew ? number : 0)
    return {
      at: epochMs(START - age),
      key: BigInt(isNew ? number * 100 + index : index),
      accountKey: index % 2 === 0 ? 'ann' : `account ${number}`,
      apiName: index % 2 === 0 ? 'key-1' : 'key-2',
      model: `model ${number}`,
      tokens: 10 + index,
      failed: index === 3,
      // A listed account has one provider.
      provider: index % 2 === 0 ? (LISTED.get('ann') ?? '') : `provider-${number}`,
    }
  })
  const quarantined = [{ reason: 'bad_shape', shape: '{}' } as const]
  return { receivedAt: START, details, quarantined, saturatedCount: 0 }
}

it('a batch whose connection is cut at any of its statements and answers is stored once when it is sent again', async () => {
  const address = new URL(await databases.nextAddress())
  const server = await databases.server()
  const database = address.pathname.slice(1)
  const cutting = await startCuttingProxy(server.port)
  proxy = cutting
  address.port = String(cutting.port)
  const location = address.href
  const model = createModel()
  const usage = await openUsedStore()
  let asked = 0
  let rounds = 0

  /** A store whose first batch has gone through. */
  async function openUsedStore() {
    const first = await openHistory(location)
    await first.usageOf('default').record(batchOf(0))
    model.record('default', batchOf(0).details, false)
    await first.close()
    return openUsage({ location: server.address(database), retentionDays: 90 })
  }
  const send = async (number: number) => {
    const store = await openHistory(location)
    try {
      await store.usageOf('default').record(batchOf(number), POSITION)
    } finally {
      await store.close()
    }
  }
  const watched = async (): Promise<readonly (readonly [Way, number])[]> => {
    const store = await openHistory(location)
    cutting.watch()
    await store.usageOf('default').record(batchOf(1), POSITION)
    model.record('default', batchOf(1).details, true)
    const ends = { asked: cutting.endsOf('asked'), answered: cutting.endsOf('answered') }
    cutting.mend()
    await store.close()
    // A batch takes its own statement for each kind of name, the day, the rows, the sums of each tier and what is counted.
    expect(ends.asked.length).toBeGreaterThan(20)
    expect(ends.answered).toHaveLength(ends.asked.length)
    return [...placesIn('asked', ends.asked), ...placesIn('answered', ends.answered)]
  }

  for (const [way, bytes] of await watched()) {
    rounds += 1
    const number = 1 + rounds
    const what = `${way} ${bytes}`
    const store = await openHistory(location)
    cutting.cutAfter(way, bytes)
    await expect(
      store.usageOf('default').record(batchOf(number), POSITION),
      what,
    ).rejects.toMatchObject({ code: 'unreachable' })
    await expect(store.usageOf('default').position(), what).rejects.toMatchObject({
      code: 'unreachable',
    })
    await store.close()
    cutting.mend()

    await send(number)
    model.record('default', batchOf(number).details, true)
    expect(await wrongSums(server, database, START), what).toBe('')
    usage.useLabels(model.labels())
    if (rounds % 10 === 0) asked = await compareCharts(usage, model, asked)
  }

  await usage.close()
  const counted = await server.sql(
    `SELECT (SELECT count(*) FROM svc_quota_monitor.usage), (SELECT value FROM svc_quota_monitor.meta WHERE name = 'stored'),
       (SELECT sum(requests) FROM svc_quota_monitor.rollup_86400 WHERE grouping = 0)`,
    database,
  )
  const { stored } = model.counters()
  expect(counted).toBe(`${stored}|${stored}|${stored}`)
  expect(rounds).toBeGreaterThan(80)
}, 900_000)

const POSITION = { lastPollAt: START, treeRequests: 7 }

/** Inside of each statement or answer, before its last byte, and after it. */
function placesIn(way: Way, ends: readonly number[]): readonly (readonly [Way, number])[] {
  return ends.flatMap((end, index) => {
    const start = ends[index - 1] ?? 0
    const inside = [Math.floor((start + end) / 2), end - 1]
    // After the last answer nothing is lost.
    const all = way === 'answered' && index === ends.length - 1 ? inside : [...inside, end]
    return all.map((bytes) => [way, bytes] as const)
  })
}
