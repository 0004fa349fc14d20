import { type EpochMs, plusMs } from '@svc/core'
import { claudeForm } from './claude.ts'
import { endText, type FakeWindow, fakeWindows, isExhausted, rounded } from './fake-window.ts'
import {
  type ClientFailure,
  GO_USER_AGENT,
  type Vendor,
  type VendorAccount,
  type VendorReply,
} from './vendor.ts'

const MONTH_USED_UP = "You've reached your usage limit for this billing cycle"

/** Kimi at both of its hosts: a week and five hours as counts, a month as ratios. */
export const kimi: Vendor = {
  hosts: { 'api.kimi.com': 'kimi', 'api.kimi.ai': 'kimi-ai' },
  secondsApart: 0,
  login: {
    plan: 'LEVEL_INTERMEDIATE',
    hasEmail: false,
    windows: () => fakeWindows({ '5h': 12, week: 41, month: 78.77 }),
    // A login names its file by its time, so another login makes another file.
    fileName: ({ accountId, provider }) =>
      `${provider}-${1_787_300_000_000 + (Number.parseInt(accountId.slice(0, 8), 16) % 100_000_000)}.json`,
  },
  ownCalls: {
    refresh: {
      method: 'POST',
      url: 'https://auth.kimi.com/api/oauth/token',
      userAgent: GO_USER_AGENT,
    },
    afterRefresh: null,
    afterFileChange: null,
  },
  kindOf: ({ method, url }) =>
    method === 'GET' && url.pathname === '/coding/v1/usages' ? 'quota' : null,
  unfit: () => null,
  unknownToken: invalid(),
  refusals: {
    token_invalidated: invalid(),
    token_revoked: refusal(401, 'The token has been revoked', 'token_revoked'),
    token_expired: invalid(),
    scope_missing: refusal(403, 'permission denied', 'access_terminated_error'),
    terms_violated: refusal(403, 'Your account has been suspended', 'access_terminated_error'),
    credits_exhausted: refusal(403, MONTH_USED_UP, 'access_terminated_error'),
    clients_throttled: refusal(429, 'Too many requests'),
    not_found: refusal(404, 'not found'),
    server_error: refusal(500, 'internal error'),
    throttled: refusal(429, 'Too many requests'),
  },
  answer: (_kind, account, at) => ({ status: 200, body: usages(account, at) }),
  usageForm: (account, { format, model = 'kimi-k2.6' }) =>
    format === 'claude'
      ? claudeForm(model)
      : {
          provider: account.provider,
          executor: 'KimiExecutor',
          endpoint: 'POST /v1/chat/completions',
          userAgent: 'node',
          model,
          family: 'openai',
          classes: { uncached: 80, cacheRead: 20, cacheWrite: 0, answer: 40, reasoning: 10 },
        },
  windowsUsed: (account) => Object.keys(account.windows),
  clientHeaders: () => ({}),
  limitOf,
}

function refusal(status: number, message: string, type?: string): VendorReply {
  return { status, body: { error: type === undefined ? { message } : { message, type } } }
}

function invalid(): VendorReply {
  return refusal(401, 'Invalid Authentication', 'invalid_authentication_error')
}

function usages(account: VendorAccount, at: EpochMs): object {
  const { accountId, shape, vendorPlan, windows } = account
  if (shape === 'empty') return {}
  const limits = windows['5h'] === undefined ? {} : { limits: [fiveHours(windows['5h'], at)] }
  const ratio = (id: string, name: string) => {
    const window = windows[id]
    return window === undefined
      ? {}
      : { [name]: ratioOf(window, shape === 'C_stuck' ? 0 : window.usedPercent, at) }
  }
  const months = {
    ...ratio('month', 'limit_month_total'),
    ...ratio(windows['code:month'] === undefined ? 'month' : 'code:month', 'limit_month_code'),
  }
  if (shape === 'B')
    return { ...limits, usages: { ...ratio('5h', 'limit_5h'), ...months }, booster_wallet: {} }
  const { week } = windows
  return {
    user: {
      userId: userIdOf(accountId),
      region: 'REGION_OVERSEA',
      membership: { level: vendorPlan },
      businessId: '',
    },
    ...(week !== undefined && { usage: counts(week, at) }),
    ...limits,
    ...((shape === 'C' || shape === 'C_stuck') && {
      usages: { ...ratio('5h', 'limit_5h'), ...ratio('week', 'limit_7d') },
    }),
    parallel: { limit: '20' },
    totalQuota: { limit: '99', remaining: '99' },
    subType: 'TYPE_PURCHASE',
  }
}

/** The user id of shape A, by which two files of one login are known. */
function userIdOf(accountId: string): string {
  return `kimi${accountId.replaceAll('-', '').slice(0, 16)}`
}

function fiveHours(window: FakeWindow, at: EpochMs): object {
  return {
    window: { duration: window.seconds / 60, timeUnit: 'TIME_UNIT_MINUTE' },
    detail: counts(window, at),
  }
}

/** Counts as text, of a limit of 100; zeros are left out. */
function counts(window: FakeWindow, at: EpochMs): object {
  const used = Math.min(100, Math.floor(window.usedPercent + 1e-6))
  return {
    limit: '100',
    ...(used > 0 && { used: String(used) }),
    ...(used < 100 && { remaining: String(100 - used) }),
    resetTime: endText(window, at),
  }
}

function ratioOf(window: FakeWindow, usedPercent: number, at: EpochMs): object {
  return { used_ratio: rounded(usedPercent / 100, 4), reset_time: endText(window, at) }
}

function limitOf(
  { shape, windows }: VendorAccount,
  model: string,
  at: EpochMs,
): ClientFailure | null {
  const until = plusMs(at, 30 * 60_000)
  const terminated = (message: string): ClientFailure => ({
    ...refusal(403, message, 'access_terminated_error'),
    until,
    model,
  })
  if (shape !== 'B' && isExhausted(windows.week))
    return terminated(
      "You've reached your weekly (7-day) usage limit. Your quota will be refreshed in 3 days.",
    )
  if (shape === 'B' && isExhausted(windows.month)) return terminated(MONTH_USED_UP)
  if (!isExhausted(windows['5h'])) return null
  return {
    ...refusal(429, MONTH_USED_UP, 'rate_limit_reached_error'),
    until: null,
    model,
  }
}
