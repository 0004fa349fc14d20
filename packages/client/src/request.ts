import { readText } from './read-text.ts'
import { faultIn } from './schema-fault.ts'

/** Reason that a call has no answer: no connection, a timeout, a refusal by the service, or an answer from another program. */
export type ClientErrorCode = 'unreachable' | 'timeout' | 'refused' | 'not_a_monitor'

interface Refusal {
  /** HTTP status. */
  readonly status: number
  /** Stable slug of the error, as `unknown_account`; null if the answer names none. */
  readonly slug: string | null
  /** Allowed values of the refused parameter; empty if there is no list. */
  readonly allowed: readonly string[]
  /** Wait given by `Retry-After`; null if there is none. */
  readonly retryAfterSeconds: number | null
}

/** A call without an answer. `refusal` is null unless the code is `refused`. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly code: ClientErrorCode
  readonly refusal: Refusal | null

  constructor(code: ClientErrorCode, message: string, refusal: Refusal | null = null) {
    super(message)
    this.code = code
    this.refusal = refusal
  }
}

/** Address of the service and options of the requests. */
export interface ClientOptions {
  /** Address of the service, such as `http://127.0.0.1:4516`; its path is kept. In a page it may be relative to the page. */
  readonly url: string
  /** Longest wait for a whole answer, in milliseconds; default 5 s. */
  readonly timeoutMs?: number | undefined
  /** Headers of every request, for example for the login of a reverse proxy. */
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: typeof globalThis.fetch
}

/** Parameters of a query. Undefined values and empty lists are omitted; lists are joined with commas. */
export type Query = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>

/** A JSON answer. */
export interface Answer {
  readonly body: unknown
  /** Time of the answer by the service's clock, in milliseconds since 1970; NaN if unknown. */
  readonly givenAtMs: number
}

export type Requests = ReturnType<typeof createRequests>

const TIMEOUT_MS = 5_000
/** Number of paths whose last answer is kept for its ETag. */
const KEPT_MAX = 16
/** Size limit of lists, above all accounts of the largest pool. */
const LIST_BYTES_MAX = 64 * 1024 * 1024
const ANSWER_BYTES_MAX = 8 * 1024 * 1024
const LISTS: ReadonlySet<string> = new Set(['Recommendations', 'StatusSnapshot'])
const ERROR_BYTES_MAX = 64 * 1024
/** Statuses with which a reverse proxy answers while the service is down. */
const GATEWAY_ERRORS = [502, 503, 504]

