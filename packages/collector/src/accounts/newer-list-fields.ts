import type { EpochMs, ProviderId, QuotaSample } from '@svc/core'
import { epochMs } from '@svc/core'
import type { StatusMessage } from '@svc/core/service'
import { PLAN_USED_UP } from '../providers/contract/refusal-words.ts'
import { providerNamed, vendorOf } from '../providers/known-providers.ts'
import { instantFrom, isRecord, textFrom } from '../wire/wire-fields.ts'

// Fields that proxies newer than v7.2.140 add to an entry of the account list. Known from their source, not recorded: read where present, whatever the
// version.

/** A period in which the proxy does not use a login at all. */
export interface ListedCooldown {
  readonly reason: string
  readonly until: EpochMs
}

const COOLDOWNS_MAX = 1000

/**
 * The cooldown in an entry's `cooldowns` that ends last; `none` if the login as a whole has none, null if the proxy does not list cooldowns.
 * Cooldowns of single models say nothing about the account. `onOurs` converts an instant of the proxy's clock.
 */
export function listedCooldownIn(
  wire: unknown,
  now: EpochMs,
  onOurs: (instant: EpochMs) => EpochMs,
): ListedCooldown | 'none' | null {
  if (!Array.isArray(wire)) return null
  let last: ListedCooldown | 'none' = 'none'
  for (const item of wire.slice(0, COOLDOWNS_MAX) as readonly unknown[]) {
    if (!isRecord(item) || item.scope !== 'credential') continue
    const retryAt = instantFrom(item.retry_at)
    const until = retryAt === null ? null : onOurs(retryAt)
    if (until === null || until <= now || (last !== 'none' && until <= last.until)) continue
    last = { reason: textFrom(item.reason) ?? 'unknown', until }
  }
  return last
}

/** The fields of an entry that tell why its account is refused. */
export interface ListedRefusal {
  readonly provider: ProviderId
  /** The status message; empty if there is none. */
  readonly text: string
  readonly cooldown: ListedCooldown | 'none' | null
}

/**
 * Reads why an account is refused: from its cooldown if the proxy lists cooldowns, else from its status message. `at` is as in `readStatusMessage`.
 */
export function readRefusal(
  { provider, text, cooldown }: ListedRefusal,
  at: EpochMs | null,
): StatusMessage {
  const said = vendorOf(provider).readStatusMessage(text, at)
  if (cooldown === null) return said
  // Only the proxy knew whether this limit was of one model or of the account.
  if (cooldown === 'none')
    return said.kind === 'quota' && said.planUsedUp !== true ? { kind: 'other' } : said
  const listed = messageOf(cooldown, provider, at)
  const isDefinite = said.kind === 'auth_fault' && said.suspected !== true
  // Of the same kind, the vendor's own words say more.
  return listed === null || isDefinite || (listed.kind === said.kind && said.kind !== 'quota')
    ? said
    : listed
}

/** Vendors that answer a used-up plan with the status for an unpaid one. */
const PLAN_ENDS_AS_UNPAID: ReadonlySet<ProviderId> = new Set(['xai', 'kimi', 'kimi-ai'])

/** Meaning of a cooldown's reason; null if the cooldown only has to be waited out. */
function messageOf(
  { reason, until }: ListedCooldown,
  provider: ProviderId,
  at: EpochMs | null,
): StatusMessage | null {
  switch (reason) {
    case 'credential_quota':
    case 'quota':
      return { kind: 'usage_limit', resetsAt: until, observedAt: at }
    case 'invalid_grant':
      return { kind: 'auth_fault', code: reason, deactivated: false }
    case 'unauthorized':
      return vendorOf(provider).readStatusMessage(reason, at)
    case 'payment_required':
      return PLAN_ENDS_AS_UNPAID.has(provider)
        ? PLAN_USED_UP
        : vendorOf(provider).readStatusMessage(reason, at)
    case 'cloudflare_challenge':
      return { kind: 'blocked' }
    default:
      return null
  }
}

/**
 * Reads an entry's `quota`: the headers of the last answer to a client that had quota headers. Null without it; `model_quotas` repeats it by model.
 */
export function listedQuotaIn(
  wire: unknown,
  provider: ProviderId,
  now: EpochMs,
  onOurs: (instant: EpochMs) => EpochMs,
): QuotaSample | null {
  const observedAt = isRecord(wire) ? instantFrom(wire.observed_at) : null
  if (!isRecord(wire) || observedAt === null) return null
  const sampledAt = epochMs(Math.min(now, onOurs(observedAt)))
  return providerNamed(provider)?.windowsFromHeaders(wire.signals, sampledAt) ?? null
}
