import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageDetail } from '@svc/core/usage'
import {
  exportBackup,
  HistoryError,
  type HistoryStore,
  importBackup,
  moveHistory,
  openHistory,
} from '@svc/history'
import { type PostgresServer, startPostgres, whyNoPostgres } from '@svc/history/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pause } from '../../../tooling/eventually.ts'
import { program } from '../../../tooling/service/built-program.ts'
import { type CutWire, cutWireTo } from './cut-wire.ts'

const NOW = epochMs(Date.UTC(2026, 10, 21, 15))
const DAY_MS = 86_400_000
/** `MOVE_CUTS=50` for more. */
const CUTS = Number(process.env.MOVE_CUTS ?? 4)

const why = whyNoPostgres()
let folder: string
let server: PostgresServer
let wire: CutWire
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-moving-'))
  if (why !== null) return
  server = await startPostgres()
  wire = await cutWireTo(server.port)
})
afterAll(async () => {
  await wire?.close()
  await server?.remove()
  rmSync(folder, { recursive: true, force: true })
})

let count = 0
const fresh = (name: string) => {
  count += 1
  return join(folder, `${count}-${name}`)
}
const freshAddress = async () => server.address(await server.createDatabase())
const move = (from: string, to: string, upstream: string | null = null) =>
  moveHistory({ from, to, passwordFile: null, upstream, now: NOW })

const throughWire = (address: string) => address.replace(`:${server.port}/`, `:${wire.port}/`)
/** After which part of what is sent the way is cut. */
const share = fc.double({ min: 0, max: 1, noNaN: true })

/** Asserts that a database holds 7,000 requests, and of each day the same by every grouping. */
async function expectAddsUp(address: string): Promise<void> {
  const perDay = (grouping: number) =>
    server.sql(
      `SELECT sum(requests), sum(tokens), sum(failed) FROM svc_quota_monitor.rollup_86400 WHERE grouping = ${grouping} GROUP BY bucket_s ORDER BY bucket_s`,
      new URL(address).pathname.slice(1),
    )
  const days = await perDay(0)
  const requests = days.split('\n').map((day) => Number(day.split('|')[0]))
  expect(requests.reduce((sum, count) => sum + count, 0)).toBe(7_000)
  for (const grouping of [1, 2, 3, 4, 5]) expect(await perDay(grouping)).toBe(days)
}

/** What a backup of a store says, but for what tells the engines apart. */
async function contentOf(statePath: string): Promise<string> {
  const output = fresh('backup.json')
  await exportBackup({ statePath, output, exportedAt: 'then', appVersion: 'test' })
  return readFileSync(output, 'utf8').replace(/"schemaVersion":\d+/, '"schemaVersion":0')
}

function requests(number: number, from: EpochMs, everyMs = 60_000): readonly UsageDetail[] {
  return Array.from({ length: number }, (_, index) => ({
    at: plusMs(from, index * everyMs),
    key: BigInt(index) * 7_919n - BigInt(from),
    accountKey: ['ann', 'bob', 'other:gemini'][index % 3] ?? '',
    apiName: ['sk-one', '"quoted"\n', '\u{1f511}'][index % 3] ?? '',
    model: `model-${index % 4}`,
    tokens: index * 11,
    failed: index % 7 === 0,
    provider: index % 2 === 0 ? 'codex' : null,
    classes:
      index % 3 === 0
        ? { tokensIn: index, tokensCached: 1, tokensWritten: 2, tokensOut: index * 10 }
        : null,
    latencyMs: index % 5 === 0 ? null : index,
    firstTokenMs: null,
  }))
}

const record = (
  store: HistoryStore,
  details: readonly UsageDetail[],
  upstream = DEFAULT_UPSTREAM,
) =>
  store
    .usageOf(upstream)
    .record(
      { receivedAt: NOW, details, quarantined: [], saturatedCount: 0 },
      { lastPollAt: NOW, treeRequests: 7 },
    )

