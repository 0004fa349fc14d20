import { Redacted } from '@svc/core/service'
import { describe, expect, it } from 'vitest'
import { settingIn } from './config.ts'
import type { ConfigInput } from './config-input.ts'
import { settings } from './config-schema.ts'
import { languageGiven, resolveConfig } from './resolve-config.ts'
import { envNameOf, flagOf } from './setting.ts'
import { configErrorOf, configWorld, worldWithToml } from './testing/config-world.ts'

const CANARY = 'canary-secret-4711'
const byFlags = (flags: ConfigInput['flags']) => resolveConfig(configWorld({ flags }))
const errorOf = (changes: Parameters<typeof configWorld>[0]) =>
  configErrorOf(() => resolveConfig(configWorld(changes)))
const tomlError = (toml: string, changes: Parameters<typeof configWorld>[0] = {}) =>
  configErrorOf(() => resolveConfig(worldWithToml(toml, changes)))

/** A valid value of every key: as text, as TOML, and resolved. */
const VALUES: Readonly<Record<string, readonly [text: string, toml: string, resolved: unknown]>> = {
  host: ['0.0.0.0', '"0.0.0.0"', '0.0.0.0'],
  port: ['8080', '8080', 8080],
  allowed_hosts: [
    'a.example,b.example:1',
    '["a.example", "b.example:1"]',
    [
      { host: 'a.example', port: null },
      { host: 'b.example', port: 1 },
    ],
  ],
  manual_quota_refresh_auth: ['none', '"none"', 'none'],
  upstream_url: [
    'https://proxy.example/base/',
    '"https://proxy.example/base/"',
    'https://proxy.example/base',
  ],
  gateway_health_url: ['http://lb.example/up', '"http://lb.example/up"', 'http://lb.example/up'],
  upstream_ui_url: [
    'https://ui.example/panel',
    '"https://ui.example/panel"',
    'https://ui.example/panel',
  ],
  management_key_file: ['/run/key', '"/run/key"', '/run/key'],
  refresh_seconds: ['5', '5', 5],
  upstream_timeout_seconds: ['300', '300', 300],
  upstreams_file: ['/etc/proxies.toml', '"/etc/proxies.toml"', '/etc/proxies.toml'],
  auth_dir: ['/srv/auths', '"/srv/auths"', '/srv/auths'],
  quota_transport: ['off', '"off"', 'off'],
  quota_probe_concurrency: ['1', '1', 1],
  quota_probes_per_minute: ['600', '600', 600],
  quota_probe_providers: [
    'codex, antigravity,codex',
    '["codex", "antigravity"]',
    ['codex', 'antigravity'],
  ],
  weekly_to_five_hour_multiplier: ['7.5', '7.5', 7.5],
  usage_source: ['off', '"off"', 'off'],
  state_db: ['/var/x.db', '"/var/x.db"', '/var/x.db'],
  state_db_password_file: ['/run/db-password', '"/run/db-password"', '/run/db-password'],
  state_db_replica: [
    'postgres://standby.example/h',
    '"postgres://standby.example/h"',
    'postgres://standby.example/h?sslmode=verify-full',
  ],
  history_write_seconds: ['5', '5', 5],
  history_retention_days: ['1', '1', 1],
  usage_retention_days: ['3650', '3650', 3650],
  metrics_series_max: ['0', '0', 0],
  price_file: ['/srv/prices.json', '"/srv/prices.json"', '/srv/prices.json'],
  price_overrides: ['/etc/prices.toml', '"/etc/prices.toml"', '/etc/prices.toml'],
  client_labels_file: ['/etc/labels.json', '"/etc/labels.json"', '/etc/labels.json'],
  benchmark_summary: ['/var/bench.json', '"/var/bench.json"', '/var/bench.json'],
  display_timezone: ['Asia/Kathmandu', '"Asia/Kathmandu"', 'Asia/Kathmandu'],
  display_language: ['zh-cn', '"ZH-CN"', 'zh-CN'],
  ics_names: ['true', 'true', true],
  alert_five_hour_min_plus: ['2.5', '2.5', 2.5],
  alert_weekly_min_plus: ['off', '"off"', 'off'],
  alert_routable_min: ['3', '3', 3],
  log_level: ['debug', '"debug"', 'debug'],
  log_format: ['json', '"json"', 'json'],
}

