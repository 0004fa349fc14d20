import type { EpochMs } from '@svc/core'
import {
  claudeLimitOf,
  claudeRefusal,
  SCOPED_MODELS,
  scopeOf,
  unifiedHeaders,
} from './claude-traffic.ts'
import { endText, type FakeWindow, fakeWindows, rounded } from './fake-window.ts'
import type { UsageForm, Vendor, VendorAccount, VendorReply, VendorRequest } from './vendor.ts'

const HOST = 'api.anthropic.com'
const REVOKED = 'OAuth token has been revoked. Please obtain a new token.'

/** Claude: usage and profile of a subscription, and the unified headers. */
export const claude: Vendor = {
  hosts: { [HOST]: 'claude' },
  secondsApart: 300,
  login: {
    plan: 'max_20x',
    hasEmail: true,
    windows: () => fakeWindows({ '5h': 8, week: 31 }),
    fileName: ({ email }) => `claude-${email}.json`,
  },
  ownCalls: {
    refresh: {
      method: 'POST',
      url: 'https://platform.claude.com/v1/oauth/token',
      userAgent: 'axios/1.15.2',
    },
    afterRefresh: {
      method: 'GET',
      url: `https://${HOST}/api/oauth/profile`,
      userAgent: 'axios/1.15.2',
    },
    afterFileChange: null,
  },
  kindOf({ method, url }) {
    if (method !== 'GET') return null
    if (url.pathname === '/api/oauth/usage') return 'quota'
    return url.pathname === '/api/oauth/profile' ? 'plan' : null
  },
  unfit({ headers }: VendorRequest) {
    if (!headers.get('user-agent')?.startsWith('claude-code/')) return rateLimited()
    return headers.get('anthropic-beta')?.includes('oauth-2025-04-20') === true
      ? null
      : claudeRefusal(
          401,
          'authentication_error',
          'OAuth authentication is currently not supported.',
        )
  },
  unknownToken: claudeRefusal(401, 'authentication_error', 'Invalid bearer token'),
  refusals: {
    token_invalidated: claudeRefusal(401, 'authentication_error', REVOKED),
    token_revoked: claudeRefusal(401, 'token_revoked', REVOKED),
    token_expired: claudeRefusal(
      401,
      'authentication_error',
      'OAuth token has expired. Please obtain a new token or refresh your existing token.',
    ),
    scope_missing: claudeRefusal(
      403,
      'permission_error',
      'OAuth token does not meet scope requirement user:profile',
    ),
    terms_violated: claudeRefusal(403, 'permission_error', 'This organization has been disabled.'),
    credits_exhausted: claudeRefusal(402, 'billing_error', 'Your credit balance is too low.'),
    clients_throttled: claudeRefusal(
      429,
      'rate_limit_error',
      'Number of requests has exceeded your rate limit.',
    ),
    not_found: claudeRefusal(404, 'not_found_error', 'Not found'),
    server_error: claudeRefusal(500, 'api_error', 'Internal server error'),
    throttled: rateLimited(),
  },
  answer: (kind, account, at) => ({
    status: 200,
    body: kind === 'plan' ? profile(account) : usage(account, at),
  }),
  usageForm: (_account, { model = 'claude-opus-5' }) => claudeForm(model),
  windowsUsed(account, model) {
    const scope = scopeOf(model)
    return ['5h', 'week', `${scope}:week`].filter((id) => account.windows[id] !== undefined)
  },
  clientHeaders: (account, model, at) => unifiedHeaders(account, model, at, false),
  limitOf: claudeLimitOf,
}

/** Usage form of a request in Claude's format, whoever serves it; the proxy's Claude executor records it for Kimi too. */
export function claudeForm(model: string): UsageForm {
  return {
    provider: 'claude',
    executor: 'ClaudeExecutor',
    endpoint: 'POST /v1/messages',
    userAgent: 'claude-cli/2.1.220 (external, cli)',
    model,
    family: 'anthropic',
    classes: { uncached: 100, cacheRead: 300, cacheWrite: 40, answer: 50, reasoning: 0 },
  }
}

