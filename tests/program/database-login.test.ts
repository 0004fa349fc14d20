import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PostgresServer, startPostgres, whyNoPostgres } from '@svc/history/testing'
import type { Health } from '@svc/views'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { freePort } from '../../tooling/service/built-program.ts'
import { type ServiceProcess, startService } from '../../tooling/service/start-service.ts'

const noPostgres = whyNoPostgres()
const folder = mkdtempSync(join(tmpdir(), 'svc-login-'))
const passwordFile = join(folder, 'password')
let server: PostgresServer
let service: ServiceProcess

beforeEach((context) => {
  if (noPostgres !== null) context.skip(noPostgres)
})
beforeAll(async () => {
  if (noPostgres !== null) return
  server = await startPostgres({ password: 'first' })
  writeFileSync(passwordFile, 'wrong\n', { mode: 0o644 })
  const address = server.address(await server.createDatabase())
  service = await startService({
    where: 'program',
    args: [
      ...['--config', 'off', '--upstream-url', `http://127.0.0.1:${await freePort()}`],
      ...['--state-db', address, '--state-db-password-file', passwordFile],
      ...['--port', String(await freePort())],
    ],
  })
})
afterAll(async () => {
  await service?.stop()
  await server?.remove()
  rmSync(folder, { recursive: true, force: true })
})

const actions = async () => (await service.json<Health>('/api/v1/health')).actions

it('a database that refuses the password is an action in words of a database', async () => {
  await eventually('the refusal', () => service.output().includes('reason=login_refused'))
  await eventually('the action', async () =>
    (await actions()).some(({ code }) => code === 'history_failing'),
  )
  const action = (await actions()).find(({ code }) => code === 'history_failing')

  expect(action?.summary).toBe('The database that keeps the history refuses the login.')
  expect(action?.note).toContain('state_db_password_file')
})

it('SIGHUP reads the password again at once, and health tells that others can read it', async () => {
  // Attempts are minutes apart by now, as far as the service is left alone.
  writeFileSync(passwordFile, 'first\n')
  service.child.kill('SIGHUP')
  await eventually('the store is open', () => service.output().includes('history store open'))

  await eventually('the open file', async () =>
    (await actions()).some(({ code }) => code === 'password_file_readable_by_others'),
  )
  expect((await actions()).map(({ code }) => code)).not.toContain('history_failing')
})

it('a database that goes away is said to be unreachable, and comes back by itself', async () => {
  await server.kill()
  await eventually('the loss', async () => {
    const action = (await actions()).find(({ code }) => code === 'history_failing')
    return action?.summary === 'The database that keeps the history cannot be reached.'
  })
  await server.start()
  await eventually('it is back', async () =>
    (await actions()).every(({ code }) => code !== 'history_failing'),
  )
})
