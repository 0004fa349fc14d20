import { type EpochMs, instantToIso, plusMs } from '@svc/core'
import { throughClaudeEndpoint } from './claude.ts'
import { endOf, fakeWindows, isExhausted, rounded } from './fake-window.ts'
import {
  type ClientFailure,
  GO_USER_AGENT,
  type UsageForm,
  type Vendor,
  type VendorAccount,
  type VendorReply,
} from './vendor.ts'

const HOST = 'cli-chat-proxy.grok.com'

/** Tiers in the order of their numbers. */
const TIERS = [
  'Free',
  'SuperGrok',
  'X Basic',
  'X Premium',
  'X Premium Plus',
  'SuperGrok Heavy',
  'SuperGrok Lite',
  'SuperGrok Plus',
]

/** Tokens of a free account in 24 hours. */
const FREE_TOKENS = 1_000_000

const OUT_OF_CREDITS = refusal(402, 'You have run out of credits or need a Grok subscription.')

/** xAI: credits of a week or a month, the tier, and the token headers of free accounts. */
export const xai: Vendor = {
  hosts: { [HOST]: 'xai' },
  secondsApart: 0,
  login: {
    plan: 'SuperGrok',
    hasEmail: true,
    windows: (plan) => fakeWindows(plan === 'Free' ? { day: 10 } : { week: 42.5 }),
    fileName: ({ email }) => `xai-${email}.json`,
  },
  ownCalls: {
    refresh: { method: 'POST', url: 'https://auth.x.ai/oauth2/token', userAgent: GO_USER_AGENT },
    afterRefresh: null,
    afterFileChange: null,
  },
  kindOf({ method, url }) {
    if (method !== 'GET') return null
    if (url.pathname === '/v1/billing' && url.searchParams.get('format') === 'credits')
      return 'quota'
    return url.pathname === '/v1/settings' ? 'plan' : null
  },
  unfit: ({ headers }) =>
    headers.get('x-xai-token-auth') === 'xai-grok-cli'
      ? null
      : refusal(401, 'missing x-xai-token-auth'),
  unknownToken: badCredentials(403),
  refusals: {
    token_invalidated: badCredentials(403),
    token_revoked: {
      status: 401,
      body: { code: 'invalid_grant', error: 'Token has been revoked' },
    },
    token_expired: refusal(401, 'Invalid or expired credentials'),
    scope_missing: refusal(403, 'access denied'),
    terms_violated: refusal(403, 'Your account has been suspended.'),
    credits_exhausted: OUT_OF_CREDITS,
    clients_throttled: refusal(429, 'Too many requests'),
    not_found: refusal(404, 'Not found'),
    server_error: refusal(500, 'Internal server error'),
    throttled: refusal(429, 'Too many requests'),
  },
  statusInTraffic: { token_invalidated: 401 },
  answer(kind, account, at) {
    if (kind === 'plan') return { status: 200, body: settings(account) }
    if (isExhausted(account.windows.day)) return OUT_OF_CREDITS
    return { status: 200, body: billing(account, at) }
  },
  usageForm: (_account, { format, model = 'grok-4.5' }) =>
    format === 'claude' ? throughClaudeEndpoint(ownForm(model)) : ownForm(model),
  windowsUsed: (account) => Object.keys(account.windows),
  clientHeaders: ({ windows }) => freeHeaders(windows),
  limitOf,
}

/** Usage form of a request in OpenAI's format. */
function ownForm(model: string): UsageForm {
  return {
    provider: 'xai',
    executor: 'XAIExecutor',
    endpoint: 'POST /v1/responses',
    userAgent: 'codex_cli_rs/0.145.0',
    model,
    family: 'openai',
    classes: { uncached: 800, cacheRead: 200, cacheWrite: 0, answer: 40, reasoning: 10 },
  }
}

function refusal(status: number, error: string): VendorReply {
  return { status, body: { error } }
}

function badCredentials(status: number): VendorReply {
  const error = 'The OAuth2 access token could not be validated.'
  return { status, body: { code: 'unauthenticated:bad-credentials', error } }
}

/** The billing document. proto3 leaves zeros out. */
function billing({ windows, shape }: VendorAccount, at: EpochMs): object {
  const period = windows.week ?? windows.month
  if (period === undefined || shape === 'empty') return { config: {} }
  const end = endOf(period, at)
  const [start, endsAt] = [plusMs(end, -period.seconds * 1000), end].map(instantToIso)
  const percent = rounded(period.usedPercent, 1)
  const type = `USAGE_PERIOD_TYPE_${windows.week === undefined ? 'MONTHLY' : 'WEEKLY'}`
  return {
    config: {
      currentPeriod: { type, start, end: endsAt },
      ...(percent > 0 &&
        shape !== 'no_percent' && {
          creditUsagePercent: percent,
          productUsage: [{ product: 'GrokBuild', usagePercent: percent }],
        }),
      onDemandCap: { val: 2000 },
      onDemandUsed: {},
      prepaidBalance: {},
      isUnifiedBillingUser: true,
      billingPeriodStart: start,
      billingPeriodEnd: endsAt,
    },
  }
}

function settings({ vendorPlan }: VendorAccount): object {
  return {
    subscription_tier: Math.max(0, TIERS.indexOf(vendorPlan)),
    subscription_tier_display: vendorPlan,
    on_demand_enabled: true,
  }
}

function freeHeaders({ day }: VendorAccount['windows']): Readonly<Record<string, string>> {
  if (day === undefined) return {}
  const left = Math.round((FREE_TOKENS * Math.max(0, 100 - day.usedPercent)) / 100)
  return {
    'X-Ratelimit-Limit-Requests': '21',
    'X-Ratelimit-Limit-Tokens': String(FREE_TOKENS),
    'X-Ratelimit-Remaining-Requests': '20',
    'X-Ratelimit-Remaining-Tokens': String(left),
  }
}

function limitOf({ windows }: VendorAccount, model: string, at: EpochMs): ClientFailure | null {
  if (isExhausted(windows.day))
    return {
      status: 429,
      body: {
        code: 'subscription:free-usage-exhausted',
        error: `You have used all of your included free usage. Usage resets over a rolling 24-hour window — tokens (actual/limit): 1065554/${FREE_TOKENS}.`,
      },
      until: plusMs(at, 86_400_000),
      model,
      headers: freeHeaders(windows),
    }
  if (!isExhausted(windows.week ?? windows.month)) return null
  const { status, body } = OUT_OF_CREDITS
  return { status, body, until: plusMs(at, 30 * 60_000), model }
}
