import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aFakeAccount, livePool } from '@svc/fake-proxy'
import { afterAll, describe, expect, it } from 'vitest'
import { median } from '../../../tooling/bench/goals.ts'
import { eventually, pause } from '../../../tooling/eventually.ts'
import { freePort, program, runProgram } from '../../../tooling/service/built-program.ts'
import { startService } from '../../../tooling/service/start-service.ts'
import { longDeadline, monotonicNowMs, paceOfBusyMachine } from '../../../tooling/test-instant.ts'
import { underFault, type WatchedService } from './base-line.ts'
import {
  type FaultyService,
  type FaultyServiceOptions,
  startFaultyService,
} from './faulty-service.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-process-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Service seconds in one real second of the service that is stopped for ten minutes. */
const STOPPED_FACTOR = paceOfBusyMachine(30)

const accounts = () => ['one', 'two'].map((name) => aFakeAccount({ name }))
const watched = (started: Awaited<ReturnType<typeof startService>>): WatchedService => ({
  url: started.url,
  pid: started.child.pid ?? 0,
  output: () => started.stdout() + started.stderr(),
  secrets: [],
})

async function withService(
  options: Omit<FaultyServiceOptions, 'accounts'>,
  use: (service: FaultyService) => Promise<void>,
): Promise<void> {
  const service = await startFaultyService({ accounts, ...options })
  try {
    await service.until('live')
    await use(service)
  } finally {
    await service.stop()
  }
}

