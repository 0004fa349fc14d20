import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { epochMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import { afterAll, describe, expect, it } from 'vitest'
import { type CommandName, commandNames } from './command-table.ts'
import { commandLineOf, optionsOf } from './program/flags.ts'
import { flagsOf, switches } from './run-cli.ts'
import { cli } from './testing/run-for-test.ts'

const CANARY = 'canary-secret-0815'

const golden = (name: string) => join(import.meta.dirname, 'golden', name)

describe('the command line', () => {
  it.each([
    ['--help', 'help.txt'],
    ['-h', 'help.txt'],
    ['--help all', 'help-all.txt'],
    ['help all', 'help-all.txt'],
    ['--version', 'version.txt'],
    ['-v', 'version.txt'],
  ])('%s', async (flag, file) => {
    const { code, stdout, stderr } = await cli(flag.split(' '))

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    await expect(stdout).toMatchFileSnapshot(golden(file))
  })

  it.each(commandNames.filter((name) => name !== ''))('%s --help', async (name) => {
    const { code, stdout, stderr } = await cli([name, '--help'])

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    await expect(stdout).toMatchFileSnapshot(golden(`help-${name}.txt`))
  })

  it.for<readonly [what: string, argv: readonly string[], changes?: Parameters<typeof cli>[1]]>([
    ['a flag', ['--help', '--display-language', 'zh-CN']],
    ['the environment', ['--help'], { env: { SVC_QUOTA_MONITOR_DISPLAY_LANGUAGE: 'zh-Hans' } }],
    ['the configuration file', ['help'], { readTextFile: () => 'display_language = "zh-CN"\n' }],
    [
      'a file with a mistake elsewhere',
      ['--help'],
      {
        readTextFile: () => 'display_language = "zh-CN"\nport = "none"\nno_such_key = 1\n',
      },
    ],
  ])('--help is in Chinese by $0', async ([, argv, changes]) => {
    const { code, stdout, stderr } = await cli(argv, changes)

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    await expect(stdout).toMatchFileSnapshot(golden('help.zh-CN.txt'))
  })

  it('--help of a command that takes no settings is in Chinese by the environment', async () => {
    const env = { SVC_QUOTA_MONITOR_DISPLAY_LANGUAGE: 'zh-CN' }

    expect((await cli(['export-history', '--help'], { env })).stdout).toContain('备份存储')
    expect((await cli(['help', 'doctor'], { env })).stdout).toContain('检查安装')
  })

  it.each([
    { what: 'another language', changes: { env: { SVC_QUOTA_MONITOR_DISPLAY_LANGUAGE: 'fr' } } },
    { what: 'no language', changes: { env: { SVC_QUOTA_MONITOR_DISPLAY_LANGUAGE: 'x y' } } },
    { what: 'a file that is no TOML', changes: { readTextFile: () => 'display_language = zh' } },
  ])('--help is in English by $what', async ({ changes }) => {
    expect(await cli(['--help'], changes)).toEqual(await cli(['--help']))
  })

  it.each([
    [['help'], ['--help']],
    [
      ['help', 'doctor'],
      ['doctor', '--help'],
    ],
    [
      ['help', 'help'],
      ['help', '--help'],
    ],
  ])('%j says the same as %j', async (argv, same) => {
    const asked = await cli(argv)

    expect(asked).toEqual(await cli(same))
    expect(asked).toMatchObject({ code: 0, stderr: '' })
  })

  it.each([
    [[], 'print-config.txt'],
    [['--json'], 'print-config.json'],
    [['--diff'], 'print-config-diff.txt'],
  ])('print-config %j', async (more, file) => {
    const { code, stdout, stderr } = await cli(
      [
        'print-config',
        ...more,
        '--port',
        '8080',
        '--allowed-host',
        'a.example',
        '--allowed-host',
        'b.example:1,c.example',
      ],
      {
        env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: CANARY, SVC_QUOTA_MONITOR_STATE_DB: 'x.db' },
      },
    )

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).not.toContain(CANARY)
    await expect(stdout).toMatchFileSnapshot(golden(file))
  })

  it.each([
    [['frobnicate'], /unknown command "frobnicate": --help lists the commands/],
    [['doctr'], /unknown command "doctr": did you mean doctor\?/],
    [['doctr', '--json'], /unknown command "doctr": did you mean doctor\?/],
    [['help', 'doctr'], /unknown command "doctr": did you mean doctor\?/],
    [['--nope'], /unknown flag --nope: --help lists the flags/],
    [['print-config', '--nope=1'], /unknown flag --nope: --help lists the flags/],
    [['--state-db'], /--state-db needs a value: --state-db <path\|address\|off>/],
    [['--port', '99999'], /port from --port: expected a whole number from 1 to 65535, not "99999"/],
    [
      ['print-config', 'frobnicate'],
      /print-config takes no argument, not "frobnicate": print-config --help says more/,
    ],
    [['why'], /why takes one account, or --pool: why --help says more/],
    [['why', 'ana', 'b\nb'], /why takes one account, not "ana" "b\\nb": why --help says more/],
    [['top', '-'], /top takes no argument, not "-": top --help says more/],
    [
      ['completion', 'bash', 'zsh'],
      /completion takes one of bash, zsh, fish, not "bash" "zsh": [^\n]+/,
    ],
    [['--demo', 'frobnicate'], /unknown command "frobnicate": --help lists the commands/],
    [['print-config', '--', '--port', '1'], /-- is not supported: --help lists the commands/],
    [['a\nb'], /unknown command "a\\nb": --help lists the commands/],
    [['print-config', '--port', ''], /port from --port: expected [^\n]+, not ""/],
    [['print-config', '--port', '08'], /port from --port: expected [^\n]+, not "08"/],
    [['print-config', '--port=0x50'], /port from --port: expected [^\n]+, not "0x50"/],
    [['print-config', '--usage-source', 'queue'], /usage_source queue needs state_db: [^\n]+/],
    [
      ['print-config', '--config', 'gone.toml'],
      /config file from --config does not exist: \/srv\/gone\.toml/,
    ],
  ])('%j ends with 2 and one line', async (argv, line) => {
    const { code, stdout, stderr } = await cli(argv)

    expect(stderr).toMatch(new RegExp(`^svc-quota-monitor: ${line.source}\n$`))
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })

  it.each([
    [['--management-key', CANARY]],
    [[`--management-key=${CANARY}`]],
    [['print-config', '--management-key', CANARY]],
    [['--help', '--management-key', CANARY]],
  ])('the management key is no flag, and is not repeated', async (argv) => {
    const { code, stdout, stderr } = await cli(argv)

    expect(code).toBe(2)
    expect(stderr).toContain('--management-key-file')
    expect(stdout + stderr).not.toContain(CANARY)
  })

  it.each([
    [['--state-db', '007'], 'state_db', '/srv/007'],
    [['--state-db=1e3'], 'state_db', '/srv/1e3'],
    [['--state-db', '0123456789012345678901'], 'state_db', '/srv/0123456789012345678901'],
    [['--state-db', 'true'], 'state_db', '/srv/true'],
    [['--state-db', 'a=b'], 'state_db', '/srv/a=b'],
    [['--state-db=a=b\nc'], 'state_db', '/srv/a=b\nc'],
    [['--state-db', '1', '--state-db', '002'], 'state_db', '/srv/002'],
    [['--host', '1.10'], 'host', '1.10'],
    [['--allowed-host', '1.2.3.4', '--allowed-host=1e3'], 'allowed_hosts', ['1.2.3.4', '1e3']],
    [['--weekly-to-five-hour-multiplier', '6.50'], 'weekly_to_five_hour_multiplier', 6.5],
    [['--refresh-seconds=30'], 'refresh_seconds', 30],
  ])('%j keeps the text of its value', async (argv, key, value) => {
    const { stdout, stderr } = await cli(['print-config', '--json', ...argv])

    expect(stderr).toBe('')
    expect(JSON.parse(stdout).settings[key]).toEqual({ value, source: 'flag' })
  })

  it.each([
    ['http://192.0.2.1:8317', true],
    ['https://192.0.2.1:8317', false],
  ])('the service warns before it starts about %s', async (url, risky) => {
    const squatter = createServer().listen(0, '127.0.0.1')
    await once(squatter, 'listening')
    const { port } = squatter.address() as AddressInfo

    const { code, stderr } = await cli(['--port', String(port), '--upstream-url', url])
    squatter.close()

    expect(code).toBe(1)
    expect(/^\S+ warn +"?upstream_url is plain http to another machine/m.test(stderr)).toBe(risky)
    expect(stderr).toMatch(/^svc-quota-monitor: 127\.0\.0\.1:\d+ is already in use/m)
  })

  it('--demo shows the settings of the demo', async () => {
    const { stdout } = await cli(['print-config', '--demo', '--json'])

    expect(JSON.parse(stdout).settings.port).toEqual({ value: 4516, source: 'default' })
  })
})

