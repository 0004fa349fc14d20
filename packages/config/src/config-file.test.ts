import { describe, expect, it } from 'vitest'
import { configFileOf } from './config-file.ts'
import { resolveConfig } from './resolve-config.ts'
import { configErrorOf, configWorld, worldWithToml } from './testing/config-world.ts'

const CANARY = 'canary-secret-4711'

describe('the config file', () => {
  const files = {
    '/xdg/svc-quota-monitor/config.toml': 'port = 1',
    '/home/someone/.config/svc-quota-monitor/config.toml': 'port = 2',
    '/etc/svc-quota-monitor/config.toml': 'port = 3',
    '/named.toml': 'port = 4',
  }

  it.each([
    [{ env: { XDG_CONFIG_HOME: '/xdg' } }, 1],
    [{}, 2],
    [{ env: { XDG_CONFIG_HOME: '' } }, 2],
    // The XDG specification requires relative paths to be ignored.
    [{ env: { XDG_CONFIG_HOME: 'xdg' } }, 2],
    [{ env: { XDG_CONFIG_HOME: '/elsewhere' } }, 3],
    [{ configFlag: '../named.toml' }, 4],
    [{ homeDir: '/home/nobody' }, 3],
    [{ env: { SVC_QUOTA_MONITOR_CONFIG: '/named.toml' } }, 4],
    [{ configFlag: '/named.toml', env: { SVC_QUOTA_MONITOR_CONFIG: '/xdg' } }, 4],
    [{ configFlag: 'off' }, 4515],
    [{ env: { SVC_QUOTA_MONITOR_CONFIG: 'off' } }, 4515],
  ])('%j reads the one with port %i', (changes, port) => {
    expect(resolveConfig(configWorld({ files, ...changes })).config.server.port).toBe(port)
  })

  it.each([
    [
      { configFlag: 'gone.toml' },
      'missing_file',
      'config file from --config does not exist: /work dir/gone.toml',
    ],
    [
      { env: { SVC_QUOTA_MONITOR_CONFIG: '/gone' } },
      'missing_file',
      'config file from SVC_QUOTA_MONITOR_CONFIG does not exist: /gone',
    ],
  ])('%j is fatal', (changes, code, message) => {
    expect(configErrorOf(() => resolveConfig(configWorld(changes)))).toMatchObject({
      code,
      message,
    })
  })

  it('that cannot be read is fatal even in a usual place', () => {
    const readTextFile = () => {
      throw Object.assign(new Error('denied'), { code: 'EACCES' })
    }

    expect(configErrorOf(() => resolveConfig(configWorld({ readTextFile })))).toMatchObject({
      code: 'unreadable_file',
      message:
        'config file cannot be read (EACCES): /home/someone/.config/svc-quota-monitor/config.toml',
    })
    expect(
      configErrorOf(() => resolveConfig(configWorld({ readTextFile, configFlag: 'x' }))).message,
    ).toBe('config file from --config cannot be read (EACCES): /work dir/x')
    expect(
      configErrorOf(() =>
        resolveConfig(configWorld({ readTextFile, env: { SVC_QUOTA_MONITOR_CONFIG: '/x' } })),
      ).message,
    ).toBe('config file from SVC_QUOTA_MONITOR_CONFIG cannot be read (EACCES): /x')
  })

  it('gives each key with its line and the folder that relative paths start at', () => {
    const toml = '# comment\nport = 1\n  auth_dir = "auths"\n"log_level" = "warn"\n'
    const { path, givenByKey, problems } = configFileOf(worldWithToml(toml))

    expect({ path, problems }).toEqual({ path: '/etc/x/config.toml', problems: [] })
    expect(
      [...givenByKey].map(([key, { raw, place, folder }]) => [key, raw, place, folder]),
    ).toEqual([
      ['port', 1, '/etc/x/config.toml line 2', '/etc/x'],
      ['auth_dir', 'auths', '/etc/x/config.toml line 3', '/etc/x'],
      ['log_level', 'warn', '/etc/x/config.toml line 4', '/etc/x'],
    ])
  })

  it('is none where none is named and none is at the usual places', () => {
    expect(configFileOf(configWorld())).toEqual({
      path: null,
      givenByKey: new Map(),
      tables: {},
      problems: [],
    })
  })

  it('keeps what is right beside what is wrong', () => {
    const { givenByKey, problems } = configFileOf(worldWithToml('port = 1\nprot = 2\n'))

    expect([...givenByKey.keys()]).toEqual(['port'])
    expect(problems).toEqual([
      {
        code: 'unknown_key',
        message: 'unknown key "prot" in /etc/x/config.toml line 2: expected port',
      },
    ])
  })

  it('that is a folder on the way counts as not there, in a usual place alone', () => {
    const readTextFile = () => {
      throw Object.assign(new Error('a file is on the way'), { code: 'ENOTDIR' })
    }

    expect(configFileOf(configWorld({ readTextFile })).path).toBeNull()
    expect(configFileOf(configWorld({ readTextFile, configFlag: '/x' })).problems).toMatchObject([
      { code: 'missing_file' },
    ])
  })

  it('in UTF-16 says so', () => {
    expect(configErrorOf(() => resolveConfig(worldWithToml('p\u0000o\u0000'))).message).toBe(
      'config file is UTF-16; save it as UTF-8: /etc/x/config.toml',
    )
  })

  it.each([
    ['a = ', 1, 5, 'a value is missing after ='],
    ['port = 1\nhost = unquoted', 2, 8, 'a text needs quotes'],
    ['port: 1', 1, 5, 'write = between key and value'],
    ['port 1', 1, 6, 'write = between key and value'],
    ['host == "x"', 1, 7, 'one = is enough'],
    [
      'host = "C:\\Users"',
      1,
      11,
      'a backslash in double quotes begins an escape: use single quotes',
    ],
    ['host = “a”', 1, 8, 'quotes must be straight'],
    ['allowed_hosts = ["a"', 1, 21, 'a bracket is not closed'],
    ["allowed_hosts = ['a' 'b']", 1, 22, 'a comma is missing'],
    ['port = 1,', 1, 9, 'only a comment may follow a value'],
    ['port = 012', 1, 11, 'a number may not begin with 0'],
    ['{"port": 1}', 1, 1, 'this looks like JSON, and TOML is expected'],
    ['- port: 1', 1, 3, 'this looks like YAML, and TOML is expected'],
    ['x = 1e', 1, 7, 'this is not TOML'],
    // Valid syntax with the wrong meaning, which the parser reports in another way.
    ['port = 1\nport = 2', 2, 1, 'the key is given twice'],
    ['port = 1\n[port]\nx = 1', 2, 1, 'the key is given twice'],
    [`management_key = "${CANARY}`, 1, 37, 'a quote is not closed'],
  ])('$0 is no TOML: line $1, column $2, because $3', (toml, line, column, reason) => {
    const error = configErrorOf(() => resolveConfig(worldWithToml(toml)))

    expect(error.code).toBe('invalid_toml')
    expect(error.message).toBe(
      `config file is not valid TOML at line ${line}, column ${column} (${reason}): /etc/x/config.toml`,
    )
  })
})
