import { describe, expect, it } from 'vitest'
import { aCliContext } from '../testing/run-for-test.ts'
import { configInput, isOn, withJoinedDashes } from './flags.ts'

describe('the flags of a command line', () => {
  it.each<{
    readonly what: string
    readonly argv: readonly string[]
    readonly options: Readonly<Record<string, unknown>>
    readonly flags: Readonly<Record<string, string>>
  }>([
    {
      what: 'digits stay as they were typed',
      argv: ['--state-db', '007'],
      options: { stateDb: 7 },
      flags: { 'state-db': '007' },
    },
    {
      what: 'a value may hold an equals sign and a line break',
      argv: ['--state-db=a=b\nc'],
      options: { stateDb: 'a=b\nc' },
      flags: { 'state-db': 'a=b\nc' },
    },
    {
      what: 'the last of several counts',
      argv: ['--port', '1', '--port=2'],
      options: { port: [1, 2] },
      flags: { port: '2' },
    },
    {
      what: 'those of a repeatable one are joined',
      argv: ['--allowed-host', 'a', '--allowed-host=b:1'],
      options: { allowedHost: ['a', 'b:1'] },
      flags: { 'allowed-host': 'a,b:1' },
    },
    {
      what: 'an empty value is a value',
      argv: ['--host', ''],
      options: { host: '' },
      flags: { host: '' },
    },
    { what: 'what was not given is left out', argv: [], options: {}, flags: {} },
  ])('$what', ({ argv, options, flags }) => {
    expect(configInput(options, aCliContext({ argv })).flags).toEqual(flags)
  })

  it.each([
    { argv: [], options: {}, expected: null },
    { argv: ['--config', '01'], options: { config: 1 }, expected: '01' },
    { argv: ['--config=off'], options: { config: 'off' }, expected: 'off' },
  ])('name the configuration file: $argv', ({ argv, options, expected }) => {
    expect(configInput(options, aCliContext({ argv })).configFlag).toBe(expected)
  })
})

it.each([
  { given: true, on: true },
  { given: [false, true], on: true },
  { given: [true, false], on: false },
  { given: undefined, on: false },
  { given: 'true', on: false },
])('a switch given as $given is on: $on', ({ given, on }) => {
  expect(isOn(given)).toBe(on)
})

it.each([
  { argv: ['--output', '-'], expected: ['--output=-'] },
  { argv: ['--output', 'x', '-'], expected: ['--output', 'x', '-'] },
  { argv: ['-', '--output', '-', '--json'], expected: ['-', '--output=-', '--json'] },
  { argv: ['--output'], expected: ['--output'] },
])('a dash is joined to --output alone: $argv', ({ argv, expected }) => {
  expect(withJoinedDashes(argv)).toEqual(expected)
})
