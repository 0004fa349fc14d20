import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { anInstallation, type Circumstances } from '../testing/an-installation.ts'
import { machineTool } from '../testing/machine-tool.ts'
import { ALL_ODD_NAMES, folderNamed, ODD_NAMES, wordsOf } from '../testing/odd-names.ts'
import { backupService } from './backup.ts'
import { systemdUnit, unitRefusal } from './systemd-unit.ts'
import { userUnit } from './user-service.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-unit-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
/** systemd checks that the program to start exists. */
const NODE = join(folder, 'node')
symlinkSync(process.execPath, NODE)

describe('the units', () => {
  it.for([...ODD_NAMES, ALL_ODD_NAMES])(
    'of paths with %j are taken by systemd in silence',
    (name, context) => {
      const { outside, own, node } = folderNamed(name, folder)
      const paths = [
        'state-db',
        'auth-dir',
        'benchmark-summary',
        'price-file',
        'price-overrides',
        'client-labels-file',
        'management-key-file',
      ]
      const installation = anInstallation({
        flags: Object.fromEntries(paths.map((flag) => [flag, join(own, flag)])),
        nodePath: node,
        programPath: join(own, 'main.js'),
      })
      expect(unitRefusal(installation)).toBeNull()
      for (const [file, text] of [
        ['unit.service', systemdUnit(installation)],
        ['backup.service', backupService(installation)],
        ['user.service', userUnit(installation)],
      ] as const) {
        writeFileSync(join(outside, file), text)
        expect(machineTool(context, 'systemd-analyze', ['verify', `./${file}`], outside)).toEqual({
          status: 0,
          output: '',
        })
      }

      const unit = readFileSync(join(outside, 'unit.service'), 'utf8')
      const wordsAt = (start: string) =>
        wordsOf(
          unit
            .split('\n')
            .find((line) => line.includes(start))
            ?.replace(/^\w+=/, '') ?? '',
        )
      expect(wordsAt('STATE_DB=')).toEqual([`SVC_QUOTA_MONITOR_STATE_DB=${join(own, 'state-db')}`])
      expect(wordsAt('ReadWritePaths=')).toEqual([own])
      expect(unit).toContain(
        `\nLoadCredential=client-labels:${join(own, 'client-labels-file').replaceAll('%', '%%')}\n`,
      )
      // The hint is a shell command.
      const hint = /chown -R svc-quota-monitor (.*)$/m.exec(unit)?.[1] ?? ''
      expect(
        spawnSync('/bin/sh', ['-c', `printf '%s|' ${hint}`], { encoding: 'utf8' }).stdout,
      ).toBe(`${own}|`)
    },
  )

  it('are not made for a program that systemd would not start', () => {
    expect(unitRefusal(anInstallation({ nodePath: "/opt/o'brien/node" }))).toContain(
      'has a quote or a backslash in its name, and systemd starts no such program: rename it',
    )
  })

  it.each([
    {
      what: 'a line break',
      authDir: '/srv/a\nExecStartPre=/bin/false',
      why: 'has a line break or another control character in its name',
    },
    { what: 'a backslash at its end', authDir: '/srv/a\\', why: 'ends in a blank or a backslash' },
    { what: 'a blank at its end', authDir: '/srv/a ', why: 'ends in a blank or a backslash' },
  ])('are not made of a path with $what, and it says why', ({ authDir, why }) => {
    expect(unitRefusal(anInstallation({ flags: { 'auth-dir': authDir } }))).toBe(
      `${JSON.stringify(authDir)} ${why}, which systemd does not take: rename it`,
    )
  })
})

const DATABASE = {
  'state-db': 'postgres://na%20me@db.example/h?sslrootcert=/etc/ssl/own.pem',
  'state-db-password-file': '/etc/svc-quota-monitor/my password',
} as const
const TABLES = ['tokyo', 'berlin']
  .map((name) => `[[upstream]]\nname = "${name}"\nurl = "https://${name}.example"\n`)
  .map((table, index) => `${table}management_key_file = "my keys/${index}"\n`)
  .join('')
const RECEIVERS = ['phone', 'ops']
  .map((name) => `[[notify]]\nname = "${name}"\nkind = "webhook"\nurl_file = "notify-${name}"\n`)
  .join('')
const OWN_STORE = { 'state-db': '/srv/quota/history.db' } as const

