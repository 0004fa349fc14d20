import { describe, expect, it } from 'vitest'
import type { ReadyAnswer, ReadyForm } from '../answers/ready-answer.ts'
import { hasEtag, readyBytes } from './ready-bytes.ts'

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

describe('a client that names the version it has', () => {
  it.each([
    { since: 'plain', status: 304 },
    { since: 'older', status: 200 },
    { since: '', status: 200 },
    { since: null, status: 200 },
  ])('$since is answered $status, whatever form it takes', ({ since, status }) => {
    for (const accepted of ['gzip', 'br', 'identity'])
      expect(readyBytes(answer, { 'accept-encoding': accepted }, since).status).toBe(status)
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
