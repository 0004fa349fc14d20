import { closeSync, openSync, statSync, truncateSync, writeSync } from 'node:fs'
import { plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageDetail } from '@svc/core/usage'
import { aFakeAccount } from '@svc/fake-proxy'
import { openHistory } from '@svc/history'
import { openSqlite } from '@svc/sqlite'
import type { Health } from '@svc/views'
import { storeConditions } from '@svc/views/messages'
import { describe, expect, it, type TestContext } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { type ProxiedService, startService } from '../../tooling/service/start-service.ts'
import { acceleratedClock, paceOfBusyMachine } from '../../tooling/test-instant.ts'
import { ownStore } from './own-store.ts'

/** Service seconds in one real second. */
const FACTOR = paceOfBusyMachine(20)
const PAGE = 4_096
const clock = acceleratedClock({ factor: FACTOR })

/** The service on a store of its own with some thousand requests of the last days. Tests run side by side, since they do little but wait. */
async function service(context: TestContext) {
  const { path, use } = ownStore(context)
  const store = await openHistory(path)
  const details = Array.from(
    { length: 20_000 },
    (_, number): UsageDetail => ({
      at: plusMs(clock.now(), -number * 20_000),
      key: BigInt(number),
      accountKey: `account-${number % 200}`,
      apiName: `key-${number % 40}`,
      model: `model-${number % 30}`,
      tokens: 1,
      failed: false,
    }),
  )
  await store
    .usageOf(DEFAULT_UPSTREAM)
    .record({ receivedAt: clock.now(), details, quarantined: [], saturatedCount: 0 })
  await store.close()
  const account = aFakeAccount({ name: 'ana' })
  const live = use(
    await startService({
      where: 'here',
      time: clock,
      accounts: [account],
      flags: { 'state-db': path },
    }),
  )
  await eventually('the queue is read', () => live.fake.usage.answerCount() > 1)
  return { live, path, account }
}
const action = async (live: ProxiedService) =>
  (await live.json<Health>('/api/v1/health')).actions.find(
    ({ code }) => code === 'history_failing',
  ) ?? null
const stored = async (live: ProxiedService) =>
  Number(
    /^svc_quota_monitor_usage_rows_ingested_total (\S+)$/m.exec(
      await (await fetch(`${live.url}/metrics`)).text(),
    )?.[1],
  )
const chart = async (live: ProxiedService, query: string) =>
  (await fetch(`${live.url}/api/v1/stats/series?${query}`)).status

describe.concurrent('a damaged store', () => {
  it('damage that only a chart meets is reported like a failed write: by an action that stays and a log line', async (context) => {
    const { live, path } = await service(context)
    const before = live.output().length
    const file = openSync(path, 'r+')
    const pages = Math.floor(statSync(path).size / PAGE)
    // All but the first pages, which hold the schema and what the writer keeps changing.
    for (let page = 20; page < pages; page += 1)
      writeSync(file, Buffer.alloc(PAGE, 0xff), 0, PAGE, page * PAGE)
    closeSync(file)
    const groups = ['account', 'model', 'api']
    let asked = 0
    await eventually('a chart meets it', async () => {
      asked += 1
      await chart(live, `range=7d&group=${groups[asked % groups.length]}&top=20`)
      return (await action(live)) !== null
    })
    expect((await action(live))?.summary).toBe(storeConditions.corrupt.summary)
    expect(live.output().slice(before)).toContain('history store not usable')
    for (let sample = 0; sample < 40; sample += 1) {
      expect(await action(live)).not.toBeNull()
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })

  it('a store that is written but cannot be read is an action with what to do, until it can be read again', async (context) => {
    const { live, path } = await service(context)
    const renamed = (from: string, to: string) => {
      const db = openSqlite(path)
      db.exec(`ALTER TABLE usage RENAME COLUMN ${from} TO ${to}`)
      db.close()
    }
    const unread = async () =>
      (await live.json<Health>('/api/v1/health')).actions.find(
        ({ code }) => code === 'history_unreadable',
      )
    renamed('failed', 'elsewhere')
    await eventually('it is reported', async () => (await unread()) !== undefined)
    expect(await unread()).toMatchObject({
      tone: 'bad',
      summary: 'Reading the store fails, and the reader cannot tell why.',
    })
    expect(live.output()).toContain('action opened code=history_unreadable')
    expect(await action(live)).toBeNull()
    renamed('elsewhere', 'failed')
    await eventually('it is over', async () => (await unread()) === undefined)
  })

  it('a file that is truncated while it is written: nothing more is acknowledged, nothing more is taken', async (context) => {
    const { live, path, account } = await service(context)
    live.fake.traffic(account, { success: 5 })
    await eventually('they are stored', async () => (await stored(live)) === 5)
    truncateSync(path, 10 * PAGE)
    live.fake.traffic(account, { success: 700 })
    await eventually('it is reported', async () => (await action(live)) !== null)
    expect(await stored(live)).toBe(5)
    const waiting = live.fake.usage.waitingCount()
    await new Promise((resolve) => setTimeout(resolve, 75_000 / FACTOR))
    expect([await stored(live), live.fake.usage.waitingCount()]).toEqual([5, waiting])
    expect(waiting, 'one batch at most is in hand').toBeGreaterThanOrEqual(200)
  })
})
