import { type EpochMs, epochMs, MINUTE_MS, plusMs } from '@svc/core'
import type { FakeAccount } from './fake-account.ts'
import { burnQuota, exhaustedUntil, quotaHeaders, rollQuota } from './fake-quota.ts'
import type { FakeUsageShape } from './fake-usage.ts'
import {
  backoffUntil,
  burnWindows,
  clientFailureOf,
  recordedHeaders,
  rollWindows,
  servesBesideRefusal,
} from './vendor-traffic.ts'
import {
  CHALLENGE_PAGE,
  type ClientFailure,
  type ClientRequest,
  type Vendor,
} from './vendors/vendor.ts'
import { vendorOf } from './vendors/vendors.ts'

/** Width of one slot of `recent_requests`. See docs/upstream.md#recent-requests. */
export const SLOT_SECONDS = 600

/** Records a request in the form of the proxy's usage records. */
export type NoteUsage = (
  account: FakeAccount,
  request: Pick<FakeUsageShape, 'at' | 'failed' | 'headers' | 'form'>,
) => void

/** Brings an account to `now`: dates a new one, sends requests that fell due, rolls its windows over. */
export function settleAccount(account: FakeAccount, now: EpochMs, note: NoteUsage): void {
  account.createdAt ??= now
  account.updatedAt ??= now
  account.modifiedAt ??= now
  account.nextRequestAt ??= now
  rollAll(account, account.nextRequestAt < now ? account.nextRequestAt : now)
  if (account.requestsPerHour > 0) {
    for (
      ;
      account.nextRequestAt <= now;
      account.nextRequestAt = plusMs(account.nextRequestAt, 3_600_000 / account.requestsPerHour)
    ) {
      sendRequest(account, account.nextRequestAt, note)
    }
  }
  rollAll(account, now)
}

function rollAll(account: FakeAccount, at: EpochMs): void {
  rollQuota(account.quota, at)
  rollWindows(account, at)
}

/** Sends one client request, unless the account is disabled or cooling down. */
function sendRequest(account: FakeAccount, at: EpochMs, note: NoteUsage): void {
  if (account.disabled || (account.nextRetryAt !== null && account.nextRetryAt > at)) return
  rollAll(account, at)
  if (faultOf(account, at, {}) === null) recordSuccess(account, at, note)
  else recordFailure(account, at, note)
}

/** Applies a successful request: counters, quota, and a healthy status. */
export function recordSuccess(
  account: FakeAccount,
  at: EpochMs,
  note: NoteUsage,
  request: ClientRequest = {},
): void {
  account.success += 1
  slotAt(account, at).success += 1
  account.updatedAt = at
  const vendor = vendorOf(account.provider)
  if (vendor !== null) recordVendorSuccess(vendor, account, at, note, request)
  else recordCodexSuccess(account, at, note)
}

/** Applies a success at Codex, or at an unknown vendor, which has no quota here. */
function recordCodexSuccess(account: FakeAccount, at: EpochMs, note: NoteUsage): void {
  clearStatus(account)
  if (account.provider === 'codex') {
    burnQuota(account.quota, at)
    const headers = quotaHeaders(account.quota, account.vendorPlan, at)
    account.signals = { at, headers: firstValues(headers) }
    note(account, { at, headers })
  } else note(account, { at })
}

function recordVendorSuccess(
  vendor: Vendor,
  account: FakeAccount,
  at: EpochMs,
  note: NoteUsage,
  request: ClientRequest,
): void {
  const form = vendor.usageForm(account, request)
  account.plainRefusals = 0
  // Status and text of the refused models stay, although the account is usable again.
  if (servesBesideRefusal(vendor, account, form.model))
    Object.assign(account, { unavailable: false, nextRetryAt: null })
  else clearStatus(account)
  burnWindows(vendor, account, form.model, at)
  const own = vendor.clientHeaders(account, form.model, at)
  if (Object.keys(own).length > 0) account.signals = { at, headers: own }
  note(account, { at, form, headers: recordedHeaders(own, true, at) })
}

function firstValues(
  headers: Readonly<Record<string, readonly string[]>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, [value = '']]) => [name, value]))
}

/** Applies a failed request: with a fault, its status and cooldown; a healthy account only counts the failure. */
export function recordFailure(
  account: FakeAccount,
  at: EpochMs,
  note: NoteUsage,
  request: ClientRequest = {},
): void {
  account.failed += 1
  slotAt(account, at).failed += 1
  account.updatedAt = at
  const fault = faultOf(account, at, request)
  const vendor = vendorOf(account.provider)
  const own = fault?.failure.headers ?? {}
  if (Object.keys(own).length > 0) account.signals = { at, headers: own }
  note(account, {
    at,
    failed: { status: fault?.failure.status ?? 500, body: fault?.message ?? '' },
    ...(vendor !== null && {
      form: vendor.usageForm(account, request),
      headers: recordedHeaders(own, false, at),
    }),
  })
  if (fault === null) return
  if (fault.failure.until === null) account.plainRefusals += 1
  account.status = 'error'
  account.statusMessage = fault.message
  account.unavailable = true
  account.nextRetryAt = fault.until
  account.cooling = { failure: fault.failure, until: fault.until }
}

