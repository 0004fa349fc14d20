import { type EpochMs, MINUTE_MS, plusMs } from '@svc/core'
import type { FakeAccount } from './fake-account.ts'
import { burnWindow, rollWindow } from './vendors/fake-window.ts'
import {
  CHALLENGE_PAGE,
  type ClientFailure,
  type ClientRequest,
  type Vendor,
  type VendorReply,
} from './vendors/vendor.ts'
import { httpDate } from './wire.ts'

/** The proxy's wait after a refused login or plan. See docs/upstream.md#account-state. */
const REFUSED_MS = 30 * MINUTE_MS
/** The proxy's wait after a refusal without a reset, doubled with each further one. */
const BACKOFF_FIRST_MS = 1_000
const BACKOFF_MAX_MS = 30 * MINUTE_MS

export function rollWindows(account: FakeAccount, at: EpochMs): void {
  for (const window of Object.values(account.windows)) rollWindow(window, at)
}

/** Uses up the windows of a good answer. */
export function burnWindows(
  vendor: Vendor,
  account: FakeAccount,
  model: string,
  at: EpochMs,
): void {
  for (const id of vendor.windowsUsed(account, model)) {
    const window = account.windows[id]
    if (window !== undefined) burnWindow(window, at)
  }
}

/** Whether a success with this model leaves the account's last refusal in place, because the refusal concerned other windows. */
export function servesBesideRefusal(vendor: Vendor, account: FakeAccount, model: string): boolean {
  const refused = account.cooling?.failure.model ?? null
  if (refused === null) return false
  const used = vendor.windowsUsed(account, model)
  return !vendor.windowsUsed(account, refused).some((id) => used.includes(id))
}

/** The refusal that a client's request meets now; null for none. A quota endpoint that refuses says nothing about requests. */
export function clientFailureOf(
  vendor: Vendor,
  account: FakeAccount,
  request: ClientRequest,
  at: EpochMs,
): ClientFailure | null {
  const refused = (
    reply: Pick<VendorReply, 'status' | 'body'>,
    waitMs = REFUSED_MS,
  ): ClientFailure => ({
    status: reply.status,
    body: reply.body,
    until: plusMs(at, waitMs),
    model: null,
  })
  const behaviour = account.vendor
  switch (behaviour) {
    case 'token_invalidated':
    case 'token_expired':
    case 'token_revoked': {
      const reply = vendor.refusals[behaviour]
      return refused({ ...reply, status: vendor.statusInTraffic?.[behaviour] ?? reply.status })
    }
    case 'terms_violated':
    case 'credits_exhausted':
      return refused(vendor.refusals[behaviour])
    case 'deactivated_workspace':
      return refused(vendor.refusals.credits_exhausted)
    case 'cloudflare_challenge':
      return refused({ status: 403, body: CHALLENGE_PAGE })
    case 'clients_throttled':
      return { ...vendor.refusals[behaviour], until: null, model: null }
    case 'server_error':
      return refused(vendor.refusals.server_error, MINUTE_MS)
    case 'network_dead':
      return refused({ status: 500, body: NETWORK_ERROR }, MINUTE_MS)
    default:
      return vendor.limitOf(account, vendor.usageForm(account, request).model, at)
  }
}

const NETWORK_ERROR =
  'utls: dial upstream: dial HTTP proxy failed: dial tcp 127.0.0.1:9: connect: connection refused'

/** Time until the proxy tries again after a refusal without a reset, which followed `refusalsBefore` others. */
export function backoffUntil(refusalsBefore: number, at: EpochMs): EpochMs {
  return plusMs(at, Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** refusalsBefore))
}

/** Headers of an answer as recorded by the proxy: the vendor's own and those of any answer, by name. */
export function recordedHeaders(
  own: Readonly<Record<string, string>>,
  isGood: boolean,
  at: EpochMs,
): Readonly<Record<string, readonly string[]>> {
  const headers = {
    'Content-Type': 'application/json',
    Date: httpDate(at),
    ...(isGood && { 'Set-Cookie': 'session=never-to-be-kept' }),
    ...own,
  }
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name, [value]] as const)
      .toSorted(([left], [right]) => (left < right ? -1 : 1)),
  )
}
