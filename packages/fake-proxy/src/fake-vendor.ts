import type { EpochMs } from '@svc/core'
import type { FakeAccount } from './fake-account.ts'
import { rollQuota, usageDocument } from './fake-quota.ts'
import { httpDate } from './wire.ts'

const USAGE_URL = 'https://chatgpt.com/backend-api/wham/usage'
/** The proxy's own limit for one forwarded call. See docs/upstream.md#forwarded-calls. */
const FORWARD_TIMEOUT_MS = 60_000

/** One request sent by the proxy. `token` is the bearer text, so that an unreplaced `$TOKEN$` shows; null without an Authorization header. */
export interface VendorCall {
  readonly at: EpochMs
  readonly method: string
  readonly host: string
  readonly url: string
  readonly token: string | null
  /** Whether the token belongs to an account. */
  readonly known: boolean
  readonly accountHeader: string | null
  readonly userAgent: string | null
}

export interface VendorRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
}

export type VendorAnswer =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
  | { readonly kind: 'unreachable' }

interface VendorDeps {
  readonly now: () => EpochMs
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly accountOfToken: (token: string) => FakeAccount | null
  readonly record: (call: VendorCall) => void
}

/** Sends a request to the simulated vendor. A request to any host but chatgpt.com is recorded and fails as unreachable. */
export async function askVendor(deps: VendorDeps, request: VendorRequest): Promise<VendorAnswer> {
  const token = bearerOf(request.headers)
  const account = token === null ? null : deps.accountOfToken(token)
  deps.record({
    at: deps.now(),
    method: request.method,
    host: request.url.host,
    url: request.url.href,
    token,
    known: account !== null,
    accountHeader: request.headers.get('chatgpt-account-id'),
    userAgent: request.headers.get('user-agent'),
  })

  if (request.url.origin !== new URL(USAGE_URL).origin) return { kind: 'unreachable' }
  if (request.url.href !== USAGE_URL) return answered(deps.now(), 404, { detail: 'Not Found' })
  if (request.method !== 'GET') return answered(deps.now(), 405, { detail: 'Method Not Allowed' })
  if (account === null)
    return answered(deps.now(), 401, invalidToken('Your authentication token is not valid.'))
  const accountHeader = request.headers.get('chatgpt-account-id')
  if (accountHeader !== null && accountHeader !== account.accountId)
    return answered(deps.now(), 404, { detail: 'Not Found' })
  return await answerFor(deps, account)
}

async function answerFor(deps: VendorDeps, account: FakeAccount): Promise<VendorAnswer> {
  const behaviour = account.vendor
  const now = deps.now()
  if (typeof behaviour === 'object') {
    switch (behaviour.kind) {
      case 'throttled': {
        const retryAfter =
          behaviour.retryAfter === null ? {} : { 'Retry-After': behaviour.retryAfter }
        return answered(now, 429, { detail: 'Too many requests' }, retryAfter)
      }
      case 'slow':
        await deps.sleep(Math.min(behaviour.delayMs, FORWARD_TIMEOUT_MS))
        if (behaviour.delayMs >= FORWARD_TIMEOUT_MS) return { kind: 'unreachable' }
        return usageAnswer(account, deps.now())
      case 'answer':
        return answered(now, behaviour.status, behaviour.body, behaviour.headers)
      default:
        return behaviour satisfies never
    }
  }
  switch (behaviour) {
    case 'quota':
      return usageAnswer(account, now)
    case 'token_invalidated':
      return answered(now, 401, invalidToken('Your authentication token has been invalidated.'))
    case 'deactivated_workspace':
      return answered(now, 402, { detail: { code: 'deactivated_workspace' } })
    case 'cloudflare_challenge':
      return answered(now, 403, CHALLENGE_PAGE, {
        'Cf-Mitigated': 'challenge',
        'Content-Type': 'text/html',
      })
    case 'server_error':
      return answered(now, 500, { error: { message: 'server error' } })
    case 'network_dead':
      return { kind: 'unreachable' }
    case 'malformed':
      return answered(now, 200, '{"plan_type":"plus","rate_limit":{"allowed":tr')
    default:
      return behaviour satisfies never
  }
}

function usageAnswer(account: FakeAccount, now: EpochMs): VendorAnswer {
  rollQuota(account.quota, now)
  return answered(now, 200, usageDocument(account, now))
}

export const CHALLENGE_PAGE = '<html><title>Just a moment...</title></html>'

function invalidToken(message: string): object {
  return { error: { message, type: 'invalid_request_error', code: 'token_invalidated' } }
}

function answered(
  now: EpochMs,
  status: number,
  body: object | string,
  headers: Readonly<Record<string, string>> = {},
): VendorAnswer {
  return {
    kind: 'answered',
    status,
    headers: { 'Content-Type': 'application/json', Date: httpDate(now), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}

function bearerOf(headers: Headers): string | null {
  const authorization = headers.get('authorization')
  return authorization === null ? null : authorization.replace(/^bearer /i, '')
}
