/** An event as it was sent. */
export interface SentEvent {
  readonly event: string
  readonly data: string
  /** Id to resume after; empty if the stream has none. */
  readonly id: string
}

/** Most characters of one event; the service drops a reader long before. */
export const EVENT_LENGTH_MAX = 1024 * 1024

/** Pieces and lines count as if they had as many characters at least: handling one costs as much, however short. */
const PIECE_LENGTH_MIN = 64
const costOf = (text: string) => Math.max(text.length, PIECE_LENGTH_MIN)

/** Reads a `text/event-stream` that comes in pieces, as the HTML standard says. An event that the end cuts off is no event. */
export function createEventParser(lastEventId: string) {
  /** Pieces of a line without its end. */
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
    /** The wait before the next connection that the stream asks for; null if it asks for none. */
    get retryMs() {
      return retryMs
    },
  }
}
