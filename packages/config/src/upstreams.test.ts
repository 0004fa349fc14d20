import { describe, expect, it } from 'vitest'
import { upstreamsOf } from './config.ts'
import { describeConfig } from './describe-config.ts'
import { resolveConfig } from './resolve-config.ts'
import {
  type ConfigWorld,
  configErrorOf,
  configWorld,
  worldWithToml,
} from './testing/config-world.ts'

const PATH = '/etc/x/config.toml'

const table = (name: string, more = '') =>
  `[[upstream]]\nname = "${name}"\nurl = "https://${name}.example:8317"\nmanagement_key_file = "keys/${name}"\n${more}\n`
const TWO = `${table('tokyo')}${table('berlin')}`

const messageFor = (toml: string, changes: ConfigWorld = {}) =>
  configErrorOf(() => resolveConfig(worldWithToml(toml, changes))).message

describe('tables of proxies', () => {
  it('give each proxy its own values, paths beside the file, and the defaults of the flat keys', () => {
    const more = 'refresh_seconds = 30\nquota_transport = "off"\nauth_dir = "auths"\n'
    const { config } = resolveConfig(worldWithToml(`${table('tokyo', more)}${table('berlin')}`))

    expect(config.fleet.upstreams).toMatchObject([
      {
        name: 'tokyo',
        upstream: {
          upstreamUrl: 'https://tokyo.example:8317',
          gatewayHealthUrl: 'https://tokyo.example:8317/healthz',
          upstreamUiUrl: 'https://tokyo.example:8317/management.html',
          managementKeyFile: '/etc/x/keys/tokyo',
          refreshSeconds: 30,
        },
        quota: { quotaTransport: 'off', authDir: '/etc/x/auths' },
      },
      {
        name: 'berlin',
        upstream: { upstreamUrl: 'https://berlin.example:8317', refreshSeconds: 15 },
        quota: { quotaTransport: 'auto', authDir: null },
        usage: { usageSource: 'auto' },
      },
    ])
  })

  it('take what is not theirs from the keys before them', () => {
    const { config } = resolveConfig(worldWithToml(`quota_probes_per_minute = 7\n${TWO}`))

    expect(config.fleet.upstreams.map(({ quota }) => quota.quotaProbesPerMinute)).toEqual([7, 7])
  })

  it('inherit what the keys before them say of every proxy, unless they say it themselves', () => {
    const before = `${[
      'refresh_seconds = 60',
      'upstream_timeout_seconds = 20',
      'quota_transport = "auth-files"',
      'auth_dir = "auths"',
      'usage_source = "off"',
    ].join('\n')}\n`
    const own = 'refresh_seconds = 30\nusage_source = "legacy"'
    const { config, sourceByKey } = resolveConfig(
      worldWithToml(`${before}${table('tokyo', own)}${table('berlin')}`),
    )

    const common = {
      upstream: { upstreamTimeoutSeconds: 20 },
      quota: { quotaTransport: 'auth-files', authDir: '/etc/x/auths' },
    }
    expect(config.fleet.upstreams).toMatchObject([
      { ...common, usage: { usageSource: 'legacy' } },
      { ...common, usage: { usageSource: 'off' } },
    ])
    expect(config.fleet.upstreams.map(({ upstream }) => upstream.refreshSeconds)).toEqual([30, 60])
    expect(sourceByKey.get('upstream.berlin.refresh_seconds')).toBe('file')
  })

  it.each([
    { from: 'a flag', world: { flags: { 'management-key-file': '/run/key-{name}' } } },
    {
      from: 'the environment',
      world: { env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY_FILE: '/run/key-{name}' } },
    },
  ])('have the key files that $from names for all of them', ({ world }) => {
    const bare = '[[upstream]]\nname = "paris"\nurl = "https://paris.example"\n'
    const resolved = resolveConfig(worldWithToml(`${TWO}${bare}`, world))

    expect(
      resolved.config.fleet.upstreams.map(({ upstream }) => upstream.managementKeyFile),
    ).toEqual(['/run/key-tokyo', '/run/key-berlin', '/run/key-paris'])
    expect(describeConfig(resolved)).toContainEqual({
      key: 'upstream.tokyo.management_key_file',
      value: '/run/key-tokyo',
      source: 'flags' in world ? 'flag' : 'env',
    })
  })

  it('may stand in a file of their own, whose folder their paths begin at', () => {
    const env = { SVC_QUOTA_MONITOR_UPSTREAMS_FILE: '/srv/proxies.toml' }
    const { config } = resolveConfig(configWorld({ env, files: { '/srv/proxies.toml': TWO } }))

    expect(config.fleet.upstreams.map(({ upstream }) => upstream.managementKeyFile)).toEqual([
      '/srv/keys/tokyo',
      '/srv/keys/berlin',
    ])
  })

  it('may stand beside a store, and take usage out of the queue of each then', () => {
    const more = 'usage_source = "queue"'
    const { config } = resolveConfig(
      worldWithToml(`state_db = "h.db"\n${table('tokyo', more)}${table('berlin', more)}`),
    )

    expect(config.history.stateDb).toBe('/etc/x/h.db')
    expect(config.fleet.upstreams.map(({ usage }) => usage.usageSource)).toEqual(['queue', 'queue'])
  })

  it('are not read for the demo, which says so', () => {
    const { config, ignoredKeys } = resolveConfig(worldWithToml(TWO, { demo: true }))

    expect(config.fleet.upstreams).toEqual([])
    expect(ignoredKeys).toEqual(['upstream'])
  })

  it('without any the flat keys describe one proxy named default', () => {
    const { config } = resolveConfig(worldWithToml('upstream_url = "https://proxy.example"'))

    expect(upstreamsOf(config)).toMatchObject([
      { name: 'default', upstream: { upstreamUrl: 'https://proxy.example' } },
    ])
  })

  it('may be 200, and no more', () => {
    const tables = (count: number) =>
      Array.from({ length: count }, (_, index) => table(`proxy-${index}`)).join('')

    expect(resolveConfig(worldWithToml(tables(200))).config.fleet.upstreams).toHaveLength(200)
    expect(messageFor(tables(201))).toBe('201 [[upstream]] tables: expected at most 200')
  })

  it('warn of each proxy whose key goes over the network in plain text', () => {
    const plain = table('berlin').replace('https://berlin.example', 'http://10.0.0.9')

    expect(resolveConfig(worldWithToml(`${table('tokyo')}${plain}`)).warnings).toEqual([
      'url of [[upstream]] "berlin" is plain http to another machine: anybody in between can read the management key; use https',
    ])
  })
})

