import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { envNameOf, resolveConfig, settingIn, settings } from '@svc/config'
import { artifacts } from '@svc/deploy'
import { afterAll, describe, expect, it, type TestContext } from 'vitest'
import type { CliContext } from '../program/cli-context.ts'
import { cli } from '../testing/run-for-test.ts'

const CANARY = 'init-canary-key-0815'
const isCi = process.env.CI !== undefined
const folder = mkdtempSync(join(tmpdir(), 'svc-init-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
/** systemd looks whether what it is to start is there. */
const NODE = join(folder, 'node')
symlinkSync(process.execPath, NODE)

const printed = async (argv: readonly string[], changes: Partial<CliContext> = {}) => {
  const outcome = await cli(['init', ...argv], {
    nodePath: NODE,
    env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: CANARY },
    ...changes,
  })
  expect(outcome).toMatchObject({ code: 0, stderr: '' })
  return outcome.stdout
}
const inToml = (text: string): Partial<CliContext> => ({
  readTextFile: (path) => (path === '/etc/x/config.toml' ? text : ''),
})
const FROM_TOML = ['--config', '/etc/x/config.toml']

function tool(context: TestContext, command: string, args: readonly string[], cwd: string) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', cwd })
  if (error !== undefined && !isCi) context.skip(`skipped, because ${command} is not installed`)
  return { status, output: stdout + stderr }
}

describe('init --write', () => {
  it('writes every artifact without a secret, and a README that names each of them', async () => {
    const target = join(folder, 'all')
    await printed(['--config', 'off', '--write', target])
    const text = (file: string) => readFileSync(join(target, file), 'utf8')

    expect(readdirSync(target).sort()).toEqual(artifacts.map(({ file }) => file).sort())
    for (const { file, mode } of artifacts) {
      expect(text(file)).not.toContain(CANARY)
      expect(statSync(join(target, file)).mode & 0o777).toBe(mode)
      if (file !== 'README.md')
        expect(text('README.md')).toMatch(
          new RegExp(`[\\s\`]${file.replaceAll('.', '\\.')}[\\s\`]`),
        )
    }
  })

  it.each([
    [
      '/home/ana/.nvm/versions/node/v22.0.0/bin/node',
      '/usr/lib/node_modules/svc-quota-monitor/dist/main.js',
    ],
    ['/usr/bin/node', '/home/ana/quota/apps/cli/dist/main.js'],
    ['/root/node/bin/node', '/opt/x/main.js'],
    ['/data/people/ana/bin/node', '/opt/x/main.js'],
  ])(
    'makes no unit that would start %s %s from a home directory, and says why',
    async (nodePath, programPath) => {
      const context = { nodePath, programPath, homeDir: '/data/people/ana' }
      const alone = await cli(['init', 'systemd', '--config', 'off'], context)
      expect(alone).toMatchObject({ code: 1, stdout: '' })
      expect(alone.stderr).toMatch(
        /^svc-quota-monitor: svc-quota-monitor\.service is not made: \S+ is in a home directory, .* run init from there\n$/,
      )

      const target = mkdtempSync(join(folder, 'home-'))
      const written = await cli(['init', '--config', 'off', '--write', target], context)
      expect(written.stderr.trim().split('\n')).toHaveLength(2)
      expect(readdirSync(target)).toHaveLength(artifacts.length - 2)
    },
  )
})

