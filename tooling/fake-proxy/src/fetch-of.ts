import type { FakeUpstream } from './fake-upstream.ts'

/** A `fetch` that sends every request, to any host, to the fake. Honours `signal` (also while the body is read) and `redirect: 'error'`. */
export function fetchOf(fake: Pick<FakeUpstream, 'app'>): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    const response = await untilAborted(request.signal, answerOf(fake, request))
    if (
      request.redirect === 'error' &&
      response.status >= 300 &&
      response.status < 400 &&
      response.headers.has('location')
    ) {
      throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') })
    }
    return withAbortableBody(response, request.signal)
  }
}

async function answerOf(fake: Pick<FakeUpstream, 'app'>, request: Request): Promise<Response> {
  try {
    return await fake.app.fetch(request)
  } catch (error) {
    throw new TypeError('fetch failed', { cause: error })
  }
}

function withAbortableBody(response: Response, signal: AbortSignal): Response {
  if (response.body === null) return response
  const reader = response.body.getReader()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await untilAborted(signal, reader.read())
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return new Response(body, response)
}

async function untilAborted<Value>(signal: AbortSignal, pending: Promise<Value>): Promise<Value> {
  let giveUp = () => {}
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason)
    signal.addEventListener('abort', giveUp, { once: true })
  })
  try {
    return await Promise.race([pending, aborted])
  } finally {
    signal.removeEventListener('abort', giveUp)
    pending.catch(() => undefined)
  }
}
