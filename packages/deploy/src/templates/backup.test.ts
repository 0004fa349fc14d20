import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { anInstallation } from '../testing/an-installation.ts'
import { machineTool } from '../testing/machine-tool.ts'
import { ALL_ODD_NAMES, folderNamed, wordsOf } from '../testing/odd-names.ts'
import { backupService, backupTimer } from './backup.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-backup-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the backup', () => {
  it('runs no command that stands in a path', () => {
    const { own } = folderNamed('my data $(touch ran) `touch ran` 100%', folder)
    const program = join(own, 'export')
    writeFileSync(program, '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 })
    const store = join(own, `${ALL_ODD_NAMES} $(touch ran)`, 'history.db')
    const unit = backupService(
      anInstallation({
        flags: { 'state-db': store },
        nodePath: program,
        programPath: '/opt/main.js',
      }),
    )
    const [shell = '', ...args] = wordsOf(/^ExecStart=(.*export-history.*)$/m.exec(unit)?.[1] ?? '')
    const ran = spawnSync(shell, args, { encoding: 'utf8', cwd: own })

    expect(ran.stdout.split('\n').slice(0, 6)).toEqual([
      '--disable-proto=delete',
      '/opt/main.js',
      'export-history',
      '--state-db',
      store,
      '--output',
    ])
    expect(readdirSync(own)).not.toContain('ran')
  })

  it.for([
    { what: 'a file', flags: { 'state-db': '/srv/h.db' } },
    {
      what: 'a database',
      flags: {
        'state-db': 'postgres://db.example/h',
        'state-db-password-file': '/etc/my password',
      },
    },
  ])('of $what is taken by systemd in silence', ({ flags }, context) => {
    const target = mkdtempSync(join(folder, 'unit-'))
    const node = join(target, 'node')
    symlinkSync(process.execPath, node)
    writeFileSync(
      join(target, 'b.service'),
      backupService(anInstallation({ flags, nodePath: node })),
    )

    expect(machineTool(context, 'systemd-analyze', ['verify', './b.service'], target)).toEqual({
      status: 0,
      output: '',
    })
  })

  it('of a database has its address and its password file, and may use the network', () => {
    const unit = backupService(
      anInstallation({
        flags: { 'state-db': 'postgres://db.example/h', 'state-db-password-file': '/etc/password' },
      }),
    )

    expect(unit).toMatch(/export-history --config off --output /)
    expect(unit).toContain('STATE_DB=postgres://db.example/h?sslmode=verify-full\n')
    expect(unit).toContain('STATE_DB_PASSWORD_FILE=%d/state-db-password\n')
    expect(unit).not.toMatch(/PrivateNetwork=yes|ConditionPathExists/)
  })

  it('writes one more and keeps the newest 14, and none goes when it fails', () => {
    const backups = join(folder, 'backups')
    mkdirSync(backups)
    const names = Array.from(
      { length: 20 },
      (_, index) => `history-202011${String(index + 1).padStart(2, '0')}T030000Z.json`,
    )
    for (const name of names) writeFileSync(join(backups, name), '')
    // Stands in for the program: the last argument is the file to write.
    const program = join(folder, 'export')
    writeFileSync(program, '#!/bin/sh\nfor last; do :; done\nprintf %s "$*" > "$last"\n')
    chmodSync(program, 0o755)
    const unit = backupService(anInstallation({ programPath: '/opt/main.js' }))
    const steps = [...unit.matchAll(/^ExecStart=\/bin\/sh -c '(.*)'$/gm)].map(([, step = '']) =>
      step
        .replaceAll('%%', '%')
        .replaceAll('$$', '$')
        .replaceAll('/var/lib/svc-quota-monitor/backups', backups)
        .replace('/usr/bin/node --disable-proto=delete /opt/main.js', program),
    )
    // systemd stops after the first failing step.
    for (const step of steps) expect(spawnSync('/bin/sh', ['-c', step]).status).toBe(0)
    const left = readdirSync(backups).sort()

    expect(steps).toHaveLength(2)
    expect(left).toHaveLength(14)
    expect(left.slice(0, 13)).toEqual(names.slice(-13))
    expect(readFileSync(join(backups, left.at(-1) ?? ''), 'utf8')).toMatch(
      /^export-history --state-db \/var\/lib\/svc-quota-monitor\/history\.db --output \S*history-\d{8}T\d{6}Z\.json$/,
    )
  })

  it('and its timer are taken by systemd in silence', (context) => {
    const target = mkdtempSync(join(folder, 'units-'))
    const node = join(target, 'node')
    symlinkSync(process.execPath, node)
    const name = 'svc-quota-monitor-backup'
    writeFileSync(
      join(target, `${name}.service`),
      backupService(anInstallation({ nodePath: node })),
    )
    writeFileSync(join(target, `${name}.timer`), backupTimer())

    for (const kind of ['service', 'timer'])
      expect(
        machineTool(context, 'systemd-analyze', ['verify', `./${name}.${kind}`], target),
      ).toEqual({ status: 0, output: '' })
  })

  it.each([
    { stateDb: 'off', store: '/var/lib/svc-quota-monitor/history.db' },
    { stateDb: '/srv/own/h.db', store: '/srv/own/h.db' },
  ])('does nothing while there is no store at $store (state_db $stateDb)', ({ stateDb, store }) => {
    expect(backupService(anInstallation({ flags: { 'state-db': stateDb } }))).toContain(
      `\nConditionPathExists=${store}\n`,
    )
  })

  it('of a store elsewhere runs as the user that owns it', () => {
    const unit = backupService(anInstallation({ flags: { 'state-db': '/srv/own/h.db' } }))

    expect(unit).not.toContain('DynamicUser')
    expect(unit).toContain('\nReadWritePaths=/srv/own\n')
  })
})
