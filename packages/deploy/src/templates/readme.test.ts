import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { shellWord } from '../installation/quoting.ts'
import { anInstallation } from '../testing/an-installation.ts'
import { ALL_ODD_NAMES, folderNamed } from '../testing/odd-names.ts'
import { readme } from './readme.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-readme-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the README', () => {
  it('has commands that a shell reads as they were meant', () => {
    const { own } = folderNamed(ALL_ODD_NAMES, folder)
    const config = join(own, 'config.toml')
    const key = join(own, 'key')
    const text = readme(anInstallation({ file: config, flags: { 'management-key-file': key } }))
    const lineWith = (start: string) => text.split('\n').find((line) => line.includes(start)) ?? ''
    const read = (command: string) =>
      spawnSync(
        '/bin/sh',
        ['-c', `install() { printf '%s|' "$@"; }; cat() { printf '%s|' "$@"; }; ${command}`],
        { encoding: 'utf8' },
      )

    expect(read(lineWith('install -m 600 config.toml')).stdout).toBe(
      `-m|600|config.toml|${config}|`,
    )
    expect(read(lineWith('umask 077')).status).toBe(0)
    expect(readdirSync(own)).toContain('key')
    expect(lineWith('doctor --config')).toBe(
      `svc-quota-monitor doctor --config ${shellWord(config)}`,
    )
  })
})
