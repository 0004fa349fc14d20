import { existsSync } from 'node:fs'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectionOf } from '../postgres/address.ts'
import { openSession } from '../postgres/session.ts'
import { ownDatabases } from './own-databases.ts'
import { whyNoPostgres } from './postgres-programs.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'

const databases = ownDatabases()
afterAll(() => databases.remove())
beforeEach((context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
})

/** What one statement answers over a connection of the engine. */
async function asked(address: string, sql: string): Promise<readonly object[]> {
  const session = await openSession(connectionOf(address, null))
  try {
    return await session.rows(sql)
  } finally {
    await session.close()
  }
}

describe('a server of the tests', () => {
  it('gives each test an empty database of the role of the service', async () => {
    const [one, other] = [await databases.nextAddress(), await databases.nextAddress()]
    const server = await databases.server()

    expect(one).not.toBe(other)
    await server.sql('CREATE TABLE only_there (x int)', new URL(one).pathname.slice(1))
    expect(
      await asked(other, `SELECT current_user AS who, to_regclass('only_there') AS found`),
    ).toEqual([{ who: 'svc', found: null }])
  })

  it('keeps what it has stored when it is killed and started again, on the same port', async () => {
    const address = await databases.nextAddress()
    const server = await databases.server()
    const name = new URL(address).pathname.slice(1)
    await server.sql('CREATE TABLE kept AS SELECT 7 AS x; GRANT ALL ON kept TO svc', name)

    await server.kill()
    expect(server.isRunning()).toBe(false)
    await expect(asked(address, 'SELECT 1')).rejects.toMatchObject({ code: 'unreachable' })
    await server.start()

    expect(await asked(address, 'SELECT x FROM kept')).toEqual([{ x: 7 }])
  })
})

describe('a server of its own', () => {
  const servers: PostgresServer[] = []
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.remove()
  })
  const started = async (...options: Parameters<typeof startPostgres>) => {
    const server = await startPostgres(...options)
    servers.push(server)
    return server
  }

  it('has a standby that can take its place, and leaves nothing', async () => {
    const server = await started()
    const name = await server.createDatabase()
    const standby = await server.standby()
    servers.push(standby)
    await server.sql("ALTER SYSTEM SET synchronous_standby_names = '*'; SELECT pg_reload_conf()")
    await server.sql('CREATE TABLE kept AS SELECT 7 AS x; GRANT ALL ON kept TO svc', name)
    await server.kill()
    await standby.promote()

    expect(await asked(standby.address(name), 'SELECT x FROM kept')).toEqual([{ x: 7 }])
    await server.remove()
    await standby.remove()
    expect([existsSync(server.folder), existsSync(standby.folder)]).toEqual([false, false])
  })

  it('asks for the password it was made with', async () => {
    const server = await started({ password: 'a canary' })
    const name = await server.createDatabase()

    expect(await server.sql('SELECT 1')).toBe('1')
    const login = { ...(await connectionOf(server.address(name), null)), password: 'another' }
    await expect(openSession(login)).rejects.toMatchObject({ code: 'login_refused' })
  })
})
