import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import {
  allowedHosts,
  baseUrl,
  choice,
  httpUrl,
  integer,
  languageTag,
  numberOrOff,
  path,
  storeOrOff,
  timeZone,
} from './setting-kinds.ts'

/** The value as read by a kind; `refused` if it is invalid. */
function read({ schema }: { readonly schema: v.GenericSchema }, raw: unknown): unknown {
  const result = v.safeParse(schema, raw)
  return result.success ? result.output : 'refused'
}

describe('a whole number', () => {
  it.each([
    { raw: 5, value: 5 },
    { raw: 10, value: 10 },
    { raw: 4, value: 'refused' },
    { raw: 11, value: 'refused' },
    { raw: 5.5, value: 'refused' },
    { raw: Number.NaN, value: 'refused' },
    { raw: '7', value: 'refused' },
    { raw: true, value: 'refused' },
  ])('from 5 to 10 reads $raw as $value', ({ raw, value }) => {
    expect(read(integer(5, 10), raw)).toBe(value)
  })
})

describe('a number or off', () => {
  it.each([
    { raw: 0.1, value: 0.1 },
    { raw: 100, value: 100 },
    { raw: 0.09, value: 'refused' },
    // TOML has infinity, but a limit must be finite.
    { raw: Number.POSITIVE_INFINITY, value: 'refused' },
    { raw: 'off', value: 'off' },
    { raw: 'OFF', value: 'refused' },
    { raw: 'none', value: 'refused' },
  ])('reads $raw as $value', ({ raw, value }) => {
    expect(read(numberOrOff(0.1, 100), raw)).toBe(value)
  })
})

describe('a choice', () => {
  it('takes its names as they are written, and says them all', () => {
    expect(read(choice('text', 'json'), 'json')).toBe('json')
    expect(read(choice('text', 'json'), 'JSON')).toBe('refused')
    expect(choice('text', 'json').allowed).toBe('text or json')
    expect(choice('a', 'b', 'c').allowed).toBe('one of a, b, c')
  })
})

describe('a URL', () => {
  it.each([
    { raw: 'http://proxy.example', base: 'http://proxy.example', url: 'http://proxy.example/' },
    {
      raw: ' HTTP://Proxy.Example:80/base// ',
      base: 'http://proxy.example/base',
      url: 'http://proxy.example/base//',
    },
    { raw: 'http://proxy.example/?', base: 'http://proxy.example', url: 'http://proxy.example/' },
    { raw: 'http://@proxy.example', base: 'http://proxy.example', url: 'http://proxy.example/' },
    { raw: 'https://[FD00::1]:1/', base: 'https://[fd00::1]:1', url: 'https://[fd00::1]:1/' },
  ])('$raw that paths are appended to has no slash at its end', ({ raw, base, url }) => {
    expect(read(baseUrl, raw)).toBe(base)
    expect(read(httpUrl, raw)).toBe(url)
  })

  it.each(['ftp://h', 'http://u:p@h', 'http://u@h', 'http://h/?q', 'http://h/#f', 'h', '', 1])(
    'is not %j',
    (raw) => {
      expect([read(httpUrl, raw), read(baseUrl, raw)]).toEqual(['refused', 'refused'])
    },
  )

  it('that is refused is never repeated, because it may hold a password', () => {
    expect([httpUrl.secret, baseUrl.secret, path.secret]).toEqual([true, true, true])
  })
})

describe('a path', () => {
  it.each([
    { raw: 'a/b', value: 'a/b', orOff: 'a/b' },
    { raw: 'off', value: 'off', orOff: null },
    { raw: 'none', value: 'none', orOff: null },
    { raw: './off', value: './off', orOff: './off' },
    { raw: '', value: 'refused', orOff: 'refused' },
    { raw: 'a\u0000b', value: 'refused', orOff: 'refused' },
    { raw: false, value: 'refused', orOff: 'refused' },
  ])('$raw is $value, and $orOff where it may be off', ({ raw, value, orOff }) => {
    expect(read(path, raw)).toBe(value)
    expect(read(storeOrOff, raw)).toBe(orOff)
  })
})

describe('a time zone', () => {
  it.each([
    { raw: 'Asia/Kathmandu', value: 'Asia/Kathmandu' },
    { raw: 'UTC', value: 'UTC' },
    { raw: 'Mars/Olympus_Mons', value: 'refused' },
    // Accepted by some versions, but not the name of a zone.
    { raw: '+02:00', value: 'refused' },
    { raw: '', value: 'refused' },
    { raw: null, value: 'refused' },
  ])('$raw is read as $value', ({ raw, value }) => {
    expect(read(timeZone, raw)).toBe(value)
  })
})

describe('a language', () => {
  it.each([
    { raw: 'en', value: 'en' },
    { raw: 'ZH-hans-cn', value: 'zh-Hans-CN' },
    { raw: 'fr', value: 'fr' },
    { raw: 'chinese-simplified!', value: 'refused' },
    { raw: 'zh_CN.UTF-8', value: 'refused' },
    { raw: '', value: 'refused' },
    { raw: 86, value: 'refused' },
  ])('reads $raw as $value', ({ raw, value }) => {
    expect(read(languageTag, raw)).toBe(value)
  })
})

describe('allowed hosts', () => {
  const [a, b] = [
    { host: 'a.example', port: null },
    { host: 'b.example', port: 1 },
  ]

  it.each([
    { raw: 'a.example', value: [a] },
    { raw: 'a.example, b.example:1', value: [a, b] },
    { raw: ['a.example', 'b.example:1'], value: [a, b] },
    { raw: ['a.example,b.example:1'], value: [a, b] },
    { raw: [], value: [] },
    { raw: ['a.example', '*'], value: 'refused' },
    { raw: 'a.example,,b.example', value: 'refused' },
    { raw: ['a.example', 1], value: 'refused' },
    { raw: '', value: 'refused' },
  ])('$raw are a list or text with commas, and one mistake refuses all', ({ raw, value }) => {
    expect(read(allowedHosts, raw)).toEqual(value)
  })
})