/** Files named by the values above. */
const files = {
  '/etc/proxies.toml':
    '[[upstream]]\nname = "tokyo"\nurl = "https://tokyo.example"\nmanagement_key_file = "tokyo.key"\n',
}

const rows = settings.map(
  (setting) => [setting.key, setting, VALUES[setting.key] ?? ['', '', null]] as const,
)

describe('every key', () => {
  it('has a row here', () => {
    expect(Object.keys(VALUES).sort()).toEqual(settings.map((setting) => setting.key).sort())
  })

  it.each(rows)('%s by flag', (key, setting, [text, , resolved]) => {
    const { config, sourceByKey } = resolveConfig(
      configWorld({ files, flags: { [flagOf(setting)]: text } }),
    )

    expect(settingIn(config, setting)).toEqual(resolved)
    expect(sourceByKey.get(key)).toBe('flag')
  })

  it.each(rows)('%s by environment', (key, setting, [text, , resolved]) => {
    const { config, sourceByKey } = resolveConfig(
      configWorld({ files, env: { [envNameOf(setting)]: text } }),
    )

    expect(settingIn(config, setting)).toEqual(resolved)
    expect(sourceByKey.get(key)).toBe('env')
  })

  it.each(rows)('%s by TOML', (key, setting, [, toml, resolved]) => {
    const { config, sourceByKey } = resolveConfig(worldWithToml(`${key} = ${toml}\n`, { files }))

    expect(settingIn(config, setting)).toEqual(resolved)
    expect(sourceByKey.get(key)).toBe('file')
  })

  it.each(rows)('%s of a wrong type in TOML names key, file and line', (key) => {
    const error = tomlError(`# comment\n${key} = { a = 1 }\n`)

    expect(error.code).toBe('invalid_value')
    expect(error.message).toMatch(
      new RegExp(`^${key} from /etc/x/config.toml line 2: expected [^\\n]+$`),
    )
  })
})

