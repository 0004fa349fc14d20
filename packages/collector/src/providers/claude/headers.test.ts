import { accountNamed, defaultPolicy, epochMs, evidenceFrom, rankPool } from '@svc/core'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { emptySample } from '../../testing/vendor-answers.ts'
import { windowsFromHeaders } from './headers.ts'

const unified = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [`Anthropic-Ratelimit-Unified-${name}`, value]),
  )
const windowsOf = (fields: Readonly<Record<string, unknown>>) =>
  windowsFromHeaders(unified(fields), NOW)?.windows ?? null

const half = { '5h-Utilization': '0.5' }
const inSeconds = (seconds: number) => String(NOW / 1000 + seconds)

/** The recorded headers of an answer to the premium model, whose week is used up. */
const premiumUsedUp = {
  'Anthropic-Organization-Id': ['bbbbbbbb-0000-4000-8000-000000000013'],
  ...unified({
    '5h-Reset': ['1795469528'],
    '5h-Status': ['allowed'],
    '5h-Utilization': ['0.08'],
    '7d-Reset': ['1795860528'],
    '7d-Status': ['allowed'],
    '7d-Utilization': ['0.31'],
    '7d_oi-Reset': ['1795860528'],
    '7d_oi-Status': ['rejected'],
    '7d_oi-Utilization': ['1'],
    'Fallback-Percentage': ['0.5'],
    'Overage-Disabled-Reason': ['org_level_disabled'],
    'Overage-Status': ['rejected'],
    'Representative-Claim': ['seven_day_overage_included'],
    Reset: ['1795469528'],
    Status: ['rejected'],
  }),
  'Set-Cookie': ['canary'],
}

