import type { ReadyAnswer, ReadyForm } from '@svc/monitor'
import { describe, expect, it } from 'vitest'
import { acceptedCompression, accepts, hasEtag, readyBytes, withWarnings } from './ready-bytes.ts'

const form = (name: string): ReadyForm => ({
  bytes: new TextEncoder().encode(name),
  etag: `"${name}"`,
  headers: { etag: `"${name}"`, 'x-form': name },
  unchangedHeaders: { etag: `"${name}"` },
})
const answer: ReadyAnswer = {
  compression: 'br',
  plain: form('plain'),
  gzip: form('gzip'),
  br: form('br'),
}

describe('the form of an answer', () => {
  it('is plain where it is not compressed so far', async () => {
    const plain: ReadyAnswer = { ...answer, compression: 'none', gzip: null, br: null }
    const sent = readyBytes(plain, { 'accept-encoding': 'gzip, br' })

    expect(await sent.text()).toBe('plain')
  })

  it.each([
    { accepted: undefined, expected: 'plain' },
    { accepted: 'identity', expected: 'plain' },
    { accepted: 'gzip', expected: 'gzip' },
    { accepted: 'gzip, br', expected: 'br' },
    { accepted: 'gzip, br;q=0', expected: 'gzip' },
  ])('for $accepted is $expected', async ({ accepted, expected }) => {
    const sent = readyBytes(answer, accepted === undefined ? {} : { 'accept-encoding': accepted })

    expect([sent.status, sent.headers.get('x-form'), await sent.text()]).toEqual([
      200,
      expected,
      expected,
    ])
  })

  it('is gzip for a client that takes br where br is no smaller', async () => {
    const sent = readyBytes({ ...answer, br: null }, { 'accept-encoding': 'gzip, br' })

    expect(await sent.text()).toBe('gzip')
  })

  it('is sent in full to a client that has another form of the same answer', () => {
    const sent = readyBytes(answer, { 'accept-encoding': 'gzip', 'if-none-match': '"plain"' })

    expect(sent.status).toBe(200)
  })

  it('is not sent to a client that has it', async () => {
    const sent = readyBytes(answer, { 'accept-encoding': 'gzip', 'if-none-match': '"gzip"' })

    expect([sent.status, sent.headers.get('x-form'), await sent.text()]).toEqual([304, null, ''])
  })
})

it.each([
  [undefined, false],
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['"b"', false],
  ['*', true],
  ['a', false],
])('If-None-Match %j against "a": %s', (value, expected) => {
  expect(hasEtag(value, '"a"')).toBe(expected)
})

describe('an answer with warnings', () => {
  const items = {
    ...answer,
    plain: { ...form('digest'), bytes: new TextEncoder().encode('{"items":["ü"]}') },
  }
  const warnings = ['plan: no such parameter; it is ignored']

  it('has them first, the rest as it was, and its own length', async () => {
    const sent = readyBytes(withWarnings(items, warnings), { 'accept-encoding': 'br, gzip' })
    const text = await sent.text()
    expect(text).toBe(`{"warnings":${JSON.stringify(warnings)},"items":["ü"]}`)
    expect(sent.headers.get('content-length')).toBe(String(new TextEncoder().encode(text).length))
    expect(items.plain.bytes).toEqual(new TextEncoder().encode('{"items":["ü"]}'))
  })

  it('is another version than without them, or with others', () => {
    const etags = [[], warnings, ['x']].map((each) => withWarnings(items, each).plain.etag)
    expect(new Set(etags).size).toBe(3)
    const [, warned = ''] = etags
    expect(readyBytes(withWarnings(items, warnings), { 'if-none-match': warned }).status).toBe(304)
    expect(readyBytes(withWarnings(items, warnings), { 'if-none-match': '"digest"' }).status).toBe(
      200,
    )
  })
})

describe('a coding is accepted', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['gzip', true],
    ['GZIP', true],
    ['br;q=1.0, gzip;q=0.8', true],
    ['gzip;q=0', false],
    ['gzip; q=0.000', false],
    ['gzip;q=0.001', true],
    ['*', true],
    ['*;q=0', false],
    ['identity, *;q=0', false],
    ['gzip;q=0, *', false],
    ['x-gzip', false],
  ])('Accept-Encoding %j: gzip %s', (value, expected) => {
    expect(accepts(value, 'gzip')).toBe(expected)
  })

  it('each for itself', () => {
    expect([accepts('br, gzip;q=0', 'br'), accepts('br, gzip;q=0', 'gzip')]).toEqual([true, false])
  })
})

it.each([
  { accepted: undefined, expected: 'none' },
  { accepted: 'identity', expected: 'none' },
  { accepted: 'gzip, deflate', expected: 'gzip' },
  { accepted: 'gzip, br', expected: 'br' },
  { accepted: 'br, gzip;q=0', expected: 'br' },
])('an answer for $accepted is compressed as far as $expected', ({ accepted, expected }) => {
  expect(acceptedCompression(accepted)).toBe(expected)
})
