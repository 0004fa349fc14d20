import { openHistory } from '@svc/history'
import { ownDatabases } from '@svc/history/testing'
import { row, type SetUp, type SetUpRow, SOUND, type World } from './world.ts'

/** Databases of all these set-ups; the test that examines the set-ups removes them. */
export const setUpDatabases = ownDatabases()

const at = (address: string, ...more: readonly string[]): SetUp => ({
  argv: ['--state-db', address, ...more],
})

async function aDatabase(change = ''): Promise<string> {
  const address = await setUpDatabases.nextAddress()
  await (await openHistory(address)).close()
  if (change !== '') {
    const server = await setUpDatabases.server()
    await server.sql(change, new URL(address).pathname.slice(1))
  }
  return address
}

const asRole = (address: string, role: string) => address.replace(/\/\/\w+@/, `//${role}@`)
const passwordFile = (world: World, mode = 0o600) => [
  '--state-db-password-file',
  world.file('db-password', 'doctor-canary-password\n', mode),
]

/** Set-ups with the history in a database; rows that name PostgreSQL use a real server. */
export const databaseSetUps: readonly SetUpRow[] = [
  row('a store of PostgreSQL', SOUND, async () => at(await aDatabase())),
  row('a store of PostgreSQL that is yet to be made', SOUND, async () =>
    at(await setUpDatabases.nextAddress()),
  ),
  row('a store of PostgreSQL with a password', SOUND, async (world) =>
    at(await aDatabase(), ...passwordFile(world)),
  ),
  row(
    'a store of PostgreSQL behind a queue that keeps records for a minute',
    'warn upstream.queue_retention short_for_database',
    async () => ({
      argv: ['--state-db', await aDatabase()],
      proxy: ({ settings }) => {
        settings.queueRetentionSeconds = 60
      },
    }),
  ),
  row('a database where nobody listens', 'fail state_db.reachable unreachable', () =>
    at('postgres://127.0.0.1:1/history'),
  ),
  row(
    'a store of PostgreSQL in a database that is not there',
    'fail state_db.reachable cannot_open',
    async () => at((await setUpDatabases.nextAddress()).replace(/\/\w+\?/, '/gone?')),
  ),
  row('a server of PostgreSQL that does not encrypt', 'fail state_db.tls not_trusted', async () =>
    at((await setUpDatabases.nextAddress()).replace('sslmode=disable', 'sslmode=verify-full')),
  ),
  row('a role that PostgreSQL does not know', 'fail state_db.role login_refused', async () =>
    at(asRole(await aDatabase(), 'nobody')),
  ),
  row('a role of PostgreSQL that is a superuser', 'warn state_db.role superuser', async () =>
    at(asRole(await aDatabase(), 'postgres')),
  ),
  row(
    'a role of PostgreSQL that may make no tables',
    'fail state_db.role not_permitted',
    async () => {
      const server = await setUpDatabases.server()
      return at(server.address(await server.createDatabase({ owner: 'postgres' })))
    },
  ),
  row(
    'a database of PostgreSQL that is set to read-only',
    'fail state_db.role read_only',
    async () => {
      const address = await aDatabase()
      const server = await setUpDatabases.server()
      const name = new URL(address).pathname.slice(1)
      await server.sql(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
      return at(address)
    },
  ),
  row(
    'a role of PostgreSQL that may make no connection',
    'fail state_db.reachable busy',
    async () => {
      const address = await aDatabase()
      const server = await setUpDatabases.server()
      await server.sql('CREATE ROLE unconnected LOGIN CONNECTION LIMIT 0')
      return at(asRole(address, 'unconnected'))
    },
  ),
  row('a role of PostgreSQL that may not connect', 'fail state_db.role not_permitted', async () => {
    const address = await aDatabase()
    const server = await setUpDatabases.server()
    const name = new URL(address).pathname.slice(1)
    await server.sql(`CREATE ROLE uninvited LOGIN; REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC`)
    return at(asRole(address, 'uninvited'))
  }),
  row(
    'a role of PostgreSQL whose tables are those of another',
    'fail state_db.role not_permitted',
    async () => at(await aDatabase('ALTER TABLE svc_quota_monitor.feeds OWNER TO postgres')),
  ),
  row(
    'a newer version of the tables of PostgreSQL',
    'fail state_db.partitions newer_version',
    async () =>
      at(
        await aDatabase(
          "UPDATE svc_quota_monitor.meta SET value = '999' WHERE name = 'schema_version'",
        ),
      ),
  ),
  row('days that PostgreSQL should have forgotten', 'warn state_db.partitions behind', async () =>
    at(
      await aDatabase(
        'SET ROLE svc; CREATE TABLE svc_quota_monitor.usage_20010203 PARTITION OF svc_quota_monitor.usage FOR VALUES FROM (981158400000) TO (981244800000)',
      ),
    ),
  ),
  row('a standby of PostgreSQL that is none', 'warn state_db.lag not_a_standby', async () => {
    const address = await aDatabase()
    return at(address, '--state-db-replica', address)
  }),
  row('a standby of PostgreSQL that does not answer', 'fail state_db.lag unreachable', async () =>
    at(await aDatabase(), '--state-db-replica', 'postgres://127.0.0.1:1/history'),
  ),
  row(
    'a password of PostgreSQL that others can read',
    'warn state_db readable_by_others',
    async (world) => at(await aDatabase(), ...passwordFile(world, 0o644)),
  ),
  row('a password of a database that is not there', 'fail state_db missing', (world) =>
    at('postgres://127.0.0.1:1/history', '--state-db-password-file', world.at('gone')),
  ),
  row(
    'a password of a database that others can write',
    'fail state_db writable_by_others',
    (world) => at('postgres://127.0.0.1:1/history', ...passwordFile(world, 0o666)),
  ),
  row('a password in the address of a database', 'fail config.file secret_not_allowed', () =>
    at('postgres://svc:doctor-canary-password@127.0.0.1/history'),
  ),
]
