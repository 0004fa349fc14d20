import { plusMs } from '@svc/core'
import { describe, expect, it } from 'vitest'
import type { FakeAccount } from './fake-account.ts'
import {
  ANTIGRAVITY,
  aWorld,
  CLAUDE,
  MINUTE_MS,
  RECORDED_AT,
  SECOND_MS,
  user,
  XAI,
} from './testing/vendor-world.ts'
import { fakeWindows } from './vendors/fake-window.ts'
import type { VendorBehaviour } from './vendors/vendor.ts'

describe('a quota answer is the recorded one', () => {
  const fiveHourly = { utilization: 8, resets_at: '2026-11-23T21:32:12.000311+00:00' }
  const weekly = { utilization: 31, resets_at: '2026-11-28T10:08:52.000311+00:00' }
  const limit = (kind: string, group: string, percent: number, of: typeof weekly) => ({
    kind,
    group,
    percent,
    resets_at: of.resets_at,
    scope: null,
    is_active: kind === 'session',
  })
  const claudeFlat = {
    five_hour: fiveHourly,
    seven_day: weekly,
    seven_day_oauth_apps: null,
    seven_day_opus: null,
    seven_day_sonnet: null,
    seven_day_cowork: null,
    iguana_necktie: null,
  }
  const claudeLimits = [
    limit('session', 'session', 8, fiveHourly),
    limit('weekly_all', 'weekly', 31, weekly),
  ]
  const noExtra = { is_enabled: false, monthly_limit: null, used_credits: null, utilization: null }
  const claudeUsage = {
    ...claudeFlat,
    limits: claudeLimits,
    extra_usage: { ...noExtra, currency: null },
    spend: { limit: null },
  }
  const xaiPeriod = ['2026-11-19T02:35:32.000Z', '2026-11-26T02:35:32.000Z'] as const
  const xaiBilling = {
    currentPeriod: { type: 'USAGE_PERIOD_TYPE_WEEKLY', start: xaiPeriod[0], end: xaiPeriod[1] },
    creditUsagePercent: 42.5,
    productUsage: [{ product: 'GrokBuild', usagePercent: 42.5 }],
    onDemandCap: { val: 2000 },
    onDemandUsed: {},
    prepaidBalance: {},
    isUnifiedBillingUser: true,
    billingPeriodStart: xaiPeriod[0],
    billingPeriodEnd: xaiPeriod[1],
  }
  const { creditUsagePercent: _, productUsage: __, ...xaiWithoutPercent } = xaiBilling
  const xaiWeek = fakeWindows({ week: { used: 42.5, resetsInSeconds: 200_000 } })
  const fiveHours = (used: string, remaining: string) => ({
    window: { duration: 300, timeUnit: 'TIME_UNIT_MINUTE' },
    detail: { limit: '100', used, remaining, resetTime: '2026-11-23T20:58:52.000Z' },
  })
  const bucket = (id: string, name: string, remainingFraction: number, resetTime: string) => ({
    bucketId: id,
    displayName: name,
    window: id.slice(id.indexOf('-') + 1),
    remainingFraction,
    resetTime,
  })
  const pool = (displayName: string, id: string, fiveHourLeft: number, weekLeft: number) => ({
    displayName,
    description: displayName,
    buckets: [
      bucket(`${id}-5h`, 'Five Hour Limit', fiveHourLeft, '2026-11-23T21:32:12.000Z'),
      bucket(`${id}-weekly`, 'Weekly Limit', weekLeft, '2026-11-28T10:08:52.000Z'),
    ],
  })

  it.each<readonly [what: string, FakeAccount, expected: object]>([
    ['Claude', user('claude'), claudeUsage],
    [
      'Claude, premium used up',
      user('claude', { windows: fakeWindows({ '5h': 8, week: 31, 'premium:week': 100 }) }),
      {
        ...claudeUsage,
        limits: [
          ...claudeLimits,
          {
            ...limit('weekly_scoped', 'weekly', 100, weekly),
            scope: { model: { id: null, display_name: 'Fable' }, surface: null },
          },
        ],
      },
    ],
    ['Claude, older', user('claude', { shape: 'legacy' }), { ...claudeFlat, extra_usage: noExtra }],
    [
      'Claude, nothing reported',
      user('claude', { shape: 'empty' }),
      { ...claudeFlat, five_hour: null, seven_day: null, limits: [] },
    ],
    [
      'Claude of an enterprise',
      user('claude', {
        shape: 'enterprise',
        windows: fakeWindows({ 'extra_usage:month': 24.8 }),
      }),
      {
        five_hour: null,
        seven_day: null,
        seven_day_opus: null,
        limits: [],
        extra_usage: {
          is_enabled: true,
          monthly_limit: 5000,
          used_credits: 1240,
          utilization: 24.8,
          currency: 'USD',
        },
        spend: { limit: null },
      },
    ],
    ['xAI', user('xai', { windows: xaiWeek }), { config: xaiBilling }],
    [
      'xAI without a percent',
      user('xai', { windows: xaiWeek, shape: 'no_percent' }),
      { config: xaiWithoutPercent },
    ],
    [
      'xAI, nothing used',
      user('xai', { windows: fakeWindows({ week: { used: 0, resetsInSeconds: 200_000 } }) }),
      { config: xaiWithoutPercent },
    ],
    ['xAI, free', user('xai', { plan: 'Free' }), { config: {} }],
    [
      'Kimi by the week',
      user('kimi', {
        windows: fakeWindows({
          '5h': { used: 12, resetsInSeconds: 7_000 },
          week: { used: 41, resetsInSeconds: 300_000 },
        }),
      }),
      {
        user: {
          userId: expect.any(String),
          region: 'REGION_OVERSEA',
          membership: { level: 'LEVEL_INTERMEDIATE' },
          businessId: '',
        },
        usage: { limit: '100', used: '41', remaining: '59', resetTime: '2026-11-27T06:22:12.000Z' },
        limits: [fiveHours('12', '88')],
        parallel: { limit: '20' },
        totalQuota: { limit: '99', remaining: '99' },
        subType: 'TYPE_PURCHASE',
      },
    ],
    [
      'Kimi by the month',
      user('kimi-ai', {
        shape: 'B',
        windows: fakeWindows({
          '5h': { used: 44, resetsInSeconds: 7_000 },
          month: { used: 78.77, resetsInSeconds: 2_000_000 },
        }),
      }),
      {
        limits: [fiveHours('44', '56')],
        usages: {
          limit_5h: { used_ratio: 0.44, reset_time: '2026-11-23T20:58:52.000Z' },
          limit_month_total: { used_ratio: 0.7877, reset_time: '2026-12-16T22:35:32.000Z' },
          limit_month_code: { used_ratio: 0.7877, reset_time: '2026-12-16T22:35:32.000Z' },
        },
        booster_wallet: {},
      },
    ],
    [
      'Antigravity',
      user('antigravity'),
      {
        description: 'Limits are shared by the models of a group.',
        groups: [
          pool('Gemini Models', 'gemini', 1, 0.9555),
          pool('Claude and GPT models', '3p', 0.31, 0.62),
        ],
      },
    ],
  ])('%s', async (_what, account, expected) => {
    expect(await aWorld([account]).document(account)).toEqual(expected)
  })

  it.each([
    [
      'claude',
      { ...CLAUDE, url: 'https://api.anthropic.com/api/oauth/profile' },
      {
        account: { has_claude_max: true, has_claude_pro: false },
        organization: {
          organization_type: 'claude_max',
          rate_limit_tier: 'default_claude_max_20x',
          subscription_status: 'active',
        },
      },
    ],
    [
      'xai',
      { ...XAI, url: 'https://cli-chat-proxy.grok.com/v1/settings' },
      { subscription_tier: 1, subscription_tier_display: 'SuperGrok', on_demand_enabled: true },
    ],
    [
      'antigravity',
      { ...ANTIGRAVITY, url: ANTIGRAVITY.url.replace(/:[a-z]+$/i, ':loadCodeAssist') },
      { currentTier: { id: 'free-tier' }, paidTier: { id: 'g1-pro-tier' } },
    ],
  ])('the plan of %s is beside its quota', async (provider, call, expected) => {
    const account = user(provider)

    expect(await aWorld([account]).document(account, call)).toMatchObject(expected)
  })
})