describe('a mistake in a table', () => {
  it.each([
    {
      what: 'a name with a capital letter',
      toml: table('Tokyo'),
      message: `name from [[upstream]] 1 "Tokyo" of ${PATH} line 1: expected 1 to 32 of the characters a-z, 0-9 and -, not "Tokyo"`,
    },
    {
      what: 'a name of 33 characters',
      toml: table('t'.repeat(33)),
      message: /^name from \[\[upstream\]\] 1 "t{32}…" of .*: expected 1 to 32 /,
    },
    {
      what: 'no name',
      toml: '[[upstream]]\nurl = "https://a.example"\nmanagement_key_file = "a"',
      message: `name is missing in [[upstream]] 1 of ${PATH} line 1: expected 1 to 32 of the characters a-z, 0-9 and -`,
    },
    {
      what: 'no url',
      toml: `${table('tokyo')}[[upstream]]\nname = "berlin"\nmanagement_key_file = "b"`,
      message: `url is missing in [[upstream]] 2 "berlin" of ${PATH} line 6: expected an http or https URL without user name, query or fragment`,
    },
    {
      what: 'no key',
      toml: '[[upstream]]\nname = "a"\nurl = "https://a.example"',
      message: `management_key_file is missing in [[upstream]] 1 "a" of ${PATH} line 1: expected a path`,
    },
    {
      what: 'a value out of range',
      toml: table('tokyo', 'refresh_seconds = 4'),
      message: `refresh_seconds from [[upstream]] 1 "tokyo" of ${PATH} line 1: expected a whole number from 5 to 3600, not 4`,
    },
    {
      what: 'a key that nobody knows',
      toml: table('tokyo', 'refresh_second = 20'),
      message: `unknown key "refresh_second" in [[upstream]] 1 "tokyo" of ${PATH} line 1: expected refresh_seconds`,
    },
    {
      what: 'a key of the service',
      toml: table('tokyo', 'port = 4000'),
      message: `unknown key "port" in [[upstream]] 1 "tokyo" of ${PATH} line 1: expected it before the first [[upstream]], where it is for all of them`,
    },
    {
      what: 'a name that is taken',
      toml: `${table('tokyo')}${table('tokyo').replace('tokyo.example', 'other.example')}`,
      message: `name from [[upstream]] 2 "tokyo" of ${PATH} line 6: another table before it has this name`,
    },
    {
      what: 'an address that is taken',
      toml: `${table('tokyo')}${table('berlin').replace('berlin.example', 'TOKYO.example')}`,
      message: `url from [[upstream]] 2 "berlin" of ${PATH} line 6: it is also the url of "tokyo"`,
    },
    {
      what: 'a queue without a store',
      toml: table('tokyo', 'usage_source = "queue"'),
      message: /^usage_source queue of \[\[upstream\]\] "tokyo" needs state_db: /,
    },
    {
      what: 'auth files without a folder',
      toml: `${table('tokyo')}${table('berlin', 'quota_transport = "auth-files"')}`,
      message: /^quota_transport auth-files of \[\[upstream\]\] "berlin" needs auth_dir: /,
    },
  ])('$what is named with its table, its line and its key', ({ toml, message }) => {
    expect(messageFor(toml)).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    )
  })

  it('repeats neither a key nor a password', () => {
    for (const more of ['management_key = "canary"', 'auth_dir = ["canary"]'])
      expect(messageFor(table('tokyo', more))).not.toContain('canary')
    expect(
      messageFor(table('tokyo').replace('https://tokyo', 'https://canary:canary@tokyo')),
    ).not.toContain('canary')
  })
})

