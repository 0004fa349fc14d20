import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HistoryError, openHistory } from '@svc/history'
import { type PostgresServer, startPostgres, whyNoPostgres } from '@svc/history/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { certified } from './certificates.ts'
import { oldServer } from './old-server.ts'

const PASSWORD = 'the right one'
const why = whyNoPostgres()
const folder = mkdtempSync(join(tmpdir(), 'svc-refused-'))
const passwordFile = join(folder, 'password')
const trusted = certified(folder, 'IP:127.0.0.1')
let server: PostgresServer
let database: string
beforeAll(async () => {
  if (why !== null) return
  server = await startPostgres({ password: PASSWORD, certificate: trusted })
  database = await server.createDatabase()
})
beforeEach((context) => {
  if (why !== null) context.skip(why)
  writeFileSync(passwordFile, `${PASSWORD}\n`)
})
afterAll(async () => {
  await server?.remove()
  rmSync(folder, { recursive: true })
})

/** Code of the failure to open a store, or `opened`. */
async function opening(address: string): Promise<unknown> {
  try {
    await (await openHistory(address, { passwordFile })).close()
    return 'opened'
  } catch (error) {
    return error instanceof HistoryError ? error.code : error
  }
}

describe('a database', () => {
  it('refuses a wrong password, and takes the one that the file holds from then on', async () => {
    writeFileSync(passwordFile, 'a wrong one\n')
    expect(await opening(server.address(database))).toBe('login_refused')
    writeFileSync(passwordFile, '')
    expect(await opening(server.address(database))).toBe('cannot_open')

    writeFileSync(passwordFile, `${PASSWORD}\n`)
    expect(await opening(server.address(database))).toBe('opened')
  })

  it('refuses a role that nobody has made', async () => {
    expect(await opening(server.address(database, 'nobody_here'))).toBe('login_refused')
  })

  it('that is not there cannot be opened, until it is made', async () => {
    expect(await opening(server.address('later'))).toBe('cannot_open')
    await server.sql('CREATE DATABASE later OWNER svc')
    expect(await opening(server.address('later'))).toBe('opened')
  })

  it('does not let a role make a schema that may not, until it is granted', async () => {
    await server.sql(`CREATE ROLE guest LOGIN PASSWORD '${PASSWORD}'`)
    const of = await server.createDatabase()
    expect(await opening(server.address(of, 'guest'))).toBe('not_permitted')

    await server.sql(`GRANT CREATE ON DATABASE ${of} TO guest`)
    expect(await opening(server.address(of, 'guest'))).toBe('opened')
  })

  it('of a version that the statements are not written for is too old', async () => {
    const old = await oldServer(140_000)
    const young = await oldServer(150_000)
    try {
      expect(await opening(old.address)).toBe('server_too_old')
      // It is the version that is refused: a newer one is asked for more, at which it hangs up.
      expect(await opening(young.address)).toBe('unreachable')
    } finally {
      await old.close()
      await young.close()
    }
  })
})

describe('over the network, a server', () => {
  it('is refused that nobody vouches for, and taken with its authority', async () => {
    expect(await opening(server.address(database, 'svc', ''))).toBe('not_trusted')
    const vouched = `sslrootcert=${trusted.authorityFile}`
    expect(await opening(server.address(database, 'svc', vouched))).toBe('opened')
  })

  it('is refused that another name is vouched for', async () => {
    const vouched = `sslrootcert=${trusted.authorityFile}`
    const byName = (parameters: string) =>
      server.address(database, 'svc', parameters).replace('127.0.0.1', 'localhost')
    expect(await opening(byName(vouched))).toBe('not_trusted')
    expect(await opening(byName('sslmode=disable'))).toBe('opened')
  })

  it('is refused that does not encrypt', async () => {
    await server.sql("ALTER SYSTEM SET ssl = 'off'; SELECT pg_reload_conf()")
    const vouched = `sslrootcert=${trusted.authorityFile}`
    const address = server.address(database, 'svc', vouched)
    try {
      expect(await opening(address)).toBe('not_trusted')
    } finally {
      await server.sql('ALTER SYSTEM RESET ssl; SELECT pg_reload_conf()')
    }
    expect(await opening(address)).toBe('opened')
  })
})