/** A store of four days, of the first of which the rows are gone unless more are kept. */
async function aFile(name: string, rows = 4_000, usageDays = 2): Promise<string> {
  const path = fresh(name)
  const store = await openHistory(path)
  await record(store, requests(rows, plusMs(NOW, -3 * DAY_MS), (3 * DAY_MS) / rows))
  await store.usageOf(DEFAULT_UPSTREAM).nameAccounts(new Map([['ann', 'ann@example.com']]))
  await store
    .usageOf(DEFAULT_UPSTREAM)
    .recordGap({ from: plusMs(NOW, -9_000), to: NOW, reason: 'batch_lost' })
  const units = { knownUnits: 1 / 3, trackedUnits: 2, unknownUnits: 0, burnedUnits: 0.1 }
  await store.quota.record(
    {
      points: [{ provider: 'codex', windowId: '5h', at: NOW, ...units }],
      readings: [1, 2, 3].map((minutes) => ({
        accountKey: 'ann',
        windowId: 'week',
        at: plusMs(NOW, -minutes * 60_000),
        percent: 61.5,
        resetAt: null,
        origin: 'headers',
        sampledAt: NOW,
      })),
      changes: [
        { at: NOW, tone: 'good', detail: { code: 'account_added', title: 'ann@example.com' } },
      ],
    },
    { listedAt: NOW, source: 'live', gatewayUp: true, texts: [] },
  )
  const plan = { usageDays, historyDays: 90 }
  while (await store.retain(plan, { asOf: NOW, rowsMax: 10_000 }));
  await store.close()
  return path
}