describe('a refused query', () => {
  const error = (type: string, message: string) => ({ error: { type, message } })

  it.each<readonly [provider: string, VendorBehaviour, status: number, body: object | string]>([
    [
      'claude',
      'token_invalidated',
      401,
      error('authentication_error', 'OAuth token has been revoked. Please obtain a new token.'),
    ],
    [
      'claude',
      'scope_missing',
      403,
      error('permission_error', 'OAuth token does not meet scope requirement user:profile'),
    ],
    ['claude', 'cloudflare_challenge', 403, '<html><title>Just a moment...</title></html>'],
    [
      'claude',
      { kind: 'throttled', retryAfter: '60' },
      429,
      error('rate_limit_error', 'Rate limited. Please try again later.'),
    ],
    [
      'xai',
      'token_invalidated',
      403,
      {
        code: 'unauthenticated:bad-credentials',
        error: 'The OAuth2 access token could not be validated.',
      },
    ],
    [
      'xai',
      'credits_exhausted',
      402,
      { error: 'You have run out of credits or need a Grok subscription.' },
    ],
    ['xai', 'scope_missing', 403, { error: 'access denied' }],
    ['kimi', 'token_expired', 401, error('invalid_authentication_error', 'Invalid Authentication')],
    ['kimi', 'token_revoked', 401, { error: { type: 'token_revoked' } }],
    ['kimi', 'scope_missing', 403, error('access_terminated_error', 'permission denied')],
    ['kimi', 'not_found', 404, { error: { message: 'not found' } }],
    [
      'antigravity',
      'terms_violated',
      403,
      {
        error: {
          status: 'PERMISSION_DENIED',
          details: [
            { reason: 'TOS_VIOLATION', metadata: { appeal_url: 'https://forms.gle/sample' } },
          ],
        },
      },
    ],
    ['antigravity', 'server_error', 503, { error: { status: 'UNAVAILABLE' } }],
  ])('of %s: %j', async (provider, vendor, status, body) => {
    const account = user(provider, { vendor })
    const { ask } = aWorld([account])

    const answer = await ask(account)

    expect(answer.status_code).toBe(status)
    if (typeof body === 'string') expect(answer.body).toBe(body)
    else expect(JSON.parse(answer.body)).toMatchObject(body)
  })

  it('of Claude: too soon, by another program, without the beta header', async () => {
    const [account, other] = [user('claude'), user('claude', { name: 'bob' })]
    const { fake, ask, advance } = aWorld([account, other])
    fake.settings.vendorSecondsApart.claude = 900
    const status = async (of = account, header: object = {}) =>
      (await ask(of, { ...CLAUDE, header: { ...CLAUDE.header, ...header } })).status_code

    expect(await status(account, { 'User-Agent': 'quota-monitor' })).toBe(429)
    expect(await status(account, { 'anthropic-beta': 'none' })).toBe(401)
    expect([await status(), await status(), await status(other)]).toEqual([200, 429, 200])
    advance(899 * SECOND_MS)
    expect((await ask(account)).header['Retry-After']).toEqual(['0'])
    advance(SECOND_MS)
    expect(await status()).toBe(200)
  })
})