/** Throws a TypeError if the address is invalid or contains a login, or if a header is invalid. */
export function createRequests({
  url,
  timeoutMs = TIMEOUT_MS,
  headers: own = {},
  fetch = globalThis.fetch,
}: ClientOptions) {
  const base = baseOf(url)
  if (Object.keys(own).length > 0) new Headers(own)
  // As text, so that whoever changes a parsed answer changes no other.
  const kept = new Map<string, { readonly etag: string; readonly text: string }>()

  const inTime = async <Value>(
    signal: AbortSignal,
    attempt: () => Promise<Value>,
    otherwise: string,
  ) => {
    try {
      return await attempt()
    } catch (error) {
      if (signal.aborted) throw new ClientError('timeout', `${base} did not answer in time`)
      throw failureOf(error, otherwise, base)
    }
  }
  const send = (path: string, signal: AbortSignal, init: RequestInit = {}) => {
    const headers = Object.fromEntries(
      Object.entries({ ...own, ...init.headers }).map(([name, value]) => [
        name.toLowerCase(),
        value,
      ]),
    )
    return inTime(
      signal,
      () => fetch(base + path, { redirect: 'manual', ...init, headers, signal }),
      `nothing answers at ${base}`,
    )
  }
  const textOf = async (answer: Response, signal: AbortSignal, payload = ''): Promise<string> => {
    const most = LISTS.has(payload) ? LIST_BYTES_MAX : ANSWER_BYTES_MAX
    const bytesMax = answer.ok ? most : ERROR_BYTES_MAX
    const read = () => readText(answer.body, bytesMax, signal)
    const text = await inTime(signal, read, `the answer of ${base} broke off`)
    if (text !== null) return text
    throw notAMonitor(answer, base, `its answer is longer than ${bytesMax / 1024} KiB`)
  }
  const answered = (answer: Response, text: string, payload: string): Answer => {
    if (isDense(text)) throw notAMonitor(answer, base, 'its answer is all brackets')
    const body = parsed(text)
    if (!answer.ok && answer.status !== 304) throw refused(answer, body, base)
    if (body === undefined) throw notAMonitor(answer, base, 'its answer is no JSON')
    const fault = faultIn(body, payload)
    if (fault === null) return { body, givenAtMs: dateOf(answer) }
    throw notAMonitor(answer, base, `${fault || 'its answer'} is not as in ${payload}`)
  }

  return {
    /** The JSON answer to a path. An answer that has not changed since the last call is not sent again. */
    async get(path: string, payload: string, query: Query = {}): Promise<Answer> {
      const full = path + searchOf(query)
      const known = kept.get(full)
      const signal = AbortSignal.timeout(timeoutMs)
      const answer = await send(full, signal, known && { headers: { 'If-None-Match': known.etag } })
      const text = await textOf(answer, signal, payload)
      if (answer.status === 304 && known !== undefined) return answered(answer, known.text, payload)
      const result = answered(answer, text, payload)
      const etag = answer.headers.get('ETag')
      kept.delete(full)
      if (etag !== null) kept.set(full, { etag, text })
      const [oldest = ''] = kept.keys()
      if (kept.size > KEPT_MAX) kept.delete(oldest)
      return result
    },
    async post(path: string, payload: string, body: unknown): Promise<Answer> {
      const signal = AbortSignal.timeout(timeoutMs)
      const headers = { 'Content-Type': 'application/json' }
      const answer = await send(path, signal, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      return answered(answer, await textOf(answer, signal, payload), payload)
    },
    /** Opens the event stream of a path. Rejects if it does not start in time. Ends with the signal. */
    async open(
      path: string,
      headers: Readonly<Record<string, string>>,
      signal: AbortSignal,
    ): Promise<ReadableStream<Uint8Array>> {
      const late = new AbortController()
      const timer = setTimeout(() => late.abort(), timeoutMs)
      const either = AbortSignal.any([signal, late.signal])
      try {
        const answer = await send(path, either, {
          headers: { Accept: 'text/event-stream', ...headers },
        })
        const isStream = answer.headers.get('Content-Type')?.startsWith('text/event-stream')
        if (answer.ok && isStream === true && answer.body !== null) return answer.body
        const text = await textOf(answer, either)
        throw answer.ok
          ? notAMonitor(answer, base, 'it sends no events')
          : refused(answer, parsed(text), base)
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

/** The base URL without query, fragment and trailing slash. */
function baseOf(url: string): string {
  const { location } = globalThis as { readonly location?: { readonly href: string } }
  const { protocol, origin, pathname, username, password } = new URL(url, location?.href)
  if (!/^https?:$/.test(protocol))
    throw new TypeError('url: it must begin with http:// or https://')
  if (username + password !== '') throw new TypeError('url: a login belongs in headers')
  return origin + pathname.replace(/\/+$/, '')
}

function searchOf(query: Query): string {
  const sent = Object.entries(query).flatMap(([name, value]) => {
    const values = [value ?? []].flat()
    return values.length === 0 ? [] : [[name, values.join(',')]]
  })
  return sent.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(sent))}`
}

/** Minimum characters per bracket; an answer of the service has four times as many. */
const BRACKET_LENGTH_MIN = 25
/** Number of brackets that any answer may have. */
const BRACKETS_FREE = 10_000

/** Whether a text has so many brackets that its lists and objects would take many times the memory of the text. */
function isDense(text: string): boolean {
  let left = BRACKETS_FREE + text.length / BRACKET_LENGTH_MIN
  for (const bracket of ['[', '{'])
    for (let at = text.indexOf(bracket); at >= 0 && left >= 0; at = text.indexOf(bracket, at + 1))
      left -= 1
  return left < 0
}

/** The value of a JSON text; undefined if the text is invalid. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function dateOf(answer: Response): number {
  return Date.parse(answer.headers.get('Date') ?? '')
}

function notAMonitor({ status }: Response, base: string, why = ''): ClientError {
  const seen = why === '' ? `HTTP ${status}` : why
  return new ClientError('not_a_monitor', `what answers at ${base} is not the monitor (${seen})`)
}

/** Error codes of Node for an answer that is not HTTP. */
const NO_HTTP = /^(?:HPE_|UND_ERR_HEADERS_OVERFLOW)/

/** The error for a failed request or answer. Its text includes the system's error code, except for a refused connection. */
function failureOf(error: unknown, otherwise: string, base: string): ClientError {
  const { code = '', cause } = Object(error) as {
    readonly code?: unknown
    readonly cause?: unknown
  }
  const known = String(code || (Object(cause) as { readonly code?: unknown }).code || '')
  if (NO_HTTP.test(known))
    return new ClientError(
      'not_a_monitor',
      `what answers at ${base} does not speak HTTP (${known})`,
    )
  const isNamed = /^[A-Z][A-Z0-9_]*$/.test(known) && known !== 'ECONNREFUSED'
  return new ClientError('unreachable', isNamed ? `${otherwise} (${known})` : otherwise)
}

function refused(answer: Response, body: unknown, base: string): ClientError {
  const { status, error, allowed } = Object(body) as Readonly<Record<string, unknown>>
  const noLogin = answer.status === 401 ? `a login is asked for at ${base} (HTTP 401)` : null
  const text = typeof error === 'string' ? error : noLogin
  if (text === null)
    return GATEWAY_ERRORS.includes(answer.status)
      ? new ClientError(
          'unreachable',
          `the monitor behind ${base} does not answer (HTTP ${answer.status})`,
        )
      : notAMonitor(answer, base)
  return new ClientError('refused', text, {
    status: answer.status,
    slug: typeof status === 'string' ? status : null,
    allowed: Array.isArray(allowed) ? allowed.filter((one) => typeof one === 'string') : [],
    retryAfterSeconds: retryAfterOf(answer),
  })
}

/** Seconds to wait; null if the answer asks for no wait, or gives a date without its own current time. */
function retryAfterOf(answer: Response): number | null {
  const given = answer.headers.get('Retry-After') ?? ''
  if (/^\d{1,9}$/.test(given)) return Number(given)
  const seconds = Math.ceil((Date.parse(given) - dateOf(answer)) / 1000)
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}
