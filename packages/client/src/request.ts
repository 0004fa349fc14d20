import { ClientError } from './client-error.ts'

/** Where the service is, and how it is asked. */
export interface ClientOptions {
  /** Address of the service, as `http://127.0.0.1:4516`; a path in it is kept. In a page it may be relative to that. */
  readonly url: string
  /** Longest wait for a whole answer, in milliseconds; 5 s if left out. */
  readonly timeoutMs?: number
  /** Sent with every request, as what a reverse proxy asks for. */
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

export interface Requests {
  /** The JSON answer to a path. An answer that has not changed since the last call is not sent again. */
  get(path: string, query?: Query): Promise<Answer>
  post(path: string, body: unknown): Promise<Answer>
  /** The events of a path, as they come. Rejects if they do not begin in time. Ends with the signal. */
  open(
    path: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>>
}

const TIMEOUT_MS = 5_000
/** Paths whose last answer is kept for its ETag. */
const KEPT_MAX = 16
/** What a reverse proxy answers when the service behind it does not. */
const GATEWAY_ERRORS = [502, 503, 504]

/** An answer as text, so that whoever changes the parsed one changes no other. */
interface Kept {
  readonly etag: string
  readonly text: string
}

/** Throws a TypeError if the address is none, or has a login in it. */
export function createRequests({
  url,
  timeoutMs = TIMEOUT_MS,
  headers: own = {},
  fetch = globalThis.fetch,
}: ClientOptions): Requests {
  const base = baseOf(url)
  const kept = new Map<string, Kept>()

  const send = async (path: string, init: RequestInit & { readonly signal: AbortSignal }) => {
    const headers = { ...own, ...init.headers }
    try {
      return await fetch(base + path, { redirect: 'manual', ...init, headers })
    } catch {
      throw lost(init.signal, base)
    }
  }
  const textOf = async (answer: Response, signal: AbortSignal) => {
    try {
      return await answer.text()
    } catch {
      throw lost(signal, base)
    }
  }
  const answered = (answer: Response, text: string): Answer => {
    const body = parsed(text)
    if (!answer.ok && answer.status !== 304) throw refused(answer, body, base)
    if (body === undefined) throw notAMonitor(answer, base)
    return { body, givenAtMs: dateOf(answer) }
  }

  return {
    async get(path, query = {}) {
      const full = path + searchOf(query)
      const known = kept.get(full)
      const signal = AbortSignal.timeout(timeoutMs)
      const headers: Record<string, string> =
        known === undefined ? {} : { 'If-None-Match': known.etag }
      const answer = await send(full, { headers, signal })
      if (answer.status === 304 && known !== undefined) return answered(answer, known.text)
      const text = await textOf(answer, signal)
      const result = answered(answer, text)
      const etag = answer.headers.get('ETag')
      if (etag !== null) keep(kept, full, { etag, text })
      return result
    },
    async post(path, body) {
      const signal = AbortSignal.timeout(timeoutMs)
      const headers = { 'Content-Type': 'application/json' }
      const answer = await send(path, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        signal,
      })
      return answered(answer, await textOf(answer, signal))
    },
    async open(path, headers, signal) {
      const late = new AbortController()
      const timer = setTimeout(() => late.abort(), timeoutMs)
      const both = AbortSignal.any([signal, late.signal])
      try {
        const answer = await send(path, {
          headers: { Accept: 'text/event-stream', ...headers },
          signal: both,
        })
        const isStream = answer.headers.get('Content-Type')?.startsWith('text/event-stream')
        if (answer.ok && isStream === true && answer.body !== null) return answer.body
        answered(answer, await textOf(answer, both))
        throw notAMonitor(answer, base)
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

function keep(kept: Map<string, Kept>, path: string, answer: Kept): void {
  kept.delete(path)
  kept.set(path, answer)
  const [oldest] = kept.keys()
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest)
}

function searchOf(query: Query): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    const values = [value ?? []].flat()
    if (values.length > 0) parameters.set(name, values.join(','))
  }
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
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

function lost(signal: AbortSignal, base: string): ClientError {
  return signal.aborted
    ? new ClientError('timeout', `${base} did not answer in time`)
    : new ClientError('unreachable', `nothing answers at ${base}`)
}

function notAMonitor({ status }: Response, base: string): ClientError {
  return new ClientError(
    'not_a_monitor',
    `what answers at ${base} is not the monitor (HTTP ${status})`,
  )
}

function refused(answer: Response, body: unknown, base: string): ClientError {
  const { status, error, allowed } = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly status?: unknown
    readonly error?: unknown
    readonly allowed?: unknown
  }
  if (typeof error !== 'string')
    return GATEWAY_ERRORS.includes(answer.status)
      ? new ClientError(
          'unreachable',
          `the monitor behind ${base} does not answer (HTTP ${answer.status})`,
        )
      : notAMonitor(answer, base)
  return new ClientError('refused', error, {
    status: answer.status,
    slug: typeof status === 'string' ? status : null,
    allowed: Array.isArray(allowed) ? allowed.map(String) : [],
    retryAfterSeconds: retryAfterOf(answer),
  })
}

/** Seconds to wait; null if the answer asks for no wait, or names a time without saying what time it is. */
function retryAfterOf(answer: Response): number | null {
  const given = answer.headers.get('Retry-After') ?? ''
  if (/^\d+$/.test(given)) return Number(given)
  const seconds = Math.ceil((Date.parse(given) - dateOf(answer)) / 1000)
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}
