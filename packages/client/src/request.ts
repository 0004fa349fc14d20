import { ClientError } from './client-error.ts'

export interface ClientOptions {
  /** Address of the service, as `http://127.0.0.1:4516`; a path in it is kept. */
  readonly url: string
  /** Longest wait for a whole answer, in milliseconds; 5 s if left out. */
  readonly timeoutMs?: number
  readonly fetch?: typeof globalThis.fetch
}

/** Values of a query; those left out are not sent, lists are joined with commas. */
export type Query = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>

export interface Requests {
  /** The JSON answer to a path. An answer that has not changed since the last call is not sent again. */
  get(path: string, query?: Query): Promise<unknown>
  post(path: string, body: unknown): Promise<unknown>
  /** The open answer to a path, without a limit on its length. Ends with the signal. */
  open(
    path: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response>
}

const TIMEOUT_MS = 5_000
/** Paths whose last answer is kept for its ETag. */
const KEPT_MAX = 16

interface Kept {
  readonly etag: string
  readonly body: unknown
}

export function createRequests({
  url,
  timeoutMs = TIMEOUT_MS,
  fetch = globalThis.fetch,
}: ClientOptions): Requests {
  const base = url.replace(/\/+$/, '')
  const kept = new Map<string, Kept>()

  const send = async (path: string, init: RequestInit & { readonly signal: AbortSignal }) => {
    try {
      return await fetch(base + path, { redirect: 'error', ...init })
    } catch {
      throw lost(init.signal, base)
    }
  }
  const bodyOf = async (answer: Response, signal: AbortSignal): Promise<unknown> => {
    let text: string
    try {
      text = await answer.text()
    } catch {
      throw lost(signal, base)
    }
    const body = parsed(text)
    if (!answer.ok) throw refused(answer, body, base)
    if (body === undefined) throw notAMonitor(base)
    return body
  }

  return {
    async get(path, query = {}) {
      const full = path + searchOf(query)
      const known = kept.get(full)
      const signal = AbortSignal.timeout(timeoutMs)
      const headers = known === undefined ? {} : { 'If-None-Match': known.etag }
      const answer = await send(full, { headers, signal })
      if (answer.status === 304 && known !== undefined) return known.body
      const body = await bodyOf(answer, signal)
      const etag = answer.headers.get('ETag')
      if (etag !== null) keep(kept, full, { etag, body })
      return body
    },
    async post(path, body) {
      const signal = AbortSignal.timeout(timeoutMs)
      const headers = { 'Content-Type': 'application/json' }
      return bodyOf(
        await send(path, { method: 'POST', headers, body: JSON.stringify(body), signal }),
        signal,
      )
    },
    async open(path, headers, signal) {
      const answer = await send(path, { headers, signal })
      if (answer.ok) return answer
      throw refused(answer, parsed(await answer.text()), base)
    },
  }
}

function keep(kept: Map<string, Kept>, path: string, answer: Kept): void {
  kept.delete(path)
  kept.set(path, answer)
  const [oldest] = kept.keys()
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest)
}

function searchOf(query: Query): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.set(name, [value].flat().join(','))
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function lost(signal: AbortSignal, base: string): ClientError {
  return signal.aborted
    ? new ClientError('timeout', `${base} did not answer in time`)
    : new ClientError('unreachable', `nothing answers at ${base}`)
}

function notAMonitor(base: string): ClientError {
  return new ClientError('not_a_monitor', `what answers at ${base} is not the monitor`)
}

function refused(answer: Response, body: unknown, base: string): ClientError {
  const { status, error, allowed } = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly status?: unknown
    readonly error?: unknown
    readonly allowed?: unknown
  }
  if (typeof error !== 'string') return notAMonitor(base)
  const retryAfter = answer.headers.get('Retry-After')
  return new ClientError('refused', error, {
    status: answer.status,
    slug: typeof status === 'string' ? status : null,
    allowed: Array.isArray(allowed) ? allowed.map(String) : [],
    retryAfterSeconds: retryAfter === null ? null : Number(retryAfter),
  })
}
