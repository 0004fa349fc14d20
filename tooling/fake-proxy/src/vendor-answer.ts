import { type EpochMs, plusMs } from '@svc/core'
import type { FakeAccount } from './fake-account.ts'
import { rollWindows } from './vendor-traffic.ts'
import {
  CHALLENGE_PAGE,
  type Vendor,
  type VendorBehaviour,
  type VendorReply,
  type VendorRequest,
} from './vendors/vendor.ts'
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

interface PlannedRefusal {
  readonly behaviour: VendorBehaviour
  /** Null: every host of the vendor. */
  readonly host: string | null
  /** Calls left; Infinity until it is cleared. */
  calls: number
}

/** Creates refusals of whole vendors, and the times of the quota queries that they granted. `secondsApart` overrides each vendor's own limit, by provider. */
export function createVendorRules(secondsApart: Readonly<Record<string, number>>) {
  let planned: readonly (PlannedRefusal & { readonly provider: string })[] = []
  const grantedAt = new Map<string, EpochMs>()
  return {
    /** Has the vendor of this provider behave so toward every query, or the next `calls` of them, at one `host` or all; null ends it. */
    fail(
      provider: string,
      behaviour: VendorBehaviour | null,
      {
        calls = Number.POSITIVE_INFINITY,
        host = null,
      }: { readonly calls?: number; readonly host?: string | null } = {},
    ) {
      planned = planned.filter((refusal) => behaviour !== null || refusal.provider !== provider)
      if (behaviour !== null) planned = [...planned, { provider, behaviour, host, calls }]
    },
    /** The behaviour planned for the current query; null for none. */
    take(provider: string, host: string): VendorBehaviour | null {
      const refusal = planned.find(
        (one) => one.provider === provider && (one.host ?? host) === host && one.calls > 0,
      )
      if (refusal === undefined) return null
      refusal.calls -= 1
      return refusal.behaviour
    },
    /** Grants a quota query unless the account's last one was granted too recently. */
    grant(vendor: Vendor, { provider, accountId }: FakeAccount, at: EpochMs): boolean {
      const seconds = secondsApart[provider] ?? vendor.secondsApart
      const key = `${provider}|${accountId}`
      const before = grantedAt.get(key)
      if (before !== undefined && plusMs(before, seconds * 1000) > at) return false
      grantedAt.set(key, at)
      return true
    },
  }
}

export type VendorRules = ReturnType<typeof createVendorRules>