describe('the process', () => {
  it('SIGTERM twice ends it at once, though a reader takes its time', async ({ task }) => {
    const demo = await startService({
      where: 'program',
      args: ['--demo', '--port', String(await freePort())],
    })
    const files = () => readdirSync(`/proc/${demo.child.pid}/fd`).length
    const before = files()
    const slow = connect(Number(new URL(demo.url).port), '127.0.0.1')
    slow.write('GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n')
    await eventually('the reader is connected', () => files() > before)
    demo.child.kill('SIGTERM')
    await eventually('the first signal is told', () => demo.stderr().includes('stopping'))
    const code = await demo.stop('SIGTERM')
    slow.destroy()

    // It died by the second signal: the first alone would have waited for the reader and ended with 0.
    expect([code, demo.child.signalCode]).toEqual([null, 'SIGTERM'])
    task.meta.observed = 'ended by the second signal'
  })

  it('SIGHUP reads the key again and ends a hold', async (context) => {
    await withService({}, async (service) => {
      await underFault(context, service, async () => {
        const key = service.fake.settings.managementKey
        service.fake.settings.managementKey = 'changed-on-the-proxy'
        await eventually(
          'the key is refused',
          async () => (await service.source('accounts')).tone === 'bad',
        )
        const refused = service.fake.stats.refusedRequests
        service.fake.settings.managementKey = key
        await pause(2_000)
        const silent =
          service.fake.stats.refusedRequests === refused &&
          (await service.status()).source !== 'live'
        service.child.kill('SIGHUP')
        await service.until('live')

        expect([silent, refused]).toEqual([true, 1])
        return '1 refused request, silent until SIGHUP, then live'
      })
    })
  })

  it('a port in use: one line, exit 1, the proxy was not asked', async ({ task }) => {
    const asked: string[] = []
    const proxy = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end('{}')
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const { port } = proxy.address() as AddressInfo
    const flags = [
      '--config',
      'off',
      '--log-level',
      'error',
      '--upstream-url',
      `http://127.0.0.1:${port}`,
      '--port',
      String(port),
    ]
    const { code, stdout, stderr } = await runProgram(flags, {
      env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: 'process-key' },
    })
    proxy.close()

    expect({ code, stdout, asked }).toEqual({ code: 1, stdout: '', asked: [] })
    expect(stderr).toMatch(
      new RegExp(`^svc-quota-monitor: 127\\.0\\.0\\.1:${port} is already in use: [^\n]+\n$`),
    )
    task.meta.observed = stderr.trim()
  })

  it('64 descriptors and 200 idle clients: told, survived, and served again', async ({ task }) => {
    const demo = await startService({
      where: 'program',
      args: ['--demo', '--port', String(await freePort())],
    })
    spawnSync('prlimit', ['--pid', String(demo.child.pid), '--nofile=64:64'])
    const clients: Socket[] = []
    for (let client = 0; client < 200; client += 1)
      clients.push(
        connect(Number(new URL(demo.url).port), '127.0.0.1').on('error', () => undefined),
      )
    await eventually(
      'it has none left',
      () => readdirSync(`/proc/${demo.child.pid}/fd`).length >= 60,
    )
    const most = readdirSync(`/proc/${demo.child.pid}/fd`).length
    for (const client of clients) client.destroy()
    await eventually('it answers again', () =>
      fetch(`${demo.url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    const alive = demo.child.exitCode === null
    const code = await demo.stop()

    expect({ alive, code }).toEqual({ alive: true, code: 0 })
    expect(most).toBeLessThan(100)
    task.meta.observed = `${most} of 64 descriptors taken, answers again after the clients left`
  })

  it('an event loop blocked for 3 s: no burst of requests afterwards, and the lag shows', async ({
    task,
  }) => {
    await withService({}, async (service) => {
      const before = service.fake.stats.requestsByRoute['auth-files']
      service.bring('block')
      await pause(3_200)
      const asked = service.fake.stats.requestsByRoute['auth-files'] - before
      const lag = await service.metric('nodejs_eventloop_lag_max_seconds')
      await service.until('live')

      expect(asked).toBeLessThanOrEqual(4)
      expect(lag).toBeGreaterThan(2)
      task.meta.observed = `${asked} list requests after it, event loop lag of ${lag?.toFixed(1)} s in /metrics, live`
    })
  })

  it('a broken configuration in a restart loop: exit 2, quick, file and line, nothing quoted', async ({
    task,
  }) => {
    const file = join(folder, 'config.toml')
    writeFileSync(file, 'port = 4515\nmanagement_key = process-secret\n')
    const times: number[] = []
    const bare: number[] = []
    for (let round = 0; round < 5; round += 1) {
      let startedMs = monotonicNowMs()
      spawnSync(process.execPath, ['-e', '0'])
      bare.push(monotonicNowMs() - startedMs)
      startedMs = monotonicNowMs()
      const { status, stderr } = spawnSync(process.execPath, [program, '--config', file], {
        encoding: 'utf8',
      })
      times.push(monotonicNowMs() - startedMs)
      expect(status).toBe(2)
      expect(stderr).toMatch(/^svc-quota-monitor: [^\n]*line 2, column \d+[^\n]*\n$/)
      expect(stderr).not.toContain('process-secret')
    }

    // About three times on a quiet machine.
    expect(median(times)).toBeLessThan(10 * median(bare))
    task.meta.observed = `exit 2 in ${Math.round(median(times))} ms (node -e 0: ${Math.round(median(bare))} ms)`
  })

  it('nobody reads its output: it goes on', async ({ task }) => {
    const port = await freePort()
    const child = spawn(
      process.execPath,
      [program, '--demo', '--log-level', 'debug', '--port', String(port)],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    child.stdout.destroy()
    child.stderr.destroy()
    const healthz = () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      )
    await eventually('it answers', healthz)
    for (let request = 0; request < 20; request += 1)
      await fetch(`http://127.0.0.1:${port}/healthz`, {
        headers: { origin: 'http://evil.example' },
      })

    expect(await healthz()).toBe(true)
    const exited = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
    task.meta.observed = 'answers though every log line meets a closed pipe, exit 0'
  })

  // A process that is stopped leaves the processors to the next one.
  it.concurrent('stopped for 10 min and continued: one poll per source, live again, no failures counted', async ({
    task,
  }) => {
    await withService({ factor: STOPPED_FACTOR, flags: longDeadline }, async (service) => {
      const before = { ...service.fake.stats.requestsByRoute }
      service.child.kill('SIGSTOP')
      await pause(600_000 / STOPPED_FACTOR)
      service.child.kill('SIGCONT')
      await pause(300)
      const after = service.fake.stats.requestsByRoute
      const polls = {
        list: after['auth-files'] - before['auth-files'],
        gateway: after.healthz - before.healthz,
      }
      await service.until('live')

      expect(polls.list).toBeLessThanOrEqual(2)
      expect(polls.gateway).toBeLessThanOrEqual(2)
      expect(service.stderr()).not.toContain('poll failed')
      await eventually(
        'the list is not stale',
        async () => (await service.source('accounts')).tone === 'good',
      )
      task.meta.observed = `${polls.list} list and ${polls.gateway} gateway requests in the 9 s after 10 min of sleep, live`
    })
  })

  it.concurrent('a heap of 96 MB carries 1,000 accounts', async (context) => {
    const service = await startFaultyService({
      accounts: (now) => livePool(1_000, now),
      factor: paceOfBusyMachine(4),
      env: { NODE_OPTIONS: '--max-old-space-size=96' },
    })
    await service.until('live')
    await underFault(context, service, async () => {
      let bytes = 0
      for (let round = 0; round < 50; round += 1) {
        bytes = (await (await fetch(`${service.url}/api/v1/status`)).arrayBuffer()).byteLength
        await pause(100)
      }
      expect(bytes).toBeGreaterThan(1_000_000)
      return `50 reads of a status of ${(bytes / 1e6).toFixed(1)} MB`
    })
    await service.stop()
  })

  it('10,000 accounts, an account list of 18 MB: read again and again while everything is served', async (context) => {
    const service = await startFaultyService({
      accounts: (now) => livePool(10_000, now),
      factor: 1,
      flags: { 'upstream-timeout-seconds': '60' },
    })
    await service.until('live')
    await underFault(
      context,
      // Ten thousand tokens in texts of this size would be looked for all day.
      { ...service, secrets: service.secrets.slice(0, 3) },
      async () => {
        const listed = (await service.status()).recommendations.items.length
        const before = service.fake.stats.requestsByRoute['auth-files']
        await eventually(
          'two more lists',
          () => service.fake.stats.requestsByRoute['auth-files'] >= before + 3,
        )
        expect((await service.status()).recommendations.items.length).toBe(listed)
        return 'two more lists and their evaluations'
      },
      { rssMbMax: 640 },
    )
    await service.stop()
  })
})