describe.skipIf(why !== null)(`a history that is moved${why === null ? '' : `: ${why}`}`, () => {
  it('is the same, with what a backup has not, and comes back as a file', async () => {
    const file = await aFile('whole.db')
    const address = await freshAddress()
    expect(await move(file, address)).toMatchObject({ days: 4, differences: [] })
    expect(await contentOf(address)).toBe(await contentOf(file))

    const [here, there] = [await openHistory(file), await openHistory(address)]
    for (const store of [here, there]) {
      expect(await store.usageOf(DEFAULT_UPSTREAM).position()).toEqual({
        lastPollAt: NOW,
        treeRequests: 7,
      })
      expect(await store.quota.remembered()).toMatchObject({ source: 'live', listedAt: NOW })
    }
    expect((await there.facts()).counters).toEqual((await here.facts()).counters)
    await here.close()
    await there.close()
    const origins = 'SELECT DISTINCT origin, sampled_at_ms FROM svc_quota_monitor.quota_samples'
    expect(await server.sql(origins, new URL(address).pathname.slice(1))).toBe(`headers|${NOW}`)

    const back = fresh('back.db')
    const backup = fresh('backup.json')
    await exportBackup({ statePath: address, output: backup, exportedAt: '', appVersion: 'test' })
    await importBackup({ statePath: back, file: backup, now: NOW })
    expect(await contentOf(back)).toBe(await contentOf(file))
  })

  it(`is the same although the way to the database was cut, ${CUTS} times over`, async () => {
    const file = await aFile('cut.db')
    const content = await contentOf(file)
    const before = wire.sent()
    await move(file, throughWire(await freshAddress()))
    const bytes = wire.sent() - before

    await fc.assert(
      fc.asyncProperty(fc.array(share, { minLength: 1, maxLength: 3 }), async (cuts) => {
        const address = await freshAddress()
        for (const cut of cuts) {
          wire.allow(Math.ceil(bytes * cut))
          const outcome = await move(file, throughWire(address)).catch((error: unknown) => error)
          if (outcome instanceof Error)
            expect([outcome instanceof HistoryError, outcome.message]).toEqual([
              true,
              'unreachable',
            ])
        }
        wire.allow(Number.POSITIVE_INFINITY)
        expect((await move(file, throughWire(address))).differences).toEqual([])
        expect(await contentOf(address)).toBe(content)
      }),
      { numRuns: CUTS },
    )
  }, 600_000)

  it('is the same while a service writes, once it has stopped and the rest was brought', async () => {
    const file = await aFile('written.db')
    const address = await freshAddress()
    const store = await openHistory(file)
    let [over, batches] = [false, 0]
    const writing = (async () => {
      for (; !over; batches += 1) {
        // Of today, and some of each day before.
        await record(store, requests(40, plusMs(NOW, -batches * 40_000), 7))
        await record(store, requests(4, plusMs(NOW, -batches * 11_000_000), DAY_MS / 2), 'berlin')
        await pause(10)
      }
    })()
    for (let run = 0; run < 3; run += 1) expect((await move(file, address)).differences).toEqual([])
    over = true
    await writing
    await store.close()

    const rest = await move(file, address)
    expect([batches > 1, rest.differences]).toEqual([true, []])
    expect(await move(file, address)).toMatchObject({ added: 0, differences: [] })
    expect(await contentOf(address)).toBe(await contentOf(file))
  })

  it.each([1, 2, 3])(
    'is added to that of other proxies only by a name, and then counts on top of theirs: rows of %i days',
    async (usageDays) => {
      const tokyo = await aFile('tokyo.db')
      const berlin = await aFile('berlin.db', 3_000, usageDays)
      const address = await freshAddress()
      await move(tokyo, address, 'tokyo')
      const refused = await move(berlin, address).catch((error: unknown) => error)
      expect(refused).toMatchObject({ name: 'HistoryError', code: 'not_ours' })
      expect(refused).toMatchObject({ message: expect.stringContaining('--upstream <name>') })

      const first = await move(berlin, address, 'berlin')
      expect(first.differences).toEqual([])
      expect(await move(berlin, address, 'berlin')).toEqual({ ...first, added: 0 })
      expect((await move(tokyo, address, 'tokyo')).added).toBe(0)

      const database = new URL(address).pathname.slice(1)
      const sums = `SELECT sum(requests) FROM svc_quota_monitor.rollup_86400 WHERE grouping = 4 GROUP BY member_id ORDER BY 1 DESC`
      expect(await server.sql(sums, database)).toBe('4000\n3000')
      const accounts = 'SELECT count(*), count(DISTINCT key) FROM svc_quota_monitor.accounts'
      expect(await server.sql(accounts, database)).toBe('3|3')
      await expectAddsUp(address)
    },
  )

  it(`adds up although the way was cut while it was added to another, ${CUTS} times over`, async () => {
    const [tokyo, berlin] = [await aFile('tokyo.db'), await aFile('berlin.db', 3_000)]
    const base = await server.createDatabase()
    await move(tokyo, server.address(base), 'tokyo')
    const copied = async () => server.address(await server.createDatabase({ template: base }))
    const before = wire.sent()
    await move(berlin, throughWire(await copied()), 'berlin')
    const bytes = wire.sent() - before

    await fc.assert(
      fc.asyncProperty(fc.array(share, { minLength: 1, maxLength: 3 }), async (cuts) => {
        const address = await copied()
        for (const cut of cuts) {
          wire.allow(Math.ceil(bytes * cut))
          await move(berlin, throughWire(address), 'berlin').catch(() => undefined)
        }
        wire.allow(Number.POSITIVE_INFINITY)
        expect((await move(berlin, throughWire(address), 'berlin')).differences).toEqual([])
        await expectAddsUp(address)
      }),
      { numRuns: CUTS },
    )
  }, 600_000)

  it('is compared by the program, which says what differs and ends with 1', async () => {
    const file = await aFile('compared.db', 500)
    const address = await freshAddress()
    const run = () =>
      spawnSync(process.execPath, [program, 'migrate-history', '--from', file, '--to', address], {
        encoding: 'utf8',
        timeout: 120_000,
      })
    expect(run()).toMatchObject({ status: 0, stderr: '' })
    await server.sql(
      'UPDATE svc_quota_monitor.rollup_86400 SET requests = requests + 1 WHERE grouping = 2 AND member_id = 1',
      new URL(address).pathname.slice(1),
    )

    const { status, stdout } = run()
    expect(status).toBe(1)
    expect(stdout.split('\n')[0]).toBe('4 days compared, 0 usage rows added. 4 differences:')
    expect(stdout).toMatch(/^2026-11-21, sums by model \(1 differ\): \d+ requests with /m)
  })
})
