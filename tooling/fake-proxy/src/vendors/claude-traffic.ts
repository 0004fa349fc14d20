import { type EpochMs, plusMs } from '@svc/core'
import { endOf, type FakeWindow, isExhausted, rounded } from './fake-window.ts'
import type { ClientFailure, VendorAccount, VendorReply } from './vendor.ts'

/** The proxy adds up to 30 s to the reset of a whole credential; recorded were 27. */
const COOLDOWN_MARGIN_MS = 27_000

/** Names of models by the scope of their weekly window. `premium` is also called `7d_oi` and `iguana_necktie`. */
export const SCOPED_MODELS = { opus: 'Opus', sonnet: 'Sonnet', premium: 'Fable' } as const

/** An error in Claude's form. */
export function claudeRefusal(status: number, type: string, message: string): VendorReply {
  return {
    status,
    body: { type: 'error', error: { type, message }, request_id: 'req_sample' },
  }
}

/** The scope whose weekly window a model uses up besides the others; null for none. */
export function scopeOf(model: string): keyof typeof SCOPED_MODELS | null {
  if (model.includes('fable')) return 'premium'
  if (model.includes('opus')) return 'opus'
  return model.includes('sonnet') ? 'sonnet' : null
}

/** The refusal of a used-up account, or of a used-up model alone. */
export function claudeLimitOf(
  account: VendorAccount,
  model: string,
  at: EpochMs,
): ClientFailure | null {
  const { windows } = account
  const spent = [windows['5h'], windows.week].filter(isExhausted)
  const body = (message: string) => claudeRefusal(429, 'rate_limit_error', message).body
  const headers = unifiedHeaders(account, model, at, true)
  if (spent.length > 0) {
    const reset = Math.max(...spent.map((window) => endOf(window, at)))
    return {
      status: 429,
      body: body("This request would exceed your account's rate limit. Please try again later."),
      until: plusMs(at, reset - at + COOLDOWN_MARGIN_MS),
      model: null,
      outlastsFileChanges: true,
      headers: { ...headers, 'Retry-After': String(Math.ceil((reset - at) / 1000)) },
    }
  }
  const scope = scopeOf(model)
  if (scope === null || !isExhausted(windows[`${scope}:week`])) return null
  const message = 'You have reached your weekly limit for this model.'
  return { status: 429, body: body(message), until: null, model, headers }
}

/** The headers of any answer to a client of a subscription. */
export function unifiedHeaders(
  { accountId, windows }: VendorAccount,
  model: string,
  at: EpochMs,
  isRefused: boolean,
): Readonly<Record<string, string>> {
  const premium = scopeOf(model) === 'premium' ? windows['premium:week'] : undefined
  const shown = { '5h': windows['5h'], '7d': windows.week, '7d_oi': premium }
  const byWindow = Object.entries(shown).flatMap(([name, window]) => {
    if (window === undefined) return []
    return [
      [`${name}-Reset`, resetSeconds(window, at)],
      [`${name}-Status`, unifiedStatus(window)],
      [`${name}-Utilization`, String(rounded(window.usedPercent / 100, 4))],
    ] as const
  })
  const speaking = isExhausted(windows.week) ? windows.week : (windows['5h'] ?? windows.week)
  const unified: Readonly<Record<string, string>> = {
    ...Object.fromEntries(byWindow),
    'Fallback-Percentage': '0.5',
    'Overage-Disabled-Reason': 'org_level_disabled',
    'Overage-Status': 'rejected',
    'Representative-Claim': claimOf(windows, premium),
    ...(speaking !== undefined && { Reset: resetSeconds(speaking, at) }),
    Status: isRefused ? 'rejected' : 'allowed',
  }
  return {
    'Anthropic-Organization-Id': accountId,
    ...Object.fromEntries(
      Object.entries(unified).map(([name, value]) => [
        `Anthropic-Ratelimit-Unified-${name}`,
        value,
      ]),
    ),
    'Request-Id': 'req_sample',
  }
}

function unifiedStatus({ usedPercent }: FakeWindow): string {
  if (usedPercent >= 100) return 'rejected'
  return usedPercent >= 90 ? 'allowed_warning' : 'allowed'
}

function claimOf(windows: VendorAccount['windows'], premium: FakeWindow | undefined): string {
  if (isExhausted(windows.week)) return 'seven_day'
  const isPremiumAlone = isExhausted(premium) && !isExhausted(windows['5h'])
  return isPremiumAlone ? 'seven_day_overage_included' : 'five_hour'
}

function resetSeconds(window: FakeWindow, at: EpochMs): string {
  return String(Math.ceil(endOf(window, at) / 1000))
}
