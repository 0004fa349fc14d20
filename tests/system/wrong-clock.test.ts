import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import { aFakeAccount, createFakeUpstream } from '@svc/fake-proxy'
import { openHistory } from '@svc/history'
import { openSqlite } from '@svc/sqlite'
import type { Health, StatsSeries } from '@svc/views'
import { afterAll, describe, expect, it, type TestContext } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { serveFake } from '../../tooling/serve-fake.ts'
import { freePort, program } from '../../tooling/service/built-program.ts'

const DAY_MS = 86_400_000
const KEY = 'wrong-clock-management-key'
/** Longer than the pause between two rounds of retention. */
const WRONG_MS = 70_000
const library = libraryOf('faketime')
const root = mkdtempSync(join(tmpdir(), 'svc-wrong-clock-'))
let count = 0
/** The programs of all tests, which run side by side, since they do little but wait for the clocks of these. */
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true })
})
/** What the machine's clock shows. The program lives by that clock here, made wrong by the library, and nothing depends on the hour. */
const now = (): EpochMs => epochMs(performance.timeOrigin + performance.now())

/** The file that changes what a program takes for the time; null where it is not installed. */
function libraryOf(command: string): string | null {
  const { status, stdout } = spawnSync(command, ['-m', '-f', '+0', 'env'], { encoding: 'utf8' })
  return status === 0 ? (/^LD_PRELOAD=(\S+)/m.exec(stdout)?.[1] ?? null) : null
}

