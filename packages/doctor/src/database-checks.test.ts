import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configWith } from '@svc/config/testing'
import { NOW } from '@svc/core/testing'
import { ownDatabases, startPostgres, whyNoPostgres } from '@svc/history/testing'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseCheckIds, databaseChecks } from './database-checks.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-database-checks-'))
const databases = ownDatabases()
beforeEach((context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await databases.remove()
})

const judged = (changes: Parameters<typeof configWith>[0]) =>
  databaseChecks(configWith(changes).history, NOW)

describe('a database', () => {
  it('of which a check fails has those before it done, and none after it', async () => {
    const verdicts = await judged({
      stateDb: (await databases.nextAddress()).replace('//svc@', '//nobody@'),
    })

    expect(databaseCheckIds.map((id) => `${id} ${verdicts[id]?.status}`)).toEqual([
      'state_db.reachable ok',
      'state_db.tls ok',
      'state_db.role fail',
      'state_db.version skip',
      'state_db.lag skip',
      'state_db.partitions skip',
    ])
  })

  it('is logged in to once, with the password of the file, also where that is wrong', async () => {
    const server = await startPostgres({
      password: 'doctor-canary-password',
      settings: {
        log_connections: 'on',
        log_destination: 'csvlog',
        logging_collector: 'on',
        log_directory: 'log',
        log_filename: 'server',
      },
    })
    try {
      const stateDb = server.address(await server.createDatabase())
      const stateDbPasswordFile = join(folder, 'password')
      for (const [password, status] of [
        ['wrong', 'fail'],
        ['doctor-canary-password', 'ok'],
      ] as const) {
        writeFileSync(stateDbPasswordFile, `${password}\n`, { mode: 0o600 })
        const verdicts = await judged({ stateDb, stateDbPasswordFile })

        expect(verdicts['state_db.role']?.status).toBe(status)
        expect(JSON.stringify(verdicts)).not.toContain('canary')
      }
      const refusals = () =>
        server.sql(
          "SELECT count(*) FROM regexp_split_to_table(pg_read_file('log/server.csv'), '\\n') line WHERE line LIKE '%FATAL%password authentication failed%'",
        )
      // The server writes its log with a delay.
      await expect.poll(refusals).toBe('1')
    } finally {
      await server.remove()
    }
  })

  it('with a standby says how far that is behind', async () => {
    const server = await databases.server()
    const standby = await server.standby()
    const database = await server.createDatabase()
    const verdict = async () =>
      (
        await judged({
          stateDb: server.address(database),
          stateDbReplica: standby.address(database),
        })
      )['state_db.lag']

    await expect
      .poll(verdict, { timeout: 20_000 })
      .toMatchObject({ status: 'ok', detail: expect.stringMatching(/^\d+ s behind$/) })
    expect((await judged({ stateDb: standby.address(database) }))['state_db.role']).toMatchObject({
      status: 'fail',
      code: 'read_only',
    })
  })
})