describe('layers', () => {
  it('flags win over the environment, the environment over the file, the file over the default', () => {
    const env = { SVC_QUOTA_MONITOR_PORT: '2' }
    const flags = { port: '1' }
    const portOf = (changes: Partial<ConfigInput>) =>
      resolveConfig(worldWithToml('port = 3', changes)).config.server.port

    expect([
      portOf({ flags, env }),
      portOf({ env }),
      portOf({}),
      resolveConfig(configWorld()).config.server.port,
    ]).toEqual([1, 2, 3, 4515])
  })

  it('an empty variable counts as not set', () => {
    expect(
      resolveConfig(configWorld({ env: { SVC_QUOTA_MONITOR_PORT: '' } })).config.server.port,
    ).toBe(4515)
  })

  it('defaults are those of the documentation', () => {
    const { config } = resolveConfig(configWorld())

    expect(config).toMatchObject({
      server: { host: '127.0.0.1', manualQuotaRefreshAuth: 'page-token' },
      upstream: {
        upstreamUrl: 'http://127.0.0.1:8317',
        gatewayHealthUrl: 'http://127.0.0.1:8317/healthz',
        upstreamUiUrl: 'http://127.0.0.1:8317/management.html',
        managementKey: null,
        refreshSeconds: 15,
      },
      quota: { quotaTransport: 'auto', quotaProbeConcurrency: 2, quotaProbesPerMinute: 30 },
      capacity: { weeklyToFiveHourMultiplier: 6 },
      usage: { usageSource: 'auto' },
      history: {
        stateDb: null,
        historyWriteSeconds: 60,
        historyRetentionDays: 90,
        usageRetentionDays: 90,
        metricsSeriesMax: 100,
      },
      display: { displayTimezone: 'Europe/Prague' },
      alerts: { alertRoutableMin: 'off' },
      log: { logLevel: 'info', logFormat: 'text' },
    })
    for (const hostTimeZone of [null, '', 'Etc/Unknown', 'Mars/Olympus_Mons', '+02:00'])
      expect(resolveConfig(configWorld({ hostTimeZone })).config.display.displayTimezone).toBe(
        'UTC',
      )
  })

  it('gateway health hangs off the upstream unless it is named', () => {
    expect(
      byFlags({ 'upstream-url': 'http://p.example/x/' }).config.upstream.gatewayHealthUrl,
    ).toBe('http://p.example/x/healthz')
  })

  it.each([
    ['off', null],
    ['none', null],
    ['x.db', '/work dir/x.db'],
  ])('state_db %s', (text, expected) => {
    expect(byFlags({ 'state-db': text }).config.history.stateDb).toBe(expected)
  })

  it('relative paths start at the file in TOML and at the working directory elsewhere', () => {
    expect(resolveConfig(worldWithToml('auth_dir = "auths"')).config.quota.authDir).toBe(
      '/etc/x/auths',
    )
    expect(
      resolveConfig(configWorld({ env: { SVC_QUOTA_MONITOR_AUTH_DIR: 'auths' } })).config.quota
        .authDir,
    ).toBe('/work dir/auths')
  })

  it('the repeated flag and commas add up', () => {
    const { config } = byFlags({ 'allowed-host': ['a.example', 'b.example, c.example:9'] })

    expect(config.server.allowedHosts.map(({ host }) => host)).toEqual([
      'a.example',
      'b.example',
      'c.example',
    ])
  })
})

describe('several mistakes', () => {
  it('are found at once, and the first is named', () => {
    const changes = { env: { SVC_QUOTA_MONITOR_PROT: '1' }, flags: { 'log-level': 'loud' } }
    const error = tomlError('port = 0\nupstream_ulr = "x"', changes)

    expect(error.problems.map(({ code }) => code)).toEqual([
      'unknown_key',
      'unknown_key',
      'invalid_value',
      'invalid_value',
    ])
    expect(error.message).toBe(
      `${error.problems[0]?.message} (and 3 more; doctor lists all of them)`,
    )
    expect(
      errorOf({ flags: { 'usage-source': 'queue', 'quota-transport': 'auth-files' } }).problems,
    ).toHaveLength(2)
  })
})

