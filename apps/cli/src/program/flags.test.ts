import { flagOf, settings } from '@svc/config'
import { describe, expect, it } from 'vitest'
import { aCliContext } from '../testing/run-for-test.ts'
import { commandLineOf, configInput, durationMs, isOn, optionsOf } from './flags.ts'

const known = new Map([
  ...settings.map((setting) => [`--${flagOf(setting)}`, setting.placeholder] as const),
  ['--config', '<path>'],
  ['--json', ''],
])
const optionsIn = (argv: readonly string[]) =>
  optionsOf(commandLineOf(argv, new Set(['--json'])).flags, known).options
const input = (argv: readonly string[]) => configInput(optionsIn(argv), aCliContext())

describe('the flags of a command line', () => {
  it.each<
    readonly [what: string, argv: readonly string[], flags: Readonly<Record<string, string>>]
  >([
    ['digits stay as they were typed', ['--state-db', '007'], { 'state-db': '007' }],
    [
      'a value may hold an equals sign and a line break',
      ['--state-db=a=b\nc'],
      { 'state-db': 'a=b\nc' },
    ],
    ['the last of several counts', ['--port', '1', '--port=2'], { port: '2' }],
    [
      'those of a repeatable one are joined',
      ['--allowed-host', 'a', '--allowed-host=b:1'],
      { 'allowed-host': 'a,b:1' },
    ],
    ['an empty value is a value', ['--host', ''], { host: '' }],
    ['what was not given is left out', [], {}],
  ])('$0', (_, argv, flags) => {
    expect(input(argv).flags).toEqual(flags)
  })

  it.each([
    { argv: [], expected: null },
    { argv: ['--config', '01'], expected: '01' },
    { argv: ['--config=off'], expected: 'off' },
  ])('name the configuration file: $argv', ({ argv, expected }) => {
    expect(input(argv).configFlag).toBe(expected)
  })
})

it.each([
  { argv: ['--json'], on: true },
  { argv: ['--json', '--json'], on: true },
  { argv: [], on: false },
])('the switch is on by $argv: $on', ({ argv, on }) => {
  expect(isOn(optionsIn(argv).json)).toBe(on)
})

it.each([
  [undefined, undefined],
  [['1s', '500ms'], 500],
  [['10m'], 600_000],
  [['1h'], 3_600_000],
])('%j lasts %j ms', (values, ms) => {
  expect(durationMs('--wait', values)).toBe(ms)
})

it.each(['0s', '10', '1.5s', '-1s', '1d', '', '9999999s'])('%j is no duration', (text) => {
  expect(() => durationMs('--wait', [text])).toThrow('--wait: a duration as 500ms')
})
