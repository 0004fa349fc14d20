import { describe, expect, it } from 'vitest'
import { parseAllowedHost } from './allowed-hosts.ts'

describe('an allowed host', () => {
  it.each([
    ['monitor.example.com', 'monitor.example.com', null],
    ['Monitor.Example.COM', 'monitor.example.com', null],
    ['monitor.example.com.', 'monitor.example.com', null],
    [' monitor.example.com ', 'monitor.example.com', null],
    ['monitor.example.com:8443', 'monitor.example.com', 8443],
    ['münchen.example', 'xn--mnchen-3ya.example', null],
    ['quota_monitor', 'quota_monitor', null],
    ['192.168.1.10:1', '192.168.1.10', 1],
    ['[FD00:0::5]:65535', 'fd00::5', 65535],
    ['[::ffff:10.0.0.1]', '10.0.0.1', null],
    // A name, not an address in 0.0.0.0/8.
    ['0.pool.example', '0.pool.example', null],
    ['1e3', '1e3', null],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`, null],
    [`${'x.'.repeat(126)}y`, `${'x.'.repeat(126)}y`, null],
  ])('%s is read', (text, host, port) => {
    expect(parseAllowedHost(text)).toEqual({ kind: 'ok', value: { host, port } })
  })

  it.each([
    '',
    ' ',
    '*',
    '*.example.com',
    'http://monitor.example.com',
    'monitor.example.com/',
    'me@monitor',
    'a?b',
    'a#b',
    'a\\b',
    'a%41',
    // Address parsers silently drop these two characters.
    'a\tb',
    'a\nb',
    'a :1',
    'a:0',
    'a:65536',
    'a:080',
    'a:',
    'a:x',
    '0.0.0.0',
    '0.1.2.3',
    '[::]',
    '[::]:80',
    '[::ffff:0.0.0.0]',
    '[::1]x',
    '[::1]:',
    '::1',
    '[::1',
    '[fe80::1%lo]',
    '127.1',
    '0x7f.1',
    '1.2.3',
    'a..b',
    '-a',
    `${'a'.repeat(64)}.example`,
    `${'x.'.repeat(126)}yy`,
  ])('%j is refused, and says why', (text) => {
    expect(parseAllowedHost(text)).toMatchObject({
      kind: 'refused',
      why: expect.stringMatching(/\w/),
    })
  })
})
