import { describe, expect, it } from 'vitest'
import { isDatabaseAddress, looksLikeAddress, readAddress } from './database-address.ts'
import { resolveConfig } from './resolve-config.ts'
import { configErrorOf, configWorld, worldWithToml } from './testing/config-world.ts'

const CANARY = 'canary-pw-6208'

describe('the address of a database', () => {
  it.each([
    ['postgres://db.example/history', 'postgres://db.example/history?sslmode=verify-full'],
    ['postgresql://DB.example/history', 'postgres://db.example/history?sslmode=verify-full'],
    [
      'POSTGRES://monitor@db.example:6432/history?sslmode=verify-full',
      'postgres://monitor@db.example:6432/history?sslmode=verify-full',
    ],
    [
      'postgres://db.example/h?sslrootcert=/etc/ssl/own.pem',
      'postgres://db.example/h?sslmode=verify-full&sslrootcert=/etc/ssl/own.pem',
    ],
    ['postgres://10.0.0.7:5432/h', 'postgres://10.0.0.7/h?sslmode=verify-full'],
    ['postgres://[FD00::7]/h', 'postgres://[fd00::7]/h?sslmode=verify-full'],
    ['postgres://localhost/h', 'postgres://localhost/h?sslmode=disable'],
    ['postgres://127.0.0.2/h?sslmode=prefer', 'postgres://127.0.0.2/h?sslmode=disable'],
    ['postgres://[::1]:5433/h', 'postgres://[::1]:5433/h?sslmode=disable'],
    ['postgres://[::ffff:127.0.0.1]/h', 'postgres://127.0.0.1/h?sslmode=disable'],
    ['postgres://localhost/h?sslmode=verify-full', 'postgres://localhost/h?sslmode=verify-full'],
    ['postgres://0.0.0.0/h', 'postgres://0.0.0.0/h?sslmode=disable'],
    // Without a host the driver would use PGHOST, which may be another machine.
    ['postgres:///h', 'postgres://localhost/h?sslmode=disable'],
    ['postgres:///h?host=/run/postgresql', 'postgres:///h?host=/run/postgresql&sslmode=disable'],
    ['postgres://%2Frun%2Fpg/h', 'postgres:///h?host=/run/pg&sslmode=disable'],
    [
      'postgres://monitor@localhost:6432/h?host=/run/pg bouncer',
      'postgres://monitor@localhost:6432/h?host=/run/pg%20bouncer&sslmode=disable',
    ],
    [
      'postgres://na%20me@db.example/the%20history',
      'postgres://na%20me@db.example/the%20history?sslmode=verify-full',
    ],
  ])('%s is handed on as %s, and so is that itself', (text, address) => {
    expect(readAddress(text)).toEqual({ address })
    expect(readAddress(address)).toEqual({ address })
    expect(isDatabaseAddress(address)).toBe(true)
  })

  it.each([
    ['postgres://db.example/h?sslmode=disable', /sslmode must be verify-full for another machine/],
    ['postgres://db.example/h?sslmode=prefer', /for another machine/],
    ['postgres://db.example/h?sslmode=require', /without asking who answers/],
    ['postgres://localhost/h?sslmode=verify-ca', /without asking who answers/],
    ['postgres://db.example/h?sslmode=', /expected sslmode verify-full/],
    ['postgres://db.example/h?sslmode=verify-full&sslmode=disable', /no parameter twice/],
    ['postgres:///h?host=/run/pg&sslmode=verify-full', /no meaning for a socket/],
    ['postgres://localhost/h?sslrootcert=/etc/own.pem', /needs sslmode=verify-full/],
    ['postgres://db.example/h?sslrootcert=own.pem', /a whole path/],
    ['postgres://db.example', /the name of the database/],
    ['postgres://db.example/', /the name of the database/],
    ['postgres://db.example/h/x', /the name of the database/],
    ['postgres://a.example,b.example/h', /one host name/],
    ['postgres://db.example/h?host=/run/pg', /one host name/],
    ['postgres:///h?host=db.example', /one host name/],
    ['postgres://db.example:0/h', /expected postgres/],
    ['postgres://db.example:99999/h', /expected postgres/],
    ['postgres://db.example/h?options=-csearch_path%3Dx', /no parameters but/],
    ['postgres://db.example/h#x', /no parameters but/],
    ['postgres:/db.example/h', /expected postgres:\/\/host\/database/],
    ['sqlite:///srv/history.db', /^a file is named by its path alone/],
    ['sqlite3:history.db', /^a file is named by its path alone/],
    ['sqlite+aiosqlite:///history.db', /^a file is named by its path alone/],
    ['jdbc:sqlite:history.db', /^a file is named by its path alone/],
    ['file:///srv/history.db', /^a file is named by its path alone/],
    ['mysql://db.example/h', /expected postgres:\/\/host\/database/],
    ['host=db.example dbname=h', /expected postgres:\/\/host\/database/],
  ])('%s is refused', (text, why) => {
    expect(readAddress(text)).toMatchObject({ why: expect.stringMatching(why), isSecret: false })
  })

  it.each([
    `postgres://monitor:${CANARY}@db.example/h`,
    `postgres://:${CANARY}@db.example/h`,
    `postgres://monitor%3A${CANARY}@db.example/h`,
    `postgres://monitor:${CANARY}/#?x@db.example/h`,
    `postgres:monitor:${CANARY}@db.example/h`,
    `mysql://monitor:${CANARY}@db.example/h`,
    `postgres://db.example/h?password=${CANARY}`,
    `postgres://db.example/h?sslpassword=${CANARY}`,
    `host=db.example password=${CANARY}`,
    `monitor:${CANARY}@db.example/h`,
    `jdbc:postgresql://db.example/h?user=monitor&password=${CANARY}`,
    `jdbc:postgresql:h?password=${CANARY}`,
    `postgresql+psycopg://monitor:${CANARY}@db.example/h`,
    `Host=db.example;Password=${CANARY}`,
    `//monitor:${CANARY}@db.example/h`,
    `//db.example/h?password=${CANARY}`,
  ])('%s holds a password, which is refused and never repeated', (text) => {
    for (const input of [
      configWorld({ flags: { 'state-db': text } }),
      configWorld({ env: { SVC_QUOTA_MONITOR_STATE_DB_REPLICA: text } }),
      worldWithToml(`state_db = ${JSON.stringify(text)}`),
    ]) {
      const error = configErrorOf(() => resolveConfig(input))

      expect(error).toMatchObject({
        code: 'secret_not_allowed',
        message: expect.stringMatching(/state_db_password_file, or into PGPASSFILE or PGPASSWORD/),
      })
      expect(error.message).not.toContain(CANARY)
    }
  })

  it.each([
    ['history.db', false],
    ['./postgres://x', false],
    ['/srv/postgres/history.db', false],
    ['postgres', false],
    ['a@b:c.db', false],
    ['./notes:2026.db', false],
    ['/srv/password=x/history.db', false],
    ['C:\\history.db', false],
    ['jdbc:postgresql://db.example/h', true],
    ['file:history.db', true],
    ['//db.example/h', false],
    ['postgres:/x', true],
    [' Postgres://x/y', true],
    ['postgresql:x', true],
    ['file:///srv/history.db', true],
    ['user:password@host/db', true],
    ['host=x dbname=y', true],
  ])('%s looks like one: %s, and is then never a file', (text, looks) => {
    expect(looksLikeAddress(text)).toBe(looks)
    const resolved = () => resolveConfig(configWorld({ flags: { 'state-db': text } }))
    if (looks) expect(configErrorOf(resolved).message).toMatch(/^state_db from --state-db: /)
    else expect(resolved().config.history.stateDb).toMatch(/^\//)
  })
})

describe('settings of a database', () => {
  const DATABASE = 'postgres://db.example/h'

  it('are read beside its address, a relative file from where it was given', () => {
    const { history } = resolveConfig(
      worldWithToml(
        `state_db = "${DATABASE}"\nstate_db_password_file = "keys/db"\nstate_db_replica = "postgres://standby.example/h"`,
      ),
    ).config

    expect(history).toMatchObject({
      stateDb: `${DATABASE}?sslmode=verify-full`,
      stateDbPasswordFile: '/etc/x/keys/db',
      stateDbReplica: 'postgres://standby.example/h?sslmode=verify-full',
    })
  })

  it.each([
    ['state-db-password-file', 'keys/db'],
    ['state-db-replica', DATABASE],
  ])('--%s beside a file is a mistake, and without a store has no effect', (flag, value) => {
    const resolved = (stateDb: string) =>
      resolveConfig(configWorld({ flags: { [flag]: value, 'state-db': stateDb } }))

    expect(configErrorOf(() => resolved('h.db'))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('state_db is a file'),
    })
    expect(resolved('off').config.history.stateDb).toBeNull()
  })

  it('hold no password: one in the file is refused by its name', () => {
    expect(
      configErrorOf(() => resolveConfig(worldWithToml(`state_db_password = "${CANARY}"`))),
    ).toMatchObject({
      code: 'secret_not_allowed',
      message: expect.not.stringContaining(CANARY),
    })
  })

  it('may name a standby, or switch it off', () => {
    const flags = { 'state-db': DATABASE, 'state-db-replica': 'off' }

    expect(resolveConfig(configWorld({ flags })).config.history.stateDbReplica).toBeNull()
    expect(
      configErrorOf(() =>
        resolveConfig(configWorld({ flags: { ...flags, 'state-db-replica': '/srv/h.db' } })),
      ).message,
    ).toBe('state_db_replica from --state-db-replica: expected postgres://host/database')
  })
})