/** So many statuses of 1,000 accounts, over 1 MB each, that some are left in the service however large the buffers of a socket are. */
const MORE_THAN_THE_KERNEL_HOLDS = 10

/** As the server grants for the headers of a request. */
const HEADER_DEADLINE_MS = 10_000

// Both wait for deadlines.
describe.concurrent('our server', () => {
  it('500 clients that dawdle over their headers: cut at the deadline, nobody else waits', async (context) => {
    const demo = await startService({
      where: 'program',
      args: ['--demo', '--port', String(await freePort())],
    })
    await underFault(context, watched(demo), async () => {
      const closedAfterMs: number[] = []
      const startedMs = monotonicNowMs()
      const clients = Array.from({ length: 500 }, () => {
        const client = connect(Number(new URL(demo.url).port), '127.0.0.1').on(
          'error',
          () => undefined,
        )
        client.once('close', () => closedAfterMs.push(monotonicNowMs() - startedMs))
        client.resume().write('GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
        return client
      })
      const drip = setInterval(() => {
        for (const client of clients) if (client.writable) client.write('a')
      }, 1_000)
      await eventually('all are cut', () => closedAfterMs.length === clients.length)
      clearInterval(drip)

      // Not one before its deadline; a busy machine only makes it later.
      expect(closedAfterMs.filter((afterMs) => afterMs < HEADER_DEADLINE_MS)).toEqual([])
      return `all cut between ${(Math.min(...closedAfterMs) / 1000).toFixed(1)} and ${(Math.max(...closedAfterMs) / 1000).toFixed(1)} s`
    })
    await demo.stop()
  })

  it('50 clients that read a byte a second: memory flat, cut at the deadline', async (context) => {
    const service = await startFaultyService({
      accounts: (now) => livePool(1_000, now),
      factor: paceOfBusyMachine(2),
    })
    await service.until('live')
    await underFault(
      context,
      service,
      async () => {
        const clients = Array.from({ length: 50 }, () => {
          const client = connect(Number(new URL(service.url).port), '127.0.0.1').on(
            'error',
            () => undefined,
          )
          client
            .pause()
            .write(
              'GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(
                MORE_THAN_THE_KERNEL_HOLDS,
              ),
            )
          return client
        })
        const sip = setInterval(() => {
          for (const client of clients) client.read(1)
        }, 1_000)
        await eventually('all are cut', async () => {
          await pause(200)
          return readdirSync(`/proc/${service.pid}/fd`).length < clients.length
        })
        clearInterval(sip)
        for (const client of clients) client.destroy()
        return 'all cut by the server, its memory flat'
      },
      { rssMbMax: 320 },
    )
    await service.stop()
  })
})
