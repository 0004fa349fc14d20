import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type EpochMs, plusMs } from '@svc/core'
import { aFakeAccount } from '@svc/fake-proxy'
import { openSqlite } from '@svc/sqlite'
import type { Health, StatsSeries } from '@svc/views'
import { storeConditions } from '@svc/views/messages'
import { afterAll, afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest'
import { WORLD_END, worldOf } from '../../../tooling/bench/world.ts'
import { eventually } from '../../../tooling/eventually.ts'
import { hasOwnSqlite } from '../../../tooling/launch/own-sqlite.mjs'
import { freePort, program, runProgram } from '../../../tooling/service/built-program.ts'
import { startService } from '../../../tooling/service/start-service.ts'
import { paceOfBusyMachine, testInstant } from '../../../tooling/test-instant.ts'
import { underFault } from './base-line.ts'
import { type FaultyService, startFaultyService } from './faulty-service.ts'

const FACTOR = paceOfBusyMachine(20)
/** SQLite and three threads take more than a service without a history. */
const RSS_MB_MAX = 320
const isRoot = process.getuid?.() === 0
/** There nothing is skipped: what is missing fails. */
const isCi = process.env.CI !== undefined
const hasStrace = spawnSync('strace', ['-V']).status === 0

const root = mkdtempSync(join(tmpdir(), 'svc-storage-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let folder: string
let path: string
let count = 0
beforeEach(() => {
  count += 1
  folder = join(root, String(count))
  mkdirSync(folder)
  path = join(folder, 'history.db')
})

let service: FaultyService | null = null
const mounted: string[] = []
afterEach(async () => {
  const running = service
  service = null
  try {
    await running?.stop()
  } finally {
    // The service has files open there until it has ended.
    for (const at of mounted.splice(0)) spawnSync('umount', ['--lazy', at])
  }
})

/** A file system in memory of a fixed size, until the test ends. */
function mountMemory(at: string, size: string): void {
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', at])
  expect(status).toBe(0)
  mounted.push(at)
}

async function started({
  flags = {},
  env = {},
  retentionSeconds = 3_600,
  factor = FACTOR,
  startsAt = testInstant,
}: {
  readonly factor?: number
  readonly startsAt?: EpochMs
  readonly retentionSeconds?: number
  readonly flags?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
} = {}): Promise<FaultyService> {
  service = await startFaultyService({
    accounts: () => [aFakeAccount({ name: 'ana' })],
    factor,
    startsAt,
    flags: { 'state-db': path, ...flags },
    env,
  })
  service.fake.settings.queueRetentionSeconds = retentionSeconds
  await service.until('live')
  return service
}

let recorded = 0
function record({ fake }: FaultyService, requests: number): void {
  const [account] = fake.accounts
  if (account === undefined) return
  for (let index = 0; index < requests; index += 1) {
    recorded += 1
    fake.usage.record({
      at: plusMs(fake.now(), -recorded),
      source: account.email,
      authIndex: fake.authIndexOf(account),
      apiKey: `key-${recorded % 40}`,
      model: `model-${recorded % 7}`,
    })
  }
}
const ingested = async (live: FaultyService) =>
  (await live.metric('svc_quota_monitor_usage_rows_ingested_total')) ?? 0
const stored = (live: FaultyService, rows: number) =>
  eventually(`${rows} rows are told of`, async () => (await ingested(live)) >= rows)
const openCodes = async (live: FaultyService) =>
  (await live.json<Health>('/api/v1/health')).actions.map(({ code }) => code)
const failing = (live: FaultyService, what = 'the failure is told') =>
  eventually(what, async () => (await openCodes(live)).includes('history_failing'))
const healthy = (live: FaultyService) =>
  eventually(
    'the failure is over',
    async () => !(await openCodes(live)).includes('history_failing'),
  )
/** Rows in the file, and what SQLite finds wrong with it. */
function inspected(at = path): { readonly rows: number; readonly integrity: unknown } {
  const db = openSqlite(at, { readonly: true })
  try {
    return {
      rows: Number(db.prepare('SELECT count(*) FROM usage').pluck().get()),
      integrity: db.pragma('integrity_check', { simple: true }),
    }
  } finally {
    db.close()
  }
}
const fault = (context: TestContext, live: FaultyService, work: () => Promise<string>) =>
  underFault(context, live, work, { rssMbMax: RSS_MB_MAX })

describe('storage', () => {
  it('a full disk pauses ingest, loses nothing acknowledged, and ingest resumes once there is space', async (context) => {
    if (!isRoot && !isCi)
      return context.skip('skipped, because only root can mount a file system of a fixed size')
    mountMemory(folder, '24m')
    const live = await started()
    const { fake } = live
    record(live, 200)
    await stored(live, 200)
    await fault(context, live, async () => {
      const filler = join(folder, 'filler')
      spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k'])
      record(live, 20_000)
      await failing(live)
      const told = await ingested(live)
      expect(
        (await live.json<StatsSeries>('/api/v1/stats/series?range=24h&top=3')).totals.requests,
      ).toBeGreaterThanOrEqual(200)
      // A minute of the service, in which the store is tried again and again.
      const asked = fake.stats.requestsByRoute.healthz
      await eventually('time goes on', () => fake.stats.requestsByRoute.healthz >= asked + 4)
      const waiting = fake.usage.waitingCount()
      expect(waiting).toBeGreaterThan(0)
      expect(20_200 - waiting - (await ingested(live)), 'in hand').toBeLessThanOrEqual(2_000)
      rmSync(filler)
      await healthy(live)
      await stored(live, 20_200)
      return `full at ${told} rows told of, ${waiting} left with the proxy; all 20,200 stored after space came back`
    })
    await live.stop()
    service = null
    expect(inspected()).toEqual({ rows: 20_200, integrity: 'ok' })
  })

  it('a limit on file sizes is reported and loses nothing acknowledged', async (context) => {
    const live = await started()
    await fault(context, live, async () => {
      record(live, 100)
      await stored(live, 100)
      const limit = (bytes: string) =>
        spawnSync('prlimit', ['--pid', String(live.child.pid), `--fsize=${bytes}:unlimited`])
      expect(limit(String(statSync(`${path}-wal`).size + 4_096)).status).toBe(0)
      record(live, 3_000)
      await failing(live)
      const told = await ingested(live)
      limit('unlimited')
      await healthy(live)
      await stored(live, 3_100)
      return `limited at ${told} rows told of; all 3,100 stored once the limit was gone`
    })
    await live.stop()
    service = null
    expect(inspected()).toEqual({ rows: 3_100, integrity: 'ok' })
  })

  it.for([
    ['an fsync that fails', 'fsync', 'EIO', 'when=1+'],
    ['a write that finds no space', 'pwrite64', 'ENOSPC', 'when=3+'],
  ] as const)(
    '%s is never told as stored, and the file is opened anew',
    async ([, call, error, when], context) => {
      if (!hasStrace && !isCi) return context.skip('skipped, because strace is not installed')
      const live = await started()
      record(live, 50)
      await stored(live, 50)
      const strace = spawn('strace', [
        '-f',
        '-p',
        String(live.child.pid),
        '-o',
        '/dev/null',
        '-e',
        `trace=${call}`,
        '-e',
        `inject=${call}:error=${error}:${when}`,
      ])
      await once(strace.stderr, 'data')
      const told = await ingested(live)
      record(live, 2_000)
      await failing(live)
      const during = await ingested(live)
      strace.kill('SIGINT')
      await once(strace, 'exit')
      await healthy(live)
      await stored(live, 2_050)
      await live.stop()
      service = null
      expect(during).toBeGreaterThanOrEqual(told)
      expect(inspected()).toEqual({ rows: 2_050, integrity: 'ok' })
    },
  )

  it('a read-only file system is reported; quota goes on, and history resumes once it can be written', async (context) => {
    if (!isRoot && !isCi)
      return context.skip('skipped, because only root can mount a file system read-only')
    mountMemory(folder, '20m')
    const first = await started()
    record(first, 300)
    await stored(first, 300)
    await first.stop()
    service = null
    expect(spawnSync('mount', ['-o', 'remount,ro', folder]).status).toBe(0)
    const live = await started()
    await fault(context, live, async () => {
      await failing(live)
      const { actions } = await live.json<Health>('/api/v1/health')
      expect(actions.find(({ code }) => code === 'history_failing')?.summary).toBe(
        storeConditions.read_only.summary,
      )
      expect((await live.status()).recommendations.items).toHaveLength(1)
      expect((await live.json<StatsSeries>('/api/v1/stats/series?range=24h&top=4')).available).toBe(
        false,
      )
      spawnSync('mount', ['-o', 'remount,rw', folder])
      await healthy(live)
      record(live, 10)
      await stored(live, 10)
      await eventually(
        'all of it is shown',
        async () =>
          (await live.json<StatsSeries>('/api/v1/stats/series?range=24h&top=4')).totals.requests ===
          310,
      )
      return 'told while read-only; all 310 rows afterwards'
    })
    await live.stop()
    service = null
  })

  it.each([
    ['a folder', () => mkdirSync(path), storeConditions.cannot_open.summary],
    [
      'a missing folder',
      () => rmSync(folder, { recursive: true }),
      storeConditions.cannot_open.summary,
    ],
    [
      'a file of garbage',
      () => writeFileSync(path, 'garbage '.repeat(2_000)),
      storeConditions.not_a_database.summary,
    ],
  ])('%s in place of the store: quota goes on, the file stays', async (_, make, summary) => {
    make()
    const live = await started()
    await failing(live)
    const { actions } = await live.json<Health>('/api/v1/health')
    expect(actions.find(({ code }) => code === 'history_failing')?.summary).toBe(summary)
    expect((await live.status()).recommendations.items).toHaveLength(1)
    if (existsSync(path) && statSync(path).isFile())
      expect(readFileSync(path, 'utf8')).toBe('garbage '.repeat(2_000))
    if (!existsSync(folder)) mkdirSync(folder)
  })

  it('a page overwritten while it runs is told at the first use, and the file is left as it is', async (context) => {
    const live = await started()
    record(live, 3_000)
    await stored(live, 3_000)
    await live.stop()
    service = null
    const file = openSync(path, 'r+')
    for (let page = 4; page < 20; page += 1)
      writeSync(file, Buffer.alloc(4_096, 0xff), 0, 4_096, page * 4_096)
    closeSync(file)
    const before = readFileSync(path)

    const again = await started()
    await fault(context, again, async () => {
      record(again, 2_000)
      await failing(again)
      expect((await again.status()).recommendations.items).toHaveLength(1)
      return 'told as damaged; quota goes on'
    })
    await again.stop()
    service = null
    expect(
      readFileSync(path)
        .subarray(4 * 4_096, 20 * 4_096)
        .equals(before.subarray(4 * 4_096, 20 * 4_096)),
    ).toBe(true)
  })

  it('a file that is moved away is written no more; another one in its place is begun', async (context) => {
    const live = await started()
    await fault(context, live, async () => {
      record(live, 100)
      await stored(live, 100)
      for (const suffix of ['', '-wal', '-shm'])
        if (existsSync(path + suffix)) renameSync(path + suffix, `${path}.moved${suffix}`)
      record(live, 50)
      await stored(live, 150)
      expect(inspected(`${path}.moved`).rows).toBe(100)
      return 'the orphan got nothing more, the new file everything'
    })
    await live.stop()
    service = null
    expect(inspected().rows).toBe(50)
  })

  it('a lock held by another program: reads go on, one batch waits, nothing more is taken', async (context) => {
    const live = await started()
    record(live, 100)
    await stored(live, 100)
    await fault(context, live, async () => {
      const rival = openSqlite(path)
      rival.exec('BEGIN EXCLUSIVE')
      record(live, 3_000)
      await failing(live)
      expect(
        (await live.json<StatsSeries>('/api/v1/stats/series?range=24h&top=5')).totals.requests,
      ).toBe(100)
      const waiting = live.fake.usage.waitingCount()
      await new Promise((resolve) => setTimeout(resolve, 3_000))
      expect(live.fake.usage.waitingCount()).toBe(waiting)
      rival.exec('ROLLBACK')
      rival.close()
      await healthy(live)
      await stored(live, 3_100)
      return `${waiting} records stayed with the proxy for the time of the lock; all stored afterwards`
    })
    expect(await live.metric('svc_quota_monitor_usage_gap_seconds_total')).toBe(0)
  })

  it('a second monitor on one store says so and does not touch it', async (context) => {
    const live = await started()
    await fault(context, live, async () => {
      const port = String(await freePort())
      const second = await startService({
        where: 'program',
        args: [
          '--config',
          'off',
          '--port',
          port,
          '--upstream-url',
          live.served.url,
          '--state-db',
          path,
        ],
        env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: live.fake.settings.managementKey },
      })
      const health = async () =>
        (await (await fetch(`${second.url}/api/v1/health`)).json()) as Health
      await eventually('the second says so', async () =>
        (await health()).actions.some(({ summary }) => summary === storeConditions.locked.summary),
      )
      const polls = live.fake.requests.filter(({ route }) => route === 'usage-queue').length
      await second.stop()
      record(live, 10)
      await stored(live, 10)
      return `refused while the first went on (${polls} polls)`
    })
  })

  it('a reader that never ends: the WAL file grows, is told above 64 MB, and shrinks afterwards', async (context) => {
    const live = await started()
    record(live, 100)
    await stored(live, 100)
    await fault(context, live, async () => {
      const reader = openSqlite(path, { readonly: true })
      reader.exec('BEGIN')
      reader.prepare('SELECT count(*) FROM usage').get()
      const writer = openSqlite(path)
      writer.exec('CREATE TABLE ballast (data BLOB)')
      writer.prepare('INSERT INTO ballast VALUES (zeroblob(?))').run(70 * 1024 * 1024)
      writer.close()
      record(live, 1_000)
      await stored(live, 1_100)
      const grown = statSync(`${path}-wal`).size
      await eventually('it is told', async () =>
        (await openCodes(live)).includes('history_wal_large'),
      )
      reader.close()
      await eventually('it shrinks', () => statSync(`${path}-wal`).size <= 64 * 1024 * 1024)
      await eventually(
        'it is told no more',
        async () => !(await openCodes(live)).includes('history_wal_large'),
      )
      return `grew to ${Math.round(grown / 1e6)} MB behind the reader, then ${Math.round(statSync(`${path}-wal`).size / 1e6)} MB`
    })
  })
})

describe('time', () => {
  it('a service that stood still for longer than the proxy keeps records counts the rest as a gap', async () => {
    const live = await started({ retentionSeconds: 60 })
    record(live, 10)
    await stored(live, 10)
    const before = (await live.metric('svc_quota_monitor_usage_gap_seconds_total')) ?? 0
    live.child.kill('SIGSTOP')
    await new Promise((resolve) => setTimeout(resolve, 90_000 / FACTOR))
    live.child.kill('SIGCONT')
    await eventually(
      'the gap is counted',
      async () => ((await live.metric('svc_quota_monitor_usage_gap_seconds_total')) ?? 0) > before,
    )
    record(live, 10)
    await stored(live, 20)
    // The gap is counted in parts until the poll that ends the silence.
    const seconds = ((await live.metric('svc_quota_monitor_usage_gap_seconds_total')) ?? 0) - before
    const polls = live.fake.requests
      .filter(({ route }) => route === 'usage-queue')
      .map(({ at }) => at)
    const silence = Math.max(...polls.slice(1).map((at, index) => at - (polls[index] ?? at))) / 1000
    // Silent for about 90 s, of which the proxy keeps 60; how long exactly is the machine's doing.
    expect(seconds).toBeGreaterThan((silence - 60) / 2)
    expect(seconds).toBeLessThan(silence)
  })
})

describe('the threads of the store', () => {
  it('a reader that ends is replaced; charts are refused or answered, never wrong', async (context) => {
    const live = await started()
    record(live, 100)
    await stored(live, 100)
    await fault(context, live, async () => {
      const statuses = new Map<number, number>()
      for (let round = 0; round < 4; round += 1) {
        live.bring('end_workers')
        await new Promise((resolve) => setTimeout(resolve, 50))
        for (let ask = 0; ask < 10; ask += 1) {
          const { status } = await fetch(
            `${live.url}/api/v1/stats/series?range=24h&top=${1 + ((round * 10 + ask) % 20)}`,
          )
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        }
      }
      expect([...statuses.keys()].every((status) => status === 200 || status === 503)).toBe(true)
      await eventually(
        'charts are answered',
        async () => (await fetch(`${live.url}/api/v1/stats/series?range=7d&top=7`)).status === 200,
      )
      record(live, 10)
      await stored(live, 110)
      return [...statuses].map(([status, times]) => `${times} × ${status}`).join(', ')
    })
  })
})

describe('a large history', () => {
  const world = async () => {
    // Nearly every request of a world is a day sum of its own, as few stores have at ten times the rows.
    const source = await worldOf(200_000)
    spawnSync('cp', [source, path])
  }

  it('twenty charts of everything at once stay within a small memory', async (context) => {
    await world()
    const live = await started({
      startsAt: WORLD_END,
      env: { NODE_OPTIONS: '--max-old-space-size=96' },
    })
    await fault(context, live, async () => {
      for (let round = 0; round < 3; round += 1) {
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            fetch(`${live.url}/api/v1/stats/series?range=all&group=account&top=${index + 1}`),
          ),
        )
        for (const answer of answers) await answer.arrayBuffer()
        expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true)
      }
      return 'no answer but 200 and 503'
    })
  })

  it('equal charts share a computation, and others wait in a bounded line', async (context) => {
    await world()
    // An answer is kept for five seconds of the service's time.
    const live = await started({ startsAt: WORLD_END, factor: 1 })
    await fault(context, live, async () => {
      const equal = await Promise.all(
        Array.from({ length: 100 }, () =>
          fetch(`${live.url}/api/v1/stats/series?range=all&group=account`),
        ),
      )
      const bodies = new Set(await Promise.all(equal.map((answer) => answer.text())))
      expect(new Set(equal.map(({ status }) => status))).toEqual(new Set([200]))
      // What is stored meanwhile makes an answer of its own.
      expect(bodies.size).toBeLessThan(5)
      const different = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          fetch(
            `${live.url}/api/v1/stats/series?range=all&group=${['account', 'model', 'client', 'api', 'total'][index % 5]}&top=${1 + Math.floor(index / 5)}`,
          ),
        ),
      )
      const refused = different.filter(({ status }) => status === 503)
      expect(different.every(({ status }) => status === 200 || status === 503)).toBe(true)
      expect(refused.every((answer) => answer.headers.get('retry-after') === '1')).toBe(true)
      return `${bodies.size} computations for 100 equal ones; of 100 different ones ${refused.length} were told to come back`
    })
  })

  it('clients that go away in the middle of a chart leave nothing behind', async (context) => {
    await world()
    const live = await started({ startsAt: WORLD_END })
    const { port } = new URL(live.url)
    const fdCount = () => readdirSync(`/proc/${live.child.pid}/fd`).length
    await fault(context, live, async () => {
      // Writer and reader hold their files from the first write and the first chart on.
      record(live, 1)
      await stored(live, 1)
      await (await fetch(`${live.url}/api/v1/stats/series`)).arrayBuffer()
      const before = fdCount()
      for (let round = 0; round < 300; round += 1) {
        const socket = connect(Number(port), '127.0.0.1')
        socket.on('error', () => undefined)
        socket.write(
          `GET /api/v1/stats/series?range=all&group=account&top=${1 + (round % 20)}&format=csv HTTP/1.1\r\nHost: localhost\r\n\r\n`,
        )
        await once(socket, round % 2 === 0 ? 'connect' : 'data')
        socket.destroy()
      }
      await eventually('connections are gone', () => fdCount() <= before + 3)
      return `${before} descriptors before, ${fdCount()} after 300 of them`
    })
  })

  it('an export while rows come in is of one moment, and ingest goes on', async (context) => {
    await world()
    const live = await started({ startsAt: WORLD_END })
    await fault(context, live, async () => {
      const output = join(folder, 'backup.json')
      record(live, 500)
      await stored(live, 500)
      const exporting = spawn(
        process.execPath,
        [program, 'export-history', '--state-db', path, '--output', output],
        { stdio: 'ignore' },
      )
      const ended = once(exporting, 'exit')
      let rounds = 1
      while (exporting.exitCode === null) {
        rounds += 1
        record(live, 500)
        await stored(live, rounds * 500)
      }
      expect((await ended)[0]).toBe(0)
      const sums = await sumsOf(output)
      expect(sums.rows).toBe(sums.rolledUp)
      return `${sums.rows} rows of one moment; ${rounds * 500} stored meanwhile`
    })
  })

  it('an export onto a full disk leaves no file', async (context) => {
    if (!isRoot && !isCi)
      return context.skip('skipped, because only root can mount a file system of a fixed size')
    await world()
    const target = join(folder, 'small')
    mkdirSync(target)
    mountMemory(target, '2m')
    const { code, stderr } = await runProgram([
      'export-history',
      '--state-db',
      path,
      '--output',
      join(target, 'backup.json'),
    ])
    expect({ code, left: readdirSync(target) }).toEqual({ code: 1, left: [] })
    expect(stderr.trim().split('\n')).toEqual([
      'svc-quota-monitor: there is no space left for the backup',
    ])
  })

  it('SIGTERM in the middle of anything ends in time, without a WAL file or half an export', async (context) => {
    await world()
    const live = await started({ startsAt: WORLD_END })
    record(live, 20_000)
    const charts = Array.from({ length: 8 }, (_, index) =>
      fetch(`${live.url}/api/v1/stats/series?range=all&group=account&top=${index + 1}`).catch(
        () => null,
      ),
    )
    const output = join(folder, 'backup.json')
    const exporting = spawn(
      process.execPath,
      [program, 'export-history', '--state-db', path, '--output', output],
      { stdio: 'ignore' },
    )
    await new Promise((resolve) => setTimeout(resolve, 700))
    exporting.kill('SIGTERM')
    const [code] = (await once(exporting, 'exit')) as [number | null]
    await live.stop()
    service = null
    await Promise.all(charts)
    expect(existsSync(`${path}-wal`)).toBe(false)
    expect(readdirSync(folder).filter((name) => name.startsWith('backup.json'))).toEqual(
      code === 0 ? ['backup.json'] : [],
    )
    expect(inspected().integrity).toBe('ok')
    context.task.meta.observed = 'ended before its own limit of ten seconds cut it off'
  })
})

