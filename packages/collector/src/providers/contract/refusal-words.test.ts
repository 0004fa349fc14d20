import { NOW } from '@svc/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aVendorAnswer } from '../../testing/vendor-answers.ts'
import { knownProviders, providerNamed, vendorOf } from '../known-providers.ts'
import { endIn } from './refusal-words.ts'

const ended = { kind: 'auth_fault', code: 'account_ended', deactivated: true }
const fault = { kind: 'auth_fault', deactivated: true }
const claudeError = (type: string, message: string) =>
  JSON.stringify({ type: 'error', error: { type, message } })
const xaiError = (code: string, error: string) => JSON.stringify({ code, error })

const ends: readonly { provider: string; status: number; body: string }[] = [
  ...[
    claudeError(
      'permission_error',
      'OAuth authentication is currently not allowed for this organization.',
    ),
    claudeError('permission_error', 'OAuth authentication is not allowed for this organization'),
    claudeError('invalid_request_error', 'This organization has been disabled.'),
    claudeError('permission_error', 'This organisation has been disabled'),
    claudeError('permission_error', 'Your account has been disabled after an automatic review.'),
    claudeError('permission_error', "You've broken our terms, so your account has been suspended."),
    claudeError(
      'forbidden',
      'Your organization does not have access to Claude. Please login again.',
    ),
    claudeError('account_on_hold', ''),
    '{"error":{"type":"oauth_org_not_allowed"}}',
    '{"code":"organization_disabled"}',
  ].flatMap((body) => [400, 403].map((status) => ({ provider: 'claude', status, body }))),
  ...[
    xaiError('permission-denied', 'Your account has been blocked.'),
    xaiError('permission-denied', 'User is blocked'),
    xaiError('permission-denied', 'Team 481c7584-ab46 is currently suspended.'),
    xaiError('unauthenticated:account-suspended', ''),
    xaiError('account-blocked:abuse', ''),
    xaiError('', 'Account suspended'),
    '{"error":"No active Grok subscription"}',
  ].map((body) => ({ provider: 'xai', status: 403, body })),
  ...[
    '{"detail":"Your workspace has been deactivated"}',
    '{"detail":{"code":"deactivated_workspace"}}',
    '{"detail":{"message":"Your OpenAI account has been deactivated, please check your email."}}',
    '{"detail":"Your subscription has expired."}',
    '{"error":{"code":"account_deactivated"}}',
    '{"error":{"type":"usage_not_included","plan_type":"free"}}',
    '{"detail":"To use Codex with your ChatGPT plan, upgrade to Plus."}',
  ].map((body) => ({ provider: 'codex', status: 403, body })),
  { provider: 'codex', status: 429, body: '{"error":{"type":"usage_not_included"}}' },
  { provider: 'kimi', status: 403, body: '{"error":{"message":"Your account is banned"}}' },
  {
    provider: 'antigravity',
    status: 403,
    body: `{"error":{"code":403,"message":"Consumer 'projects/1' has been suspended."}}`,
  },
]

describe('an account that has ended', () => {
  it.each(ends)('is told by $body of $provider ($status)', ({ provider, status, body }) => {
    const vendor = providerNamed(provider)
    const answer = aVendorAnswer(status, body, { 'content-type': 'application/json' })

    expect(vendorOf(provider).readStatusMessage(body, NOW)).toMatchObject(fault)
    expect(vendor?.refusalIn({ httpStatus: status, body }, NOW)).toMatchObject(fault)
    expect(vendor?.windowsOf(answer)).toEqual({
      kind: 'auth',
      httpStatus: status,
      revoked: true,
      ended: true,
    })
  })

  it('is told by a plain sentence, and of a vendor that we do not know', () => {
    const text = 'Your User ID (d-9067) temporarily is suspended.'

    expect(vendorOf('kiro').readStatusMessage('This organization has been disabled.', NOW)).toEqual(
      ended,
    )
    expect(vendorOf('kiro').readStatusMessage(text.replace('temporarily is', 'is'), NOW)).toEqual(
      ended,
    )
    expect(vendorOf('kiro').readStatusMessage(text, NOW)).toEqual(ended)
  })

  it.each(
    [
      claudeError('permission_error', 'Model claude-opus-5 is not allowed for this organization.'),
      claudeError('permission_error', 'Your organization has disabled web search.'),
      claudeError('permission_error', 'Access to this model has been disabled for your account.'),
      claudeError('permission_error', 'This feature of your account is disabled.'),
      claudeError('permission_error', 'OAuth token does not meet scope requirement user:profile'),
      claudeError('invalid_request_error', 'Unknown value: "this account has been disabled"'),
      claudeError('invalid_request_error', "Unknown value: 'this account has been disabled'"),
      claudeError('rate_limit_error', 'Your account is blocked: too many requests.'),
      claudeError('permission_error', 'The user request was blocked by a filter.'),
      claudeError('billing_error', 'Usage credits required for 1M context'),
      xaiError('personal-team-blocked:spending-limit', 'You have run out of credits'),
      xaiError('permission-denied', 'Access to the chat endpoint is denied.'),
      '{"error":{"message":"Your account is suspended due to insufficient balance"}}',
      '{"error":{"message":"Your account has been limited"}}',
      '<html>Your account has been suspended</html>',
      'token has expired',
      'unauthorized',
      '{}',
      '',
    ].map((text) => ({ text })),
  )('is not told by $text', ({ text }) => {
    for (const { id } of knownProviders) expect(endIn(id, text)).toBeNull()
  })

  it('is not told by a sentence about a limit, nor by trouble of the vendor', () => {
    const body = claudeError('invalid_request_error', 'This organization has been disabled.')
    for (const httpStatus of [429, 500, 503, 200, 0])
      expect(providerNamed('claude')?.refusalIn({ httpStatus, body }, NOW)).not.toEqual(ended)
  })

  it('is looked for in any text, quickly', () => {
    const part = fc.constantFrom('account ', "it's ", 'is ', '"', 'user id ', 'blocked ', 'now ')
    const texts = fc.oneof(fc.string(), fc.json(), fc.array(part, { size: '+2' }))
    fc.assert(
      fc.property(texts, (text) => void endIn('constructor', [text].flat().join('').repeat(40))),
    )
  })
})
