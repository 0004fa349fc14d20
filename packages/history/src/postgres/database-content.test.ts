import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openHistory } from '../open-history.ts'
import { ownDatabases, whyNoPostgres } from '../testing/index.ts'
import { databaseNames, databaseShape } from './inspect-database.ts'

const databases = ownDatabases()
beforeEach((context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
})
afterAll(() => databases.remove())

describe('a database that is looked into', () => {
  it('before the first start holds nothing', async () => {
    const address = await databases.nextAddress()

    expect(await databaseNames(address, null)).toEqual({
      apiNames: [],
      accountTitles: [],
      kept: [],
    })
    expect(await databaseShape(address, null)).toMatchObject({
      engine: 'postgres',
      schemaVersion: null,
      bytes: 0,
      rowsByTable: {},
    })
  })

  it('has the names of its clients and accounts, and its own keys', async () => {
    const address = await databases.nextAddress()
    await (await openHistory(address)).close()
    const server = await databases.server()
    await server.sql(
      `INSERT INTO svc_quota_monitor.api_names VALUES (7, 'sk-client'), (8, 'o''ther');
       INSERT INTO svc_quota_monitor.accounts VALUES (7, 'here', 'k', 'ana@example.com');
       INSERT INTO svc_quota_monitor.meta VALUES ('account ana', '{"note":"x"}'), ('some_key', 'its-key');
       ANALYZE svc_quota_monitor.api_names`,
      new URL(address).pathname.slice(1),
    )
    const { apiNames, accountTitles, kept } = await databaseNames(address, null)
    const shape = await databaseShape(address, null)

    expect([apiNames, accountTitles]).toEqual([
      expect.arrayContaining(['sk-client', "o'ther"]),
      ['ana@example.com'],
    ])
    expect(kept).toEqual(expect.arrayContaining(['{"note":"x"}', 'its-key']))
    expect(shape.rowsByTable).toMatchObject({ api_names: 2 })
    expect(shape.bytes).toBeGreaterThan(0)
    expect(JSON.stringify(shape)).not.toMatch(/sk-client|ana@/)
  })
})
