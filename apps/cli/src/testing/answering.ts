import { filled } from '@svc/client/testing'

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

const PAYLOADS: Readonly<Record<string, string>> = {
  accounts: 'AccountDetail',
  health: 'Health',
  pick: 'Pick',
  recommendations: 'Recommendations',
  status: 'StatusSnapshot',
}
const EVENTS: Readonly<Record<string, string>> = {
  snapshot: 'SnapshotEvent',
  change: 'HealthItem',
  action: 'ActionEvent',
}

/** A `fetch` whose answers have every member that their payload must have, so that tests name those alone that matter. */
export function filling(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const answer = await fetch(input, init)
    const [, name = ''] = /\/api\/v1\/(\w+)/.exec(String(input)) ?? []
    const isJson = answer.headers.get('Content-Type')?.includes('json') === true
    const payload = PAYLOADS[name]
    if (!answer.ok || !isJson || payload === undefined) return answer
    return Response.json(filled(payload, (await answer.json()) as object), {
      headers: answer.headers,
    })
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
      const whole = filled(EVENTS[event] ?? '', data)
      const text = `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(whole)}\n\n`
      for (const reader of readers.values()) reader.enqueue(new TextEncoder().encode(text))
    },
    readers: () => readers.size,
  }
}
