import { describe, expect, it } from 'vitest'
import { canonicalAddress, isOnThisMachine, parseAllowedHost, parseAuthority } from './authority.ts'

describe('authority', () => {
  it.each([
    ['LOCALHOST', { host: 'localhost', port: null }],
    ['localhost.', { host: 'localhost', port: null }],
    ['a.b:1', { host: 'a.b', port: 1 }],
    ['a.b:65535', { host: 'a.b', port: 65535 }],
    ['[::FFFF:127.0.0.1]:80', { host: '127.0.0.1', port: 80 }],
    ['[2001:DB8:0::1]', { host: '2001:db8::1', port: null }],
    ['my_container', { host: 'my_container', port: null }],
    [`${'a'.repeat(63)}.example`, { host: `${'a'.repeat(63)}.example`, port: null }],
  ])('reads %s', (text, authority) => {
    expect(parseAuthority(text)).toEqual(authority)
  })

  it.each([
    '',
    ':80',
    'a:',
    'a:0',
    'a:01',
    'a:65536',
    'a:1x',
    'a b',
    'a..b',
    '-a',
    'a-',
    '1.2.3',
    '1.2.3.4.',
    '01.2.3.4',
    '0x7f.1',
    'a.0x1',
    '[::1',
    '::1',
    '[::1]x',
    '[fe80::1%lo]',
    'a@b',
    'a/b',
    'a,b',
    'a%41',
    'ä',
    `${'a'.repeat(64)}.example`,
    'x.'.repeat(140),
  ])('refuses %j', (text) => {
    expect(parseAuthority(text)).toBeNull()
  })

  it('spells socket addresses as hosts are spelt', () => {
    expect(canonicalAddress('::ffff:192.168.0.9')).toBe('192.168.0.9')
    expect(canonicalAddress('FD00:0:0::5')).toBe('fd00::5')
    expect(canonicalAddress('127.0.0.1')).toBe('127.0.0.1')
  })
})

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

it.each([
  ['http://127.0.0.1:8317', true],
  ['http://127.1', true],
  ['http://localhost', true],
  ['http://LOCALHOST.', true],
  ['http://proxy.localhost', true],
  ['http://[::1]', true],
  ['http://[::ffff:127.0.0.1]', true],
  ['http://0.0.0.0', true],
  ['http://0', true],
  ['http://[::]', true],
  ['http://localhost.example', false],
  ['http://192.0.2.1', false],
  ['http://[2001:db8::1]', false],
  ['http://host.docker.internal', false],
])('%s is on this machine: %s', (url, isHere) => {
  expect(isOnThisMachine(new URL(url))).toBe(isHere)
})
