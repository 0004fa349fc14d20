import type { PoolEvent } from '@svc/views'
import { ClientError, parsed, type Requests } from './request.ts'
import { faultIn } from './schema-fault.ts'

/** An unparsed event. */
export interface SentEvent {
  readonly event: string
  readonly data: string
  /** Id to resume after; empty if the stream has none. */
  readonly id: string
}

/** Maximum length of one event in characters; the service disconnects a slow reader long before. */
export const EVENT_LENGTH_MAX = 1024 * 1024

/** Minimum cost of a piece or a line in characters: handling one costs as much, however short it is. */
const PIECE_LENGTH_MIN = 64
const costOf = (text: string) => Math.max(text.length, PIECE_LENGTH_MIN)

/** Parser of a `text/event-stream` in pieces, by the HTML standard. An event that is cut off at the end is dropped. */
export function createEventParser(lastEventId: string) {
  /** Pieces of a line whose end has not arrived. */
  let unended: string[] = []
  /** Characters since the last event. */
  let length = 0
  let unendedLength = 0
  let afterCarriageReturn = false
  let event = ''
  let data: string[] = []
  let id = lastEventId
  let retryMs: number | null = null

  const eventAfter = (line: string): readonly SentEvent[] => {
    const [name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line)?.slice(1) ?? []
    if (name === 'event') event = value
    else if (name === 'data') data.push(value)
    else if (name === 'id' && !value.includes('\0')) id = value
    else if (name === 'retry' && /^\d+$/.test(value)) retryMs = Number(value)
    length = line === '' ? 0 : length + costOf(line)
    if (line !== '') return []
    const complete = { event: event || 'message', data: data.join('\n'), id }
    const isEmpty = data.length === 0
    event = ''
    data = []
    return isEmpty ? [] : [complete]
  }

  return {
    /** The events that this piece of the text completes. Throws a RangeError for an event of more than `EVENT_LENGTH_MAX` characters. */
    push(piece: string): readonly SentEvent[] {
      if (piece === '') return []
      // A line may end with both characters, and a piece between them.
      const text = afterCarriageReturn && piece.startsWith('\n') ? piece.slice(1) : piece
      afterCarriageReturn = piece.endsWith('\r')
      const lines = text.split(/\r\n|\r|\n/)
      const rest = lines.pop() ?? ''
      if (lines.length > 0) {
        lines[0] = unended.join('') + lines[0]
        unended = []
      }
      unended.push(rest)
      const events = lines.flatMap(eventAfter)
      unendedLength = (lines.length > 0 ? 0 : unendedLength) + costOf(rest)
      if (length + unendedLength > EVENT_LENGTH_MAX) throw new RangeError('an event without an end')
      return events
    },
    /** Wait before the next connection that the stream asks for, in milliseconds; null if it asks for none. */
    get retryMs() {
      return retryMs
    },
  }
}

/** Start and end of the events. */
export interface EventsOptions {
  /** Ends the events. */
  readonly signal?: AbortSignal
  /** The `id` of the last event that was handled. Later events that the service still has are sent first. */
  readonly lastEventId?: string
}

/** An event of the service; a later call can resume after its `id`. */
export type ReceivedEvent = PoolEvent & { readonly id: string }

const WAIT_MS_MIN = 1_000
const WAIT_MS_MAX = 30_000
/** Longest wait that a service may ask for. */
const ASKED_MS_MAX = 60 * 60_000
/** An id that can be a header. */
const SENDABLE = /^[\x21-\x7e]{1,256}$/
/** Silence after which a connection counts as dead; the service sends something every 15 s. */
const SILENCE_MS_MAX = 45_000

/**
 * Events of the service, endless and over as many connections as necessary. Throws ClientError if the first connection fails or the service refuses.
 */
export async function* followEvents(
  requests: Requests,
  { signal = new AbortController().signal, lastEventId = '' }: EventsOptions,
): AsyncGenerator<ReceivedEvent, void, undefined> {
  let id = lastEventId
  let retryMs = WAIT_MS_MIN
  let failures = 0
  let wasOpen = false
  while (!signal.aborted) {
    const connection = new AbortController()
    const either = AbortSignal.any([signal, connection.signal])
    let waitMs = 0
    try {
      const headers = SENDABLE.test(id) ? { 'Last-Event-ID': id } : {}
      const stream = await requests.open('/api/v1/events', headers, either)
      wasOpen = true
      const parser = createEventParser(id)
      for await (const text of piecesOf(stream, connection, either)) {
        for (const sent of parser.push(text)) {
          failures = 0
          id = sent.id
          const data = parsed(sent.data)
          if (data !== undefined) yield checked(sent, data)
        }
        retryMs = parser.retryMs ?? retryMs
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof RangeError) throw noEvents(error.message)
      if (!wasOpen || !(error instanceof ClientError) || isFinal(error)) throw error
      waitMs = Math.min(ASKED_MS_MAX, (error.refusal?.retryAfterSeconds ?? 0) * 1000)
    } finally {
      connection.abort()
    }
    const longestMs = Math.min(WAIT_MS_MAX, Math.max(WAIT_MS_MIN, retryMs) * 2 ** failures)
    failures += 1
    waitMs = Math.max(waitMs, WAIT_MS_MIN + Math.random() * (longestMs - WAIT_MS_MIN))
    await passed(waitMs, signal)
  }
}

const noEvents = (why: string) =>
  new ClientError('not_a_monitor', `the events are not those of a monitor (${why})`)

/** Schema of each event's data; the data of other events is not checked. */
const EVENTS = new Map([
  ['snapshot', 'SnapshotEvent'],
  ['change', 'HealthItem'],
  ['action', 'ActionEvent'],
])

function checked(sent: SentEvent, data: unknown): ReceivedEvent {
  const payload = EVENTS.get(sent.event)
  const fault = payload === undefined ? null : faultIn(data, payload)
  if (fault !== null) throw noEvents(`${fault || 'data'} is not as in ${payload}`)
  return { ...sent, data } as ReceivedEvent
}

/** Whether another try would fail as well. */
function isFinal({ code, refusal }: ClientError): boolean {
  return code === 'not_a_monitor' || (refusal !== null && refusal.status < 500)
}

/** The text of a stream. Throws ClientError if the stream breaks. */
async function* piecesOf(
  stream: ReadableStream<Uint8Array>,
  connection: AbortController,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const reader = stream.getReader()
  // A signal given to `fetch` may be forgotten once the headers have come.
  signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined))
  const decoder = new TextDecoder()
  for (;;) {
    const timer = setTimeout(() => connection.abort(), SILENCE_MS_MAX)
    const { done, value } = await reader
      .read()
      .catch(() => {
        throw new ClientError('unreachable', 'the events broke off')
      })
      .finally(() => clearTimeout(timer))
    if (done) return
    yield decoder.decode(value, { stream: true })
  }
}

/** Resolves after `ms`, or when the signal aborts. */
function passed(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
