export const fakeRoutes = ['healthz', 'auth-files', 'usage-statistics-enabled', 'api-call', 'other'] as const
/** The routes that can be told to fail; `other` is every path besides the named ones. */
export type FakeRoute = (typeof fakeRoutes)[number]

export const fakeFaultKinds = ['status', 'delay', 'body', 'garbage', 'wrong_root', 'drip', 'drop'] as const

/**
 * What goes wrong on a route: another status, an answer `delayMs` late, another 200 body, a body that is no JSON, JSON of the wrong root type,
 * one byte per second, or a connection closed without an answer.
 */
export type FakeFault =
  | { readonly kind: 'status'; readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  | { readonly kind: 'delay'; readonly delayMs: number }
  | { readonly kind: 'body'; readonly body: string; readonly contentType?: string }
  | { readonly kind: 'garbage' }
  | { readonly kind: 'wrong_root' }
  | { readonly kind: 'drip' }
  | { readonly kind: 'drop' }

/** Ends a request without an answer. */
export class ConnectionDropped extends Error {
  override readonly name = 'ConnectionDropped'
}

/** Answers with the fault laid over what `answer` would have said. Throws ConnectionDropped for `drop`. */
export async function answerWithFault(
  fault: FakeFault,
  sleep: (milliseconds: number) => Promise<void>,
  answer: () => Promise<Response>,
): Promise<Response> {
  switch (fault.kind) {
    case 'status':
      return new Response(fault.body ?? null, { status: fault.status, headers: { 'content-type': JSON_TYPE, ...fault.headers } })
    case 'delay':
      await sleep(fault.delayMs)
      return await answer()
    case 'body':
      return new Response(fault.body, { headers: { 'content-type': fault.contentType ?? JSON_TYPE } })
    case 'garbage':
      return new Response('{"files":[{"na', { headers: { 'content-type': JSON_TYPE } })
    case 'wrong_root':
      return new Response('["not what was asked for"]', { headers: { 'content-type': JSON_TYPE } })
    case 'drip':
      return dripped(await answer(), sleep)
    case 'drop':
      throw new ConnectionDropped('the fake closes the connection without an answer')
    default:
      return fault satisfies never
  }
}

const JSON_TYPE = 'application/json; charset=utf-8'

async function dripped(response: Response, sleep: (milliseconds: number) => Promise<void>): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  let sent = 0
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (sent >= bytes.length) return controller.close()
        await sleep(1000)
        controller.enqueue(bytes.slice(sent, sent + 1))
        sent += 1
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, response)
}