describe('the unit', () => {
  const OWN_STORE = ['--state-db', '/srv/quota/history.db']
  it.for<readonly [string, readonly string[]]>([
    ['as it comes', []],
    ['with a store of its own', OWN_STORE],
    [
      'with everything',
      [
        ...OWN_STORE,
        '--auth-dir',
        '/srv/auths',
        '--benchmark-summary',
        '/srv/my bench.json',
        '--client-labels-file',
        '/srv/l.json',
      ],
    ],
    ['on a port of root', ['--port', '80']],
  ])('%s is taken by systemd in silence, and is hardened', async ([, argv], context) => {
    const target = mkdtempSync(join(folder, 'unit-'))
    writeFileSync(join(target, 'q.service'), await printed(['systemd', '--config', 'off', ...argv]))

    expect(tool(context, 'systemd-analyze', ['verify', './q.service'], target)).toEqual({
      status: 0,
      output: '',
    })
    expect(
      tool(
        context,
        'systemd-analyze',
        ['security', '--offline=yes', '--threshold=40', './q.service'],
        target,
      ).status,
    ).toBe(0)
  })

  it('of the backup is taken by systemd as well, and its timer', async (context) => {
    const target = mkdtempSync(join(folder, 'backup-'))
    for (const kind of ['service', 'timer'])
      writeFileSync(
        join(target, `svc-quota-monitor-backup.${kind}`),
        await printed([`backup-${kind}`, '--config', 'off']),
      )

    for (const unit of readdirSync(target))
      expect(tool(context, 'systemd-analyze', ['verify', `./${unit}`], target)).toEqual({
        status: 0,
        output: '',
      })
  })

  it('names every path as a whole, because it reads the configuration from another folder', async () => {
    const toml =
      'auth_dir = "auths"\nbenchmark_summary = "bench.json"\nclient_labels_file = "labels.json"\nmanagement_key_file = "key"'
    const unit = await printed(['systemd', ...FROM_TOML], inToml(toml))

    expect(unit).toContain('\nEnvironment=SVC_QUOTA_MONITOR_AUTH_DIR=/etc/x/auths\n')
    expect(unit).toContain('\nEnvironment=SVC_QUOTA_MONITOR_BENCHMARK_SUMMARY=/etc/x/bench.json\n')
    expect(unit).toContain('\nLoadCredential=client-labels:/etc/x/labels.json\n')
    expect(unit).toContain('\nLoadCredential=management-key:/etc/x/key\n')
  })

  it.each([
    ['', '/var/lib/svc-quota-monitor/history.db', true],
    [
      'state_db = "/var/lib/svc-quota-monitor/usage.db"',
      '/var/lib/svc-quota-monitor/usage.db',
      true,
    ],
    ['state_db = "data/history.db"', '/etc/x/data/history.db', false],
    ['state_db = "off"', null, true],
  ])('of %j keeps its history in %s', async (toml, path, isDynamic) => {
    const unit = await printed(['systemd', ...FROM_TOML], inToml(toml))

    expect(/^Environment=SVC_QUOTA_MONITOR_STATE_DB=(.*)$/m.exec(unit)?.[1] ?? null).toBe(path)
    expect(unit.includes('DynamicUser=yes')).toBe(isDynamic)
    expect(unit.includes('ReadWritePaths=/etc/x/data\n')).toBe(!isDynamic)
  })

  it('says that a new key needs a restart', async () => {
    expect(await printed(['systemd', '--config', 'off'])).toMatch(
      /^# So a new key.* systemctl restart svc-quota-monitor$/m,
    )
  })
})

describe('the backup', () => {
  it('writes one more and keeps the newest 14, and none goes when it fails', async () => {
    const backups = join(folder, 'backups')
    mkdirSync(backups)
    const names = Array.from(
      { length: 20 },
      (_, index) => `history-202011${String(index + 1).padStart(2, '0')}T030000Z.json`,
    )
    for (const name of names) writeFileSync(join(backups, name), '')
    // Plays the program: the last argument is the file to write.
    const program = join(folder, 'export')
    writeFileSync(program, '#!/bin/sh\nfor last; do :; done\nprintf %s "$*" > "$last"\n')
    chmodSync(program, 0o755)
    const unit = await printed(['backup-service', '--config', 'off'], {
      nodePath: '/usr/bin/node',
      programPath: '/opt/main.js',
    })
    const steps = [...unit.matchAll(/^ExecStart=\/bin\/sh -c '(.*)'$/gm)].map(([, step = '']) =>
      step
        .replaceAll('%%', '%')
        .replaceAll('$$', '$')
        .replaceAll('/var/lib/svc-quota-monitor/backups', backups)
        .replace('/usr/bin/node --disable-proto=delete /opt/main.js', program),
    )
    // One step fails as a whole, and systemd does not go on then.
    for (const step of steps) expect(spawnSync('/bin/sh', ['-c', step]).status).toBe(0)
    const left = readdirSync(backups).sort()

    expect(steps).toHaveLength(2)
    expect(left).toHaveLength(14)
    expect(left.slice(0, 13)).toEqual(names.slice(-13))
    expect(readFileSync(join(backups, left.at(-1) ?? ''), 'utf8')).toMatch(
      /^export-history --state-db \/var\/lib\/svc-quota-monitor\/history\.db --output \S*history-\d{8}T\d{6}Z\.json$/,
    )
  })
})

