import { readText } from './read-text.ts'
import { faultIn } from './schema-fault.ts'

/** Why a call has no answer: nobody answers, not in time, the service refuses, or something else answers. */
export type ClientErrorCode = 'unreachable' | 'timeout' | 'refused' | 'not_a_monitor'

interface Refusal {
  /** HTTP status. */
  readonly status: number
  /** Stable slug of the error, as `unknown_account`; null if the answer names none. */
  readonly slug: string | null
  /** Values that the refused parameter takes; empty if it has no list. */
  readonly allowed: readonly string[]
  /** Wait asked for by `Retry-After`; null if none is. */
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

/** Where the service is, and how it is asked. */
export interface ClientOptions {
  /** Address of the service, as `http://127.0.0.1:4516`; a path in it is kept. In a page it may be relative to that. */
  readonly url: string
  /** Longest wait for a whole answer, in milliseconds; 5 s if left out. */
  readonly timeoutMs?: number | undefined
  /** Sent with every request, as the login that a reverse proxy asks for. */
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: typeof globalThis.fetch
}

/** Values of a query; those left out and empty lists are not sent, lists are joined with commas. */
export type Query = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>

/** A JSON answer. */
export interface Answer {
  readonly body: unknown
  /** When the service gave it, by its own clock, in milliseconds since 1970; NaN if it does not say. */
  readonly givenAtMs: number
}

export type Requests = ReturnType<typeof createRequests>

const TIMEOUT_MS = 5_000
/** Paths whose last answer is kept for its ETag. */
const KEPT_MAX = 16
/** Every account of the largest pool weighs less. */
const LIST_BYTES_MAX = 64 * 1024 * 1024
const ANSWER_BYTES_MAX = 8 * 1024 * 1024
const LISTS: ReadonlySet<string> = new Set(['Recommendations', 'StatusSnapshot'])
const ERROR_BYTES_MAX = 64 * 1024
/** What a reverse proxy answers when the service behind it does not. */
const GATEWAY_ERRORS = [502, 503, 504]

/** Throws a TypeError if the address is none or has a login in it, or a header is none. */
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
    /** The events of a path, as they come. Rejects if they do not begin in time. Ends with the signal. */
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

/** Without query and fragment, and without a slash at the end. */
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

/** Characters for each bracket, of which an answer of the service has four times as many. */
const BRACKET_LENGTH_MIN = 25
/** Brackets of any answer. */
const BRACKETS_FREE = 10_000

/** Whether a text has so many brackets that its lists and objects would take many times its own memory. */
function isDense(text: string): boolean {
  let left = BRACKETS_FREE + text.length / BRACKET_LENGTH_MIN
  for (const bracket of ['[', '{'])
    for (let at = text.indexOf(bracket); at >= 0 && left >= 0; at = text.indexOf(bracket, at + 1))
      left -= 1
  return left < 0
}

/** The value of a JSON text; undefined if it is none. */
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

/** Codes of Node for what is no HTTP. */
const NO_HTTP = /^(?:HPE_|UND_ERR_HEADERS_OVERFLOW)/

/** Why a request or its answer failed; the code of the system is part of it unless nobody listens. */
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

/** Seconds to wait; null if the answer asks for no wait, or names a time without saying what time it is. */
function retryAfterOf(answer: Response): number | null {
  const given = answer.headers.get('Retry-After') ?? ''
  if (/^\d{1,9}$/.test(given)) return Number(given)
  const seconds = Math.ceil((Date.parse(given) - dateOf(answer)) / 1000)
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}
