import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aFakeAccount } from '@svc/collector/testing'
import { plusMs } from '@svc/core'
import type { Health } from '@svc/views'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
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
  const ended = once(strace, 'exit')
  await once(strace.stderr, 'data')
  return {
    async end() {
      strace.kill('SIGINT')
      await ended
    },
  }
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
})
