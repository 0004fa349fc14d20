import { spawnSync } from 'node:child_process'
import {
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
import { afterAll, describe, expect, it, type TestContext } from 'vitest'
import { cli } from '../../testing/run-for-test.ts'
import { shellWord, unitCommand, unitLine } from './quoting.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-quoting-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const NAMES = [
  'my data',
  "o'brien",
  'a "b" c',
  '$(id)',
  '`id`',
  '$HOME',
  '$' + '{HOME}',
  '100%',
  '%h',
  'a\\b',
  'a;b',
  '#a',
  'Zoë',
  '-',
] as const
const ALL = NAMES.join(' ')

const ANALYZER = 'systemd-analyze'

function systemdAnalyze(context: TestContext, args: readonly string[], unitFolder: string) {
  const { status, stdout, stderr, error } = spawnSync(ANALYZER, args, {
    encoding: 'utf8',
    cwd: unitFolder,
    env: { ...process.env, SYSTEMD_UNIT_PATH: `${unitFolder}:` },
  })
  if (error !== undefined && process.env.CI === undefined)
    context.skip(`skipped, because ${ANALYZER} is not installed`)
  return { status, output: stdout + stderr }
}

/** systemd starts no program with one of these in its path. */
const isProgramName = (name: string) => !/["'\\]/.test(name)

/** Folder with this name in a new folder, and a program that systemd would start, in there if it can be. */
function folderNamed(name: string) {
  const outside = mkdtempSync(join(folder, 'x-'))
  const own = join(outside, name)
  mkdirSync(own)
  const node = join(isProgramName(name) ? own : outside, 'node')
  symlinkSync(process.execPath, node)
  return { outside, own, node }
}

/** Words of a command of a unit, read as systemd does. */
function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/(?:'(?:\\.|[^'])*'|[^\s'])+/g)].map(([word], index) => {
    const plain = word.replace(/\\(.)|'/g, '$1').replaceAll('%%', '%')
    return index === 0 ? plain : plain.replaceAll('$$', '$')
  })
}

describe('a word of a shell command', () => {
  it.each([...NAMES, ALL, 'a\nb', ''])('is %j for the shell too', (name) => {
    expect(
      spawnSync('/bin/sh', ['-c', `printf %s ${shellWord(name)}`], { encoding: 'utf8' }).stdout,
    ).toBe(name)
  })
})

describe('a line of a unit', () => {
  it.for([...NAMES, ALL])(
    'with %j in a path is read by systemd as it was meant',
    (name, context) => {
      const { outside, own, node } = folderNamed(name)
      const missing = `${node}-missing`
      writeFileSync(
        join(outside, 'q.service'),
        `[Unit]\nConditionPathExists=${unitLine(own)}\n[Service]\nType=oneshot\nExecStart=${unitCommand([missing, name])}\n`,
      )

      const condition = systemdAnalyze(context, ['condition', '--unit=q.service'], outside)
      expect(condition.output).toContain(`ConditionPathExists=${own} succeeded`)
      expect(systemdAnalyze(context, ['verify', './q.service'], outside).output).toContain(
        `Command ${missing} is not executable`,
      )
    },
  )
})

describe('the units', () => {
  it.for([...NAMES, ALL])(
    'of paths with %j are taken by systemd in silence',
    async (name, context) => {
      const { outside, own, node } = folderNamed(name)
      const paths = [
        'state-db',
        'auth-dir',
        'benchmark-summary',
        'client-labels-file',
        'management-key-file',
      ].flatMap((flag) => [`--${flag}`, join(own, flag)])
      for (const id of ['systemd', 'backup-service']) {
        const { stdout, stderr } = await cli(['init', id, '--config', 'off', ...paths], {
          nodePath: node,
          programPath: join(own, 'main.js'),
        })
        expect(stderr).toBe('')
        writeFileSync(join(outside, `${id}.service`), stdout)
        expect(systemdAnalyze(context, ['verify', `./${id}.service`], outside)).toEqual({
          status: 0,
          output: '',
        })
      }

      const unit = readFileSync(join(outside, 'systemd.service'), 'utf8')
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
      // The hint is a command for a shell.
      const hint = /chown -R svc-quota-monitor (.*)$/m.exec(unit)?.[1] ?? ''
      expect(
        spawnSync('/bin/sh', ['-c', `printf '%s|' ${hint}`], { encoding: 'utf8' }).stdout,
      ).toBe(`${own}|`)
    },
  )

  it('of a backup run no command that stands in a path', async () => {
    const { own } = folderNamed('my data $(touch ran) `touch ran` 100%')
    const program = join(own, 'export')
    writeFileSync(program, '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 })
    const store = join(own, `${ALL} $(touch ran)`, 'history.db')
    const { stdout } = await cli(
      ['init', 'backup-service', '--config', 'off', '--state-db', store],
      {
        nodePath: program,
        programPath: '/opt/main.js',
      },
    )
    const [shell = '', ...args] = wordsOf(
      /^ExecStart=(.*export-history.*)$/m.exec(stdout)?.[1] ?? '',
    )
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

  it('are not made for a program that systemd would not start', async () => {
    const { code, stderr } = await cli(['init', 'systemd', '--config', 'off'], {
      nodePath: "/opt/o'brien/node",
    })

    expect(code).toBe(1)
    expect(stderr).toContain(
      'has a quote or a backslash in its name, and systemd starts no such program: rename it',
    )
  })

  it.each([
    [
      'a line break',
      '/srv/a\nExecStartPre=/bin/false',
      'has a line break or another control character in its name',
    ],
    ['a backslash at its end', '/srv/a\\', 'ends in a blank or a backslash'],
    ['a blank at its end', '/srv/a ', 'ends in a blank or a backslash'],
  ])('are not made of a path with %s, and it says why', async (_what, authDir, why) => {
    const made = await cli(['init', 'systemd', '--config', 'off', '--auth-dir', authDir], {
      nodePath: '/usr/bin/node',
    })

    expect(made).toMatchObject({ code: 1, stdout: '' })
    expect(made.stderr).toContain(`${why}, which systemd does not take: rename it`)
  })
})

describe('the README', () => {
  it('has commands that a shell reads as they were meant', async () => {
    const { own } = folderNamed(ALL)
    const config = join(own, 'config.toml')
    const key = join(own, 'key')
    const { stdout } = await cli(
      ['init', 'readme', '--config', config, '--management-key-file', key],
      { readTextFile: () => '' },
    )
    const lineWith = (start: string) =>
      stdout.split('\n').find((line) => line.includes(start)) ?? ''
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
