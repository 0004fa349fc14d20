import { envNameOf, resolveConfig, settingIn, settings } from '@svc/config'
import { configWorld } from '@svc/config/testing'
import { describe, expect, it } from 'vitest'
import { anInstallation, type Circumstances } from '../testing/an-installation.ts'
import { compose, dockerfile } from './compose.ts'

/** For every setting a value that differs from its default. */
const OTHER_VALUES: Readonly<Record<string, string>> = {
  host: '192.0.2.7',
  port: '8080',
  allowed_hosts: 'a.example,b.example:8443',
  manual_quota_refresh_auth: 'management-key',
  upstream_url: 'https://proxy.example/base',
  gateway_health_url: 'https://lb.example/up',
  upstream_ui_url: 'https://lb.example/ui',
  management_key_file: '/srv/key',
  refresh_seconds: '30',
  upstream_timeout_seconds: '60',
  auth_dir: '/srv/auths',
  quota_transport: 'api-call',
  quota_probe_concurrency: '1',
  quota_probes_per_minute: '10',
  quota_probe_providers: 'codex,kimi',
  weekly_to_five_hour_multiplier: '5',
  usage_source: 'legacy',
  state_db: 'postgres://monitor@db.example/history?sslrootcert=/srv/own.pem',
  state_db_password_file: '/srv/db-password',
  state_db_replica: 'postgres://standby.example/history',
  history_write_seconds: '30',
  history_retention_days: '30',
  usage_retention_days: '30',
  metrics_series_max: '50',
  price_file: '/srv/prices/litellm.json',
  price_overrides: '/srv/prices.toml',
  client_labels_file: '/srv/labels.json',
  benchmark_summary: '/srv/bench.json',
  display_timezone: 'Asia/Kathmandu',
  display_language: 'zh-CN',
  ics_names: 'true',
  alert_five_hour_min_plus: '2',
  alert_weekly_min_plus: '3',
  alert_routable_min: '4',
  log_level: 'debug',
  log_format: 'json',
}
/** Settings whose path or address differs inside a container. */
const PLACES: ReadonlySet<string> = new Set([
  'host',
  'port',
  'management_key_file',
  'auth_dir',
  'state_db_password_file',
  'price_file',
  'price_overrides',
  'client_labels_file',
  'benchmark_summary',
])

const composed = (flags: Readonly<Record<string, string>>) => compose(anInstallation({ flags }))

