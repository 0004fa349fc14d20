import type { IncomingMessage } from 'node:http'
import type { Clock, RefreshElsewhere, RefreshState, RefreshTarget } from '@svc/core/service'
import { JSON_TYPE, securityHeaders } from '@svc/monitor'
import {
  type ErrorSlug,
  type ReadError,
  refreshRequestOf,
  refreshResultView,
  type Wording,
} from '@svc/views'
import type { RefreshAuth } from '../guards/refresh-auth.ts'

/** See docs/limits.md#what-a-client-may-take-up. */
const BODY_BYTES_MAX = 4 * 1024

/** Request body as text, empty if there is none. `too_large` is detected before the whole body is read; `not_json` means another content type. */
export async function jsonBodyOf(
  request: IncomingMessage,
): Promise<{ readonly text: string } | 'too_large' | 'not_json'> {
  if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES_MAX) return 'too_large'
  const chunks: Buffer[] = []
  let length = 0
  // The connection must survive an early exit from the loop until the answer is sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > BODY_BYTES_MAX) return 'too_large'
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString()
  return text === '' || isJson(request.headers['content-type']) ? { text } : 'not_json'
}

function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json'
}

export interface QuotaRefreshDeps {
  readonly auth: RefreshAuth
  /** The other monitor that queries every account in place of this one; null if this one queries some accounts or is running a refresh. */
  readonly elsewhere: () => Promise<RefreshElsewhere | null>
  /** Starts a refresh or joins the running one. Resolves once every answer shows it, with null for an unlisted account. */
  readonly request: (target: RefreshTarget) => Promise<RefreshState | RefreshElsewhere | null>
  /** Cancels the running refresh. Resolves with the final state of that refresh, or of the last one if none is running. */
  readonly cancel: () => Promise<RefreshState>
  readonly text: Wording
  readonly clock: Clock
}

/** Error slug, headers and further members of a refused request. */
interface Refusal {
  readonly slug: ErrorSlug
  readonly headers?: Readonly<Record<string, string>>
  /** Further members of the body. */
  readonly more?: Readonly<Pick<ReadError, 'holder'>>
}

/**
 * Answers a POST to the refresh action, which begins or cancels a refresh. Checks the caller first, so that an unauthorised one learns nothing.
 */
export async function quotaRefresh(
  request: IncomingMessage,
  { auth, elsewhere, request: begin, cancel, text, clock }: QuotaRefreshDeps,
): Promise<Response | Refusal> {
  if (!(await auth.available())) return { slug: 'refresh_unavailable' }
  const judgement = await auth.judge(request)
  if (judgement === 'foreign') return { slug: 'forbidden_site' }
  const other = await elsewhere()
  if (judgement === 'unauthorized') {
    const delayMs = auth.refusalDelayMs()
    if (delayMs > 0) await new Promise<void>((resolve) => void clock.schedule(delayMs, resolve))
    // Only an authorised caller learns where the other monitor runs.
    if (other !== null) return standby({ ...other, holder: null })
    return auth.mode === 'management-key'
      ? { slug: 'unauthorized_key', headers: { 'WWW-Authenticate': 'Bearer' } }
      : { slug: 'unauthorized' }
  }
  if (other !== null) return standby(other)
  const body = await jsonBodyOf(request)
  if (body === 'too_large') return { slug: body }
  const asked = body === 'not_json' ? null : refreshRequestOf(body.text)
  if (asked === null) return { slug: 'invalid_refresh' }
  const state = asked.kind === 'cancel' ? await cancel() : await begin(asked.target)
  if (state === null) return { slug: 'unknown_account' }
  if (state.status === 'standby') return standby(state)
  const answer = JSON.stringify(refreshResultView(state, text))
  const headers = {
    ...securityHeaders,
    'Content-Type': JSON_TYPE,
    'Content-Length': String(Buffer.byteLength(answer)),
  }
  return new Response(answer, { status: 202, headers })
}

function standby({ holder }: RefreshElsewhere): Refusal {
  return { slug: 'standby', more: { holder } }
}