it('without the SQLite module everything but the history works, and what is missing is told', async (context) => {
  // The program alone, with nothing beside it or in Node that it could load.
  cpSync(dirname(program), join(folder, 'dist'), { recursive: true })
  const alone = join(folder, 'dist/main.js')
  const env = {
    PATH: process.env.PATH ?? '',
    ...(hasOwnSqlite && { NODE_OPTIONS: '--no-experimental-sqlite' }),
  }
  const startedAlone = async (args: readonly string[]) => {
    const port = String(await freePort())
    const child = spawn(process.execPath, [alone, '--port', port, ...args], {
      stdio: 'ignore',
      env,
    })
    const url = `http://127.0.0.1:${port}`
    await eventually('it listens', () =>
      fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    return { url, child }
  }
  const demo = await startedAlone(['--demo'])
  expect(
    (
      (await (await fetch(`${demo.url}/api/v1/recommendations`)).json()) as {
        readonly items: readonly unknown[]
      }
    ).items.length,
  ).toBeGreaterThan(3)
  demo.child.kill('SIGTERM')

  const { url, child } = await startedAlone(['--config', 'off', '--state-db', path])
  try {
    await eventually('it says what is missing', async () => {
      const { sources } = (await (await fetch(`${url}/api/v1/health`)).json()) as Health
      return sources.some(({ id, tone }) => id === 'history' && tone === 'bad')
    })
  } finally {
    child.kill('SIGTERM')
  }
  writeFileSync(path, '')
  const { status, stderr } = spawnSync(
    process.execPath,
    [alone, 'export-history', '--state-db', path, '--output', join(folder, 'x.json')],
    { encoding: 'utf8', env },
  )
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'svc-quota-monitor: the SQLite module (better-sqlite3) is not installed\n',
  })
  const examined = spawnSync(
    process.execPath,
    [alone, 'doctor', '--json', '--config', 'off', '--state-db', path],
    {
      encoding: 'utf8',
      env,
    },
  )
  expect(
    (JSON.parse(examined.stdout) as { readonly checks: readonly object[] }).checks,
  ).toContainEqual(
    expect.objectContaining({
      id: 'sqlite',
      status: 'fail',
      detail: expect.stringContaining('better-sqlite3'),
    }),
  )
  context.task.meta.observed =
    'demo and quota as ever; the history and doctor say that its module is missing'
})

it('a port in use: no store is made', async (context) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const { code, stderr } = await runProgram([
    '--config',
    'off',
    '--port',
    String(port),
    '--state-db',
    path,
  ])
  other.close()
  expect(code).toBe(1)
  expect(stderr).toContain(`:${port} is already in use`)
  expect(readdirSync(folder)).toEqual([])
  context.task.meta.observed = 'ended with 1, the port named, no file made'
})

async function sumsOf(
  output: string,
): Promise<{ readonly rows: number; readonly rolledUp: number }> {
  const { counts, tables } = JSON.parse(readFileSync(output, 'utf8')) as {
    readonly counts: { readonly usage: number }
    readonly tables: {
      readonly days: readonly (readonly [string, number, string, string, number, number, number])[]
    }
  }
  const rolledUp = tables.days
    .filter(([grouping]) => grouping === 'total')
    .reduce((sum, [, , , , requests]) => sum + requests, 0)
  return { rows: counts.usage, rolledUp }
}
