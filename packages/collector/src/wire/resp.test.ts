import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRespDecoder, encodeCommand, RespError, type RespReply } from './resp.ts'

const text = (reply: RespReply): unknown =>
  reply instanceof Uint8Array
    ? `bulk ${Buffer.from(reply).toString()}`
    : Array.isArray(reply)
      ? reply.map(text)
      : reply instanceof RespError
        ? `error ${reply.message}`
        : reply

const decoded = (wire: string) => createRespDecoder()(Buffer.from(wire)).map(text)

it('a command is an array of bulk strings, whose lengths are bytes', () => {
  expect(encodeCommand('AUTH', 'ключ')).toBe('*2\r\n$4\r\nAUTH\r\n$8\r\nключ\r\n')
})

describe('an answer', () => {
  it.each([
    ['+OK\r\n', ['OK']],
    ['-ERR invalid management key\r\n', ['error ERR invalid management key']],
    [':1\r\n:-1\r\n', [1, -1]],
    ['$-1\r\n', [null]],
    ['$0\r\n\r\n', ['bulk ']],
    ['$2\r\n\r\n\r\n', ['bulk \r\n']],
    ['*0\r\n*-1\r\n', [[], null]],
    ['*2\r\n$1\r\na\r\n$1\r\nb\r\n', [['bulk a', 'bulk b']]],
    ['*3\r\n$9\r\nsubscribe\r\n$5\r\nusage\r\n:1\r\n', [['bulk subscribe', 'bulk usage', 1]]],
    ['*2\r\n*1\r\n:1\r\n*0\r\n', [[[1], []]]],
  ])('%j', (wire, expected) => {
    expect(decoded(wire)).toEqual(expected)
  })

  it.each([
    ['HTTP/1.1 400 Bad Request\r\n', 'the answer is not RESP'],
    ['$33554433\r\n', 'a length is out of range'],
    ['$x\r\n', 'a length is out of range'],
    ['*100001\r\n', 'a length is out of range'],
    ['*1\r\n*1\r\n*1\r\n*1\r\n', 'arrays are nested too deeply'],
    ['$1\r\nabc', 'a line has no end'],
    ['+OK\n', 'a line has no end'],
    [`+${'x'.repeat(5000)}`, 'a line is too long'],
  ])('%j is refused', (wire, message) => {
    expect(() => decoded(wire)).toThrow(message)
  })

  it('is refused where its parts together are too long', () => {
    const bulk = `$${2 ** 24}\r\n${'x'.repeat(2 ** 24)}\r\n`
    const decoder = createRespDecoder()
    decoder(Buffer.from(`*3\r\n${bulk}`))

    expect(() => decoder(Buffer.from(bulk))).toThrow('an answer is too long')
  })
})

const replies: fc.Arbitrary<string> = fc.letrec<{ reply: string }>((tie) => ({
  reply: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: fc.constantFrom('a', 'é', ' ', '*') }).map((line) => `+${line}\r\n`),
    fc.integer({ min: -1 }).map((count) => `:${count}\r\n`),
    fc.string().map((bulk) => `$${Buffer.byteLength(bulk)}\r\n${bulk}\r\n`),
    fc
      .array(tie('reply'), { maxLength: 3 })
      .map((items) => `*${items.length}\r\n${items.join('')}`),
  ),
})).reply

it('answers are the same however the network cuts them', () => {
  fc.assert(
    fc.property(
      fc.array(replies, { maxLength: 5 }),
      fc.infiniteStream(fc.nat(7)),
      (wires, cuts) => {
        const wire = Buffer.from(wires.join(''))
        const decoder = createRespDecoder()
        const found: unknown[] = []
        for (let at = 0; at < wire.length; ) {
          const length = 1 + (cuts.next().value ?? 0)
          found.push(...decoder(wire.subarray(at, at + length)).map(text))
          at += length
        }
        expect(found).toEqual(decoded(wire.toString()))
      },
    ),
  )
})