describe('an expired token', () => {
  it.each(['claude', 'xai', 'kimi'])(
    'of %s is refused until the proxy refreshes it',
    async (provider) => {
      const account = user(provider, {
        vendor: 'token_expired',
        refreshDueAt: plusMs(RECORDED_AT, MINUTE_MS),
      })
      const { ask, advance, list, fake } = aWorld([account])
      const [before] = await list()

      expect((await ask(account)).status_code).toBe(401)
      advance(MINUTE_MS)
      const [after] = await list()

      expect(after.modtime > before.modtime).toBe(true)
      expect(after.last_refresh).toBe(after.modtime)
      expect((await ask(account)).status_code).toBe(200)
      expect(fake.vendorCalls.at(-1)?.token).toBe(`fake-${provider}-at-user11-r1`)
      expect(fake.ownCalls.map(({ host }) => host)).toEqual(
        {
          claude: ['platform.claude.com', 'api.anthropic.com'],
          xai: ['auth.x.ai'],
          kimi: ['auth.kimi.com'],
        }[provider],
      )
    },
  )

  it('of Antigravity is refreshed before the call; a refused one has no envelope', async () => {
    const [expired, dead] = [
      user('antigravity', { vendor: 'token_expired' }),
      user('antigravity', { name: 'bob', vendor: 'token_revoked' }),
    ]
    const { ask, send, fake } = aWorld([expired, dead])

    expect((await ask(expired)).status_code).toBe(200)
    expect(await send('api-call', { auth_index: fake.authIndexOf(dead), ...ANTIGRAVITY })).toEqual({
      status: 400,
      body: { error: 'auth token refresh failed' },
    })
    expect(fake.vendorCalls).toHaveLength(1)
  })
})
