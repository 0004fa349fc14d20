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
  | { readonly kind: 'garbage' | 'wrong_root' | 'drip' | 'drop' | 'huge' | keyof typeof RAW }

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
    default:
      return RAW[fault.kind](await (await answer()).text())
  }
}

const JSON_TYPE = 'application/json; charset=utf-8'
const MB = 1024 * 1024
const HUGE_MB = 500
const HEADERS_MANY = 100_000
/** Amount by which a wrong Content-Length is off. */
const LENGTH_ERROR = 10

/** An answer with these lines in its head. */
const answerWith = (body: string, ...lines: readonly string[]) =>
  [
    'HTTP/1.1 200 OK',
    `Content-Type: ${JSON_TYPE}`,
    'X-CPA-Version: v7.2.140',
    ...lines,
    '',
    body,
  ].join('\r\n')
const sized = (whole: string, off = 0) => `Content-Length: ${Buffer.byteLength(whole) + off}`

/** Faults of the HTTP framing itself, in an answer with this body. */
const RAW = {
  reset: (body) => ({
    bytes: answerWith(body.slice(0, body.length / 2), sized(body)),
    ending: 'reset',
  }),
  length_too_long: (body) => ({
    bytes: answerWith(body, sized(body, LENGTH_ERROR)),
    ending: 'close',
  }),
  length_too_short: (body) => ({
    bytes: answerWith(body, sized(body, -LENGTH_ERROR)),
    ending: 'keep',
  }),
  broken_chunks: (body) => ({
    bytes: answerWith(
      `20\r\n${body.slice(0, 32)}\r\nno chunk size\r\n`,
      'Transfer-Encoding: chunked',
    ),
    ending: 'keep',
  }),
  close_after: (body) => ({ bytes: answerWith(body, sized(body)), ending: 'close' }),
  header_flood(body) {
    const flood = Array.from({ length: HEADERS_MANY }, (_, index) => `X-Flood-${index}: 1`)
    return { bytes: answerWith(body, ...flood, sized(body)), ending: 'keep' }
  },
  header_line: (body) => ({
    bytes: answerWith(body, `X-Flood: ${'1'.repeat(MB)}`, sized(body)),
    ending: 'keep',
  }),
} as const satisfies Readonly<Record<string, (body: string) => RawAnswer>>

export const fakeFaultKinds = [
  ...(['status', 'delay', 'body', 'garbage', 'wrong_root', 'drip', 'drop', 'huge'] as const),
  ...(Object.keys(RAW) as (keyof typeof RAW)[]),
]

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
