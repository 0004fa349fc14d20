import { planKindOf } from '@svc/core'
import { describe, expect, it } from 'vitest'
import { aVendorAnswer } from '../../testing/vendor-answers.ts'
import { claude, planOf } from './descriptor.ts'

const login = { bearer: 'canary', vendorAccountId: null }

it.each([
  { why: 'quota', request: claude.quotaRequest(login), path: '/api/oauth/usage' },
  { why: 'plan', request: claude.planQuery?.request(login), path: '/api/oauth/profile' },
])('asks for the $why as the vendor’s own client does', ({ request, path }) => {
  expect(request).toEqual({
    url: `https://api.anthropic.com${path}`,
    headers: {
      Authorization: 'Bearer canary',
      'anthropic-beta': 'oauth-2025-04-20',
      Accept: 'application/json',
      'Content-Type': 'application/json',
      'User-Agent': 'claude-code/2.1.201',
    },
  })
})

it('asks once in a quarter of an hour, and pauses for long', () => {
  expect(claude.politeness.budget).toEqual({
    perAccountSeconds: 15 * 60,
    apartSeconds: 3,
    pause: { firstSeconds: 30 * 60, longestSeconds: 6 * 3600 },
    blockedPauses: true,
    revokedStops: false,
  })
  expect(claude.planQuery?.everySeconds).toBe(24 * 3600)
})

it.each([
  { access_token: 'sk-ant-api03-sample', type: 'claude' },
  { api_key: 'sk-ant-api03-sample', type: 'claude' },
])('a key of the paid API is no login: %j', (content) => {
  expect(claude.loginOf(content)).toBeNull()
})

const error = (type: string, message: string) =>
  JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_1' })
const json: Readonly<Record<string, string>> = { 'content-type': 'application/json' }
const answer = (status: number, body: string, headers = json) =>
  aVendorAnswer(status, body, headers)

describe('an answer about quota', () => {
  const revokedText = 'OAuth token has been revoked. Please obtain a new token.'
  const scopeText = 'OAuth token does not meet scope requirement user:profile'
  const html = { 'content-type': 'text/html' }
  const unread = (code: string) => ({ kind: 'failed', code })

  it.for<
    readonly [
      why: string,
      status: number,
      body: string,
      result: object,
      headers?: Readonly<Record<string, string>>,
    ]
  >([
    [
      'windows',
      200,
      '{"five_hour":{"utilization":8},"seven_day":{"utilization":31}}',
      { kind: 'sample', sample: { windows: [{ percent: 92 }, { percent: 69 }] } },
    ],
    [
      'no windows',
      200,
      '{"five_hour":null,"seven_day":null,"limits":[]}',
      { kind: 'sample', sample: { windows: [], reportsNone: true } },
    ],
    [
      'an expired token',
      401,
      error('authentication_error', 'OAuth token has expired.'),
      { kind: 'auth' },
    ],
    [
      'a revoked login',
      401,
      error('authentication_error', revokedText),
      { kind: 'auth', revoked: true },
    ],
    [
      'a revoked login, as a 403',
      403,
      error('permission_error', revokedText),
      { kind: 'auth', revoked: true },
    ],
    ['a missing scope', 403, error('permission_error', scopeText), { kind: 'unavailable' }],
    ['a page in place of a refusal', 401, `<html>${revokedText}</html>`, { kind: 'auth' }, html],
    ['another 403', 403, error('permission_error', 'Not allowed.'), unread('unexpected_status')],
    [
      'a page about scopes',
      403,
      `<html>${scopeText}, ${revokedText}</html>`,
      { kind: 'blocked' },
      html,
    ],
    [
      'a challenge',
      403,
      error('permission_error', scopeText),
      { kind: 'blocked' },
      { ...json, 'cf-mitigated': 'challenge' },
    ],
    [
      'a throttle',
      429,
      error('rate_limit_error', 'Rate limited. Please try again later.'),
      { kind: 'throttled', retryAfterSeconds: 2895 },
      { ...json, 'retry-after': '2895' },
    ],
    ['a throttle without a time', 429, '', { kind: 'throttled', retryAfterSeconds: null }],
    ['another document', 200, error('api_error', revokedText), unread('bad_payload')],
    ['no JSON', 200, 'limits', unread('bad_payload')],
    ['a moved address', 404, error('not_found_error', scopeText), unread('unexpected_status')],
    ['trouble at the vendor', 529, error('overloaded_error', revokedText), unread('server_error')],
  ])('with $0', ([, status, body, result, headers]) => {
    const read = claude.windowsOf(answer(status, body, headers))

    expect(read).toMatchObject({ ...result, ...('sample' in result ? {} : { httpStatus: status }) })
    if (!('revoked' in result)) expect(read).not.toHaveProperty('revoked')
  })
})

