import { ConfigError } from '@svc/config'
import { describe, expect, it } from 'vitest'
import { aCliContext } from '../testing/run-for-test.ts'
import { isDatabase, pathIn, storeOf } from './store-location.ts'

const CONFIGURED =
  'state_db = "postgres://svc@127.0.0.1/quota"\nstate_db_password_file = "secret"\n'

describe('the store of a command', () => {
  it.each([
    { given: { stateDb: ['history.db'] }, location: '/srv/history.db', passwordFile: null },
    { given: { stateDb: ['/var/history.db'] }, location: '/var/history.db', passwordFile: null },
    { given: { stateDb: ['a.db', '7'] }, location: '/srv/7', passwordFile: null },
    {
      given: { stateDb: ['postgresql://svc@127.0.0.1/quota'], stateDbPasswordFile: ['secret'] },
      location: 'postgres://svc@127.0.0.1/quota?sslmode=disable',
      passwordFile: '/srv/secret',
    },
    {
      given: { stateDb: ['postgres://svc@db.example:6000/quota'] },
      location: 'postgres://svc@db.example:6000/quota?sslmode=verify-full',
      passwordFile: '/run/password',
    },
  ])('$given is at $location', ({ given, location, passwordFile }) => {
    const env = { SVC_QUOTA_MONITOR_STATE_DB_PASSWORD_FILE: '/run/password' }
    const context = aCliContext({ env })

    expect(storeOf(given, context)).toEqual({ location, passwordFile })
    expect(isDatabase({ location, passwordFile })).toBe(location.startsWith('postgres'))
  })

  it('is that of the configuration where the command names none', () => {
    const context = aCliContext({ readTextFile: () => CONFIGURED })

    expect(storeOf({ config: ['sqm.toml'] }, context)).toEqual({
      location: 'postgres://svc@127.0.0.1/quota?sslmode=disable',
      passwordFile: '/srv/secret',
    })
    expect(storeOf({}, aCliContext())).toBeNull()
  })

  it.each([
    'postgres://svc:canary@db.example/quota',
    'postgres://svc@db.example/quota?password=canary',
    'svc:canary@db.example/quota',
    'mysql://canary.example/quota',
  ])('is refused without a word of it: %s', (stateDb) => {
    let told: unknown = null
    try {
      storeOf({ stateDb: [stateDb] }, aCliContext())
    } catch (error) {
      told = error
    }
    expect(told).toBeInstanceOf(ConfigError)
    expect(String(told)).toContain('--state-db: ')
    expect(String(told)).not.toContain('canary')
  })
})

it('a path that only a shell would expand is refused', () => {
  for (const given of ['~/history.db', '$HOME/history.db'])
    expect(() => pathIn(aCliContext(), given)).toThrow('is not expanded here')
})

it('a path starts at the working directory, unless it is whole or a pipe', () => {
  const context = aCliContext({ cwd: '/here' })
  expect(['a', '/b', '-', '', undefined].map((given) => pathIn(context, given))).toEqual([
    '/here/a',
    '/b',
    '-',
    null,
    null,
  ])
})
