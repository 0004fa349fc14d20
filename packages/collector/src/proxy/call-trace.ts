import { systemCodeIn } from './upstream-error.ts'

/** Status and headers that show an answer's origin; nothing of its body. */
export interface AnswerSeen {
  readonly status: number
  /** True if the answer has the proxy's mark, which every answer of its management API carries, refusals included. */
  readonly isFromProxy: boolean
  /** The requested login scheme in lower case, such as `basic`; null if none is requested. */
  readonly login: string | null
  readonly isWebPage: boolean
  /** Target of a redirect without user name and query; null if there is none. */
  readonly redirectsTo: string | null
}

/** Trace of one call, successful or not. */
export interface CallTrace {
  readonly seconds: number
  /** Null when no answer came. */
  readonly answer: AnswerSeen | null
  /** Node's code for a failed connection, such as `ECONNREFUSED`; null if the connection did not fail. */
  readonly systemCode: string | null
}

export interface WatchedFetch {
  readonly fetch: typeof fetch
  seen(): Pick<CallTrace, 'answer' | 'systemCode'>
}

/**
 * A `fetch` for one call that remembers the answer to the last request. It never follows a redirect; with `redirect: 'error'` the call fails once the
 * target is noted.
 */
export function watchedFetch(fetch: typeof globalThis.fetch): WatchedFetch {
  let answer: AnswerSeen | null = null
  let systemCode: string | null = null
  return {
    seen: () => ({ answer, systemCode }),
    async fetch(input, init) {
      answer = null
      systemCode = null
      const asked =
        input instanceof Request
          ? input
          : { url: String(input), redirect: init?.redirect, signal: init?.signal ?? null }
      try {
        // Passes `input` on unwrapped: the signal of a new Request made from it would no longer end the connection.
        const response = await fetch(input, { ...init, redirect: 'manual', signal: asked.signal })
        answer = answerSeen(response, asked.url)
        if (asked.redirect !== 'error' || answer.redirectsTo === null) return response
        response.body?.cancel().catch(() => undefined)
      } catch (error) {
        systemCode = systemCodeIn(error)
        throw error
      }
      throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') })
    },
  }
}

function answerSeen({ status, headers }: Response, askedUrl: string): AnswerSeen {
  const location = status >= 300 && status < 400 ? headers.get('location') : null
  return {
    status,
    isFromProxy: headers.has('x-cpa-version'),
    login: /^\s*([\w-]+)/.exec(headers.get('www-authenticate') ?? '')?.[1]?.toLowerCase() ?? null,
    isWebPage: /^(?:text\/html|application\/xhtml\+xml)/i.test(headers.get('content-type') ?? ''),
    redirectsTo:
      location !== null && URL.canParse(location, askedUrl)
        ? plainUrl(new URL(location, askedUrl))
        : null,
  }
}

function plainUrl({ origin, pathname }: URL): string {
  return origin + pathname
}
