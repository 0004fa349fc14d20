import { describe, expect, it } from 'vitest'
import type { ConfigInput } from './config-input.ts'
import { settings } from './config-schema.ts'
import { configText, describeConfig } from './describe-config.ts'
import { resolveConfig } from './resolve-config.ts'
import { worldWithToml } from './testing/config-world.ts'

const CANARY = 'canary-secret-2906'

const rowsOf = (changes: Partial<ConfigInput> = {}) =>
  describeConfig(resolveConfig(worldWithToml('log_level = "warn"\nport = 1\n', changes)))

const rowOf = (key: string, changes: Partial<ConfigInput> = {}) =>
  rowsOf(changes).find((row) => row.key === key)

describe('the described configuration', () => {
  it('has every key once, the management key beside its file', () => {
    const keys = rowsOf().map(({ key }) => key)

    expect(keys.filter((key) => key !== 'management_key')).toEqual(settings.map(({ key }) => key))
    expect(keys.indexOf('management_key') + 1).toBe(keys.indexOf('management_key_file'))
  })

  it('tells where each value comes from', () => {
    const changes = {
      flags: { port: '3' },
      env: { SVC_QUOTA_MONITOR_PORT: '2', SVC_QUOTA_MONITOR_LOG_FORMAT: 'json' },
    }

    expect(rowOf('port', changes)).toEqual({ key: 'port', value: 3, source: 'flag' })
    expect(rowOf('log_format', changes)).toEqual({
      key: 'log_format',
      value: 'json',
      source: 'env',
    })
    expect(rowOf('log_level', changes)).toEqual({ key: 'log_level', value: 'warn', source: 'file' })
    expect(rowOf('host', changes)).toEqual({ key: 'host', value: '127.0.0.1', source: 'default' })
  })

  it.each([
    [{}, 'not set', 'default'],
    [{ SVC_QUOTA_MONITOR_MANAGEMENT_KEY: ' \n' }, 'not set', 'default'],
    [{ SVC_QUOTA_MONITOR_MANAGEMENT_KEY: CANARY }, 'set', 'env'],
  ])('the management key of %j reads %s', (env, value, source) => {
    const rows = rowsOf({ env })

    expect(rows.find(({ key }) => key === 'management_key')).toEqual({
      key: 'management_key',
      value,
      source,
    })
    expect(JSON.stringify(rows) + configText(rows)).not.toContain(CANARY)
  })

  it('the management key is told to come from its file, unless the environment holds it', () => {
    const flags = { 'management-key-file': 'key' }

    expect(rowOf('management_key', { flags })).toEqual({
      key: 'management_key',
      value: 'read from management_key_file',
      source: 'flag',
    })
    expect(
      rowOf('management_key', { flags, env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: CANARY } }),
    ).toMatchObject({
      value: 'set',
      source: 'env',
    })
  })

  it('a value the demo ignores is not shown as in force', () => {
    expect(rowOf('state_db', { demo: true, flags: { 'state-db': 'x.db' } })).toEqual({
      key: 'state_db',
      value: null,
      source: 'default',
    })
  })

  it('hosts read as they are given, IPv6 in brackets', () => {
    const flags = { 'allowed-host': ['A.example,b.example:80', '[FD00:0::1]', '[fd00::2]:8443'] }

    expect(rowOf('allowed_hosts', { flags })?.value).toEqual([
      'a.example',
      'b.example:80',
      '[fd00::1]',
      '[fd00::2]:8443',
    ])
  })
})

describe('the text', () => {
  it('has one line for every key, and a dash for what is not set', () => {
    const rows = rowsOf()
    const lines = configText(rows).trimEnd().split('\n')

    expect(lines.map((line) => line.split(/ +/)[0])).toEqual(rows.map(({ key }) => key))
    expect(lines.find((line) => line.startsWith('allowed_hosts '))).toMatch(/ - +default$/)
    expect(lines.find((line) => line.startsWith('auth_dir '))).toMatch(/ - +default$/)
  })

  it('keeps a long value whole', () => {
    const path = `/${'long/'.repeat(30)}x.db`

    expect(configText(rowsOf({ flags: { 'state-db': path } }))).toMatch(
      new RegExp(`^state_db +${path}  flag$`, 'm'),
    )
  })
})