describe('backups', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-cli-backup-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** Returns a store made by importing this exact backup. */
  const aStore = async (name: string) => {
    const { openHistory } = await import('@svc/history')
    const store = await openHistory(join(folder, name))
    const row = {
      at: epochMs(1_795_000_000_000),
      key: 5n,
      accountKey: 'a',
      apiName: 'k',
      model: 'm',
      tokens: 7,
      failed: false,
    }
    await store.usageOf(DEFAULT_UPSTREAM).record({
      receivedAt: row.at,
      details: [row],
      quarantined: [],
      saturatedCount: 0,
    })
    await store.close()
    return name
  }

  it('are written and read back', async () => {
    const store = await aStore('one.db')
    const exported = await cli(['export-history', '--state-db', store, '--output', 'one.json'], {
      cwd: folder,
    })
    expect(exported).toMatchObject({ code: 0, stderr: '' })
    expect(exported.stdout).toMatch(/^\d+ rows exported to .*one\.json\. It holds client keys/)

    const imported = await cli(['import-history', '--state-db', 'two.db', 'one.json'], {
      cwd: folder,
    })
    expect(imported).toMatchObject({ code: 0, stderr: '' })
    expect(imported.stdout).toMatch(/^\d+ rows read, 1 usage rows added\.\n$/)
    expect(
      (await cli(['import-history', 'one.json', '--state-db', 'two.db'], { cwd: folder })).stdout,
    ).toContain(' 0 usage rows added')
  })

  it.each([
    [
      ['export-history'],
      2,
      /needs --state-db <path\|address> \(or state_db in the configuration\) and --output <file>/,
    ],
    [['export-history', '--config', 'none.toml', '--output', 'x.json'], 2, /none\.toml/],
    [['export-history', '--state-db', 'one.db'], 2, /needs/],
    [['import-history', '--state-db', 'one.db'], 2, /needs .* <file>/],
    [['import-history', 'one.json'], 2, /needs --state-db/],
    [
      ['export-history', '--state-db', 'none.db', '--output', 'x.json'],
      1,
      /there is no history store at the path/,
    ],
    [['import-history', '--state-db', 'three.db', 'none.json'], 1, /none\.json cannot be read/],
    [['import-history', '--state-db', 'three.db', '.'], 1, /not a regular file/],
    [['export-history', '--state-db', 'one.db', '--output', 'one.db'], 1, /exists already/],
    [
      ['export-history', '--state-db', 'postgres://me:secret@db/x', '--output', 'y.json'],
      2,
      /^[^\n]*--state-db: a password may not stand in an address(?!.*secret@)/,
    ],
    [['migrate-history'], 2, /needs --from <path> and --to <address>/],
    [
      ['migrate-history', '--from', 'postgres://db/x', '--to', 'postgres://db/y'],
      2,
      /reads a file: --from takes a path/,
    ],
    [
      ['migrate-history', '--from', 'one.db', '--to', 'two.db'],
      2,
      /writes to a database: --to takes an address/,
    ],
    [
      ['migrate-history', '--from', 'one.db', '--to', 'postgres://me:secret@db/x'],
      2,
      /^[^\n]*--to: a password may not stand in an address(?!.*secret@)/,
    ],
    [
      ['migrate-history', '--from', 'one.db', '--to', 'postgres://db/x', '--upstream', 'To kyo'],
      2,
      /--upstream takes a name of up to 32/,
    ],
    [
      ['migrate-history', '--from', 'none.db', '--to', 'postgres://127.0.0.1:1/x'],
      1,
      /there is no history store at the path/,
    ],
    [
      ['migrate-history', '--from', 'one.db', '--to', 'postgres://127.0.0.1:1/x'],
      1,
      /^svc-quota-monitor: [^\n]*(?:reach|answer|connect|listens)/i,
    ],
  ] as const)('%j is told in one line', async (argv, code, message) => {
    const result = await cli(argv, { cwd: folder })
    expect(result).toMatchObject({ code, stdout: '' })
    expect(result.stderr).toMatch(message)
    expect(result.stderr.trim().split('\n')).toHaveLength(1)
  })

  it('show their progress on a terminal', async () => {
    const store = await aStore('watched.db')
    const watched = await cli(['export-history', '--state-db', store, '--output', 'watched.json'], {
      cwd: folder,
      stderrIsTerminal: true,
    })
    expect(watched.stderr).toMatch(/of \d+ exported \(100 %, [\d,]+\/s\)/)
    expect(watched.stderr.endsWith('\r\u001b[K')).toBe(true)
  })
})