/** A value of every setting that is not its default. */
const OTHER_VALUES: Readonly<Record<string, string>> = {
  host: '192.0.2.7',
  port: '8080',
  allowed_hosts: 'a.example,b.example:8443',
  manual_quota_refresh_auth: 'management-key',
  upstream_url: 'https://proxy.example/base',
  gateway_health_url: 'https://lb.example/up',
  management_key_file: '/srv/key',
  refresh_seconds: '30',
  upstream_timeout_seconds: '60',
  auth_dir: '/srv/auths',
  quota_transport: 'api-call',
  quota_probe_concurrency: '1',
  quota_probes_per_minute: '10',
  weekly_to_five_hour_multiplier: '5',
  usage_source: 'legacy',
  state_db: '/srv/history.db',
  history_write_seconds: '30',
  history_retention_days: '30',
  usage_retention_days: '30',
  client_labels_file: '/srv/labels.json',
  benchmark_summary: '/srv/bench.json',
  display_timezone: 'Asia/Kathmandu',
  alert_five_hour_min_plus: '2',
  alert_weekly_min_plus: '3',
  alert_routable_min: '4',
  log_level: 'debug',
  log_format: 'json',
}
/** What is another place inside a container. */
const PLACES: ReadonlySet<string> = new Set([
  'host',
  'port',
  'management_key_file',
  'auth_dir',
  'state_db',
  'client_labels_file',
  'benchmark_summary',
])

describe('compose.yaml', () => {
  const environmentIn = (compose: string): Record<string, string> =>
    Object.fromEntries(
      [...compose.matchAll(/^ {6}(SVC_\w+): (".*")$/gm)].map(([, name = '', value = '']) => [
        name,
        JSON.parse(value) as string,
      ]),
    )
  const configOf = (env: Readonly<Record<string, string>>) =>
    resolveConfig({
      flags: {},
      configFlag: 'off',
      env,
      cwd: '/',
      homeDir: '/',
      hostTimeZone: 'UTC',
      demo: false,
      readTextFile: () => '',
    }).config

  it('carries every setting, and every file of the configuration', async () => {
    const env = Object.fromEntries(
      settings.map((setting) => [envNameOf(setting), OTHER_VALUES[setting.key] ?? '']),
    )
    const compose = await printed(['compose', '--config', 'off'], { env })
    const [given, inside] = [configOf(env), configOf(environmentIn(compose))]

    for (const setting of settings) {
      const { key } = setting
      const value = settingIn(given, setting)
      expect(value, key).not.toEqual(settingIn(configOf({}), setting))
      if (PLACES.has(key)) expect(settingIn(inside, setting), key).not.toBeNull()
      else expect(settingIn(inside, setting), key).toEqual(value)
    }
    for (const place of [
      '"/srv/key"',
      '"/srv/labels.json"',
      '/srv/auths:/auths:ro',
      '/srv/bench.json:/benchmark.json:ro',
      '192.0.2.7:8080:4515',
    ])
      expect(compose).toContain(place)
  })

  it.each([
    ['http://127.0.0.1:8317', true],
    ['http://localhost:8317', true],
    ['http://[::1]:8317', true],
    ['http://cli-proxy-api:8317', false],
    ['https://127.example', false],
  ])('with the proxy at %s shares the network of the machine: %s', async (url, shares) => {
    const compose = await printed(['compose', '--config', 'off', '--upstream-url', url])
    const inside = configOf(environmentIn(compose))

    expect(compose.includes('network_mode: host')).toBe(shares)
    expect(compose.includes('ports: ["127.0.0.1:4515:4515"]')).toBe(!shares)
    expect([inside.upstream.upstreamUrl, inside.server.host]).toEqual([
      url,
      shares ? '127.0.0.1' : '0.0.0.0',
    ])
  })

  it('has no variable where a path has a dollar sign', async () => {
    const files = ['--client-labels-file', '/srv/$HOME/l.json', '--auth-dir', '/srv/$HOME/auths']
    const compose = await printed(['compose', '--config', 'off', ...files])

    expect(compose).toContain('"/srv/$$HOME/auths:/auths:ro"')
    expect(compose).toContain('file: "/srv/$$HOME/l.json"')
  })

  it('keeps no history where none is to be kept', async () => {
    const compose = await printed(['compose', '--config', 'off', '--state-db', 'off'])

    expect(configOf(environmentIn(compose)).history.stateDb).toBeNull()
  })
})

