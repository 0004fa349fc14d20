import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PostgresServer, startPostgres, whyNoPostgres } from '@svc/history/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { eventually } from '../../../tooling/eventually.ts'
import { expectHeld, type Load, loadOn } from './load.ts'

const isRoot = process.getuid?.() === 0
const isCi = process.env.CI !== undefined

let disk: string
let server: PostgresServer
let load: Load | null = null
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) return context.skip(why)
  if (!isRoot && !isCi)
    return context.skip('skipped, because only root can mount a file system of a fixed size')
  disk = mkdtempSync(join(tmpdir(), 'svc-disk-'))
})
afterEach(async () => {
  rmSync(join(disk, 'filler'), { force: true })
  await load?.stop()
  load = null
  await server?.remove()
  spawnSync('umount', [disk])
  rmSync(disk, { recursive: true, force: true })
})

function mount(size: string): void {
  const { status } = spawnSync('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${size},mode=755`,
    'tmpfs',
    disk,
  ])
  expect(status).toBe(0)
}

function fill(): void {
  spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'filler')}`, 'bs=8k'])
}

it('full under the rows, it stores nothing more and loses nothing, and goes on once there is space', async ({
  task,
}) => {
  mount('40m')
  server = await startPostgres()
  const space = join(disk, 'space')
  mkdirSync(space)
  const { uid, gid } = statSync(server.folder)
  chownSync(space, uid, gid)
  chmodSync(space, 0o700)
  await server.sql(`CREATE TABLESPACE small LOCATION '${space}'`)
  const database = await server.createDatabase()
  await server.sql(`ALTER DATABASE ${database} SET TABLESPACE small`)
  load = loadOn(() => server.address(database))
  await load.more(2)
  fill()
  await load.failed('disk_full')
  const told = load.acknowledged()

  rmSync(join(disk, 'filler'))
  await load.more(2)
  await load.finish()
  await expectHeld(server, database, load.acknowledged())
  expect([...load.failures()]).toEqual(['disk_full'])
  task.meta.observed = `full at ${told} batches told of; ${load.acknowledged()} in the end, each row once`
})

it('full under the log, the server ends, loses nothing, and goes on once there is space', async () => {
  mount('120m')
  server = await startPostgres({ within: disk })
  const database = await server.createDatabase()
  load = loadOn(() => server.address(database))
  await load.more(2)
  fill()
  // What is left of the log's file is given away, so that it needs a new one.
  await server.sql('SELECT pg_switch_wal()').catch(() => undefined)
  await load.failed('unreachable')
  await eventually('the server has ended', () => !server.isRunning())

  rmSync(join(disk, 'filler'))
  await server.start()
  await load.more(2)
  await load.finish()
  await expectHeld(server, database, load.acknowledged())
})
