/** An event as it was sent. */
export interface SentEvent {
  readonly event: string
  readonly data: string
  /** Id to resume after; empty if the stream has none. */
  readonly id: string
}

/** Reads a `text/event-stream` that comes in pieces, as the HTML standard says. An event that the end cuts off is no event. */
export function createEventParser(lastEventId: string) {
  let unended = ''
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
    if (line !== '') return []
    const complete = { event: event || 'message', data: data.join('\n'), id }
    const isEmpty = data.length === 0
    event = ''
    data = []
    return isEmpty ? [] : [complete]
  }

  return {
    /** The events that this piece of the text completes. */
    push(piece: string): readonly SentEvent[] {
      if (piece === '') return []
      // A line may end with both characters, and a piece between them.
      const text = afterCarriageReturn && piece.startsWith('\n') ? piece.slice(1) : piece
      afterCarriageReturn = piece.endsWith('\r')
      const lines = (unended + text).split(/\r\n|\r|\n/)
      unended = lines.pop() ?? ''
      return lines.flatMap(eventAfter)
    },
    /** The wait before the next connection that the stream asks for; null if it asks for none. */
    get retryMs() {
      return retryMs
    },
  }
}