/** A store with a row of each of these ages, and the built program on it, whose wall clock a test can set; the proxy's clock is right. */
async function aMachine({ ageDays }: { readonly ageDays: readonly number[] }) {
  count += 1
  const path = join(root, `${count}.db`)
  const clockFile = join(root, `${count}.clock`)
  const account = aFakeAccount({ name: 'ana' })
  const fake = createFakeUpstream({ now, managementKey: KEY, accounts: [account] })
  fake.settings.queueRetentionSeconds = 3_600
  const served = await serveFake(fake, 0)
  const store = await openHistory(path)
  const details = ageDays.map((days, index) => {
    const at = plusMs(now(), -days * DAY_MS)
    return {
      at,
      key: BigInt(index),
      accountKey: 'a',
      apiName: 'b',
      model: 'c',
      tokens: 1,
      failed: false,
    }
  })
  await store
    .usageOf(DEFAULT_UPSTREAM)
    .record({ receivedAt: now(), details, quarantined: [], saturatedCount: 0 })
  await store.close()

  const setAhead = (milliseconds: number) =>
    writeFileSync(clockFile, `${milliseconds < 0 ? '' : '+'}${milliseconds / 1000}\n`)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const start = async () => {
    const flags = [
      '--config',
      'off',
      '--port',
      String(port),
      '--upstream-url',
      served.url,
      '--state-db',
      path,
      '--refresh-seconds',
      '5',
    ]
    const started = spawn(process.execPath, [program, ...flags], {
      stdio: 'ignore',
      env: {
        PATH: process.env.PATH ?? '',
        SVC_QUOTA_MONITOR_MANAGEMENT_KEY: KEY,
        LD_PRELOAD: library ?? '',
        FAKETIME_TIMESTAMP_FILE: clockFile,
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      },
    })
    children.push(started)
    await eventually('it listens', () =>
      fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    return async () => {
      started.kill('SIGTERM')
      await once(started, 'exit')
    }
  }
  const metric = async (name: string) =>
    Number(
      new RegExp(`^svc_quota_monitor_${name} (\\S+)$`, 'm').exec(
        await (await fetch(`${url}/metrics`)).text(),
      )?.[1] ?? Number.NaN,
    )
  return {
    path,
    fake,
    start,
    setAhead,
    metric,
    /** Client requests, right now. */
    request: (requests: number) => fake.traffic(account, { success: requests }),
    stored: (rows: number) =>
      eventually(
        `${rows} rows are stored`,
        async () => (await metric('usage_rows_ingested_total')) === rows,
      ),
    untilTrusted: (trusted: boolean) =>
      eventually(trusted ? 'the clock is trusted' : 'the clock is not trusted', async () => {
        const { state, actions } = (await (await fetch(`${url}/api/v1/health`)).json()) as Health
        return (
          state !== 'unknown' && actions.some(({ code }) => code === 'clock_doubted') !== trusted
        )
      }),
    shown: async () =>
      ((await (await fetch(`${url}/api/v1/stats/series?range=1h`)).json()) as StatsSeries).totals
        .requests,
    rows() {
      const db = openSqlite(path, { readonly: true })
      const rows = Number(db.prepare('SELECT count(*) FROM usage').pluck().get())
      db.close()
      return rows
    },
    close: () => served.close(),
  }
}

function needsFaketime(context: TestContext): void {
  if (library === null && process.env.CI === undefined)
    context.skip('skipped, because faketime is not installed')
  expect(library).not.toBeNull()
}

describe.concurrent('the clock of the machine', () => {
  it('ahead by more than the retention, for a minute while it runs, deletes nothing and takes nothing', {
    timeout: 240_000,
  }, async (context) => {
    needsFaketime(context)
    const machine = await aMachine({ ageDays: [80, 30, 1] })
    machine.setAhead(0)
    const stop = await machine.start()
    machine.request(10)
    await machine.stored(10)
    machine.setAhead(400 * DAY_MS)
    await machine.untilTrusted(false)
    machine.request(7)
    await new Promise((resolve) => setTimeout(resolve, WRONG_MS))
    expect(machine.fake.usage.waitingCount()).toBe(7)
    expect(machine.rows()).toBe(13)

    machine.setAhead(0)
    await machine.untilTrusted(true)
    await machine.stored(17)
    await eventually('all of it is shown', async () => (await machine.shown()) === 17)
    expect({
      rows: machine.rows(),
      gap: await machine.metric('usage_gap_seconds_total'),
      expired: await machine.metric('usage_rows_expired_total'),
    }).toEqual({
      rows: 20,
      gap: 0,
      expired: 0,
    })
    await stop()
    await machine.close()
  })

  it('ahead by more than the retention, for seconds at a start, deletes nothing', async (context) => {
    needsFaketime(context)
    const machine = await aMachine({ ageDays: [80, 30, 1] })
    machine.setAhead(400 * DAY_MS)
    const stop = await machine.start()
    await machine.untilTrusted(false)
    // The first round of retention is two seconds after the store was opened.
    await new Promise((resolve) => setTimeout(resolve, 5_000))
    machine.setAhead(0)
    await machine.untilTrusted(true)
    machine.request(5)
    await machine.stored(5)
    expect({
      rows: machine.rows(),
      expired: await machine.metric('usage_rows_expired_total'),
    }).toEqual({ rows: 8, expired: 0 })
    await stop()
    await machine.close()
  })

  it('behind the proxy by hours shows the usage of now, and a stop as long as it was', async (context) => {
    needsFaketime(context)
    const machine = await aMachine({ ageDays: [] })
    machine.setAhead(-20 * 60_000)
    const stop = await machine.start()
    machine.request(50)
    await machine.stored(50)
    await eventually('all of it is shown', async () => (await machine.shown()) === 50)
    await stop()
    machine.fake.settings.queueRetentionSeconds = 1

    const stoppedAtMs = performance.now()
    await new Promise((resolve) => setTimeout(resolve, 6_000))
    machine.setAhead(-10 * 3_600_000)
    const startedMs = performance.now()
    const stopAgain = await machine.start()
    await eventually(
      'the gap is counted',
      async () => (await machine.metric('usage_gap_seconds_total')) > 0,
    )
    const gapSeconds = await machine.metric('usage_gap_seconds_total')
    expect(gapSeconds).toBeGreaterThan((startedMs - stoppedAtMs) / 1000 - 3)
    expect(gapSeconds).toBeLessThan(3_600)
    await stopAgain()
    await machine.close()
  })

  it('a cut in the future, left by a version that believed a wrong clock, hides nothing new', async () => {
    const machine = await aMachine({ ageDays: [2] })
    const db = openSqlite(machine.path)
    db.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES ('cut_ms', ?)").run(
      String(now() + 310 * DAY_MS),
    )
    db.close()
    machine.setAhead(0)
    machine.request(12)
    const stop = await machine.start()
    await machine.stored(12)
    expect({
      rows: machine.rows(),
      expired: await machine.metric('usage_rows_expired_total'),
    }).toEqual({ rows: 13, expired: 0 })
    await stop()
    await machine.close()
  })
})
