import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createJsonPieces, type PieceError, type PieceLimits } from './json-pieces.ts'

const limits: PieceLimits = {
  listDepth: 2,
  frameBytesMax: 100_000,
  elementBytesMax: 10_000,
  depthMax: 64,
}

function read(bytes: Uint8Array, chunkSize: number, of = limits): unknown {
  const pieces = createJsonPieces(of)
  // All chunks share one buffer, as a socket may do.
  const shared = new Uint8Array(chunkSize)
  for (let start = 0; start < bytes.length; start += chunkSize) {
    const chunk = bytes.subarray(start, start + chunkSize)
    shared.set(chunk)
    pieces.push(shared.subarray(0, chunk.length))
  }
  return pieces.end()
}

/** Result of `JSON.parse`, or a mark that it refuses the text. */
function outcomeOf(parse: () => unknown): unknown {
  try {
    return { value: parse() }
  } catch {
    return 'refused'
  }
}

const document = fc.oneof(
  fc.jsonValue({ maxDepth: 5 }),
  fc.dictionary(
    fc.string(),
    fc.array(fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue())),
  ),
)

describe('a document read in pieces', () => {
  it('is what JSON.parse makes of it, wherever the pieces end', () => {
    fc.assert(
      fc.property(
        document,
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(undefined, 1, '\t'),
        fc.integer({ min: 1, max: 4 }),
        (value, chunkSize, indent, listDepth) => {
          const text = JSON.stringify(value, null, indent)

          expect(read(Buffer.from(text), chunkSize, { ...limits, listDepth })).toEqual(
            JSON.parse(text),
          )
        },
      ),
    )
  })

  it('has null for elements after as many as are read, damaged ones too', () => {
    const bytes = Buffer.from('{"files":[{"a":1},{"a":2},{"a":x},{"a":[{}]}],"b":{"c":3}}')

    expect(read(bytes, 7, { ...limits, elementsMax: 2 })).toEqual({
      files: [{ a: 1 }, { a: 2 }, null, null],
      b: { c: 3 },
    })
  })

  it('is refused where JSON.parse refuses it: cut, doubled or with bytes changed', () => {
    const damage = fc.record({
      at: fc.nat(),
      byte: fc.constantFrom(...Buffer.from('{}[]",:\\ 0a\u0000')),
      kind: fc.constantFrom('cut', 'change', 'insert', 'double'),
    })
    fc.assert(
      fc.property(
        document,
        damage,
        fc.integer({ min: 1, max: 40 }),
        (value, { at, byte, kind }, chunkSize) => {
          const bytes = Buffer.from(JSON.stringify(value))
          const place = at % bytes.length
          const broken = {
            cut: () => bytes.subarray(0, place),
            change: () =>
              Buffer.concat([
                bytes.subarray(0, place),
                Buffer.from([byte]),
                bytes.subarray(place + 1),
              ]),
            insert: () =>
              Buffer.concat([bytes.subarray(0, place), Buffer.from([byte]), bytes.subarray(place)]),
            double: () => Buffer.concat([bytes, bytes]),
          }[kind]()

          expect(outcomeOf(() => read(broken, chunkSize))).toEqual(
            outcomeOf(() => JSON.parse(broken.toString())),
          )
        },
      ),
      { numRuns: process.env.TEST_SIZE === 'full' ? 400 : 80 },
    )
  })

  it.each([
    ['brackets and quotes in strings', '{"files":[{"a":"},{\\"[\\\\"},{"b":"]}"}]}'],
    ['a list named twice', '{"files":[{"a":1},{"a":2}],"files":[{"a":3}]}'],
    ['elements that look like placeholders', '{"files":[{"":7},{"":0}]}'],
    ['members that are no lists', '{"a":{"":0},"b":[1,[{"":0}],null]}'],
    ['a root that is a list', '[{"a":1},[{"b":2}]]'],
    [
      'names of prototypes',
      '{"__proto__":[{"polluted":true}],"constructor":[{"__proto__":{"x":1}}]}',
    ],
    ['a byte-order mark', '\ufeff{"files":[{"a":1}]}'],
  ])('handles %s', (_name, text) => {
    expect(read(Buffer.from(text), 3)).toEqual(JSON.parse(text.replace('\ufeff', '')))
  })

  it('replaces bytes that are no UTF-8, inside strings', () => {
    const bytes = Buffer.from('{"files":[{"a":"b?d"}],"c":"?"}')
    for (const at of [bytes.indexOf('?'), bytes.lastIndexOf('?')]) bytes[at] = 0xff

    expect(read(bytes, 5)).toEqual({ files: [{ a: 'b\ufffdd' }], c: '\ufffd' })
  })

  it('leaves an element out that is too large or too deep, and keeps the rest', () => {
    const deep = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`
    const text = `{"files":[{"a":1},{"a":"${'x'.repeat(10_000)}"},${deep},{"a":2}]}`

    expect(read(Buffer.from(text), 1_000)).toEqual({ files: [{ a: 1 }, null, null, { a: 2 }] })
  })

  it.each<readonly [string, string, PieceError['code']]>([
    ['deep', `{"a":${'['.repeat(100)}${']'.repeat(100)}}`, 'too_deep'],
    ['large', `{"a":"${'x'.repeat(100_000)}"}`, 'too_large'],
  ])('refuses a frame that is too %s', (_name, text, code) => {
    expect(() => read(Buffer.from(text), 1_000)).toThrow(code)
  })

  it('holds no white space', () => {
    const text = `{"files":  ${' \n'.repeat(200_000)}[{"a":1}]${'\t'.repeat(200_000)}}`

    expect(read(Buffer.from(text), 1_000)).toEqual({ files: [{ a: 1 }] })
  })
})