describe('compose.yaml', () => {
  const environmentIn = (text: string): Record<string, string> =>
    Object.fromEntries(
      [...text.matchAll(/^ {6}(SVC_\w+): (".*")$/gm)].map(([, name = '', value = '']) => [
        name,
        JSON.parse(value) as string,
      ]),
    )
  const configOf = (env: Readonly<Record<string, string>>) => anInstallation({ env }).config
  /** A list of several proxies replaces the settings of one. */
  const carried = settings.filter(({ key }) => key !== 'upstreams_file')

  it('carries every setting, and every file of the configuration', () => {
    const env = Object.fromEntries(
      carried.map((setting) => [envNameOf(setting), OTHER_VALUES[setting.key] ?? '']),
    )
    const text = compose(anInstallation({ env }))
    const [given, inside] = [configOf(env), configOf(environmentIn(text))]

    for (const setting of carried) {
      const { key } = setting
      const value = settingIn(given, setting)
      expect(value, key).not.toEqual(settingIn(configOf({}), setting))
      if (key === 'allowed_hosts')
        expect(settingIn(inside, setting)).toEqual([
          ...given.server.allowedHosts,
          { host: 'svc-quota-monitor', port: 4515 },
        ])
      else if (PLACES.has(key)) expect(settingIn(inside, setting), key).not.toBeNull()
      else expect(settingIn(inside, setting), key).toEqual(value)
    }
    for (const place of [
      '"/srv/key"',
      '"/srv/labels.json"',
      '"/srv/db-password"',
      '/srv/own.pem:/srv/own.pem:ro',
      '/srv/auths:/auths:ro',
      '/srv/prices:/prices:ro',
      '/srv/prices.toml:/prices.toml:ro',
      '/srv/bench.json:/benchmark.json:ro',
      '192.0.2.7:8080:4515',
    ])
      expect(text).toContain(place)
  })

  const TABLES = `refresh_seconds = 30
auth_dir = "/srv/auths"
[[upstream]]
name = "tokyo"
url = "https://tokyo.example"
management_key_file = "/srv/keys/tokyo"
refresh_seconds = 5
[[upstream]]
name = "berlin"
url = "http://10.0.0.9:8317"
management_key_file = "/srv/keys/berlin"
auth_dir = "/srv/berlin"
`
  it.each<{
    readonly where: string
    readonly circumstances: Circumstances
    readonly inside: string
  }>([
    {
      where: 'the configuration',
      circumstances: { toml: `port = 4000\n${TABLES}` },
      inside: 'config.toml',
    },
    {
      where: 'a file of their own',
      circumstances: {
        toml: 'upstreams_file = "proxies.toml"\nrefresh_seconds = 30\nauth_dir = "/srv/auths"',
        files: { '/etc/x/proxies.toml': TABLES.slice(TABLES.indexOf('[[')) },
      },
      inside: 'upstreams.toml',
    },
  ])('carries the tables of $where, and a key file of each', ({ circumstances, inside }) => {
    const installation = anInstallation(circumstances)
    const text = compose(installation)
    const file = circumstances.files?.['/etc/x/proxies.toml'] ?? circumstances.toml ?? ''
    const { config } = resolveConfig(
      configWorld({
        env: environmentIn(text),
        files: { [`/run/secrets/${inside}`]: file },
      }),
    )

    const withoutKeys = (upstreams: typeof config.fleet.upstreams) =>
      upstreams.map((one) => ({ ...one, upstream: { ...one.upstream, managementKeyFile: null } }))
    expect(withoutKeys(config.fleet.upstreams)).toEqual(
      withoutKeys(installation.config.fleet.upstreams),
    )
    expect(config.fleet.upstreams.map(({ upstream }) => upstream.managementKeyFile)).toEqual([
      '/run/secrets/management-key-tokyo',
      '/run/secrets/management-key-berlin',
    ])
    for (const name of ['tokyo', 'berlin'])
      expect(text).toContain(`\n  management-key-${name}:\n    file: "/srv/keys/${name}"\n`)
    expect(text).toContain('"/srv/auths:/srv/auths:ro","/srv/berlin:/srv/berlin:ro"')
    expect(text).not.toContain('UPSTREAM_URL')
  })

  it('carries the tables of receivers, and the file with the address of each', () => {
    const toml =
      '[[notify]]\nname = "phone"\nkind = "ntfy"\nurl_file = "notify-phone"\nnames = true\n'
    const installation = anInstallation({ toml })
    const text = compose(installation)
    const files = { '/run/secrets/config.toml': toml }
    const { config } = resolveConfig(configWorld({ env: environmentIn(text), files }))

    expect(config.notify.targets).toEqual([
      { ...installation.config.notify.targets[0], urlFile: '/run/secrets/notify-phone' },
    ])
    expect(text).toContain('\n  notify-phone:\n    file: "/etc/x/notify-phone"\n')
    expect(text).toMatch(/secrets: \[config\.toml, .*notify-phone\]/)
  })

  it.each([
    { url: 'http://127.0.0.1:8317', shares: true },
    { url: 'http://localhost:8317', shares: true },
    { url: 'http://[::1]:8317', shares: true },
    { url: 'http://cli-proxy-api:8317', shares: false },
    { url: 'https://127.example', shares: false },
  ])('with the proxy at $url shares the network of the machine: $shares', ({ url, shares }) => {
    const text = composed({ 'upstream-url': url })
    const inside = configOf(environmentIn(text))

    expect(text.includes('network_mode: host')).toBe(shares)
    expect(text.includes('ports: ["127.0.0.1:4515:4515"]')).toBe(!shares)
    expect([inside.upstream.upstreamUrl, inside.server.host]).toEqual([
      url,
      shares ? '127.0.0.1' : '0.0.0.0',
    ])
  })

  it('has no variable where a path has a dollar sign', () => {
    const text = composed({
      'client-labels-file': '/srv/$HOME/l.json',
      'auth-dir': '/srv/$HOME/auths',
    })

    expect(text).toContain('"/srv/$$HOME/auths:/auths:ro"')
    expect(text).toContain('file: "/srv/$$HOME/l.json"')
  })

  it.each([
    [null, 'quota.example.com'],
    ['quota.lan,b.example', 'quota.lan,b.example'],
  ])('answers other containers by the name of the service beside %s', (listed, names) => {
    const hosts: Readonly<Record<string, string>> =
      listed === null ? {} : { 'allowed-host': listed }
    const own = compose(
      anInstallation({ flags: { ...hosts, 'upstream-url': 'https://proxy.example' } }),
    )

    expect(environmentIn(own).SVC_QUOTA_MONITOR_ALLOWED_HOSTS).toBe(
      `${names},svc-quota-monitor:4515`,
    )
    expect(
      environmentIn(compose(anInstallation({ flags: hosts }))).SVC_QUOTA_MONITOR_ALLOWED_HOSTS,
    ).toBe(names)
  })

  it.each([
    ['http://cli-proxy-api:8317', 'cli-proxy-api'],
    ['http://proxy_1:8317', 'proxy_1'],
    ['http://127.0.0.1:8317', null],
    ['http://localhost:8317', null],
    ['http://192.0.2.7:8317', null],
    ['http://[2001:db8::7]:8317', null],
    ['http://host.docker.internal:8317', null],
    ['https://proxy.example', null],
  ])('of the proxy %s is in the network of the container %s', (url, container) => {
    const text = composed({ 'upstream-url': url })

    expect(text.includes('    networks: [default, proxy]\n')).toBe(container !== null)
    expect(/^ {2}# The network that (\S+) is in: /m.exec(text)?.[1] ?? null).toBe(container)
    expect(
      /^networks:\n(?: {2}.*\n)+ {2}proxy:\n {4}name: .*\n {4}external: true\n/m.test(text),
    ).toBe(container !== null)
  })

  it('keeps no history where none is to be kept', () => {
    const text = composed({ 'state-db': 'off' })

    expect(configOf(environmentIn(text)).history.stateDb).toBeNull()
  })

  it.each([
    { stateDb: '/srv/history.db', inside: '/state/history.db', volume: true },
    {
      stateDb: 'postgres://db.example/h',
      inside: 'postgres://db.example/h?sslmode=verify-full',
      volume: false,
    },
    {
      stateDb: 'postgres:///h?host=/run/postgresql',
      inside: 'postgres:///h?host=/run/postgresql&sslmode=disable',
      volume: false,
    },
  ])('of $stateDb has $inside, and a volume of its own: $volume', (row) => {
    const text = composed({ 'state-db': row.stateDb, 'upstream-url': 'http://proxy.example' })

    expect(configOf(environmentIn(text)).history.stateDb).toBe(row.inside)
    expect(text.includes('state:/state')).toBe(row.volume)
    expect(/^volumes:\n {2}state:$/m.test(text)).toBe(row.volume)
    expect(text.includes('/run/postgresql:/run/postgresql:ro')).toBe(row.inside.includes('host='))
  })

  it('shares the network of the machine with a database that listens there', () => {
    const text = composed({
      'state-db': 'postgres://127.0.0.1/h',
      'upstream-url': 'http://proxy.example',
    })

    expect(text).toContain('network_mode: host')
  })

  it.each([
    { host: '127.0.0.1', published: '127.0.0.1:4515:4515' },
    // Docker accepts only addresses.
    { host: 'localhost', published: '127.0.0.1:4515:4515' },
    { host: '::1', published: '[::1]:4515:4515' },
  ])('publishes its port at $host as $published', ({ host, published }) => {
    expect(composed({ host, 'upstream-url': 'http://cli-proxy-api:8317' })).toContain(
      `ports: ["${published}"]`,
    )
  })

  it.each([
    { url: 'http://cli-proxy-api:8317', port: '4515' },
    // The container shares the machine's network, and therefore its ports.
    { url: 'http://127.0.0.1:8317', port: '8080' },
  ])('beside $url tells the program, whose health check asks there, the port $port', (row) => {
    const { SVC_QUOTA_MONITOR_PORT } = environmentIn(
      composed({ port: '8080', 'upstream-url': row.url }),
    )

    expect(SVC_QUOTA_MONITOR_PORT).toBe(row.port)
  })

  it('never holds the management key of the environment', () => {
    const env = { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: 'compose-canary-0815' }

    expect(compose(anInstallation({ env }))).not.toContain('canary')
  })
})

/** The instructions of a container file by stage, with continued lines joined; the part before the first stage comes first. */
function stages(): readonly (readonly string[])[] {
  const instructions = dockerfile(anInstallation())
    .replace(/\\\n/g, '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  return instructions.reduce<string[][]>(
    (all, line) => {
      if (line.startsWith('FROM ')) all.push([])
      all.at(-1)?.push(line)
      return all
    },
    [[]],
  )
}

describe('the container file', () => {
  it('starts each stage from one Debian image of a named release', () => {
    const [before, ...all] = stages()

    expect(before).toEqual([expect.stringMatching(/^ARG BASE=debian:\d+\.\d+-slim$/)])
    expect(all.map(([from]) => from)).toEqual([`FROM \${BASE} AS build`, `FROM \${BASE}`])
  })

  it("takes everything else from Debian's and npm's packages and the package beside it", () => {
    const all = stages().flat()
    const commands = all
      .filter((line) => line.startsWith('RUN '))
      .flatMap((line) => line.slice('RUN '.length).split(/\s*&&\s*/))

    expect(
      new Set(commands.map((command) => command.replace(/^\w+=\S+ /, '').split(' ')[0])),
    ).toEqual(new Set(['apt-get', 'npm', 'node', 'mkdir', 'rm', 'ln']))
    expect(all.join('\n')).not.toMatch(/curl|wget|\bADD\b|https?:\/\/(?!127\.0\.0\.1)/)
    expect(all.filter((line) => line.startsWith('COPY '))).toEqual([
      expect.stringMatching(/^COPY svc-quota-monitor-[\d.]+\.tgz \.$/),
      'COPY --from=build /app/node_modules /app/node_modules',
      expect.stringMatching(/^COPY --from=build --chown=(\d+):\1 \/state \/state$/),
    ])
  })

  it('has a compiler in the first stage alone, and fails there without SQLite', () => {
    const [, build = [], last = []] = stages()
    const text = build.join('\n')

    for (const tool of ['g++', 'make', 'python3', 'libnode-dev', 'npm'])
      expect(text).toContain(` ${tool}`)
    expect(text).toContain(`node -e "new (require('better-sqlite3'))(':memory:').close()"`)
    expect(last.filter((line) => line.startsWith('RUN ')).join()).not.toMatch(
      /g\+\+|make|python|-dev|npm/,
    )
  })

  it('runs as a user by number who is not root, listens and is asked on loopback for its health', () => {
    const last = stages().at(-1) ?? []
    const instruction = (name: string) => last.find((line) => line.startsWith(`${name} `)) ?? ''

    expect(Number(/^USER (\d+):\1$/.exec(instruction('USER'))?.[1])).toBeGreaterThan(60_000)
    const check = '"/usr/bin/svc-quota-monitor","line","--alive"]'
    expect(instruction('HEALTHCHECK')).toContain(` CMD [${check}`)
    expect(last.join()).toContain('ln -s /app/node_modules/.bin/svc-quota-monitor /usr/bin/')
    expect(composed({})).toContain(`test: ["CMD",${check}`)
    expect(JSON.parse(instruction('ENTRYPOINT').slice('ENTRYPOINT '.length))).toEqual([
      '/usr/bin/node',
      '--disable-proto=delete',
      '/app/node_modules/svc-quota-monitor/dist/main.js',
    ])
    // An instruction after USER cannot run as root.
    expect(last.indexOf(instruction('USER'))).toBeGreaterThan(
      last.findLastIndex((line) => /^(?:RUN|COPY) /.test(line)),
    )
  })
})
