import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createClient } from './client.ts'
import {
  createEventParser,
  EVENT_LENGTH_MAX,
  type ReceivedEvent,
  type SentEvent,
} from './follow-events.ts'
import { filled } from './testing/filled.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Longer than twenty of the longest waits. */
const CUT_MS = 15 * 60_000
type Fetch = NonNullable<Parameters<typeof createClient>[0]['fetch']>

/** A body that sends a text and then ends, breaks, or stays silent, also after a signal:  may forget its own. */
function streamOf(text: string, then: 'end' | 'break' | 'silence') {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text))
      if (then === 'end') controller.close()
    },
    pull(controller) {
      if (then === 'break') controller.error(new Error('reset'))
    },
  })
}

const eventStream = (body: string | ReadableStream<Uint8Array>) =>
  new Response(body, { headers: { 'Content-Type': 'text/event-stream; charset=utf-8' } })
const changeOf = (id: number) => filled('HealthItem', { kind: 'plan', code: `c${id}` })
const eventText = (id: number) =>
  `event: change\nid: ${id}\ndata: ${JSON.stringify(changeOf(id))}\n\n`

function eventsBy(fetch: Fetch, lastEventId?: string) {
  const stop = new AbortController()
  const events = createClient({ url: 'http://monitor.example', fetch }).events({
    signal: stop.signal,
    ...(lastEventId === undefined ? {} : { lastEventId }),
  })
  const received: ReceivedEvent[] = []
  const ended = (async () => {
    for await (const event of events) received.push(event)
  })()
  ended.catch(() => undefined)
  return { stop, received, ended }
}

it('misses no event and has none twice, wherever connections are cut', async () => {
  const EVENTS = 12
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(300), { maxLength: 20 }), async (cuts) => {
      let connection = 0
      const follower = eventsBy(async (_url, init) => {
        const after = Number(new Headers(init?.headers).get('Last-Event-ID') ?? 0)
        const ids = Array.from({ length: EVENTS - after }, (_, index) => after + index + 1)
        const text = `retry: 10\n${ids.map(eventText).join('')}`
        const cut = cuts[connection++]
        return eventStream(
          cut === undefined
            ? streamOf(text, 'silence')
            : streamOf(text.slice(0, cut), cut % 2 === 0 ? 'end' : 'break'),
        )
      })
      await vi.advanceTimersByTimeAsync(CUT_MS)
      follower.stop.abort()
      await follower.ended

      expect(follower.received.map(({ id }) => Number(id))).toEqual(
        Array.from({ length: EVENTS }, (_, index) => index + 1),
      )
      expect(follower.received[0]).toEqual({ event: 'change', id: '1', data: changeOf(1) })
    }),
    // Looking for a shorter example would take longer than the time-out.
    { numRuns: 10, endOnFailure: true },
  )
})

it('waits 1 to 30 s between connections, longer each time, and from the start after an event', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(1)
  const at: number[] = []
  const { stop, ended } = eventsBy(async () => {
    at.push(vi.getMockedSystemTime()?.getTime() ?? 0)
    return eventStream(at.length === 9 ? eventText(1) : ': nothing\n\n')
  })
  await vi.advanceTimersByTimeAsync(200_000)
  stop.abort()
  await ended

  const waits = at.slice(1, 11).map((time, index) => (time - (at[index] ?? 0)) / 1000)
  expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 30, 1, 2])
})

it('begins after the event that it is given', async () => {
  const asked: (string | null)[] = []
  const { stop } = eventsBy(async (_url, init) => {
    asked.push(new Headers(init?.headers).get('Last-Event-ID'))
    return eventStream(streamOf('', 'silence'))
  }, '41')
  await vi.advanceTimersByTimeAsync(0)
  stop.abort()

  expect(asked).toEqual(['41'])
})

it('a connection on which nothing comes counts as dead', async () => {
  let connections = 0
  const { stop, ended } = eventsBy(async () => {
    connections += 1
    return eventStream(streamOf(eventText(connections), 'silence'))
  })
  await vi.advanceTimersByTimeAsync(44_000)
  expect(connections).toBe(1)
  await vi.advanceTimersByTimeAsync(4_000)
  expect(connections).toBe(2)
  stop.abort()
  await ended
})

