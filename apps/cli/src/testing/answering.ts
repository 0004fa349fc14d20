/** What a service of a test answers: JSON, or whatever a function makes of the request. */
type Answers = Readonly<Record<string, object | ((request: Request) => object)>>

/** A `fetch` that leads to a service with these answers by path; a Response goes out as it is. */
export function answering(answers: Answers): typeof fetch {
  return async (input, init) => {
    const request = new Request(input as string, init)
    const given = answers[new URL(request.url).pathname]
    if (given === undefined) return Response.json({ error: 'Nothing here.' }, { status: 404 })
    const answer = typeof given === 'function' ? given(request) : given
    return answer instanceof Response ? answer : Response.json(answer)
  }
}

export interface SentEvents {
  /** The open answer to one who follows; each call makes one more. */
  readonly answer: (request: Request) => Response
  /** Sends an event to everybody who follows. */
  send(event: string, data: object): void
  /** How many follow. */
  readonly readers: () => number
}

/** Events as the service sends them. */
export function sentEvents(): SentEvents {
  // The signal of a request that nothing holds is collected, and its end with it.
  const readers = new Map<Request, ReadableStreamDefaultController<Uint8Array>>()
  let id = 0
  return {
    answer: (request) =>
      new Response(
        new ReadableStream<Uint8Array>({
          start(reader) {
            readers.set(request, reader)
            const { signal } = request
            signal.addEventListener('abort', () => reader.error(signal.reason))
          },
        }),
        { headers: { 'Content-Type': 'text/event-stream' } },
      ),
    send(event, data) {
      id += 1
      const text = `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
      for (const reader of readers.values()) reader.enqueue(new TextEncoder().encode(text))
    },
    readers: () => readers.size,
  }
}
