import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { anInstallation } from '../testing/an-installation.ts'
import { ALL_ODD_NAMES, folderNamed, wordsOf } from '../testing/odd-names.ts'
import { backupService } from './backup.ts'

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
})