/** Usage form of a request to Claude's endpoint that another executor serves and counts. */
export function throughClaudeEndpoint(form: UsageForm): UsageForm {
  const { endpoint, userAgent } = claudeForm(form.model)
  return { ...form, endpoint, userAgent }
}

/** Refusal by the endpoint's own limit. Its `Retry-After` of 0 does not mean that a retry succeeds. */
function rateLimited(): VendorReply {
  return {
    ...claudeRefusal(429, 'rate_limit_error', 'Rate limited. Please try again later.'),
    headers: { 'Retry-After': '0' },
  }
}

function usage({ windows, shape }: VendorAccount, at: EpochMs): object {
  const names = ['oauth_apps', 'opus', 'sonnet', 'cowork']
  const unused = Object.fromEntries(names.map((name) => [`seven_day_${name}`, null]))
  if (shape === 'empty')
    return { five_hour: null, seven_day: null, ...unused, iguana_necktie: null, limits: [] }
  if (shape === 'enterprise') {
    return {
      five_hour: null,
      seven_day: null,
      seven_day_opus: null,
      limits: [],
      extra_usage: extraUsage(windows['extra_usage:month']),
      spend: { limit: null },
    }
  }
  const legacy = shape === 'legacy'
  return {
    five_hour: flat(windows['5h'], at),
    seven_day: flat(windows.week, at),
    ...unused,
    ...(legacy && {
      seven_day_opus: flat(windows['opus:week'], at),
      seven_day_sonnet: flat(windows['sonnet:week'], at),
    }),
    iguana_necktie: legacy ? flat(windows['premium:week'], at) : null,
    ...(!legacy && { limits: limits(windows, at) }),
    extra_usage: {
      ...extraUsage(windows['extra_usage:month']),
      ...(!legacy && windows['extra_usage:month'] === undefined && { currency: null }),
    },
    ...(!legacy && { spend: { limit: null } }),
  }
}

function flat(window: FakeWindow | undefined, at: EpochMs): object | null {
  if (window === undefined) return null
  return { utilization: rounded(window.usedPercent, 1), resets_at: resetsAt(window, at) }
}

/** The reset with microseconds and an offset; null for a window that has not started. */
function resetsAt(window: FakeWindow, at: EpochMs): string | null {
  return window.clock.kind === 'idle' ? null : endText(window, at).replace('Z', '311+00:00')
}

function limits(windows: VendorAccount['windows'], at: EpochMs): readonly object[] {
  const entry = (id: string, kind: string, model: string | null) => {
    const window = windows[id]
    if (window === undefined) return []
    const group = kind === 'session' ? 'session' : 'weekly'
    const scope =
      model === null ? null : { model: { id: null, display_name: model }, surface: null }
    const percent = rounded(window.usedPercent, 1)
    return [
      {
        kind,
        group,
        percent,
        resets_at: resetsAt(window, at),
        scope,
        is_active: kind === 'session',
      },
    ]
  }
  return [
    ...entry('5h', 'session', null),
    ...entry('week', 'weekly_all', null),
    ...Object.entries(SCOPED_MODELS).flatMap(([scope, model]) =>
      entry(`${scope}:week`, 'weekly_scoped', model),
    ),
  ]
}

/** Paid overflow, in cents; switched off without a window. */
function extraUsage(window: FakeWindow | undefined): object {
  if (window === undefined)
    return { is_enabled: false, monthly_limit: null, used_credits: null, utilization: null }
  return {
    is_enabled: true,
    monthly_limit: 5000,
    used_credits: Math.round(window.usedPercent * 50),
    utilization: rounded(window.usedPercent, 1),
    currency: 'USD',
  }
}

function profile({ accountId, email, vendorPlan }: VendorAccount): object {
  const isMax = vendorPlan.startsWith('max')
  return {
    account: {
      uuid: `aaaaaaaa${accountId.slice(8)}`,
      email,
      full_name: 'Sample User',
      has_claude_max: isMax,
      has_claude_pro: vendorPlan === 'pro',
    },
    organization: {
      uuid: accountId,
      name: 'Sample Organization',
      organization_type: isMax ? 'claude_max' : `claude_${vendorPlan}`,
      rate_limit_tier: isMax ? `default_claude_${vendorPlan}` : 'default_claude_ai',
      subscription_status: 'active',
    },
  }
}