describe('the message', () => {
  const hosts =
    'host names, each optionally with :port (no wildcard, no URL, no unspecified address)'

  it.each([
    ['port = "80"', 'port', 'a whole number from 1 to 65535, not "80"'],
    ['port = 1.5', 'port', 'a whole number from 1 to 65535, not 1.5'],
    ['port = true', 'port', 'a whole number from 1 to 65535, not true'],
    [
      'alert_routable_min = inf',
      'alert_routable_min',
      'a number from 0 to 1000000, or off, not Infinity',
    ],
    ['host = 127', 'host', 'a host name or IP address, not 127'],
    ['allowed_hosts = ["a", 1]', 'allowed_hosts', `${hosts}, not ["a",1]`],
    ['allowed_hosts = "*.a"', 'allowed_hosts', `${hosts}, not "*.a"`],
    [
      'alert_routable_min = "none"',
      'alert_routable_min',
      'a number from 0 to 1000000, or off, not "none"',
    ],
    [
      'alert_routable_min = false',
      'alert_routable_min',
      'a number from 0 to 1000000, or off, not false',
    ],
    ['log_format = "xml"', 'log_format', 'text or json, not "xml"'],
    ['usage_source = 1', 'usage_source', 'one of auto, queue, subscribe, legacy, off, not 1'],
    [
      'upstream_url = 1',
      'upstream_url',
      'an http or https URL without user name, query or fragment',
    ],
    ['auth_dir = 1', 'auth_dir', 'a path'],
    ['state_db = false', 'state_db', 'a path, postgres://host/database, off or none, not false'],
    ['display_timezone = 2', 'display_timezone', 'an IANA time zone such as Europe/Prague, not 2'],
    [
      'display_language = "中文"',
      'display_language',
      'a language tag such as en or zh-CN, not "中文"',
    ],
    ['display_language = 86', 'display_language', 'a language tag such as en or zh-CN, not 86'],
    [
      `host = "${'a b'.repeat(60)}"`,
      'host',
      `a host name or IP address, not "${'a b'.repeat(21)}…`,
    ],
  ])('of %s', (toml, key, text) => {
    const { message } = tomlError(toml)

    expect(message).toBe(`${key} from /etc/x/config.toml line 1: expected ${text}`)
  })

  it('is one line, whatever a path or a name holds', () => {
    const errors = [
      errorOf({ configFlag: 'a\nb.toml' }),
      errorOf({ env: { 'SVC_QUOTA_MONITOR_A\r\nB': 'x' } }),
      tomlError('"a\\nb" = 1'),
      errorOf({ flags: { host: 'a\nb' } }),
    ]

    for (const { message, problems } of errors)
      for (const text of [message, ...problems.map((one) => one.message)])
        expect(text).not.toMatch(/\p{Cc}/u)
  })

  it('names the line of the key, not that of a longer one', () => {
    const error = tomlError(`management_key_file = "key"\n\n  management_key = "${CANARY}"`)

    expect(error.message).toMatch(/^management_key from \/etc\/x\/config\.toml line 3: /)
  })

  it.each([
    `management_key = "${CANARY}"`,
    `management-key = "${CANARY}"`,
    `[management]\nkey = "${CANARY}"`,
    `[management_key_file]\nkey = "${CANARY}"`,
    `management_key_file = ["${CANARY}"]`,
    `upstream_url = "http://me:${CANARY}@proxy.example"`,
    `upstream_url = ["http://me:${CANARY}@proxy.example"]`,
    `gateway_health_url = "http://proxy.example/?key=${CANARY}"`,
    `upstream_ui_url = "http://proxy.example/?key=${CANARY}"`,
    `upstream_ui_url = "http://${CANARY}:${CANARY}@proxy.example/"`,
    `upstream_ui_url = "javascript:${CANARY}"`,
    `allowed_hosts = ["http://me:${CANARY}@monitor.example"]`,
    `host = "me:${CANARY}@monitor.example"`,
    // Longer than the part of a value that a message shows.
    `host = "me:${CANARY}${'x'.repeat(80)}@monitor.example"`,
  ])('of %j does not repeat a secret', (toml) => {
    const error = tomlError(toml)

    expect(`${error.message} ${error.stack}`).not.toContain(CANARY)
  })
})

describe('a URL', () => {
  it.each([
    ['http://proxy.example', 'http://proxy.example'],
    [' HTTP://Proxy.Example:80/base// ', 'http://proxy.example/base'],
    ['http://proxy.example/?', 'http://proxy.example'],
    ['http://proxy.example/#', 'http://proxy.example'],
    ['http://@proxy.example', 'http://proxy.example'],
    ['https://[FD00::1]:8317', 'https://[fd00::1]:8317'],
  ])('%j of the proxy takes paths behind it', (url, expected) => {
    const { config } = byFlags({ 'upstream-url': url })

    expect(config.upstream.upstreamUrl).toBe(expected)
    expect(config.upstream.gatewayHealthUrl).toBe(`${expected}/healthz`)
  })

  it('of gateway health keeps its last slash, which some servers insist on', () => {
    expect(
      byFlags({ 'gateway-health-url': 'http://lb.example/up/' }).config.upstream.gatewayHealthUrl,
    ).toBe('http://lb.example/up/')
  })
})

