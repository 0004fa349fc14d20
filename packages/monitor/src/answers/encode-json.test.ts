import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compressedTo, encodeAround, encodeJson } from './encode-json.ts'

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString()

describe('the encoder', () => {
  it('writes around a known text what JSON.stringify would write, with that member last', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.jsonValue(),
        async (rest, known) => {
          const { known: _, ...others } = rest
          const { plain } = encodeAround({ known, ...others }, 'known', encodeJson(known))
          expect(textOf(plain.bytes)).toBe(JSON.stringify({ ...others, known }))
        },
      ),
    )
  })

  it('gives equal documents equal validators, different ones different ones, and each form its own', async () => {
    const one = encodeJson({ a: 1 })
    const same = encodeJson({ a: 1 })
    const other = encodeJson({ a: 2 })

    expect(one.plain.etag).toBe(same.plain.etag)
    expect(new Set([one.plain.etag, one.gzip?.etag, other.plain.etag, other.gzip?.etag]).size).toBe(
      4,
    )
    expect(gunzipSync(one.gzip?.bytes ?? '').toString()).toBe('{"a":1}')
  })

  it.each([
    { compression: 'none', forms: ['plain'] },
    { compression: 'gzip', forms: ['plain', 'gzip'] },
    { compression: 'br', forms: ['plain', 'br'] },
    { compression: 'both', forms: ['plain', 'gzip', 'br'] },
  ] as const)('makes the forms of $compression alone', ({ compression, forms }) => {
    const { compression: made, ...answer } = encodeJson('long '.repeat(500), compression)

    expect(made).toBe(compression)
    expect(Object.entries(answer).flatMap(([form, of]) => (of === null ? [] : [form]))).toEqual(
      forms,
    )
  })

  it('compresses further what it has made, into the forms it would have made at once', () => {
    const document = 'long '.repeat(500)
    const plain = encodeJson(document, 'none')

    expect(compressedTo(plain, 'br')).toEqual(encodeJson(document, 'br'))
    expect(compressedTo(plain, 'none')).toBe(plain)
    const gzip = encodeJson(document, 'gzip')
    expect(compressedTo(gzip, 'none')).toBe(gzip)
    expect(compressedTo(gzip, 'br')).toEqual(encodeJson(document, 'both'))
    expect(compressedTo(encodeJson(document, 'br'), 'gzip')).toEqual(encodeJson(document, 'both'))
  })
})