describe('a list beside something else', () => {
  it.each([
    { key: 'upstream_url', value: '"https://other.example"', inTable: 'url' },
    { key: 'management_key_file', value: '"other"', inTable: 'management_key_file' },
    { key: 'management_key_file', value: '"keys/{name}"', inTable: 'management_key_file' },
    { key: 'gateway_health_url', value: '"https://a.example/up"', inTable: 'gateway_health_url' },
    { key: 'upstream_ui_url', value: '"https://a.example/ui"', inTable: 'ui_url' },
  ])('of the flat $key says which to remove', ({ key, value, inTable }) => {
    expect(messageFor(`${key} = ${value}\n${TWO}`)).toBe(
      `${key} from ${PATH} line 1 and [[upstream]] 1 "tokyo" of ${PATH} line 2: remove ${key}, or the tables; in a table it is ${inTable}`,
    )
  })

  it.each([
    { from: 'a flag', world: { flags: { 'upstream-url': 'https://a.example' } } },
    { from: 'the environment', world: { env: { SVC_QUOTA_MONITOR_UPSTREAM_URL: 'https://a.b' } } },
  ])('of a flat key from $from is refused as well', ({ world }) => {
    expect(messageFor(TWO, world)).toMatch(/^upstream_url from .*: remove upstream_url, or the /)
  })

  it('of a key in the environment is refused without its value', () => {
    const message = messageFor(TWO, { env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: 'canary' } })

    expect(message).toMatch(/^SVC_QUOTA_MONITOR_MANAGEMENT_KEY and \[\[upstream\]\] 1 /)
    expect(message).not.toContain('canary')
  })

  it('of a second list says that one must go', () => {
    const world = { env: { SVC_QUOTA_MONITOR_UPSTREAMS_FILE: '/b' }, files: { '/b': TWO } }

    expect(messageFor(TWO, world)).toBe(
      `upstreams_file and [[upstream]] 1 "tokyo" of ${PATH} line 1 both list proxies: remove one of the lists`,
    )
  })
})

describe('a file of tables', () => {
  it.each([
    { what: 'is missing', text: undefined, message: 'upstreams_file does not exist: /b' },
    { what: 'is empty', text: '', message: '/b: expected [[upstream]] tables alone' },
    {
      what: 'holds something else',
      text: `port = 1\n${TWO}`,
      message: '/b: expected [[upstream]] tables alone, not "port"',
    },
    {
      what: 'is no TOML',
      text: '[[upstream',
      message:
        'upstreams_file is not valid TOML at line 1, column 11 (a bracket is not closed): /b',
    },
  ])('that $what is refused in one line', ({ text, message }) => {
    const env = { SVC_QUOTA_MONITOR_UPSTREAMS_FILE: '/b' }
    const world = configWorld({ env, ...(text === undefined ? {} : { files: { '/b': text } }) })

    expect(configErrorOf(() => resolveConfig(world)).message).toBe(message)
  })
})

describe('what is printed of several proxies', () => {
  it('is a row for each key of each, and none for the flat keys that have no meaning', () => {
    const rows = describeConfig(
      resolveConfig(worldWithToml(`${table('tokyo', 'refresh_seconds = 30')}${table('berlin')}`)),
    )
    const keys = rows.map(({ key }) => key)

    expect(rows).toContainEqual({
      key: 'upstream.tokyo.refresh_seconds',
      value: 30,
      source: 'file',
    })
    expect(rows).toContainEqual({
      key: 'upstream.berlin.refresh_seconds',
      value: 15,
      source: 'default',
    })
    expect(keys).not.toContain('upstream_url')
    expect(keys).not.toContain('management_key')
    expect(keys).toContain('quota_probes_per_minute')
    expect(keys).toContain('refresh_seconds')
  })
})
