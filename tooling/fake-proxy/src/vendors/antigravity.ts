import { type EpochMs, plusMs } from '@svc/core'
import { throughClaudeEndpoint } from './claude.ts'
import {
  endOf,
  endText,
  type FakeWindow,
  fakeWindows,
  isExhausted,
  rounded,
} from './fake-window.ts'
import {
  type ClientFailure,
  GO_USER_AGENT,
  type UsageForm,
  type Vendor,
  type VendorAccount,
  type VendorReply,
} from './vendor.ts'

const DAILY = 'daily-cloudcode-pa.googleapis.com'
const OWN_USER_AGENT = 'antigravity/hub/2.9.1 darwin/arm64'

const BANNED = 'This service has been disabled in this account for violation of Terms of Service.'

/** Pools with the name of their group. Each has a window of five hours and one of a week. */
const POOLS = { gemini: 'Gemini Models', '3p': 'Claude and GPT models' } as const
const WINDOWS = { '5h': ['5h', 'Five Hour Limit'], week: ['weekly', 'Weekly Limit'] } as const

/** Antigravity of Google: two pools with two windows each, the tier, and refusals as Google words them. */
export const antigravity: Vendor = {
  hosts: {
    [DAILY]: 'antigravity',
    'daily-cloudcode-pa.sandbox.googleapis.com': 'antigravity',
    'cloudcode-pa.googleapis.com': 'antigravity',
  },
  secondsApart: 0,
  login: {
    plan: 'g1-pro-tier',
    hasEmail: true,
    windows: () => fakeWindows({ 'gemini:5h': 0, 'gemini:week': 4.45, '3p:5h': 69, '3p:week': 38 }),
    fileName: ({ email }) => `antigravity-${email}.json`,
  },
  ownCalls: {
    refresh: {
      method: 'POST',
      url: 'https://oauth2.googleapis.com/token',
      userAgent: GO_USER_AGENT,
    },
    afterRefresh: null,
    afterFileChange: {
      method: 'POST',
      url: `https://${DAILY}/v1internal:fetchAvailableModels`,
      userAgent: OWN_USER_AGENT,
    },
  },
  kindOf({ method, url }) {
    if (method !== 'POST') return null
    if (url.pathname === '/v1internal:retrieveUserQuotaSummary') return 'quota'
    return url.pathname === '/v1internal:loadCodeAssist' ? 'plan' : null
  },
  unfit: () => null,
  unknownToken: unauthenticated(),
  refusals: {
    // The proxy meets these while it refreshes, and never asks the vendor.
    token_invalidated: unauthenticated(),
    token_revoked: unauthenticated(),
    token_expired: unauthenticated(),
    scope_missing: refusal(
      403,
      'PERMISSION_DENIED',
      'Request had insufficient authentication scopes.',
      [errorInfo('ACCESS_TOKEN_SCOPE_INSUFFICIENT', {})],
    ),
    terms_violated: refusal(403, 'PERMISSION_DENIED', BANNED, [
      errorInfo('TOS_VIOLATION', { appeal_url: 'https://forms.gle/sample' }),
    ]),
    credits_exhausted: refusal(402, 'FAILED_PRECONDITION', 'Credits are used up.', [
      errorInfo('INSUFFICIENT_G1_CREDITS_BALANCE', {}),
    ]),
    clients_throttled: tooFast(),
    not_found: refusal(404, 'NOT_FOUND', 'Requested entity was not found.'),
    server_error: refusal(503, 'UNAVAILABLE', 'The service is currently unavailable.'),
    throttled: tooFast(),
  },
  answer: (kind, account, at) => ({
    status: 200,
    body: kind === 'plan' ? assist(account) : summary(account, at),
  }),
  usageForm: (_account, { format, model }) =>
    format === 'claude'
      ? throughClaudeEndpoint(ownForm(model ?? 'claude-opus-4-6-thinking'))
      : ownForm(model ?? 'gemini-3-flash'),
  windowsUsed: (account, model) =>
    Object.keys(WINDOWS)
      .map((window) => `${poolOf(model)}:${window}`)
      .filter((id) => account.windows[id] !== undefined),
  clientHeaders: () => ({ 'X-Cloudaicompanion-Trace-Id': 't1' }),
  limitOf,
}

