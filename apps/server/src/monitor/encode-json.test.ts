import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeJson, jsonBytesOf } from './encode-json.ts'

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString()

describe('the encoder', () => {
  it('writes what JSON.stringify would write', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (document) => {
        expect(textOf((await jsonBytesOf(document)).json)).toBe(JSON.stringify(document))
      }),
    )
  })

  it.each([0, 1, 99, 100, 101, 200, 201])('writes a list of %i elements whole, wherever it stands', async (length) => {
    const list = Array.from({ length }, (_, index) => ({ index, text: '·"\u2028' }))
    const document = { empty: {}, before: 1, deep: { list, left: undefined }, after: [list] }

    expect(textOf((await jsonBytesOf(document)).json)).toBe(JSON.stringify(document))
    expect(textOf((await jsonBytesOf(list)).json)).toBe(JSON.stringify(list))
  })

  it('puts known bytes in the place of their document, and lets them decide the digest', async () => {
    const part = { items: [1, 2] }
    const other = await jsonBytesOf({ items: [3] })
    const document = { part, more: true }
    const known = await jsonBytesOf(document, new Map([[part, await jsonBytesOf(part)]]))

    expect(textOf(known.json)).toBe(JSON.stringify(document))
    expect((await jsonBytesOf(document, new Map([[part, other]]))).digest).not.toBe(known.digest)
  })

  it('gives equal documents equal validators, different ones different ones, and each form its own', async () => {
    const one = await encodeJson({ a: 1 })
    const same = await encodeJson({ a: 1 })
    const other = await encodeJson({ a: 2 })

    expect(one.plainEtag).toBe(same.plainEtag)
    expect(new Set([one.plainEtag, one.gzipEtag, other.plainEtag, other.gzipEtag]).size).toBe(4)
    expect(gunzipSync(one.gzip).toString()).toBe('{"a":1}')
  })
})
