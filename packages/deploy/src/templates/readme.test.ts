import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { shellWord } from '../installation/installation.ts'
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

    expect(read(lineWith('umask 077')).status).toBe(0)
    expect(readdirSync(own)).toContain('key')
    expect(lineWith('doctor --config')).toBe(
      `svc-quota-monitor doctor --config ${shellWord(config)}`,
    )
  })

  it('leaves the configuration it was made from as it is, and a key that is there', () => {
    const [config, key] = [join(folder, 'config.toml'), join(folder, 'own-key')]
    const text = readme(anInstallation({ file: config, flags: { 'management-key-file': key } }))
    for (const file of [config, key]) writeFileSync(file, 'mine')
    const [, commands = ''] = /^```sh\n([\s\S]*?)^```$/m.exec(text) ?? []
    const { status } = spawnSync(
      '/bin/sh',
      ['-ec', `install() { :; }; cat() { echo new; }; ${commands}`],
      { cwd: folder, encoding: 'utf8' },
    )

    expect(status).toBe(0)
    expect([config, key].map((file) => readFileSync(file, 'utf8'))).toEqual(['mine', 'mine'])
    expect(text).not.toContain('install -m 600 config.toml')
    expect(readme(anInstallation({}))).toContain(
      'install -m 600 config.toml /etc/svc-quota-monitor/config.toml',
    )
  })

  it('has a file written for each receiver of messages, and none twice', () => {
    const table = (name: string) =>
      `[[notify]]\nname = "${name}"\nkind = "slack"\nurl_file = "it"\n`
    const text = readme(anInstallation({ toml: table('one') + table('two') }))

    expect(text.match(/cat > .*address/g)).toEqual(['cat > /etc/x/it)    # paste the address'])
    expect(text).toContain('its receivers are those of your `[[notify]]` tables')
  })

  it('says how to take it away, and what stays', () => {
    const [, removal = ''] = readme(anInstallation({})).split('Take it away again')

    for (const stays of [
      '/etc/svc-quota-monitor',
      '/var/lib/svc-quota-monitor',
      'DROP SCHEMA',
      'DROP ROLE',
    ])
      expect(removal).toContain(stays)
    expect(removal).toContain('rm -f /etc/systemd/system/svc-quota-monitor.service')
  })
})