describe('the proxy', () => {
  it.each([
    ['http://127.0.0.1:8317', 0],
    ['http://127.9.9.9', 0],
    ['http://localhost:8317', 0],
    ['http://[::1]:8317', 0],
    // Any machine may have such a name.
    ['http://127.example', 1],
    ['http://localhost.example', 1],
    ['http://192.0.2.1:8317', 1],
    ['http://[fd00::1]', 1],
    ['http://cli-proxy-api:8317', 1],
    ['https://192.0.2.1', 0],
  ])('at %s raises %i warnings: over plain http another machine can read the key', (url, count) => {
    const { warnings } = byFlags({ 'upstream-url': url })

    expect(warnings).toEqual(
      Array(count).fill(expect.stringMatching(/^upstream_url is plain http /)),
    )
  })

  it.each([
    ['none', '0.0.0.0', 1],
    ['none', '192.0.2.1', 1],
    ['none', 'monitor.example', 1],
    ['none', '127.0.0.1', 0],
    ['none', '::1', 0],
    ['none', 'localhost', 0],
    ['page-token', '0.0.0.0', 0],
    ['management-key', '0.0.0.0', 0],
  ])('with a refresh that asks for %s on %s raises %i warnings', (mode, host, count) => {
    const { warnings } = byFlags({ 'manual-quota-refresh-auth': mode, host })

    expect(warnings).toEqual(
      Array(count).fill(expect.stringMatching(/^manual_quota_refresh_auth is none /)),
    )
  })

  it('raises none in the demo, which never calls it', () => {
    expect(
      resolveConfig(configWorld({ demo: true, flags: { 'upstream-url': 'http://192.0.2.1' } }))
        .warnings,
    ).toEqual([])
  })
})

