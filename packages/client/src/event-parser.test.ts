import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createEventParser, EVENT_LENGTH_MAX, type SentEvent } from './event-parser.ts'

function readIn(pieces: readonly Uint8Array[], lastEventId = '') {
  const parser = createEventParser(lastEventId)
  const decoder = new TextDecoder()
  const events = pieces.flatMap((piece) => parser.push(decoder.decode(piece, { stream: true })))
  return { events, retryMs: parser.retryMs }
}

const read = (text: string, lastEventId?: string) =>
  readIn([new TextEncoder().encode(text)], lastEventId)

const aLine = fc
  .string({ unit: 'binary', maxLength: 12 })
  .map((text) => text.replace(/[\r\n]/g, ''))
const aName = aLine.filter((name) => name !== '')
const anEvent = fc.record({
  event: aName,
  data: fc.array(aLine, { minLength: 1, maxLength: 4 }),
  id: aLine.filter((id) => !id.includes('\0')),
})
const noise = fc.oneof(
  aLine.map((text) => `:${text}`),
  aLine.map((text) => `unknown: ${text}`),
  fc.constant('retry: soon'),
)

it('the events are those that were sent, wherever their bytes are split and however lines end', () => {
  const aStream = fc.record({
    sent: fc.array(fc.tuple(anEvent, fc.array(noise, { maxLength: 2 }))),
    lineEnd: fc.constantFrom('\n', '\r', '\r\n'),
    colon: fc.constantFrom(': ', ':'),
    cuts: fc.array(fc.nat(2_000)),
    mark: fc.constantFrom('', '\uFEFF'),
  })
  fc.assert(
    fc.property(aStream, ({ sent, lineEnd, colon, cuts, mark }) => {
      // Without the space, a value that begins with one loses it.
      const sentValue = (value: string) => (colon === ':' ? value.replace(/^ /, '') : value)
      const lines = sent.flatMap(([{ event, data, id }, others]) => [
        ...others,
        `event${colon}${event}`,
        ...data.map((line) => `data${colon}${line}`),
        ...others,
        `id${colon}${id}`,
        '',
      ])
      const bytes = new TextEncoder().encode(mark + lines.map((line) => line + lineEnd).join(''))
      const ends = [...cuts.filter((cut) => cut < bytes.length), bytes.length].sort((a, b) => a - b)
      const pieces = ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end))

      expect(readIn(pieces).events).toEqual(
        sent.map(
          ([{ event, data, id }]): SentEvent => ({
            event: sentValue(event) || 'message',
            data: data.map(sentValue).join('\n'),
            id: sentValue(id),
          }),
        ),
      )
    }),
  )
})

it.each<[string, string, readonly Partial<SentEvent>[]]>([
  ['lines of data are joined', 'data: a\ndata\ndata:  b\n\n', [{ data: 'a\n\n b' }]],
  [
    'an event without data is none',
    'event: a\nid: 7\n\ndata: b\n\n',
    [{ event: 'message', id: '7' }],
  ],
  ['an id stays until the next one', 'id: 7\ndata: a\n\ndata: b\n\n', [{ id: '7' }, { id: '7' }]],
  ['an id with a zero in it is none', 'id: 7\0\ndata: a\n\n', [{ id: 'before' }]],
  ['what the end cuts off is no event', 'data: a\n\ndata: b\n', [{ data: 'a' }]],
  ['a comment is no event', ': nothing happens\n\n', []],
])('%s', (_title, text, expected) => {
  const { events } = read(text, 'before')

  expect(events).toHaveLength(expected.length)
  expect(events).toMatchObject(expected)
})

it('the wait that the stream asks for is known', () => {
  expect(read('retry: 3000\n').retryMs).toBe(3_000)
  expect(read('retry: 3s\n').retryMs).toBeNull()
})

it.each([
  ['a line without an end', 'data: ', 'x'],
  ['lines without an end', '', 'data: x\n'],
  ['fields of no event', '', ': x\n'],
])('%s ends the stream, and is not read again with every piece', (_title, head, piece) => {
  const parser = createEventParser('')
  parser.push(head)
  const most = Math.ceil(EVENT_LENGTH_MAX / (piece.length - 1 || 1)) + head.length
  const endless = () => {
    for (let pieces = 0; pieces <= most; pieces += 1) parser.push(piece)
  }

  expect(endless).toThrow(RangeError)
})

it('events of any number may be as long as one', () => {
  const long = `data: ${'x'.repeat(EVENT_LENGTH_MAX - 100)}\n\n`

  expect(read(long + long).events).toHaveLength(2)
})