describe('the unit', () => {
  it.for<{ readonly what: string } & Circumstances>([
    { what: 'as it comes', flags: {} },
    { what: 'with a store of its own', flags: OWN_STORE },
    {
      what: 'with everything',
      flags: {
        ...OWN_STORE,
        'auth-dir': '/srv/auths',
        'benchmark-summary': '/srv/my bench.json',
        'client-labels-file': '/srv/l.json',
        'price-file': '/srv/prices/litellm.json',
        'price-overrides': '/srv/prices.toml',
      },
    },
    { what: 'on a port of root', flags: { port: '80' } },
    { what: 'with a database', flags: DATABASE },
    { what: 'with tables of several proxies', toml: TABLES },
    { what: 'with receivers of messages', toml: RECEIVERS },
  ])('$what is taken by systemd in silence, and is hardened', ({ what: _, ...given }, context) => {
    const target = mkdtempSync(join(folder, 'unit-'))
    const unit = systemdUnit(anInstallation({ ...given, nodePath: NODE }))
    writeFileSync(join(target, 'q.service'), unit)

    expect(machineTool(context, 'systemd-analyze', ['verify', './q.service'], target)).toEqual({
      status: 0,
      output: '',
    })
    const strictness = ['security', '--offline=yes', '--threshold=40', './q.service']
    expect(machineTool(context, 'systemd-analyze', strictness, target).status).toBe(0)
  })

  it('puts the files with addresses of receivers beside the copy of the configuration', () => {
    const unit = systemdUnit(anInstallation({ toml: RECEIVERS }))

    for (const name of ['phone', 'ops'])
      expect(unit).toContain(`\nLoadCredential=notify-${name}:/etc/x/notify-${name}\n`)
    expect(unit).toContain('\n# In a [[notify]] table url_file stands by its name alone:')
  })

  it.each([
    ['"my phone"', '/etc/x/my phone'],
    ['"other/notify-phone"', '/etc/x/other/notify-phone'],
  ])('is not made where the file %s of an address cannot have its name', (file, path) => {
    const toml = RECEIVERS.replace('"notify-ops"', file)

    expect(unitRefusal(anInstallation({ toml }))).toBe(
      `url_file "${path}" needs a name of its own, of letters, digits, ., _ and -: rename it`,
    )
  })

  it('hands on the address of a database and its password file, and asks for no folder', () => {
    const unit = systemdUnit(anInstallation({ flags: DATABASE }))

    expect(unit).toContain(
      '\nEnvironment=SVC_QUOTA_MONITOR_STATE_DB=postgres://na%%20me@db.example/h?sslmode=verify-full&sslrootcert=/etc/ssl/own.pem\n',
    )
    expect(unit).toContain(
      '\nLoadCredential=state-db-password:/etc/svc-quota-monitor/my password\n',
    )
    expect(unit).toContain(
      '\nEnvironment=SVC_QUOTA_MONITOR_STATE_DB_PASSWORD_FILE=%d/state-db-password\n',
    )
    expect(unit).not.toContain('ReadWritePaths=')
  })

  it.each<{ readonly where: string; readonly circumstances: Circumstances; readonly list: string }>(
    [
      {
        where: 'the configuration',
        circumstances: { toml: TABLES },
        list: '--config %d/config.toml\nLoadCredential=config.toml:/etc/x/config.toml',
      },
      {
        where: 'a file of their own',
        circumstances: { toml: 'upstreams_file = "p.toml"', files: { '/etc/x/p.toml': TABLES } },
        list: '\nEnvironment=SVC_QUOTA_MONITOR_UPSTREAMS_FILE=%d/upstreams.toml\n',
      },
    ],
  )('hands on the tables of $where, and the key file of each', ({ circumstances, list }) => {
    const installation = anInstallation(circumstances)
    const unit = systemdUnit(installation)

    expect(unitRefusal(installation)).toBeNull()
    expect(unit).toContain(list)
    expect(unit).toContain('\nLoadCredential=management-key-tokyo:/etc/x/my keys/0\n')
    expect(unit).toContain('\nLoadCredential=management-key-berlin:/etc/x/my keys/1\n')
    // The program uses this path for all tables, see upstreams.test.ts.
    expect(unit).toContain(
      '\nEnvironment=SVC_QUOTA_MONITOR_MANAGEMENT_KEY_FILE=%d/management-key-{name}\n',
    )
  })

  it('is not made of a table whose key file systemd cannot name', () => {
    const toml = TABLES.replace('my keys/1', 'my keys/1 ')

    expect(unitRefusal(anInstallation({ toml }))).toMatch(/ends in a blank or a backslash/)
  })

  it('names every path as a whole, because it reads the configuration from another folder', () => {
    const toml =
      'auth_dir = "auths"\nbenchmark_summary = "bench.json"\nclient_labels_file = "labels.json"\nmanagement_key_file = "key"'
    const unit = systemdUnit(anInstallation({ toml }))

    expect(unit).toContain('\nEnvironment=SVC_QUOTA_MONITOR_AUTH_DIR=/etc/x/auths\n')
    expect(unit).toContain('\nEnvironment=SVC_QUOTA_MONITOR_BENCHMARK_SUMMARY=/etc/x/bench.json\n')
    expect(unit).toContain('\nLoadCredential=client-labels:/etc/x/labels.json\n')
    expect(unit).toContain('\nLoadCredential=management-key:/etc/x/key\n')
  })

  it.each([
    { toml: '', path: '/var/lib/svc-quota-monitor/history.db', isDynamic: true },
    {
      toml: 'state_db = "/var/lib/svc-quota-monitor/usage.db"',
      path: '/var/lib/svc-quota-monitor/usage.db',
      isDynamic: true,
    },
    { toml: 'state_db = "data/history.db"', path: '/etc/x/data/history.db', isDynamic: false },
    // Beside the service's own folder rather than in it.
    {
      toml: 'state_db = "/var/lib/svc-quota-monitor-old/h.db"',
      path: '/var/lib/svc-quota-monitor-old/h.db',
      isDynamic: false,
    },
    { toml: 'state_db = "off"', path: null, isDynamic: true },
  ])('of $toml keeps its history in $path', ({ toml, path, isDynamic }) => {
    const unit = systemdUnit(anInstallation({ toml }))

    expect(/^Environment=SVC_QUOTA_MONITOR_STATE_DB=(.*)$/m.exec(unit)?.[1] ?? null).toBe(path)
    expect(unit.includes('DynamicUser=yes')).toBe(isDynamic)
    expect(/^ReadWritePaths=(.*)$/m.exec(unit)?.[1] ?? null).toBe(
      isDynamic ? null : (path?.replace(/\/[^/]*$/, '') ?? null),
    )
  })

  it.each([
    { port: '1', bindsBelow1024: true },
    { port: '1023', bindsBelow1024: true },
    { port: '1024', bindsBelow1024: false },
  ])('on port $port may bind a port of root: $bindsBelow1024', ({ port, bindsBelow1024 }) => {
    const unit = systemdUnit(anInstallation({ flags: { port } }))

    expect(unit.includes('AmbientCapabilities=CAP_NET_BIND_SERVICE\n')).toBe(bindsBelow1024)
    expect(unit.includes('\nCapabilityBoundingSet=\n')).toBe(!bindsBelow1024)
    // PrivateUsers would take the capability away.
    expect(unit.includes('PrivateUsers=yes')).toBe(!bindsBelow1024)
  })

  it('says that a new key needs a restart', () => {
    expect(systemdUnit(anInstallation())).toMatch(
      /^# So a new key.* systemctl restart svc-quota-monitor$/m,
    )
  })

  it.each([
    {
      nodePath: '/home/ana/.nvm/versions/node/v22.0.0/bin/node',
      programPath: '/usr/lib/node_modules/svc-quota-monitor/dist/main.js',
    },
    { nodePath: '/usr/bin/node', programPath: '/home/ana/quota/apps/cli/dist/main.js' },
    { nodePath: '/root/node/bin/node', programPath: '/opt/x/main.js' },
    { nodePath: '/run/user/1000/node', programPath: '/opt/x/main.js' },
    { nodePath: '/data/people/ana/bin/node', programPath: '/opt/x/main.js' },
  ])('is not made where it would start $nodePath $programPath from a home', (paths) => {
    expect(unitRefusal(anInstallation({ ...paths, homeDir: '/data/people/ana' }))).toMatch(
      /^\S+ is in a home directory, .* run init from there$/,
    )
  })

  it.each([
    { homeDir: '/', why: 'everything is below the root' },
    { homeDir: '/opt/svc', why: 'it only begins like the home' },
  ])('is made with the home $homeDir: $why', ({ homeDir }) => {
    expect(unitRefusal(anInstallation({ homeDir, programPath: '/opt/svc-q/main.js' }))).toBeNull()
  })
})