describe('refusals', () => {
  it.each([
    ['port', ['0', '65536', '1.5', '08', 'x', '-1', '']],
    ['refresh-seconds', ['4', '3601']],
    ['upstream-timeout-seconds', ['0', '301']],
    ['quota-probe-concurrency', ['0', '3']],
    ['quota-probes-per-minute', ['0', '601']],
    ['quota-probe-providers', ['kimi-ai', 'codex,', 'Claude']],
    ['weekly-to-five-hour-multiplier', ['0', '-6', 'on', '101']],
    ['alert-routable-min', ['-1', 'x']],
    ['quota-transport', ['API-CALL', '']],
    ['display-timezone', ['Mars/Olympus', '+02:00']],
    ['host', ['a b', '', '127.0.0.1:4515', 'localhost:80']],
    ['allowed-host', ['*', 'a,,b', '0.0.0.0']],
    ['auth-dir', ['', 'a\u0000b']],
    ['state-db', ['']],
    ['log-level', ['trace']],
  ])('--%s refuses %j in one line that names it and what is allowed', (flag, values) => {
    for (const value of values) {
      const error = errorOf({ flags: { [flag]: value } })
      expect(error.code).toBe('invalid_value')
      expect(error.message).toMatch(new RegExp(`^[a-z_]+ from --${flag}: expected [^\\n]+$`))
    }
  })

  it.each([
    'http://user:PASSWORD@h',
    'http://h/?key=PASSWORD',
    'http://h/#PASSWORD',
    'ftp://PASSWORD',
    'PASSWORD',
  ])('a URL like %s is refused unseen', (url) => {
    const error = errorOf({ flags: { 'upstream-url': url.replace('PASSWORD', CANARY) } })

    expect(error.message).toBe(
      'upstream_url from --upstream-url: expected an http or https URL without user name, query or fragment',
    )
  })

  it('a management key in TOML is refused unseen', () => {
    const error = tomlError(`management_key = "${CANARY}"`)

    expect(error.code).toBe('secret_not_allowed')
    expect(error.message).toContain('management_key_file')
    expect(error.message).not.toContain(CANARY)
  })

  it('an unknown key names the nearest one', () => {
    expect(tomlError('[upstream]\nurl = "x"').message).toContain(
      'unknown key "upstream" in /etc/x/config.toml line 1',
    )
    expect(tomlError('upstream_ulr = "x"').message).toMatch(/expected upstream_url$/)
    expect(tomlError('__proto__ = 1').code).toBe('unknown_key')
  })

  it('an unknown variable names the nearest one', () => {
    const error = errorOf({ env: { SVC_QUOTA_MONITOR_PROT: CANARY } })

    expect(error.message).toBe(
      'unknown environment variable SVC_QUOTA_MONITOR_PROT: expected SVC_QUOTA_MONITOR_PORT',
    )
  })

  it.each(['colour = "red"', 'x = 1', 'timeout = 5'])(
    '%s suggests no key, because none is near',
    (toml) => {
      expect(tomlError(toml).message).toMatch(
        /expected one of the keys that `svc-quota-monitor init config` prints$/,
      )
    },
  )

  it.each([
    { table: '[upstream]', expected: 'tables [[upstream]]' },
    { table: '[upstreams]', expected: 'tables [[upstream]]' },
    { table: '[log]', expected: 'keys at the top of the file, without a [table]' },
  ])('$table is told what is expected instead', ({ table, expected }) => {
    expect(tomlError(`${table}\nurl = "x"`).message).toContain(`: expected ${expected}`)
  })

  it('variables that Kubernetes sets for a service of this name are ignored with one line', () => {
    const env = {
      SVC_QUOTA_MONITOR_SERVICE_HOST: '10.0.0.7',
      SVC_QUOTA_MONITOR_SERVICE_PORT: '4515',
      SVC_QUOTA_MONITOR_SERVICE_PORT_HTTP: '4515',
      SVC_QUOTA_MONITOR_PORT: 'tcp://10.0.0.7:4515',
      SVC_QUOTA_MONITOR_PORT_4515_TCP: 'tcp://10.0.0.7:4515',
      SVC_QUOTA_MONITOR_PORT_4515_TCP_PROTO: 'tcp',
      SVC_QUOTA_MONITOR_PORT_4515_TCP_PORT: '4515',
      SVC_QUOTA_MONITOR_PORT_4515_TCP_ADDR: '10.0.0.7',
    }
    const { config, sourceByKey, warnings } = resolveConfig(configWorld({ env }))

    expect([config.server.port, sourceByKey.get('port')]).toEqual([4515, 'default'])
    expect(warnings).toEqual([
      expect.stringMatching(
        /^SVC_QUOTA_MONITOR_SERVICE_HOST and 7 more come from a Kubernetes service /,
      ),
    ])
    expect(errorOf({ env: { SVC_QUOTA_MONITOR_PORT: 'http://10.0.0.7' } }).code).toBe(
      'invalid_value',
    )
    expect(errorOf({ env: { SVC_QUOTA_MONITOR_SERVICE_NAME: 'x' } }).code).toBe('unknown_key')
  })

  it.each([
    [{ 'usage-source': 'queue' }, 'state_db'],
    [{ 'usage-source': 'queue', 'state-db': 'off' }, 'state_db'],
    [{ 'quota-transport': 'auth-files' }, 'auth_dir'],
  ])('%j needs %s', (flags, needed) => {
    expect(errorOf({ flags })).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(needed),
    })
  })
})

describe('the management key', () => {
  it('comes from the environment, and prints as nothing', () => {
    const resolved = resolveConfig(
      configWorld({ env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: ` ${CANARY}\n` } }),
    )

    expect(resolved.config.upstream.managementKey).toBeInstanceOf(Redacted)
    expect(resolved.config.upstream.managementKey?.reveal()).toBe(CANARY)
    expect(JSON.stringify(resolved.config)).not.toContain(CANARY)
  })
})

