import { type EpochMs, instantToIso } from '@svc/core'
import type { FakeAccount } from './fake-account.ts'
import { rollQuota, usageDocument } from './fake-quota.ts'
import {
  type AnswerDeps,
  answerAsVendor,
  FORWARD_TIMEOUT_MS,
  type VendorAnswer,
} from './vendor-answer.ts'
import {
  CHALLENGE_PAGE,
  GO_USER_AGENT,
  type VendorBehaviour,
  type VendorQueryKind,
  type VendorRequest,
} from './vendors/vendor.ts'
import { vendorAt, vendorOf } from './vendors/vendors.ts'
import { httpDate } from './wire.ts'

const USAGE_URL = 'https://chatgpt.com/backend-api/wham/usage'
const BANKED_URL = 'https://chatgpt.com/backend-api/wham/rate-limit-reset-credits'

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
  /** The provider asked about at this host; null for a host of no vendor. */
  readonly provider: string | null
  readonly kind: VendorQueryKind | 'banked_list' | 'other'
  /** The account of the token; null if nobody has it. */
  readonly account: FakeAccount | null
}

export interface VendorDeps extends AnswerDeps {
  /** The account with this token among those that satisfy `isTheirs`; null if there is none. */
  readonly accountOfToken: (
    token: string,
    isTheirs: (account: FakeAccount) => boolean,
  ) => FakeAccount | null
  readonly record: (call: VendorCall) => void
}

/** Sends a request to the simulated vendor at its host. A request to a host of no vendor is recorded and fails as unreachable. */
export async function askVendor(deps: VendorDeps, request: VendorRequest): Promise<VendorAnswer> {
  const token = bearerOf(request.headers)
  const place = vendorAt(request.url)
  const isTheirs = ({ provider }: FakeAccount) =>
    place === null || vendorOf(provider) === place.vendor
  const account = token === null ? null : deps.accountOfToken(token, isTheirs)
  const isCodex = request.url.origin === new URL(USAGE_URL).origin
  const isBankedList = request.url.href === BANKED_URL
  deps.record({
    at: deps.now(),
    method: request.method,
    host: request.url.host,
    url: request.url.href,
    token,
    known: account !== null,
    accountHeader: request.headers.get('chatgpt-account-id'),
    userAgent: request.headers.get('user-agent') ?? (place === null ? null : GO_USER_AGENT),
    provider: isCodex ? 'codex' : (place?.provider ?? null),
    kind: isBankedList
      ? 'banked_list'
      : isCodex
        ? 'quota'
        : (place?.vendor.kindOf(request) ?? 'other'),
    account,
  })

  if (place !== null)
    return await answerAsVendor(deps, place.vendor, place.provider, account, request)
  if (!isCodex) return { kind: 'unreachable' }
  if (request.url.href !== USAGE_URL && !isBankedList)
    return answered(deps.now(), 404, { detail: 'Not Found' })
  if (request.method !== 'GET') return answered(deps.now(), 405, { detail: 'Method Not Allowed' })
  if (account === null)
    return answered(deps.now(), 401, invalidToken('Your authentication token is not valid.'))
  const accountHeader = request.headers.get('chatgpt-account-id')
  if (accountHeader !== null && accountHeader !== account.accountId)
    return answered(deps.now(), 404, { detail: 'Not Found' })
  if (isBankedList) return await bankedListAnswer(deps, account)
  const planned = deps.rules.take('codex', request.url.host)
  return await answerFor(deps, account, planned ?? account.vendor)
}

async function answerFor(
  deps: VendorDeps,
  account: FakeAccount,
  behaviour: VendorBehaviour,
): Promise<VendorAnswer> {
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
    case 'clients_throttled':
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
    case 'token_expired':
    case 'token_revoked':
      return answered(now, 401, {
        error: { message: 'Your authentication token is not valid.', code: behaviour },
      })
    case 'scope_missing':
    case 'terms_violated':
      return answered(now, 403, { detail: 'Forbidden' })
    case 'credits_exhausted':
      return answered(now, 402, { detail: 'Payment Required' })
    case 'not_found':
      return answered(now, 404, { detail: 'Not Found' })
    case 'hanging':
      await deps.sleep(FORWARD_TIMEOUT_MS)
      return { kind: 'unreachable' }
    default:
      return behaviour satisfies never
  }
}

async function bankedListAnswer(
  { now, sleep }: VendorDeps,
  { bankedResets }: FakeAccount,
): Promise<VendorAnswer> {
  const { list, expiresAt } = bankedResets ?? { list: 'missing', expiresAt: [] }
  switch (list) {
    case 'missing':
      return answered(now(), 404, { detail: 'Not Found' })
    case 'refused':
      return answered(now(), 401, invalidToken('Your authentication token is not valid.'))
    case 'hanging':
      await sleep(FORWARD_TIMEOUT_MS)
      return { kind: 'unreachable' }
    case 'answered':
      return answered(now(), 200, {
        available_count: expiresAt.length,
        credits: expiresAt.map((at, index) => ({
          id: `reset-credit-${index}`,
          status: 'available',
          reset_type: 'rate_limit',
          granted_at: instantToIso(now()),
          expires_at: at === null ? null : instantToIso(at),
        })),
      })
    default:
      return list satisfies never
  }
}

function usageAnswer(account: FakeAccount, now: EpochMs): VendorAnswer {
  rollQuota(account.quota, now)
  return answered(now, 200, usageDocument(account, now))
}

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