/** Applies the change of any auth file: the proxy forgets every error but the cooldown of a whole Claude credential. */
export function forgetErrors(account: FakeAccount, at: EpochMs): void {
  const { cooling, disabled } = account
  clearStatus(account)
  const outlasts = cooling?.failure.outlastsFileChanges === true && cooling.until > at
  if (outlasts && !disabled)
    Object.assign(account, { unavailable: true, nextRetryAt: cooling.until, cooling })
}

function clearStatus(account: FakeAccount): void {
  account.status = account.disabled ? 'disabled' : 'active'
  account.statusMessage = ''
  account.unavailable = false
  account.nextRetryAt = null
  account.cooling = null
}

function statusOfFault(message: string): number {
  if (!message.includes('usage_limit_reached'))
    return message.includes('auth_unavailable') ? 401 : 500
  return 429
}

/** Forgets the state that the proxy holds only in memory. */
export function forgetCounters(account: FakeAccount): void {
  account.success = 0
  account.failed = 0
  account.outcomesBySlot.clear()
  account.lastRefreshAt = null
  account.plainRefusals = 0
  account.signals = null
  clearStatus(account)
}

export function slotNumberAt(at: EpochMs): number {
  return Math.floor(at / 1000 / SLOT_SECONDS)
}

function slotAt(account: FakeAccount, at: EpochMs): { success: number; failed: number } {
  const number = slotNumberAt(at)
  const slot = account.outcomesBySlot.get(number) ?? { success: 0, failed: 0 }
  account.outcomesBySlot.set(number, slot)
  account.outcomesBySlot.delete(number - 25)
  return slot
}

interface Fault {
  readonly message: string
  readonly until: EpochMs
  readonly failure: Omit<ClientFailure, 'body'>
}

/** The fault that a request through this account would hit, with the proxy's wording and cooldown. See docs/upstream.md#account-state. */
function faultOf(account: FakeAccount, at: EpochMs, request: ClientRequest): Fault | null {
  const vendor = vendorOf(account.provider)
  if (vendor === null) {
    const fault = codexFaultOf(account, at)
    if (fault === null) return null
    const failure = { status: statusOfFault(fault.message), until: fault.until, model: null }
    return { ...fault, failure }
  }
  const failure = clientFailureOf(vendor, account, request, at)
  if (failure === null) return null
  const { body, until } = failure
  return {
    message: typeof body === 'string' ? body : JSON.stringify(body),
    until: until ?? backoffUntil(account.plainRefusals, at),
    failure,
  }
}

/** The fault at Codex, or at an unknown vendor. */
function codexFaultOf(
  account: FakeAccount,
  at: EpochMs,
): { readonly message: string; readonly until: EpochMs } | null {
  switch (account.vendor) {
    case 'token_invalidated':
      return { message: AUTHENTICATION_ERROR, until: plusMs(at, 30 * MINUTE_MS) }
    case 'deactivated_workspace':
      return {
        message: '{"detail":{"code":"deactivated_workspace"}}',
        until: plusMs(at, 30 * MINUTE_MS),
      }
    case 'cloudflare_challenge':
      return { message: CHALLENGE_PAGE, until: plusMs(at, 30 * MINUTE_MS) }
    case 'server_error':
      return { message: '{"error":{"message":"server error"}}', until: plusMs(at, MINUTE_MS) }
    case 'network_dead':
      return { message: NETWORK_ERROR, until: plusMs(at, MINUTE_MS) }
    default:
      return limitFault(account, at)
  }
}

const AUTHENTICATION_ERROR =
  '{"error":{"message":"Your authentication token has been invalidated.","type":"authentication_error","code":"auth_unavailable"}}'
const NETWORK_ERROR =
  'Post "https://chatgpt.com/backend-api/codex/responses": utls: dial upstream: dial HTTP proxy failed: dial tcp 127.0.0.1:9: connect: connection refused'

function limitFault(
  account: FakeAccount,
  at: EpochMs,
): { readonly message: string; readonly until: EpochMs } | null {
  const until = exhaustedUntil(account.quota, at)
  if (until === null) return null
  const resetsAtSeconds = Math.ceil(until / 1000)
  const error = {
    type: 'usage_limit_reached',
    message: 'The usage limit has been reached',
    plan_type: account.vendorPlan,
    resets_at: resetsAtSeconds,
    resets_in_seconds: resetsAtSeconds - Math.floor(at / 1000),
  }
  return { message: JSON.stringify({ error }), until: epochMs(resetsAtSeconds * 1000) }
}