/** The pool that serves a model. */
function poolOf(model: string): keyof typeof POOLS {
  return model.startsWith('gemini') ? 'gemini' : '3p'
}

function ownForm(model: string): UsageForm {
  return {
    provider: 'antigravity',
    executor: 'AntigravityExecutor',
    endpoint: 'POST /v1beta/models/*action',
    userAgent: 'node',
    model,
    family: 'gemini',
    classes: { uncached: 800, cacheRead: 200, cacheWrite: 0, answer: 50, reasoning: 30 },
  }
}

function refusal(
  code: number,
  status: string,
  message: string,
  details: readonly object[] = [],
): VendorReply {
  const error = { code, message, status, ...(details.length > 0 && { details }) }
  return { status: code, body: { error } }
}

function errorInfo(reason: string, metadata: object): object {
  return {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: 'cloudcode-pa.googleapis.com',
    metadata,
  }
}

function tooFast(): VendorReply {
  return refusal(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted.', [
    errorInfo('RATE_LIMIT_EXCEEDED', {}),
  ])
}

function unauthenticated(): VendorReply {
  return refusal(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.')
}

function summary({ shape, windows }: VendorAccount, at: EpochMs): object {
  const description = 'Limits are shared by the models of a group.'
  if (shape === 'empty') return { description, groups: [] }
  const isWrapped = shape === 'wrapped'
  const groups = Object.entries(POOLS).flatMap(([pool, displayName]) => {
    const buckets = Object.entries(WINDOWS).flatMap(([id, [window, name]]) => {
      const held = windows[`${pool}:${id}`]
      if (held === undefined) return []
      const remaining = remainingFraction(held)
      return [
        {
          bucketId: `${pool}-${window}`,
          displayName: name,
          window,
          remainingFraction: isWrapped ? `${rounded(remaining * 100, 2)}%` : remaining,
          resetTime: endText(held, at),
        },
      ]
    })
    return buckets.length === 0 ? [] : [{ displayName, description: displayName, buckets }]
  })
  return isWrapped ? { response: { description, groups } } : { description, groups }
}

function remainingFraction({ usedPercent }: FakeWindow): number {
  return rounded(Math.max(0, 1 - usedPercent / 100), 4)
}

function assist({ projectId, vendorPlan }: VendorAccount): object {
  const credits = {
    creditType: 'GOOGLE_ONE_AI',
    creditAmount: '12',
    minimumCreditAmountForUsage: '50',
  }
  return {
    currentTier: { id: 'free-tier' },
    ...(vendorPlan !== 'free-tier' && {
      paidTier: { id: vendorPlan, availableCredits: [credits] },
    }),
    ...(projectId !== null && { cloudaicompanionProject: projectId }),
  }
}

/** The 429 of the pool that serves the model. The proxy cools down the models asked so far until its reset. */
function limitOf({ windows }: VendorAccount, model: string, at: EpochMs): ClientFailure | null {
  const pool = poolOf(model)
  const spent = [windows[`${pool}:5h`], windows[`${pool}:week`]].filter(isExhausted)
  if (spent.length === 0) return null
  const delayMs = Math.max(...spent.map((window) => endOf(window, at))) - at
  const until = plusMs(at, delayMs)
  const [seconds, text] = [delayMs / 1000, delayText(delayMs)]
  const last = spent.find((window) => endOf(window, at) === until)
  const { body } = refusal(
    429,
    'RESOURCE_EXHAUSTED',
    `You have exhausted your capacity on this model. Your quota will reset after ${text.replace(/\.\d+/, '')}.`,
    [
      errorInfo('QUOTA_EXHAUSTED', {
        model,
        quotaResetDelay: text,
        ...(last !== undefined && { quotaResetTimeStamp: endText(last, at) }),
      }),
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` },
    ],
  )
  return { status: 429, body, until, model }
}

/** A delay as Google writes it, as in `108h48m20.79s`. */
function delayText(delayMs: number): string {
  const minutes = Math.floor(delayMs / 60_000)
  const seconds = rounded((delayMs % 60_000) / 1000, 3)
  const hours = Math.floor(minutes / 60)
  return hours > 0 ? `${hours}h${minutes % 60}m${seconds}s` : `${minutes}m${seconds}s`
}
