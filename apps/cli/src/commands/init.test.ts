import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { artifacts } from '@svc/deploy'
import { afterAll, describe, expect, it } from 'vitest'
import type { CliContext } from '../program/cli-context.ts'
import { cli } from '../testing/run-for-test.ts'

const CANARY = 'init-canary-key-0815'
const folder = mkdtempSync(join(tmpdir(), 'svc-init-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const printed = async (argv: readonly string[], changes: Partial<CliContext> = {}) => {
  const outcome = await cli(['init', ...argv], {
    env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: CANARY },
    ...changes,
  })
  expect(outcome).toMatchObject({ code: 0, stderr: '' })
  return outcome.stdout
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

  it('leaves out what it cannot make, says why, and writes the rest', async () => {
    const target = mkdtempSync(join(folder, 'home-'))
    const context = { nodePath: '/home/ana/bin/node', homeDir: '/home/ana' }
    const written = await cli(['init', '--config', 'off', '--write', target], context)

    expect(written.code).toBe(0)
    expect(written.stderr.trim().split('\n')).toHaveLength(2)
    expect(readdirSync(target)).toHaveLength(artifacts.length - 2)
  })

  it('writes nothing where one of its files is there already, unless forced', async () => {
    const target = mkdtempSync(join(folder, 'there-'))
    writeFileSync(join(target, 'Caddyfile'), 'mine')
    const argv = ['--config', 'off', '--write', target]

    expect(await cli(['init', ...argv])).toEqual({
      code: 1,
      stdout: '',
      stderr: `svc-quota-monitor: ${join(target, 'Caddyfile')} exists already: --force writes over it\n`,
    })
    expect(readdirSync(target)).toEqual(['Caddyfile'])
    await printed([...argv, '--force'])
    expect(readFileSync(join(target, 'Caddyfile'), 'utf8')).not.toBe('mine')
    expect(readdirSync(target)).toHaveLength(artifacts.length)
  })

  it('says in one line that a folder cannot be written', async () => {
    const target = join(folder, 'a-file')
    writeFileSync(target, '')
    const { code, stderr } = await cli(['init', '--config', 'off', '--write', join(target, 'x')])

    expect(code).toBe(1)
    // Versions of Node differ in the code.
    expect(stderr).toMatch(/^svc-quota-monitor: \S+ cannot be written \(E[A-Z]+\)\n$/)
  })
})

describe('init', () => {
  it('prints one artifact, and says why where it cannot be made', async () => {
    const context = { nodePath: '/home/ana/bin/node', homeDir: '/home/ana' }
    const { code, stdout, stderr } = await cli(['init', 'systemd', '--config', 'off'], context)

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^svc-quota-monitor: svc-quota-monitor\.service is not made: \S+ is in a home directory, .* run init from there\n$/,
    )
    expect(await printed(['caddy', '--config', 'off'])).toMatch(/^# \/etc\/caddy\/Caddyfile\n/)
  })

  it.each([
    { argv: ['frobnicate'], why: 'there is no artifact "frobnicate": config, systemd,' },
    { argv: ['caddy', '--write', 'x'], why: 'init prints one artifact, or writes all' },
  ])('refuses $argv', async ({ argv, why }) => {
    const { code, stdout, stderr } = await cli(['init', ...argv, '--config', 'off'])

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(why)
  })
})