it('ends with its signal at once, while it waits to connect too', async () => {
  let connections = 0
  const { stop, ended } = eventsBy(async () => {
    connections += 1
    return eventStream('')
  })
  await vi.advanceTimersByTimeAsync(500)
  stop.abort()
  await ended

  expect(connections).toBe(1)
  expect(vi.getTimerCount()).toBe(0)
})

it('closes its connection when nobody takes events any more', async () => {
  let signal: AbortSignal | null | undefined
  const fetch: Fetch = async (_url, init) => {
    signal = init?.signal
    return eventStream(streamOf(eventText(1), 'silence'))
  }
  for await (const _event of createClient({ url: 'http://monitor.example', fetch }).events()) break

  expect(signal?.aborted).toBe(true)
})

const busy = () =>
  Response.json(
    { ok: false, status: 'too_many', error: 'Too many clients.' },
    { status: 503, headers: { 'Retry-After': '20' } },
  )

it.each<[string, () => Response | Promise<Response>, object]>([
  ['nobody answers', () => Promise.reject(new Error('refused')), { code: 'unreachable' }],
  ['too many follow', busy, { code: 'refused', refusal: { retryAfterSeconds: 20 } }],
  ['it is a page', () => new Response('<html>'), { code: 'not_a_monitor' }],
])('throws if the first connection fails: %s', async (_title, answer, expected) => {
  const { ended } = eventsBy(async () => answer())

  await expect(ended).rejects.toMatchObject(expected)
})

it.each<[string, () => Response | Promise<Response>, number]>([
  ['nobody answers', () => Promise.reject(new Error('refused')), 1],
  ['a reverse proxy is alone', () => new Response('<html>', { status: 502 }), 1],
  ['too many follow', busy, 20],
])('tries again later: %s', async (_title, answer, leastSeconds) => {
  const answers = [() => eventStream(eventText(1)), answer, () => eventStream(eventText(2))]
  const at: number[] = []
  const { stop, received, ended } = eventsBy(async () => {
    at.push(vi.getMockedSystemTime()?.getTime() ?? 0)
    return answers[at.length - 1]?.() ?? eventStream(streamOf('', 'silence'))
  })
  await vi.advanceTimersByTimeAsync(60_000)
  stop.abort()
  await ended

  expect(received.map(({ id }) => id)).toEqual(['1', '2'])
  expect((at[2] ?? 0) - (at[1] ?? 0)).toBeGreaterThanOrEqual(leastSeconds * 1000)
})

it('gives up where the service refuses', async () => {
  let connections = 0
  const { ended, received } = eventsBy(async () => {
    connections += 1
    return connections === 1
      ? eventStream(eventText(1))
      : Response.json({ ok: false, status: 'forbidden', error: 'No.' }, { status: 403 })
  })
  await vi.advanceTimersByTimeAsync(5_000)

  await expect(ended).rejects.toMatchObject({ code: 'refused', refusal: { slug: 'forbidden' } })
  expect(received).toHaveLength(1)
})

it.each<[string, string]>([
  ['lacks what its kind has', 'event: change\nid: 2\ndata: {}\n\n'],
  ['has a wrong time', `event: action\nid: 2\ndata: {"transition":"opened","at":"soon"}\n\n`],
])('ends where an event %s', async (_title, text) => {
  const { ended, received } = eventsBy(async () => eventStream(eventText(1) + text))

  await expect(ended).rejects.toMatchObject({ code: 'not_a_monitor' })
  expect(received).toHaveLength(1)
})

it('sends back no id that no header can hold, and waits no longer than an hour', async () => {
  const asked: (string | null)[] = []
  const at: number[] = []
  const answers = [
    () => eventStream(`id: \u00e9\u001b\ndata: 1\n\n`),
    () =>
      Response.json({ error: 'Busy.' }, { status: 503, headers: { 'Retry-After': '999999999' } }),
  ]
  const { stop, ended } = eventsBy(async (_url, init) => {
    asked.push(new Headers(init?.headers).get('Last-Event-ID'))
    at.push(vi.getMockedSystemTime()?.getTime() ?? 0)
    return answers[at.length - 1]?.() ?? eventStream(streamOf('', 'silence'))
  })
  await vi.advanceTimersByTimeAsync(2 * 60 * 60_000)
  stop.abort()
  await ended

  expect(asked.slice(0, 3)).toEqual([null, null, null])
  expect((at[2] ?? 0) - (at[1] ?? 0)).toBe(60 * 60_000)
})

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