it('redact shows its progress on a terminal, and nowhere else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-cli-redact-'))
  writeFileSync(join(folder, 'notes.txt'), 'all quiet\n')
  const redacted = async (output: string, stderrIsTerminal: boolean) =>
    (
      await cli(['redact', '--config', 'off', 'notes.txt', '--output', output], {
        cwd: folder,
        stderrIsTerminal,
      })
    ).stderr
  const [watched, alone] = [await redacted('one', true), await redacted('two', false)]
  rmSync(folder, { recursive: true, force: true })

  expect(watched).toMatch(/\d\.\d MB read/)
  expect(watched.endsWith('\r\u001b[K')).toBe(true)
  expect(alone).toBe('')
})

const mistakeIn = (command: CommandName, ...argv: readonly string[]) =>
  optionsOf(commandLineOf(argv, switches()).flags, flagsOf(command)).mistake

describe('a mistake in the flags', () => {
  it.for<readonly [argv: readonly string[], mistake: string, command?: CommandName]>([
    [['--dmeo'], 'unknown flag --dmeo: did you mean --demo?'],
    [['--no-demo'], 'unknown flag --no-demo: did you mean --demo?'],
    [['--Demo'], 'unknown flag --Demo: did you mean --demo?'],
    [['--stateDb', 'x.db'], 'unknown flag --stateDb: did you mean --state-db?'],
    [['--stateDb=x.db'], 'unknown flag --stateDb: did you mean --state-db?'],
    [['--frobnicate'], 'unknown flag --frobnicate: --help lists the flags'],
    [['--a\nb'], 'unknown flag --a b: --help lists the flags'],
    [['-p', '80'], 'unknown flag -p: --help lists the flags'],
    [['--port.x', '1'], 'unknown flag --port.x: did you mean --port?'],
    [['--demo=false'], '--demo takes no value'],
    [['--help='], '--help takes no value'],
    [['--port'], '--port needs a value: --port <port>'],
    [['--port='], '--port needs a value: --port <port>'],
    [['--port', '--demo'], '--port needs a value: --port <port>'],
    [['--config'], '--config needs a value: --config <path|off>'],
    [['--no-json'], 'unknown flag --no-json: did you mean --json?', 'doctor'],
    [['--version'], 'unknown flag --version: --help lists the flags', 'export-history'],
  ])('$2 $0', ([argv, mistake, command = '']) => {
    expect(mistakeIn(command, ...argv)).toBe(mistake)
  })

  it('is not the value of a flag, even if it looks like one', () => {
    expect(mistakeIn('', '--state-db=--demo', '--host', '-', '--config', '--x=y=z')).toBe(
      '--config needs a value: --config <path|off>',
    )
    expect(mistakeIn('', '--state-db=--dmeo')).toBeNull()
  })

  it('is not there in flags that the command takes', () => {
    expect(mistakeIn('', '--demo', '--port', '80', '--log-level=debug', '-v')).toBeNull()
    expect(mistakeIn('export-history', '--output', '-')).toBeNull()
    expect(mistakeIn('', '--demo', '--demo', '-h')).toBeNull()
  })
})