describe('the demo', () => {
  it('listens on its own port and takes nothing but the listener, display and log settings', () => {
    const flags = { 'upstream-url': 'no URL at all', 'state-db': 'x.db', 'log-level': 'debug' }
    const resolved = resolveConfig(
      configWorld({ demo: true, flags, env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: CANARY } }),
    )

    expect(resolved.config).toMatchObject({
      server: { port: 4516 },
      upstream: { upstreamUrl: 'http://127.0.0.1:8317', managementKey: null },
      history: { stateDb: null },
      log: { logLevel: 'debug' },
    })
    expect(resolved.ignoredKeys).toEqual(['upstream_url', 'state_db', 'management_key'])
  })

  it('still refuses what it does use', () => {
    expect(errorOf({ demo: true, flags: { port: '0' } }).code).toBe('invalid_value')
  })

  it('has no conflict between settings it ignores', () => {
    const flags = { 'usage-source': 'queue', 'quota-transport': 'auth-files' }

    expect(resolveConfig(configWorld({ demo: true, flags })).ignoredKeys).toEqual([
      'quota_transport',
      'usage_source',
    ])
  })

  it('opens no file unless a flag names it', () => {
    const opened: string[] = []
    const readTextFile = (path: string) => {
      opened.push(path)
      return ''
    }
    const env = {
      XDG_CONFIG_HOME: '/xdg',
      SVC_QUOTA_MONITOR_CONFIG: '/named.toml',
      SVC_QUOTA_MONITOR_MANAGEMENT_KEY_FILE: '/run/key',
    }

    resolveConfig(configWorld({ demo: true, env, readTextFile }))
    expect(opened).toEqual([])
    resolveConfig(configWorld({ demo: true, env, readTextFile, configFlag: '/named.toml' }))
    expect(opened).toEqual(['/named.toml'])
  })

  it('reads a config file only when a flag names it', () => {
    const files = { '/etc/svc-quota-monitor/config.toml': 'port = 1', '/named.toml': 'port = 2' }

    expect(
      resolveConfig(
        configWorld({ demo: true, files, env: { SVC_QUOTA_MONITOR_CONFIG: '/named.toml' } }),
      ).config.server.port,
    ).toBe(4516)
    expect(
      resolveConfig(configWorld({ demo: true, files, configFlag: '/named.toml' })).config.server
        .port,
    ).toBe(2)
  })
})

describe('the language that is given', () => {
  const ENV = 'SVC_QUOTA_MONITOR_DISPLAY_LANGUAGE'
  const files = (toml: string) => ({ '/etc/svc-quota-monitor/config.toml': toml })

  it.each<{
    readonly what: string
    readonly world: Parameters<typeof configWorld>[0]
    readonly language: string
  }>([
    { what: 'nowhere', world: {}, language: 'en' },
    { what: 'by a flag', world: { flags: { 'display-language': 'ZH-cn' } }, language: 'zh-CN' },
    { what: 'by the environment', world: { env: { [ENV]: 'zh' } }, language: 'zh' },
    { what: 'in a file', world: { files: files('display_language = "zh-CN"') }, language: 'zh-CN' },
    {
      what: 'by all three',
      world: {
        flags: { 'display-language': 'fr' },
        env: { [ENV]: 'de' },
        files: files('display_language = "zh-CN"'),
      },
      language: 'fr',
    },
    {
      what: 'beside mistakes',
      world: { env: { [ENV]: 'zh', SVC_QUOTA_MONITOR_PORT: 'x' }, files: files('wrong = 1') },
      language: 'zh',
    },
    { what: 'by a mistake', world: { env: { [ENV]: 'no language' } }, language: 'en' },
    { what: 'in a file that is none', world: { files: files('= [') }, language: 'en' },
    { what: 'in a file that is missing', world: { configFlag: '/none.toml' }, language: 'en' },
  ])('$what is $language', ({ world, language }) => {
    expect(languageGiven(configWorld(world))).toBe(language)
  })
})
