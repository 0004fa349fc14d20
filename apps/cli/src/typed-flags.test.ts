import { describe, expect, it } from 'vitest'
import { type CommandName, planOf } from './command-table.ts'
import { flagMistake } from './typed-flags.ts'

const mistakeIn = (command: CommandName, ...argv: readonly string[]) =>
  flagMistake([command, ...argv].filter(Boolean), planOf(command))

describe('a mistake in the flags', () => {
  it.each<{
    readonly argv: readonly string[]
    readonly command?: CommandName
    readonly mistake: string
  }>([
    { argv: ['--dmeo'], mistake: 'unknown flag --dmeo: did you mean --demo?' },
    { argv: ['--no-demo'], mistake: 'unknown flag --no-demo: did you mean --demo?' },
    { argv: ['--Demo'], mistake: 'unknown flag --Demo: did you mean --demo?' },
    { argv: ['--stateDb', 'x.db'], mistake: 'unknown flag --stateDb: did you mean --state-db?' },
    { argv: ['--stateDb=x.db'], mistake: 'unknown flag --stateDb: did you mean --state-db?' },
    { argv: ['--frobnicate'], mistake: 'unknown flag --frobnicate: --help lists the flags' },
    { argv: ['--a\nb'], mistake: 'unknown flag --a b: --help lists the flags' },
    { argv: ['-p', '80'], mistake: 'unknown flag -p: --help lists the flags' },
    { argv: ['--port.x', '1'], mistake: 'unknown flag --port.x: did you mean --port?' },
    { argv: ['--demo=false'], mistake: '--demo takes no value' },
    { argv: ['--help='], mistake: '--help takes no value' },
    { argv: ['--port'], mistake: '--port needs a value: --port <port>' },
    { argv: ['--port='], mistake: '--port needs a value: --port <port>' },
    { argv: ['--port', '--demo'], mistake: '--port needs a value: --port <port>' },
    { argv: ['--config'], mistake: '--config needs a value: --config <path|off>' },
    {
      command: 'doctor',
      argv: ['--no-json'],
      mistake: 'unknown flag --no-json: did you mean --json?',
    },
    {
      command: 'export-history',
      argv: ['--version'],
      mistake: 'unknown flag --version: --help lists the flags',
    },
  ])('$command $argv', ({ command = '', argv, mistake }) => {
    expect(mistakeIn(command, ...argv)).toBe(mistake)
  })

  it('is the first of several', () => {
    expect(mistakeIn('', '--port', '--demo', '--dmeo')).toBe('--port needs a value: --port <port>')
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

  it.each(['doctor', 'init', 'print-config'] as const)(
    '%s takes every setting, as the service does',
    (command) => {
      expect(mistakeIn(command, '--upstream-url', 'http://x', '--quota-transport=off')).toBeNull()
    },
  )
})
