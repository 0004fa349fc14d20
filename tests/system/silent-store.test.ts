import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aFakeAccount } from '@svc/collector/testing'
import { plusMs } from '@svc/core'
import type { Health } from '@svc/views'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { freePort, startProgram } from '../../tooling/started-program.ts'
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
  const args = ['-f', '-p', String(pid), '-o', '/dev/null', '-e', `trace=${calls}`, '-e', `inject=${calls}:delay_enter=${DELAY_US}`]
  const strace = spawn('strace', args)
  await once(strace.stderr, 'data')
  return {
    async end() {
      strace.kill('SIGINT')
      await once(strace, 'exit')
    },
  }
}

/** The program with a store whose thread hangs from its first call on: nobody ever opens the other end of the pipe. */
async function startWithHangingThread() {
  execFileSync('mkfifo', [`${path}.lock`])
  const upstream = `http://127.0.0.1:${await freePort()}`
  const flags = ['--config', 'off', '--upstream-url', upstream, '--state-db', path, '--port', String(await freePort())]
  const service = await startProgram(flags)
  await eventually('a thread hangs', () => callsOfThreads(service.child.pid).some((call) => OPEN_CALLS.includes(call)))
  return service
}

/** Numbers of the system call that opens a file: of x86-64 and of arm64. */
const OPEN_CALLS: readonly string[] = ['257', '56']

/** The system call each thread of a process is in. */
function callsOfThreads(pid: number | undefined): readonly string[] {
  const tasks = `/proc/${pid}/task`
  return readdirSync(tasks).map((task) => readFileSync(join(tasks, task, 'syscall'), 'utf8').split(' ')[0] ?? '')
}

describe('a store that does not answer', () => {
  it('is told of within a minute while quota goes on, and what waited is stored once it answers', async (context) => {
    if (!hasStrace && process.env.CI === undefined) return context.skip('skipped, because strace is not installed')
    const live = await startFaultyService({
      accounts: () => [aFakeAccount({ name: 'ana' })],
      factor: 20,
      flags: { 'state-db': path },
    })
    try {
      live.fake.settings.queueRetentionSeconds = 3_600
      await live.until('live')
      const ingested = async () => (await live.metric('svc_quota_monitor_usage_rows_ingested_total')) ?? 0
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
        (await live.json<Health>('/api/v1/health')).actions.find(({ title }) => title === 'History is not written')
      record(10, 0)
      await eventually('the first rows are stored', async () => (await ingested()) === 10)
      const disk = await hangDisk(live.child.pid)
      record(10, 1_000)
      await eventually('it is told', async () => (await storeAction())?.summary === 'The store does not answer.')
      const { sampledAt } = (await live.status()).recommendations
      await eventually('accounts are still read', async () => (await live.status()).recommendations.sampledAt !== sampledAt)
      await disk.end()
      await eventually('it is over', async () => (await storeAction()) === undefined)
      await eventually('all rows are stored', async () => (await ingested()) === 20)
    } finally {
      await live.stop()
    }
  })

  it('does not keep the service from ending at the first signal', async (context) => {
    if (process.platform !== 'linux') return context.skip('skipped, because there is no /proc to see a thread hang in')
    const service = await startWithHangingThread()

    await service.stop()

    expect(service.stderr()).toContain('stopped, but the history store does not answer')
  })

  it('does not keep the service from ending at once at the second signal', async (context) => {
    if (process.platform !== 'linux') return context.skip('skipped, because there is no /proc to see a thread hang in')
    const service = await startWithHangingThread()
    service.child.kill('SIGTERM')
    await eventually('it has begun to stop', () => service.stderr().includes('stopping'))

    await service.stop('SIGTERM')

    expect(service.stderr()).not.toContain('stopped')
    expect(service.child.signalCode).toBe('SIGTERM')
  })
})
