import { describe, expect, it } from 'vitest'
import { canonicalAddress, parseAuthority } from './authority.ts'

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