describe('what stands in front', () => {
  it('listens on the port that is listed with the name', async () => {
    const nginx = await printed([
      'nginx',
      '--config',
      'off',
      '--allowed-host',
      'quota.example.com:8443',
    ])
    const caddy = await printed([
      'caddy',
      '--config',
      'off',
      '--allowed-host',
      'quota.example.com:8443',
    ])

    expect(nginx).toContain('listen 8443 ssl;')
    expect(nginx).toContain('server_name quota.example.com;')
    expect(nginx).toContain('proxy_set_header Host $http_host;')
    expect(caddy).toMatch(/^quota\.example\.com:8443 \{$/m)
    expect(caddy).toMatch(/^\tbasic_auth \{$/m)
    for (const text of [nginx, caddy])
      expect(text).toContain('--allowed-host quota.example.com:8443')
  })

  it('of an IPv6 address has it in brackets', async () => {
    expect(await printed(['nginx', '--config', 'off', '--allowed-host', '[fd00::1]'])).toContain(
      'server_name [fd00::1];',
    )
  })
})

describe('alerts', () => {
  it('go from Prometheus to Alertmanager, which knows where', async (context) => {
    const target = mkdtempSync(join(folder, 'alerts-'))
    for (const [id, file] of [
      ['prometheus', 'prometheus.yml'],
      ['rules', 'quota-rules.yml'],
      ['rules-test', 'quota-rules.test.yml'],
      ['alertmanager', 'alertmanager.yml'],
    ] as const)
      writeFileSync(join(target, file), await printed([id, '--config', 'off']))
    expect(readFileSync(join(target, 'prometheus.yml'), 'utf8')).toMatch(
      /alertmanagers:[\s\S]*127\.0\.0\.1:9093/,
    )

    expect(tool(context, 'promtool', ['check', 'config', 'prometheus.yml'], target).status).toBe(0)
    expect(
      tool(context, 'promtool', ['test', 'rules', 'quota-rules.test.yml'], target).output,
    ).toContain('SUCCESS')
    const checked = tool(context, 'amtool', ['check-config', 'alertmanager.yml'], target)
    expect(checked.output).toContain('SUCCESS')
    for (const [severity, receiver] of [
      ['critical', 'wake'],
      ['warning', 'tell'],
    ])
      expect(
        tool(
          context,
          'amtool',
          ['config', 'routes', 'test', '--config.file=alertmanager.yml', `severity=${severity}`],
          target,
        ).output,
      ).toMatch(new RegExp(`^${receiver}$`, 'm'))
  })

  it.each([
    'QuotaGatewayDown',
    'QuotaKeyRefused',
    'QuotaHistoryFailing',
    'QuotaSecondReader',
    'QuotaNeedsYou',
  ])('have %s, with a case that fires and one that does not', async (name) => {
    const tests = await printed(['rules-test', '--config', 'off'])

    expect(await printed(['rules', '--config', 'off'])).toContain(`- alert: ${name}\n`)
    for (const ends of ['fires', 'is silent']) expect(tests).toContain(`"${name} ${ends}"`)
  })
})
