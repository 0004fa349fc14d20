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
import { jsonBodyOf } from './json-body.ts'

export interface QuotaRefreshDeps {
  readonly auth: RefreshAuth
  /** The monitor that queries every account in place of this one; null if this one queries some accounts, or has not finished. */
  readonly elsewhere: () => Promise<RefreshElsewhere | null>
  /** Begins a refresh or joins the one under way. Resolves once every answer shows it; with null for an unlisted account. */
  readonly request: (target: RefreshTarget) => Promise<RefreshState | RefreshElsewhere | null>
  /** Ends the refresh under way. Resolves with the end of that refresh, or of the last one. */
  readonly cancel: () => Promise<RefreshState>
  readonly text: Wording
  readonly clock: Clock
}

/** Error slug, headers and further members of a refused request. */
export interface Refusal {
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
