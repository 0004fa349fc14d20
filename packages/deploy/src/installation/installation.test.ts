import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { anInstallation } from '../testing/an-installation.ts'
import { machineTool } from '../testing/machine-tool.ts'
import { ALL_ODD_NAMES, folderNamed, ODD_NAMES } from '../testing/odd-names.ts'
import {
  isGiven,
  shellWord,
  storeDatabase,
  storePath,
  unitCommand,
  unitLine,
} from './installation.ts'

const USUAL = '/var/lib/svc-quota-monitor/history.db'

describe('an installation', () => {
  it.each([
    { host: '127.0.0.1', address: '127.0.0.1:4515' },
    { host: 'localhost', address: 'localhost:4515' },
    { host: '0.0.0.0', address: '127.0.0.1:4515' },
    { host: '::', address: '127.0.0.1:4515' },
    { host: 'fd00::7', address: '[fd00::7]:4515' },
  ])('that listens on $host is reached on this machine at $address', ({ host, address }) => {
    expect(anInstallation({ flags: { host } }).address).toBe(address)
  })

  it.each([
    { allowed: 'quota.example.com,other.example', name: 'quota.example.com', port: null },
    { allowed: 'quota.example.com:8443', name: 'quota.example.com', port: 8443 },
    { allowed: '[fd00::1]:8443', name: '[fd00::1]', port: 8443 },
  ])('with $allowed is known by the first of these names', ({ allowed, name, port }) => {
    expect(anInstallation({ flags: { 'allowed-host': allowed } })).toMatchObject({
      publicName: name,
      publicPort: port,
    })
  })

  it('without a name has one that nobody owns', () => {
    expect(anInstallation()).toMatchObject({ publicName: 'quota.example.com', publicPort: null })
  })

  it.each([
    { file: '/srv/quota/config.toml', configPath: '/srv/quota/config.toml' },
    // The unit passes the file to the service as config.toml.
    { file: '/srv/quota/monitor.toml', configPath: '/etc/svc-quota-monitor/config.toml' },
    { file: 'off', configPath: '/etc/svc-quota-monitor/config.toml' },
  ])('configured by $file reads $configPath as a service', ({ file, configPath }) => {
    expect(anInstallation({ file }).configPath).toBe(configPath)
  })

  it.each([
    { stateDb: null, path: USUAL },
    { stateDb: 'off', path: null },
    { stateDb: '/srv/h.db', path: '/srv/h.db' },
    { stateDb: 'postgres://db.example/h', path: null },
  ])('with state_db $stateDb keeps its history in $path', ({ stateDb, path }) => {
    const installation = anInstallation(stateDb === null ? {} : { flags: { 'state-db': stateDb } })

    expect(storePath(installation, USUAL)).toBe(path)
    expect(isGiven(installation, 'state_db')).toBe(stateDb !== null)
  })

  it.each([
    { stateDb: '/srv/h.db', database: null },
    {
      stateDb: 'postgres://db.example/h?sslrootcert=/etc/own.pem',
      database: { places: ['/etc/own.pem'], isOnThisMachine: false },
    },
    { stateDb: 'postgres://[::1]/h', database: { places: [], isOnThisMachine: true } },
    {
      stateDb: 'postgres:///h?host=/run/pg',
      database: { places: ['/run/pg'], isOnThisMachine: false },
    },
  ])('with state_db $stateDb keeps it in the database $database', ({ stateDb, database }) => {
    const found = storeDatabase(anInstallation({ flags: { 'state-db': stateDb } }))

    if (database === null) expect(found).toBeNull()
    else expect(found).toMatchObject(database)
  })

  it('knows a setting as given by a flag, a variable or the file, also at its default', () => {
    expect(isGiven(anInstallation({ flags: { port: '4515' } }), 'port')).toBe(true)
    expect(isGiven(anInstallation({ env: { SVC_QUOTA_MONITOR_PORT: '1' } }), 'port')).toBe(true)
    expect(isGiven(anInstallation({ toml: 'port = 4515' }), 'port')).toBe(true)
    expect(isGiven(anInstallation({ toml: 'host = "localhost"' }), 'port')).toBe(false)
  })
})

const folder = mkdtempSync(join(tmpdir(), 'svc-quoting-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a word of a shell command', () => {
  it.each([...ODD_NAMES, ALL_ODD_NAMES, 'a\nb', ''])('is %j for the shell too', (name) => {
    expect(
      spawnSync('/bin/sh', ['-c', `printf %s ${shellWord(name)}`], { encoding: 'utf8' }).stdout,
    ).toBe(name)
  })
})

describe('a line of a unit', () => {
  it.for([...ODD_NAMES, ALL_ODD_NAMES])(
    'with %j in a path is read by systemd as it was meant',
    (name, context) => {
      const { outside, own, node } = folderNamed(name, folder)
      const missing = `${node}-missing`
      writeFileSync(
        join(outside, 'q.service'),
        `[Unit]\nConditionPathExists=${unitLine(own)}\n[Service]\nType=oneshot\nExecStart=${unitCommand([missing, name])}\n`,
      )
      const analyzed = (...args: readonly string[]) =>
        machineTool(context, 'systemd-analyze', args, outside).output

      expect(analyzed('condition', '--unit=q.service')).toContain(
        `ConditionPathExists=${own} succeeded`,
      )
      expect(analyzed('verify', './q.service')).toContain(`Command ${missing} is not executable`)
    },
  )
})
