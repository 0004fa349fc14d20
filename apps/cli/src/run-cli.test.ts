import { join } from 'node:path'
import { fixedClock } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import type { CliContext } from './cli-context.ts'
import { runCli } from './run-cli.ts'

const CANARY = 'canary-secret-0815'

async function cli(argv: readonly string[], changes: Partial<CliContext> = {}) {
  let stdout = ''
  let stderr = ''
  const context: CliContext = {
    argv,
    env: {},
    version: '1.2.3',
    cwd: '/srv',
    homeDir: '/home/someone',
    hostTimeZone: 'UTC',
    clock: fixedClock(),
    random: () => 0.5,
    fetch: globalThis.fetch,
    readTextFile() {
      throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
    },
    stdout: (text) => {
      stdout += text
    },
    stderr: (text) => {
      stderr += text
    },
    forgetEnv() {},
    onSignal() {},
    exitNow() {},
    ...changes,
  }
  return { code: await runCli(context), stdout, stderr }
}

const golden = (name: string) => join(import.meta.dirname, 'golden', name)

describe('the command line', () => {
  it.each([
    ['--help', 'help.txt'],
    ['-h', 'help.txt'],
    ['--version', 'version.txt'],
    ['-v', 'version.txt'],
  ])('%s', async (flag, file) => {
    const { code, stdout, stderr } = await cli([flag])

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    await expect(stdout).toMatchFileSnapshot(golden(file))
  })

  it('help fits a terminal of 110 columns and names every option once', async () => {
    const { stdout } = await cli(['print-config', '--help'])

    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110)
    expect(stdout.match(/--allowed-host /g)).toHaveLength(1)
  })

  it.each([
    [[], 'print-config.txt'],
    [['--json'], 'print-config.json'],
  ])('print-config %j', async (more, file) => {
    const { code, stdout, stderr } = await cli(
      ['print-config', ...more, '--port', '8080', '--allowed-host', 'a.example', '--allowed-host', 'b.example:1,c.example'],
      {
        env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: CANARY, SVC_QUOTA_MONITOR_STATE_DB: 'x.db' },
      },
    )

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).not.toContain(CANARY)
    await expect(stdout).toMatchFileSnapshot(golden(file))
  })

  it.each([
    [['frobnicate'], /^svc-quota-monitor: unknown command "frobnicate": --help lists the commands\n$/],
    [['--nope'], /^svc-quota-monitor: Unknown option --nope: --help lists the options\n$/],
    [['print-config', '--nope=1'], /^svc-quota-monitor: Unknown option --nope: --help lists the options\n$/],
    [['--port'], /^svc-quota-monitor: option --port <port> value is missing: --help lists the options\n$/],
    [['--port', '99999'], /^svc-quota-monitor: port from --port: expected a whole number from 1 to 65535, not "99999"\n$/],
    [['print-config', '--config', 'gone.toml'], /^svc-quota-monitor: config file from --config does not exist: \/srv\/gone\.toml\n$/],
  ])('%j ends with 2 and one line', async (argv, line) => {
    const { code, stdout, stderr } = await cli(argv)

    expect(stderr).toMatch(line)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })

  it.each([[['--management-key', CANARY]], [[`--management-key=${CANARY}`]], [['print-config', '--management-key', CANARY]]])(
    'the management key is no flag, and is not repeated',
    async (argv) => {
      const { code, stdout, stderr } = await cli(argv)

      expect(code).toBe(2)
      expect(stderr).toContain('--management-key-file')
      expect(stdout + stderr).not.toContain(CANARY)
    },
  )

  it('of a flag that may not repeat the last one counts', async () => {
    const { stdout } = await cli(['print-config', '--json', '--port', '1', '--port', '2'])

    expect(JSON.parse(stdout).settings.port).toEqual({ value: 2, source: 'flag' })
  })

  it('--demo shows the settings of the demo', async () => {
    const { stdout } = await cli(['print-config', '--demo', '--json'])

    expect(JSON.parse(stdout).settings.port).toEqual({ value: 4516, source: 'default' })
  })
})
