import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plusMs } from '@svc/core'
import { aFakeAccount, createFakeUpstream } from '@svc/fake-proxy'
import type { Health } from '@svc/views'
import { storeConditions } from '@svc/views/messages'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { serveFake } from '../../tooling/serve-fake.ts'
import { freePort } from '../../tooling/service/built-program.ts'
import { startService } from '../../tooling/service/start-service.ts'
import { acceleratedClock, paceOfBusyMachine } from '../../tooling/test-instant.ts'
import { startFaultyService } from './faults/faulty-service.ts'

const hasStrace = spawnSync('strace', ['-V']).status === 0
/** No disk takes so long, and no test waits for it. */
const DELAY_US = 3_600_000_000

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-silent-'))
  path = join(folder, 'history.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Every write of this process to a disk hangs until this is ended. */
async function hangDisk(pid: number | undefined): Promise<{ end(): Promise<void> }> {
  const calls = 'fsync,fdatasync,pwrite64'
  const args = [
    '-f',
    '-p',
    String(pid),
    '-o',
    '/dev/null',
    '-e',
    `trace=${calls}`,
    '-e',
    `inject=${calls}:delay_enter=${DELAY_US}`,
  ]
  const strace = spawn('strace', args)
  const ended = once(strace, 'exit')
  await once(strace.stderr, 'data')
  return {
    async end() {
      // While it delays a call, it heeds no other signal once its process is gone.
      strace.kill('SIGKILL')
      await ended
    },
  }
}

/** The program with a store whose thread hangs in its next write: it marks every poll of the queue. */
async function startWithHangingThread() {
  const fake = createFakeUpstream({
    now: acceleratedClock().now,
    managementKey: 'key',
    accounts: [aFakeAccount({ name: 'ana' })],
  })
  const served = await serveFake(fake, 0)
  const flags = [
    '--config',
    'off',
    '--upstream-url',
    served.url,
    '--state-db',
    path,
    '--port',
    String(await freePort()),
  ]
  const service = await startService({
    where: 'program',
    args: flags,
    env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: 'key' },
  })
  await eventually('the store is open', () => service.stderr().includes('history store open'))
  const disk = await hangDisk(service.child.pid)
  await eventually('a thread hangs', () => {
    const threads = readdirSync(`/proc/${service.child.pid}/task`)
    return threads.some((thread) => threadState(service.child.pid, thread) === 't')
  })
  return {
    service,
    /** Waits until the program has ended. */
    async ended() {
      // strace holds the thread that hangs, so the parent of the program hears of its end only once strace is gone.
      await eventually('the program ends', () =>
        ['Z', null].includes(threadState(service.child.pid, service.child.pid)),
      )
      await disk.end()
      await served.close()
      await service.stop()
    },
  }
}

/** State of a thread as Linux names it: `t` while who traces it holds it, `Z` when it has ended; null once nothing is left of it. */
function threadState(pid: number | undefined, thread: number | string | undefined): string | null {
  try {
    return (
      /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8'))?.[1] ??
      null
    )
  } catch {
    return null
  }
}

describe('a store that does not answer', () => {
  it('is told of within a minute while quota goes on, and what waited is stored once it answers', async (context) => {
    if (!hasStrace && process.env.CI === undefined)
      return context.skip('skipped, because strace is not installed')
    const live = await startFaultyService({
      accounts: () => [aFakeAccount({ name: 'ana' })],
      factor: paceOfBusyMachine(20),
      flags: { 'state-db': path },
    })
    try {
      live.fake.settings.queueRetentionSeconds = 3_600
      await live.until('live')
      const ingested = async () =>
        (await live.metric('svc_quota_monitor_usage_rows_ingested_total')) ?? 0
      const [account] = live.fake.accounts
      const record = (count: number, offset: number) => {
        for (let index = 0; index < count && account !== undefined; index += 1)
          live.fake.usage.record({
            at: plusMs(live.fake.now(), -offset - index),
            source: account.email,
            authIndex: live.fake.authIndexOf(account),
            apiKey: 'key',
            model: 'model',
          })
      }
      const storeAction = async () =>
        (await live.json<Health>('/api/v1/health')).actions.find(
          ({ code }) => code === 'history_failing',
        )
      record(10, 0)
      await eventually('the first rows are stored', async () => (await ingested()) === 10)
      const disk = await hangDisk(live.child.pid)
      record(10, 1_000)
      await eventually(
        'it is told',
        async () => (await storeAction())?.summary === storeConditions.not_answering.summary,
      )
      const { sampledAt } = (await live.status()).recommendations
      await eventually(
        'accounts are still read',
        async () => (await live.status()).recommendations.sampledAt !== sampledAt,
      )
      await disk.end()
      await eventually('it is over', async () => (await storeAction()) === undefined)
      await eventually('all rows are stored', async () => (await ingested()) === 20)
    } finally {
      await live.stop()
    }
  })

  it('does not keep the service from ending at the first signal', async (context) => {
    if (!hasStrace && process.env.CI === undefined)
      return context.skip('skipped, because strace is not installed')
    const { service, ended } = await startWithHangingThread()

    service.child.kill('SIGTERM')

    await ended()
    expect(service.child.signalCode).toBe('SIGKILL')
    expect(service.stderr()).toContain('stopped, but the history store does not answer')
  })

  it('does not keep the service from ending at once at the second signal', async (context) => {
    if (!hasStrace && process.env.CI === undefined)
      return context.skip('skipped, because strace is not installed')
    const { service, ended } = await startWithHangingThread()
    service.child.kill('SIGTERM')
    await eventually('it has begun to stop', () => service.stderr().includes('stopping'))

    service.child.kill('SIGTERM')

    await ended()
    expect(service.stderr()).not.toContain('stopped')
    expect(service.child.signalCode).toBe('SIGTERM')
  })
})
