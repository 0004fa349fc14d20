import { type EpochMs, epochMs, MINUTE_MS, plusMs } from '@svc/core'
import type { FakeAccount } from './fake-account.ts'
import { burnQuota, exhaustedUntil, quotaHeaders, rollQuota } from './fake-quota.ts'
import type { FakeUsageShape } from './fake-usage.ts'
import { CHALLENGE_PAGE } from './fake-vendor.ts'

/** Width of one slot of `recent_requests`. See docs/upstream.md#recent-requests. */
export const SLOT_SECONDS = 600

/** Records a request in the form of the proxy's usage records. */
export type NoteUsage = (
  account: FakeAccount,
  request: Pick<FakeUsageShape, 'at' | 'failed' | 'headers'>,
) => void

/** Brings an account to `now`: dates a new one, sends requests that fell due, rolls its windows over. */
export function settleAccount(account: FakeAccount, now: EpochMs, note: NoteUsage): void {
  account.createdAt ??= now
  account.updatedAt ??= now
  account.modifiedAt ??= now
  account.nextRequestAt ??= now
  rollQuota(account.quota, account.nextRequestAt < now ? account.nextRequestAt : now)
  if (account.requestsPerHour > 0) {
    for (
      ;
      account.nextRequestAt <= now;
      account.nextRequestAt = plusMs(account.nextRequestAt, 3_600_000 / account.requestsPerHour)
    ) {
      sendRequest(account, account.nextRequestAt, note)
    }
  }
  rollQuota(account.quota, now)
}

/** Sends one client request, unless the account is disabled or cooling down. */
function sendRequest(account: FakeAccount, at: EpochMs, note: NoteUsage): void {
  if (account.disabled || (account.nextRetryAt !== null && account.nextRetryAt > at)) return
  rollQuota(account.quota, at)
  if (faultOf(account, at) === null) recordSuccess(account, at, note)
  else recordFailure(account, at, note)
}

/** Applies a successful request: counters, quota, and a healthy status. */
export function recordSuccess(account: FakeAccount, at: EpochMs, note: NoteUsage): void {
  account.success += 1
  slotAt(account, at).success += 1
  account.updatedAt = at
  clearStatus(account)
  burnQuota(account.quota, at)
  note(account, { at, headers: quotaHeaders(account.quota, account.vendorPlan, at) })
}

/** Applies a failed request: with a fault, its status and cooldown; a healthy account only counts the failure. */
export function recordFailure(account: FakeAccount, at: EpochMs, note: NoteUsage): void {
  account.failed += 1
  slotAt(account, at).failed += 1
  account.updatedAt = at
  const fault = faultOf(account, at)
  note(account, {
    at,
    failed: { status: statusOfFault(fault?.message), body: fault?.message ?? '' },
  })
  if (fault === null) return
  account.status = 'error'
  account.statusMessage = fault.message
  account.unavailable = true
  account.nextRetryAt = fault.until
}

export function clearStatus(account: FakeAccount): void {
  account.status = account.disabled ? 'disabled' : 'active'
  account.statusMessage = ''
  account.unavailable = false
  account.nextRetryAt = null
}

function statusOfFault(message: string | undefined): number {
  if (message === undefined || !message.includes('usage_limit_reached'))
    return message?.includes('auth_unavailable') === true ? 401 : 500
  return 429
}

/** Forgets the state that the proxy holds only in memory. */
export function forgetCounters(account: FakeAccount): void {
  account.success = 0
  account.failed = 0
  account.outcomesBySlot.clear()
  account.lastRefreshAt = null
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

/** The fault that a request through this account would hit, with the proxy's wording and cooldown. See docs/upstream.md#account-state. */
function faultOf(
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
