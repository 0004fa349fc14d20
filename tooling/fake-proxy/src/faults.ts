export const fakeRoutes = [
  'healthz',
  'auth-files',
  'usage-statistics-enabled',
  'api-call',
  'usage-queue',
  'usage',
  'config',
  'other',
] as const
/** The routes that can be made to fail; `other` is every path that is not listed. */
export type FakeRoute = (typeof fakeRoutes)[number]

export const fakeFaultKinds = [
  'status',
  'delay',
  'body',
  'garbage',
  'wrong_root',
  'drip',
  'drop',
  'huge',
  'reset',
  'length_too_long',
  'length_too_short',
  'broken_chunks',
  'close_after',
  'header_flood',
  'header_line',
] as const

/**
 * Fault of a route: another status, an answer `delayMs` late, another 200 body, a body that is not JSON, JSON of the wrong root type, one
 * byte per second, a connection closed without an answer, a body of 500 MB. On a socket also: a reset in mid body, a Content-Length that is
 * wrong by ten, broken chunks, a good answer whose connection then closes unannounced, 100,000 header lines and one of 1 MB; without a
 * socket these close the connection.
 */
export type FakeFault =
  | {
      readonly kind: 'status'
      readonly status: number
      readonly body?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly kind: 'delay'; readonly delayMs: number }
  | {
      readonly kind: 'body'
      readonly body: string | Uint8Array<ArrayBuffer>
      readonly contentType?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly kind: 'garbage' | 'wrong_root' | 'drip' | 'drop' | 'huge' | RawFaultKind }

/** Faults of the HTTP framing itself. */
type RawFaultKind =
  | 'reset'
  | 'length_too_long'
  | 'length_too_short'
  | 'broken_chunks'
  | 'close_after'
  | 'header_flood'
  | 'header_line'

/** Bytes sent unchanged, and the fate of the connection afterwards. */
export interface RawAnswer {
  readonly bytes: string
  readonly ending: 'reset' | 'close' | 'keep'
}

/** Ends a request without an answer. */
export class ConnectionDropped extends Error {
  override readonly name = 'ConnectionDropped'
}

/** Applies the fault to the result of `answer`; returns bytes if the framing itself is wrong. Throws ConnectionDropped for `drop`. */
export async function answerWithFault(
  fault: FakeFault,
  sleep: (milliseconds: number) => Promise<void>,
  answer: () => Promise<Response>,
): Promise<Response | RawAnswer> {
  switch (fault.kind) {
    case 'status':
      return new Response(fault.body ?? null, {
        status: fault.status,
        headers: { 'content-type': JSON_TYPE, ...fault.headers },
      })
    case 'delay':
      await sleep(fault.delayMs)
      return await answer()
    case 'body':
      return new Response(fault.body, {
        headers: { 'content-type': fault.contentType ?? JSON_TYPE, ...fault.headers },
      })
    case 'garbage':
      return new Response('{"files":[{"na', { headers: { 'content-type': JSON_TYPE } })
    case 'wrong_root':
      return new Response('["not what was asked for"]', { headers: { 'content-type': JSON_TYPE } })
    case 'drip':
      return dripped(await answer(), sleep)
    case 'drop':
      throw new ConnectionDropped('the fake closes the connection without an answer')
    case 'huge':
      return new Response(repeated(' '.repeat(MB), HUGE_MB), {
        headers: { 'content-type': JSON_TYPE },
      })
    case 'reset':
    case 'length_too_long':
    case 'length_too_short':
    case 'broken_chunks':
    case 'close_after':
    case 'header_flood':
    case 'header_line':
      return rawAnswer(fault.kind, await (await answer()).text())
    default:
      return fault satisfies never
  }
}

const JSON_TYPE = 'application/json; charset=utf-8'
const MB = 1024 * 1024
const HUGE_MB = 500
const HEADERS_MANY = 100_000
/** Amount by which a wrong Content-Length is off. */
const LENGTH_ERROR = 10

function rawAnswer(kind: RawFaultKind, body: string): RawAnswer {
  const length = Buffer.byteLength(body)
  const head = (...lines: readonly string[]) =>
    [
      'HTTP/1.1 200 OK',
      `Content-Type: ${JSON_TYPE}`,
      'X-CPA-Version: v7.2.140',
      ...lines,
      '',
      '',
    ].join('\r\n')
  const sized = `Content-Length: ${length}`
  switch (kind) {
    case 'reset':
      return { bytes: head(sized) + body.slice(0, body.length / 2), ending: 'reset' }
    case 'length_too_long':
      return { bytes: head(`Content-Length: ${length + LENGTH_ERROR}`) + body, ending: 'close' }
    case 'length_too_short':
      return { bytes: head(`Content-Length: ${length - LENGTH_ERROR}`) + body, ending: 'keep' }
    case 'broken_chunks':
      return {
        bytes: `${head('Transfer-Encoding: chunked')}20\r\n${body.slice(0, 32)}\r\nno chunk size\r\n`,
        ending: 'keep',
      }
    case 'close_after':
      return { bytes: head(sized) + body, ending: 'close' }
    case 'header_flood':
      return {
        bytes:
          head(
            ...Array.from({ length: HEADERS_MANY }, (_, index) => `X-Flood-${index}: 1`),
            sized,
          ) + body,
        ending: 'keep',
      }
    case 'header_line':
      return { bytes: head(`X-Flood: ${'1'.repeat(MB)}`, sized) + body, ending: 'keep' }
    default:
      return kind satisfies never
  }
}

function repeated(text: string, times: number): ReadableStream<Uint8Array> {
  const chunk = Buffer.from(text)
  let sent = 0
  return new ReadableStream(
    {
      pull(controller) {
        if (sent >= times) return controller.close()
        sent += 1
        controller.enqueue(chunk)
      },
    },
    { highWaterMark: 0 },
  )
}

async function dripped(
  response: Response,
  sleep: (milliseconds: number) => Promise<void>,
): Promise<Response> {
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

/** Creates the faults planned for requests, by route. */
export function createPlannedFaults() {
  const standing = new Map<FakeRoute, FakeFault>()
  const next = new Map<FakeRoute, FakeFault[]>()
  return {
    /** The fault for the current request; null for none. */
    take: (route: FakeRoute) => next.get(route)?.shift() ?? standing.get(route) ?? null,
    /** Plans this fault for the next accepted request to the route; several faults apply to consecutive requests. */
    failNext(route: FakeRoute, fault: FakeFault) {
      next.set(route, [...(next.get(route) ?? []), fault])
    },
    /** Applies this fault to every accepted request to the route, until set to null. */
    setFault(route: FakeRoute, fault: FakeFault | null) {
      if (fault === null) standing.delete(route)
      else standing.set(route, fault)
    },
  }
}