describe('the plan of an account', () => {
  const organization = {
    uuid: 'bbbbbbbb-0000-4000-8000-000000000011',
    organization_type: 'claude_max',
    rate_limit_tier: 'default_claude_max_20x',
    subscription_status: 'active',
  }
  const max = { has_claude_max: true, has_claude_pro: false }
  const pro = { has_claude_max: false, has_claude_pro: true }
  const neither = { has_claude_max: false, has_claude_pro: false }
  const planOfProfile = (profile: unknown) => planOf(answer(200, JSON.stringify(profile)))

  const untold = { organization_type: null, rate_limit_tier: null }
  it.for<readonly [why: string, plan: string | null, of: object, account?: unknown]>([
    ['Max 20x', 'max_20x', {}, max],
    ['Max 5x', 'max_5x', { rate_limit_tier: 'default_claude_max_5x' }],
    ['Max 20x of a person without flags', 'max_20x', {}, {}],
    ['Max 20x by the tier alone', 'max_20x', { organization_type: null }],
    ['Max 20x of an unknown type', 'max_20x', { organization_type: 'claude_x' }],
    ['another size', 'max', { rate_limit_tier: 'claude_max_9x' }],
    ['no tier', 'max', { rate_limit_tier: null }],
    ['a tier of another type', 'max', { rate_limit_tier: 20 }],
    ['Pro', 'pro', { organization_type: 'claude_pro' }, pro],
    [
      'a seat of a person with Pro',
      'team',
      { organization_type: 'claude_team', rate_limit_tier: 'default_raven' },
      pro,
    ],
    [
      'a seat of a person with Max',
      'team',
      { organization_type: 'claude_team', subscription_status: null },
      max,
    ],
    [
      'an enterprise of a person with Max',
      'enterprise',
      { organization_type: 'claude_enterprise', subscription_status: null },
      max,
    ],
    ['Free', 'free', { organization_type: 'claude_free' }, neither],
    [
      'Free of a person with Max elsewhere',
      'free',
      { organization_type: 'claude_free', rate_limit_tier: 'default_claude_ai' },
      max,
    ],
    [
      'a type unknown so far',
      'edu',
      { organization_type: 'claude_edu', rate_limit_tier: 'default_x' },
      pro,
    ],
    ['a person with Max', 'max', untold, max],
    ['a person with Pro', 'pro', untold, pro],
    ['a person with neither', 'free', untold, neither],
    [
      'a person with Max and an unknown tier',
      null,
      { organization_type: '', rate_limit_tier: 'default_raven' },
      max,
    ],
    ...[{ has_claude_max: false }, { has_claude_pro: false }, {}, null].map(
      (account) => ['a person without both flags', null, untold, account] as const,
    ),
    ['a flag in text', null, untold, { has_claude_max: 'true' }],
  ])('$0 is $1', ([, plan, of, account = neither]) => {
    expect(planOfProfile({ account, organization: { ...organization, ...of } })).toEqual({
      plan,
      vendorIdentity: organization.uuid,
    })
  })

  it.each(['max_20x', 'max_5x', 'pro', 'team', 'enterprise', 'free'])(
    '%s is one of core',
    (name) => {
      expect(planKindOf({ provider: 'claude', name })).toBe(name)
    },
  )

  it.each<{ why: string; uuid: unknown }>([
    { why: 'missing', uuid: undefined },
    { why: 'empty', uuid: '' },
    { why: 'a number', uuid: 5 },
  ])('is read without an organisation: $why', ({ uuid }) => {
    expect(planOfProfile({ account: max, organization: { ...organization, uuid } })).toEqual({
      plan: 'max_20x',
      vendorIdentity: null,
    })
  })

  it.each<{ why: string; status: number; body: string }>([
    { why: 'a missing scope', status: 403, body: error('permission_error', 'user:profile') },
    { why: 'a refusal', status: 401, body: JSON.stringify({ account: max, organization }) },
    { why: 'no JSON', status: 200, body: '<html>' },
    { why: 'an empty object', status: 200, body: '{}' },
    { why: 'other types', status: 200, body: '{"account":[],"organization":"o"}' },
  ])('is not in $why', ({ status, body }) => {
    expect(planOf(answer(status, body))).toBeNull()
  })
})
