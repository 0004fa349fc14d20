import { describe, expect, it } from 'vitest'
import { acceptedCompression, accepts } from './accept-encoding.ts'

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

  it('however many kinds of clients have asked before', () => {
    const many = Array.from({ length: 200 }, (_, index) => `gzip;q=0.${index + 1}`)

    expect(many.map((value) => accepts(value, 'gzip'))).toEqual(many.map(() => true))
    expect(accepts('gzip;q=0', 'gzip')).toBe(false)
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