describe('the quota headers of an answer', () => {
  const weekResetAt = epochMs(1_795_860_528_000)

  it('name three windows and the organisation', () => {
    expect(windowsFromHeaders(premiumUsedUp, NOW)).toEqual({
      ...emptySample,
      origin: 'headers',
      windows: [
        { id: '5h', periodSeconds: 18_000, percent: 92, resetAt: epochMs(1_795_469_528_000) },
        { id: 'week', periodSeconds: 604_800, percent: 69, resetAt: weekResetAt },
        {
          id: 'premium:week',
          periodSeconds: 604_800,
          percent: 0,
          resetAt: weekResetAt,
          label: 'Fable',
          models: ['Fable'],
        },
      ],
      allowed: true,
      vendorIdentity: 'bbbbbbbb-0000-4000-8000-000000000013',
    })
  })

  it.each([
    { used: '0.9999', percent: 0.1 },
    { used: '1', percent: 0 },
    { used: '31', percent: 0 },
  ])('give a fraction: with $used used, $percent % are left', ({ used, percent }) => {
    expect(windowsOf({ '7d-Utilization': used })).toMatchObject([{ id: 'week', percent }])
  })

  it.each([
    { status: 'rejected', percent: 0 },
    { status: ' Rejected ', percent: 0 },
    { status: 'allowed', percent: 88 },
    { status: 'allowed_warning', percent: 88 },
  ])('that say $status leave $percent %', ({ status, percent }) => {
    expect(windowsOf({ '5h-Status': status, '5h-Utilization': '0.12' })).toMatchObject([
      { percent },
    ])
  })

  it('that reject leave nothing, also without a fraction', () => {
    expect(windowsOf({ '5h-Status': 'rejected' })).toMatchObject([
      { id: '5h', percent: 0, resetAt: null },
    ])
  })

  it.each<{ limit: string; window: object }>([
    { limit: '7d_opus', window: { id: 'opus:week', label: 'Opus', models: ['Opus'] } },
    { limit: '7d_oi', window: { id: 'premium:week', label: 'Fable', models: ['Fable'] } },
    { limit: '7d_oauth_apps', window: { id: 'oauth_apps:week', label: 'OAuth apps' } },
    { limit: '7d_haiku_5', window: { id: 'haiku_5:week', label: 'Haiku 5' } },
    { limit: '7d_constructor', window: { id: 'constructor:week', label: 'Constructor' } },
    { limit: '5h_opus', window: { id: 'opus:5h', periodSeconds: 18_000, models: ['Opus'] } },
    { limit: '1d', window: { id: 'day', periodSeconds: 86_400 } },
  ])('name the window of $limit', ({ limit, window }) => {
    const headers = unified({
      [`${limit}-Utilization`]: ['0.25'],
      [`${limit}-Reset`]: ['1795860528'],
      [`${limit}-Surpassed-Threshold`]: ['0.2'],
    })

    expect(windowsFromHeaders(headers, NOW)).toMatchObject({
      windows: [{ ...window, percent: 75, resetAt: weekResetAt }],
      limitReached: false,
    })
  })

  it('of one model that is refused leave the account as it is', () => {
    const headers = unified({
      Status: ['rejected'],
      'Representative-Claim': ['seven_day_opus'],
      Reset: ['1795860528'],
      '5h-Utilization': ['0.1'],
      '7d-Utilization': ['0.3'],
    })

    expect(windowsFromHeaders(headers, NOW)).toMatchObject({
      windows: [
        { id: '5h', percent: 90, resetAt: null },
        { id: 'week', percent: 70, resetAt: null },
        { id: 'opus:week', percent: 0, resetAt: weekResetAt },
      ],
      limitReached: false,
    })
  })

  it.each<{ why: string; fields: Readonly<Record<string, string>>; reached: boolean }>([
    { why: 'no window', fields: {}, reached: true },
    { why: 'a window', fields: { '5h-Status': 'rejected', '7d-Status': 'allowed' }, reached: true },
    { why: 'the window that is not shown', fields: { '5h-Status': 'allowed' }, reached: true },
    { why: 'shares alone', fields: { '7d-Utilization': '0.9' }, reached: true },
    { why: 'a model', fields: { '7d_opus-Status': 'rejected' }, reached: false },
    {
      why: 'paid use, while the plan is not',
      fields: { '5h-Status': 'allowed', '7d-Status': 'allowed_warning', '5h-Utilization': '0.1' },
      reached: false,
    },
  ])('that refuse the answer by $why: $reached', ({ fields, reached }) => {
    const sample = windowsFromHeaders(unified({ Status: 'rejected', ...fields }), NOW)

    expect(sample?.limitReached).toBe(reached)
  })

  it.each<{ why: string; fields: Readonly<Record<string, string>>; allowed: true | undefined }>([
    { why: 'the whole answer', fields: { Status: 'Allowed' }, allowed: true },
    { why: 'a warning', fields: { Status: 'allowed_warning' }, allowed: true },
    { why: 'its own limits', fields: { '5h-Status': 'allowed' }, allowed: true },
    { why: 'a word unknown so far', fields: { Status: 'queued', ...half }, allowed: undefined },
    { why: 'nothing', fields: half, allowed: undefined },
    { why: 'a model', fields: { '7d_opus-Status': 'allowed', ...half }, allowed: undefined },
  ])('that say that requests are served, by $why: $allowed', ({ fields, allowed }) => {
    expect(windowsFromHeaders(unified(fields), NOW)?.allowed).toBe(allowed)
  })

  it('have names that nobody knows yet', () => {
    const fields = { 'Mood-Level': '1', '5h-Status': 'queued', '5h-Surpassed-Threshold': '0.9' }
    const known = { 'Fallback-Percentage': '0.5', 'Overage-In-Use': 'false', 'Upgrade-Paths': 'x' }
    const sample = windowsFromHeaders(unified({ ...half, ...fields, ...known }), NOW)

    expect(sample?.unknownNames).toEqual(['mood-level', 'queued'])
  })

  it.each([
    { why: 'that is past', reset: inSeconds(-60) },
    { why: 'of 0', reset: '0' },
    { why: 'that is missing', reset: undefined },
  ])('that refuse a window leave it used up, with a reset $why', ({ reset }) => {
    const fields = { '5h-Status': 'rejected', '5h-Utilization': '1.0', '5h-Reset': reset }
    const week = { '7d-Utilization': '0.3', '7d-Reset': inSeconds(400_000) }
    const sample = windowsFromHeaders(unified({ Status: 'rejected', ...fields, ...week }), NOW)
    const account = accountNamed('claude-ann.json', { provider: 'claude' })
    const evidence = new Map([['claude-ann.json', evidenceFrom(sample === null ? [] : [sample])]])

    expect(rankPool([account], evidence, defaultPolicy, NOW)[0]).toMatchObject({
      routable: false,
      blockedReasons: ['quota_exhausted_5h'],
      windows: [
        { id: '5h', state: 'exhausted', resetAt: null },
        { id: 'week', state: 'known', percent: 70 },
      ],
    })
  })

  it.each<{ claim: string; windows: readonly object[] }>([
    { claim: 'five_hour', windows: [{ id: '5h', percent: 0, resetAt: weekResetAt }] },
    { claim: ' Seven_Day ', windows: [{ id: 'week', percent: 0, resetAt: weekResetAt }] },
    { claim: 'seven_day_overage_included', windows: [{ id: 'premium:week', percent: 0 }] },
    { claim: 'overage', windows: [] },
    { claim: '', windows: [] },
  ])('refuse the limit that they name, $claim', ({ claim, windows }) => {
    const headers = unified({
      Status: 'rejected',
      Reset: '1795860528',
      'Representative-Claim': claim,
    })

    expect(windowsFromHeaders(headers, NOW)?.windows).toMatchObject(windows)
  })

  it('of an endless list are read up to the thirty-second limit', () => {
    const names = Array.from({ length: 100 }, (_, at) => [`7d_m${at}-Utilization`, '0.5'] as const)

    expect(windowsOf(Object.fromEntries(names))).toHaveLength(32)
  })

  it.each<{ reset: unknown; resetAt: number | null }>([
    { reset: '1795469528', resetAt: 1_795_469_528_000 },
    { reset: '2026-11-23T21:32:08Z', resetAt: 1_795_469_528_000 },
    { reset: '0', resetAt: null },
  ])('reset at $reset', ({ reset, resetAt }) => {
    expect(windowsOf({ '5h-Utilization': '0.5', '5h-Reset': reset })?.[0]?.resetAt).toBe(resetAt)
  })

  it.each<{ why: string; headers: unknown }>([
    { why: 'none', headers: {} },
    { why: 'a list', headers: [['anthropic-ratelimit-unified-5h-utilization', '0.5']] },
    { why: 'a reset alone', headers: unified({ '5h-Reset': '1' }) },
    { why: 'a fraction that is none', headers: unified({ '5h-Utilization': 'x' }) },
    { why: 'a fraction below 0', headers: unified({ '5h-Utilization': '-1' }) },
    { why: 'a window of no length', headers: unified({ '0d-Utilization': '0.5' }) },
    { why: 'paid use alone', headers: unified({ 'Overage-Utilization': '0.5' }) },
    { why: 'a key’s own limits', headers: { 'Anthropic-Ratelimit-Requests-Remaining': ['49'] } },
    { why: 'an organisation alone', headers: { 'Anthropic-Organization-Id': ['o'] } },
  ])('with $why show nothing', ({ headers }) => {
    expect(windowsFromHeaders(headers, NOW)).toBeNull()
  })

  it.each<{ organization: unknown }>([{ organization: '' }, { organization: [' '] }])(
    'name no organisation: $organization',
    ({ organization }) => {
      const headers = {
        ...unified({ '5h-Utilization': '0.5' }),
        'anthropic-organization-id': organization,
      }

      expect(windowsFromHeaders(headers, NOW)).not.toHaveProperty('vendorIdentity')
    },
  )
})
