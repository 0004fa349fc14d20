import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openHistory } from '../open-history.ts'
import { ownDatabases, ROLE, whyNoPostgres } from '../testing/index.ts'
import { inspectDatabase } from './inspect-database.ts'

const databases = ownDatabases()
beforeEach((context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
})
afterAll(() => databases.remove())

describe('a database that is looked at', () => {
  const nameIn = (address: string) => new URL(address).pathname.slice(1)

  it('before the first start has no tables yet, and is not changed', async () => {
    const address = await databases.nextAddress()

    for (const _ of [1, 2])
      expect(await inspectDatabase(address, null)).toMatchObject({
        version: expect.stringMatching(/^\d\d/),
        role: ROLE,
        isSuperuser: false,
        mayMakeTables: true,
        ownsTables: true,
        isStandby: false,
        lagSeconds: 0,
        hasTables: false,
        days: [],
      })
  })

  it('that keeps a history has its tables', async () => {
    const address = await databases.nextAddress()
    await (await openHistory(address)).close()

    expect(await inspectDatabase(address, null)).toMatchObject({
      hasTables: true,
      ownsTables: true,
    })
  })

  it('of another role says that this one may make no tables, or that they are not its own', async () => {
    const server = await databases.server()
    const address = server.address(await server.createDatabase({ owner: 'postgres' }))
    expect(await inspectDatabase(address, null)).toMatchObject({ mayMakeTables: false })

    await server.sql(
      `CREATE SCHEMA svc_quota_monitor; GRANT ALL ON SCHEMA svc_quota_monitor TO ${ROLE}; CREATE TABLE svc_quota_monitor.usage (x int)`,
      nameIn(address),
    )
    expect(await inspectDatabase(address, null)).toMatchObject({
      mayMakeTables: true,
      ownsTables: false,
    })
  })

  it('that is set to read-only, for itself or for the role, is so', async () => {
    const server = await databases.server()
    const [address, other] = [await databases.nextAddress(), await databases.nextAddress()]
    await server.sql(`ALTER DATABASE ${nameIn(address)} SET default_transaction_read_only = on`)
    await server.sql(
      `ALTER ROLE ${ROLE} IN DATABASE ${nameIn(other)} SET default_transaction_read_only = on`,
    )

    for (const one of [address, other])
      expect(await inspectDatabase(one, null)).toMatchObject({ isReadOnly: true, isStandby: false })
  })

  it('that is a standby is one', async () => {
    const server = await databases.server()
    const standby = await server.standby()
    const database = await server.createDatabase()
    await server.sql('SELECT pg_switch_wal()')

    await expect
      .poll(() => inspectDatabase(standby.address(database), null).catch(() => null))
      .toMatchObject({ isStandby: true, lagSeconds: expect.any(Number) })
  })

  it.each([
    ['that is not there', 'cannot_open', 'postgres://svc@127.0.0.1:PORT/nothing?sslmode=disable'],
    [
      'of an unknown role',
      'login_refused',
      'postgres://nobody@127.0.0.1:PORT/postgres?sslmode=disable',
    ],
    ['where nobody listens', 'unreachable', 'postgres://svc@127.0.0.1:1/x?sslmode=disable'],
    ['that does not encrypt', 'not_trusted', 'postgres://svc@127.0.0.1:PORT/postgres'],
  ])('%s is refused as %s', async (_what, code, address) => {
    const { port } = await databases.server()

    await expect(
      inspectDatabase(address.replace('PORT', String(port)), null),
    ).rejects.toMatchObject({
      code,
    })
  })
})
