import { type EpochMs, instantToIso } from '@svc/core'
import type { FakeAccount } from './fake-account.ts'
import { goTime } from './wire.ts'

/** Names of headers that newer proxies keep, by provider; every other provider has none. */
const KEPT: Readonly<Record<string, RegExp>> = {
  claude: /^(?:Retry-After$|Anthropic-Ratelimit-Unified-)/,
  codex: /^(?:Retry-After$|X-Ratelimit-|X-Codex-)/,
}

/** The quota headers of the last answer, as newer proxies show them; empty before the first one. */
export function quotaSignalsOf(account: FakeAccount, utcOffsetMinutes: number): object {
  const kept = KEPT[account.provider]
  if (kept === undefined || account.signals === null) return { signals: {} }
  const { at, headers } = account.signals
  const signals = Object.fromEntries(Object.entries(headers).filter(([name]) => kept.test(name)))
  return { observed_at: goTime(at, utcOffsetMinutes), signals }
}

/** The cooldowns that have not run out, as newer proxies list them. */
export function cooldownsOf(account: FakeAccount, now: EpochMs): readonly object[] {
  const { cooling } = account
  if (cooling === null || cooling.until <= now) return []
  const { failure, until } = cooling
  const isWhole = failure.outlastsFileChanges === true
  return [
    {
      scope: isWhole ? 'credential' : 'model',
      ...(failure.model !== null && { model_key: failure.model }),
      reason: isWhole ? 'credential_quota' : reasonOf(failure.status),
      retry_at: instantToIso(until),
      remaining_seconds: Math.ceil((until - now) / 1000),
      http_status: failure.status,
    },
  ]
}

function reasonOf(status: number): string {
  switch (status) {
    case 401:
      return 'unauthorized'
    case 402:
    case 403:
      return 'payment_required'
    case 404:
      return 'not_found'
    case 429:
      return 'quota'
    default:
      return 'transient_error'
  }
}
