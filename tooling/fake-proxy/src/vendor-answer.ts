import type { EpochMs } from '@svc/core'
import type { FakeAccount } from './fake-account.ts'
import type { VendorRules } from './vendor-rules.ts'
import { rollWindows } from './vendor-traffic.ts'
import type { Vendor, VendorReply, VendorRequest } from './vendors/vendor.ts'
import { CHALLENGE_PAGE, type VendorBehaviour } from './vendors/vendor-behaviour.ts'
import { httpDate } from './wire.ts'

/** The proxy's own limit for one forwarded call. See docs/upstream.md#forwarded-calls. */
export const FORWARD_TIMEOUT_MS = 60_000

/** Outcome of one forwarded request; unreachable: the proxy answers 502. */
export type VendorAnswer =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
  | { readonly kind: 'unreachable' }

export interface AnswerDeps {
  readonly now: () => EpochMs
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly rules: VendorRules
}

/** Answers a query at one of a vendor's hosts: first as the whole vendor was told to behave, then for the request's own faults, then for the account. */
export async function answerAsVendor(
  deps: AnswerDeps,
  vendor: Vendor,
  provider: string,
  account: FakeAccount | null,
  request: VendorRequest,
): Promise<VendorAnswer> {
  const kind = vendor.kindOf(request)
  const good = (): VendorReply => {
    if (kind === null) return vendor.refusals.not_found
    const unfit = vendor.unfit(request)
    if (unfit !== null) return unfit
    if (account === null) return vendor.unknownToken
    const at = deps.now()
    if (kind === 'quota' && !deps.rules.grant(vendor, account, at)) return vendor.refusals.throttled
    rollWindows(account, at)
    return vendor.answer(kind, account, at)
  }
  const behave = async (behaviour: VendorBehaviour): Promise<VendorReply | null> => {
    switch (behaviour) {
      case 'quota':
      case 'clients_throttled':
        return good()
      case 'network_dead':
        return null
      case 'hanging':
        await deps.sleep(FORWARD_TIMEOUT_MS)
        return null
      case 'malformed':
        return { status: 200, body: '{"five_hour":{"utiliz' }
      case 'cloudflare_challenge':
        return {
          status: 403,
          body: CHALLENGE_PAGE,
          headers: { 'Cf-Mitigated': 'challenge', 'Content-Type': 'text/html' },
        }
      case 'deactivated_workspace':
        return vendor.refusals.credits_exhausted
      case 'token_invalidated':
      case 'token_expired':
      case 'token_revoked':
      case 'scope_missing':
      case 'terms_violated':
      case 'credits_exhausted':
      case 'not_found':
      case 'server_error':
        return vendor.refusals[behaviour]
      default:
        break
    }
    switch (behaviour.kind) {
      case 'throttled': {
        const { headers: _, ...reply } = vendor.refusals.throttled
        return behaviour.retryAfter === null
          ? reply
          : { ...reply, headers: { 'Retry-After': behaviour.retryAfter } }
      }
      case 'slow':
        await deps.sleep(Math.min(behaviour.delayMs, FORWARD_TIMEOUT_MS))
        return behaviour.delayMs >= FORWARD_TIMEOUT_MS ? null : good()
      case 'answer':
        return behaviour
      default:
        return behaviour satisfies never
    }
  }

  const planned = deps.rules.take(provider, request.url.host)
  const isRefusedBefore = kind === null || vendor.unfit(request) !== null
  const reply = await behave(planned ?? (isRefusedBefore ? 'quota' : (account?.vendor ?? 'quota')))
  if (reply === null) return { kind: 'unreachable' }
  const { status, body, headers = {} } = reply
  return {
    kind: 'answered',
    status,
    headers: { 'Content-Type': 'application/json', Date: httpDate(deps.now()), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}
