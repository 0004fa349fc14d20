import { planKindOf } from '@svc/core'
import { NOW } from '@svc/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
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

it('an entry of the list says nothing of its login', () => {
  const entry = { provider: 'claude', email: 'ada@example.org', id_token: { plan_type: 'max' } }

  expect(claude.identityOf(entry)).toEqual({
    vendorAccountId: null,
    claimedPlan: null,
    subscribedUntil: null,
  })
})

describe('the login in an auth file', () => {
  const file = {
    access_token: 'sk-ant-oat01-sample',
    type: 'claude',
    organization_uuid: 'bbbbbbbb-0000-4000-8000-000000000011',
  }

  it.each<{ why: string; content: unknown; disabled: boolean }>([
    { why: 'without the flag', content: { ...file, refresh_token: 'canary' }, disabled: false },
    { why: 'enabled', content: { ...file, disabled: false }, disabled: false },
    { why: 'disabled', content: { ...file, disabled: true }, disabled: true },
  ])('is read: $why', ({ content, disabled }) => {
    expect(claude.loginOf(content)).toEqual({
      bearer: 'sk-ant-oat01-sample',
      vendorAccountId: null,
      disabled,
    })
  })

  it.each<{ why: string; content: unknown }>([
    { why: 'nothing', content: undefined },
    { why: 'a list', content: [file] },
    { why: 'another provider', content: { ...file, type: 'codex' } },
    { why: 'no provider', content: { access_token: 'sk-ant-oat01-sample' } },
    { why: 'a key of the paid API', content: { ...file, access_token: 'sk-ant-api03-sample' } },
    { why: 'a key alone', content: { type: 'claude', api_key: 'sk-ant-api03-sample' } },
    { why: 'an empty token', content: { ...file, access_token: '' } },
    { why: 'a token that breaks a header', content: { ...file, access_token: 'a\r\nb' } },
    { why: 'a flag that is none', content: { ...file, disabled: 'no' } },
  ])('is not there: $why', ({ content }) => {
    expect(claude.loginOf(content)).toBeNull()
  })
})

const error = (type: string, message: string) =>
  JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_1' })
const json = { 'content-type': 'application/json' }
const answer = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = json,
) => ({
  status,
  body,
  headers: new Headers(headers),
  receivedAt: NOW,
})

