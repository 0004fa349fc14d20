import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspectDatabase, openHistory } from '@svc/history'
import { type PostgresServer, startPostgres, whyNoPostgres } from '@svc/history/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cli } from '../testing/run-for-test.ts'

const PASSWORD = `init-canary ' \\ " $(id) password`
const folder = mkdtempSync(join(tmpdir(), 'svc-init-postgres-'))
const passwordFile = join(folder, 'password')
const noPostgres = whyNoPostgres()
let server: PostgresServer

beforeEach((context) => {
  if (noPostgres !== null) context.skip(noPostgres)
})
beforeAll(async () => {
  writeFileSync(passwordFile, `${PASSWORD}\n`, { mode: 0o600 })
  if (noPostgres === null)
    server = await startPostgres({ settings: { log_statement: 'all', log_min_messages: 'debug1' } })
})
afterAll(async () => {
  await server?.remove()
  rmSync(folder, { recursive: true, force: true })
})

const printed = async (artifact: string, stateDb?: string) => {
  const flags = stateDb === undefined ? [] : ['--state-db', stateDb]
  const { code, stdout } = await cli(['init', artifact, '--config', 'off', ...flags])
  expect(code).toBe(0)
  return stdout
}
/** Runs the script as its first lines instruct, and lets the role in. */
async function setUp(stateDb?: string): Promise<void> {
  await server.sql(
    `\\setenv STATE_DB_PASSWORD_FILE ${passwordFile}\n${await printed('postgres', stateDb)}`,
  )
  const hba = join(server.folder, 'data', 'pg_hba.conf')
  const before = readFileSync(hba, 'utf8')
  writeFileSync(hba, (await printed('postgres-hba', stateDb)) + before)
  await server.sql('SELECT pg_reload_conf()')
}
const logged = () => readFileSync(join(server.folder, 'log'), 'utf8')
const stateDbIn = async (stateDb?: string) =>
  JSON.parse(/state_db = (".*")$/m.exec(await printed('postgres', stateDb))?.[1] ?? '') as string
const portOf = (address: string) => {
  const url = new URL(address)
  url.port = String(server.port)
  url.searchParams.set('sslmode', 'disable')
  return url.href
}

describe('init postgres', () => {
  it('makes a role that keeps a history with its password, owns its schema and nothing else', async () => {
    await setUp()
    const address = portOf(await stateDbIn())

    await (await openHistory(address, { passwordFile })).close()
    expect(await inspectDatabase(address, passwordFile)).toMatchObject({
      role: 'svc_quota_monitor',
      isSuperuser: false,
      mayMakeTables: true,
      ownsTables: true,
      hasTables: true,
    })
    expect(
      await server.sql(
        `SELECT has_database_privilege('svc_quota_monitor', current_database(), 'CREATE'),
                has_database_privilege('svc_quota_monitor', current_database(), 'TEMPORARY'),
                has_schema_privilege('svc_quota_monitor', 'public', 'USAGE'),
                (SELECT string_agg(nspname, ',') FROM pg_namespace WHERE nspowner = 'svc_quota_monitor'::regrole),
                (SELECT count(*) FROM pg_database WHERE datdba = 'svc_quota_monitor'::regrole)`,
        'svc_quota_monitor',
      ),
    ).toBe('f|f|f|svc_quota_monitor|0')
  })

  it('is let in with its password alone', async () => {
    const address = portOf(await stateDbIn())
    writeFileSync(join(folder, 'wrong'), 'wrong', { mode: 0o600 })

    await expect(inspectDatabase(address, join(folder, 'wrong'))).rejects.toMatchObject({
      code: 'login_refused',
    })
  })

  it('keeps a history that is backed up as init backup-service does it', async () => {
    const output = join(folder, 'backup.json')
    const { code, stdout, stderr } = await cli(
      ['export-history', '--config', 'off', '--output', output],
      {
        env: {
          SVC_QUOTA_MONITOR_STATE_DB: portOf(await stateDbIn()),
          SVC_QUOTA_MONITOR_STATE_DB_PASSWORD_FILE: passwordFile,
        },
      },
    )

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('rows exported')
    expect(readFileSync(output, 'utf8')).not.toContain('canary')
  })

  it('takes the password on standard input, as the manual has it for the user of the database', async () => {
    const address = portOf(await stateDbIn())
    const script = join(folder, 'postgres.sql')
    writeFileSync(script, await printed('postgres'))
    const setPassword = (input: string) =>
      spawnSync('psql', ['--no-psqlrc', '--quiet', '--file', script, 'postgres'], {
        env: {
          ...process.env,
          PGHOST: '127.0.0.1',
          PGPORT: String(server.port),
          PGUSER: 'postgres',
          STATE_DB_PASSWORD_FILE: '-',
        },
        input,
      }).status

    expect(setPassword('another password\n')).toBe(0)
    await expect(inspectDatabase(address, passwordFile)).rejects.toMatchObject({
      code: 'login_refused',
    })
    expect(setPassword(`${PASSWORD}\n`)).toBe(0)
    expect(await inspectDatabase(address, passwordFile)).toMatchObject({
      role: 'svc_quota_monitor',
    })
    expect(setPassword('')).not.toBe(0)
  })

  it('can be run again, and leaves what is kept', async () => {
    const address = portOf(await stateDbIn())
    const before = await inspectDatabase(address, passwordFile)
    await server.sql(await printed('postgres'))

    expect(await inspectDatabase(address, passwordFile)).toEqual(before)
  })

  it('takes role and database from state_db, whatever they are called', async () => {
    const stateDb = `postgres://${encodeURIComponent(`a "b" 'c'`)}@127.0.0.1/${encodeURIComponent('my $data')}`
    await setUp(stateDb)

    expect(await inspectDatabase(portOf(stateDb), passwordFile)).toMatchObject({
      role: `a "b" 'c'`,
      mayMakeTables: true,
    })
  })

  it('refuses a password file that cannot be read, rather than make a role without a password', async () => {
    await expect(
      server.sql(`\\setenv STATE_DB_PASSWORD_FILE /nonexistent\n${await printed('postgres')}`),
    ).rejects.toThrow(/is empty, or cannot be read/)
  })

  it('keeps the password out of the log of the server and of what it prints', async () => {
    chmodSync(passwordFile, 0o600)

    expect(logged()).toContain('CREATE SCHEMA')
    expect(logged()).not.toContain('canary')
    for (const artifact of ['postgres', 'postgres-hba', 'postgres-compose'])
      expect(await printed(artifact)).not.toContain('canary')
  })

  it.each([
    ['postgres://db.example/h', /^hostssl {2}"h" {2}"svc_quota_monitor" {2}192\.0\.2\.7\/32 /m],
    ['postgres:///h?host=/run/postgresql', /^local {2}"h" {2}"svc_quota_monitor" {2}scram/m],
  ])('lets in to %s no other way', async (stateDb, line) => {
    const hba = await printed('postgres-hba', stateDb)

    expect(hba).toMatch(line)
    expect(hba.includes('hostssl "')).toBe(false)
    expect(/^host {2}/m.test(hba)).toBe(stateDb.includes('host='))
  })

  it('names the role in the address that it prints, where state_db names none', async () => {
    expect(await stateDbIn('postgres://db.example:6432/h')).toBe(
      'postgres://svc_quota_monitor@db.example:6432/h?sslmode=verify-full',
    )
    expect(await stateDbIn('postgres:///h?host=/run/pg')).toBe(
      'postgres://svc_quota_monitor@localhost/h?host=/run/pg&sslmode=disable',
    )
  })
})
