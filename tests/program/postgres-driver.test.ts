import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { freePort, runProgram } from '../../tooling/service/built-program.ts'
import { startService } from '../../tooling/service/start-service.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-driver-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Says on stderr, in every thread, that the driver of PostgreSQL is loaded. */
const WATCHED = `
  import Module from 'node:module'
  import { writeSync } from 'node:fs'
  const load = Module._load
  Module._load = function (name, ...rest) {
    if (/^pg(?:$|[/-])/.test(name)) writeSync(2, 'DRIVER LOADED\\n')
    return load.call(this, name, ...rest)
  }`
const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(WATCHED)}` }

const outputWith = async (stateDb: string, until: string) => {
  const args = ['--config', 'off', '--upstream-url', `http://127.0.0.1:${await freePort()}`]
  const port = String(await freePort())
  const service = await startService({
    where: 'program',
    args: [...args, '--state-db', stateDb, '--port', port],
    env,
  })
  try {
    await eventually(until, () => service.stderr().includes(until))
    // The reading thread opens the store as well.
    await fetch(`${service.url}/api/v1/stats/series`)
  } finally {
    await service.stop()
  }
  return service.stderr()
}

it('a service that keeps its history in a file never loads the driver of PostgreSQL', async () => {
  const path = join(folder, 'history.db')

  expect(await outputWith(path, 'history store open')).not.toContain('DRIVER LOADED')
  for (const command of [
    ['doctor', '--config', 'off', '--state-db', path],
    ['export-history', '--state-db', path, '--output', join(folder, 'backup.json')],
    ['print-config', '--config', 'off', '--state-db', 'postgres://db.example/h'],
  ])
    expect((await runProgram(command, { env })).stderr, command[0]).not.toContain('DRIVER LOADED')
})

it('one that keeps it in a database does', async () => {
  expect(await outputWith('postgres://127.0.0.1:1/history', 'history store not usable')).toContain(
    'DRIVER LOADED',
  )
})