describe('an answer about quota', () => {
  const revokedText = 'OAuth token has been revoked. Please obtain a new token.'
  const scopeText = 'OAuth token does not meet scope requirement user:profile'
  const html = { 'content-type': 'text/html' }

  it.each<{
    why: string
    status: number
    body: string
    headers?: Readonly<Record<string, string>>
    result: object
  }>([
    {
      why: 'windows',
      status: 200,
      body: '{"five_hour":{"utilization":8},"seven_day":{"utilization":31}}',
      result: { kind: 'sample', sample: { windows: [{ percent: 92 }, { percent: 69 }] } },
    },
    {
      why: 'no windows',
      status: 200,
      body: '{"five_hour":null,"seven_day":null,"limits":[]}',
      result: { kind: 'sample', sample: { windows: [], reportsNone: true } },
    },
    {
      why: 'an expired token',
      status: 401,
      body: error('authentication_error', 'OAuth token has expired.'),
      result: { kind: 'auth', httpStatus: 401 },
    },
    {
      why: 'a revoked login',
      status: 401,
      body: error('authentication_error', revokedText),
      result: { kind: 'auth', httpStatus: 401, revoked: true },
    },
    {
      why: 'a revoked login, as a 403',
      status: 403,
      body: error('permission_error', revokedText),
      result: { kind: 'auth', httpStatus: 403, revoked: true },
    },
    {
      why: 'a missing scope',
      status: 403,
      body: error('permission_error', scopeText),
      result: { kind: 'unavailable', httpStatus: 403 },
    },
    {
      why: 'a page in place of a refusal',
      status: 401,
      body: `<html>${revokedText}</html>`,
      headers: html,
      result: { kind: 'auth', httpStatus: 401 },
    },
    {
      why: 'another 403',
      status: 403,
      body: error('permission_error', 'Not allowed.'),
      result: { kind: 'failed', code: 'unexpected_status', httpStatus: 403 },
    },
    {
      why: 'a page about scopes',
      status: 403,
      body: `<html>${scopeText}, ${revokedText}</html>`,
      headers: html,
      result: { kind: 'blocked', httpStatus: 403 },
    },
    {
      why: 'a challenge',
      status: 403,
      body: error('permission_error', scopeText),
      headers: { ...json, 'cf-mitigated': 'challenge' },
      result: { kind: 'blocked', httpStatus: 403 },
    },
    {
      why: 'a throttle',
      status: 429,
      body: error('rate_limit_error', 'Rate limited. Please try again later.'),
      headers: { ...json, 'retry-after': '2895' },
      result: { kind: 'throttled', httpStatus: 429, retryAfterSeconds: 2895 },
    },
    {
      why: 'a throttle without a time',
      status: 429,
      body: '',
      result: { kind: 'throttled', httpStatus: 429, retryAfterSeconds: null },
    },
    {
      why: 'another document',
      status: 200,
      body: error('api_error', revokedText),
      result: { kind: 'failed', code: 'bad_payload', httpStatus: 200 },
    },
    {
      why: 'no JSON',
      status: 200,
      body: 'limits',
      result: { kind: 'failed', code: 'bad_payload', httpStatus: 200 },
    },
    {
      why: 'a moved address',
      status: 404,
      body: error('not_found_error', scopeText),
      result: { kind: 'failed', code: 'unexpected_status', httpStatus: 404 },
    },
    {
      why: 'trouble at the vendor',
      status: 529,
      body: error('overloaded_error', revokedText),
      result: { kind: 'failed', code: 'server_error', httpStatus: 529 },
    },
  ])('with $why', ({ status, body, headers, result }) => {
    const read = claude.windowsOf(answer(status, body, headers))

    expect(read).toMatchObject(result)
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
  it.each<{ why: string; account?: unknown; of: object; plan: string | null }>([
    { why: 'Max 20x', account: max, of: {}, plan: 'max_20x' },
    { why: 'Max 5x', of: { rate_limit_tier: 'default_claude_max_5x' }, plan: 'max_5x' },
    { why: 'Max 20x of a person without flags', account: {}, of: {}, plan: 'max_20x' },
    { why: 'Max 20x by the tier alone', of: { organization_type: null }, plan: 'max_20x' },
    { why: 'Max 20x of an unknown type', of: { organization_type: 'claude_x' }, plan: 'max_20x' },
    { why: 'another size', of: { rate_limit_tier: 'claude_max_9x' }, plan: 'max' },
    { why: 'no tier', of: { rate_limit_tier: null }, plan: 'max' },
    { why: 'a tier of another type', of: { rate_limit_tier: 20 }, plan: 'max' },
    { why: 'Pro', account: pro, of: { organization_type: 'claude_pro' }, plan: 'pro' },
    {
      why: 'a seat of a person with Pro',
      account: pro,
      of: { organization_type: 'claude_team', rate_limit_tier: 'default_raven' },
      plan: 'team',
    },
    {
      why: 'a seat of a person with Max',
      account: max,
      of: { organization_type: 'claude_team', subscription_status: null },
      plan: 'team',
    },
    {
      why: 'an enterprise of a person with Max',
      account: max,
      of: { organization_type: 'claude_enterprise', subscription_status: null },
      plan: 'enterprise',
    },
    { why: 'Free', account: neither, of: { organization_type: 'claude_free' }, plan: 'free' },
    {
      why: 'Free of a person with Max elsewhere',
      account: max,
      of: { organization_type: 'claude_free', rate_limit_tier: 'default_claude_ai' },
      plan: 'free',
    },
    {
      why: 'a type unknown so far',
      account: pro,
      of: { organization_type: 'claude_edu', rate_limit_tier: 'default_x' },
      plan: 'edu',
    },
    { why: 'a person with Max', account: max, of: untold, plan: 'max' },
    { why: 'a person with Pro', account: pro, of: untold, plan: 'pro' },
    { why: 'a person with neither', account: neither, of: untold, plan: 'free' },
    {
      why: 'a person with Max and an unknown tier',
      account: max,
      of: { organization_type: '', rate_limit_tier: 'default_raven' },
      plan: null,
    },
    ...[{ has_claude_max: false }, { has_claude_pro: false }, {}, null].map((account) => ({
      why: 'a person without both flags',
      account,
      of: untold,
      plan: null,
    })),
    { why: 'a flag in text', account: { has_claude_max: 'true' }, of: untold, plan: null },
  ])('$why is $plan', ({ account = neither, of, plan }) => {
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
    { why: 'a list', status: 200, body: '[]' },
    { why: 'null', status: 200, body: 'null' },
    { why: 'other types', status: 200, body: '{"account":[],"organization":"o"}' },
  ])('is not in $why', ({ status, body }) => {
    expect(planOf(answer(status, body))).toBeNull()
  })

  it('is read from any JSON without failing', () => {
    fc.assert(fc.property(fc.json(), (body) => void planOf(answer(200, body))))
  })
})
