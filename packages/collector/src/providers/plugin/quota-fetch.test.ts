import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { emptySample } from '../../testing/vendor-answers.ts'
import { pluginFailureOf, pluginQuotaOf } from './quota-fetch.ts'

const weekly = { window: 'weekly', remainingFraction: 0.62, resetTime: '2026-10-04T00:00:00Z' }
const answer = {
  subscription: { plan: 'OpenCode Go', tierName: 'Go', tierId: 'go' },
  serverTimeOffsetMs: -120,
  summary: [{ key: 'credits_left', label: 'Credits left', value: 12.5, format: 'number' }],
  groups: [{ displayName: 'Usage', buckets: [{ ...weekly, description: '' }] }],
}
const windowsOf = (...groups: object[]) => pluginQuotaOf({ groups }, NOW)?.windows
const idsOf = (...groups: object[]) =>
  windowsOf(...groups)
    ?.map(({ id }) => id)
    .sort()

it('has the windows and the plan, and no figure of the summary', () => {
  expect(pluginQuotaOf(answer, NOW)).toEqual({
    ...emptySample,
    plan: 'OpenCode Go',
    windows: [{ id: 'week', periodSeconds: 604_800, percent: 62, resetAt: Date.UTC(2026, 9, 4) }],
  })
})

describe('the window', () => {
  it.each([
    { window: '5h', id: '5h' },
    { window: 'daily', id: 'day' },
    { window: '24h', id: 'day' },
    { window: 'weekly', id: 'week' },
    { window: 'Weekly', id: 'week' },
    { window: 'monthly', id: 'month' },
    { window: 'Boost pack', id: 'usage:boost_pack' },
    { window: 'constructor', id: 'usage:constructor' },
    { window: '', id: undefined },
    { window: 5, id: undefined },
    { window: undefined, id: undefined },
  ])('$window is $id', ({ window, id }) => {
    const buckets = [{ ...weekly, window }]

    expect(idsOf({ displayName: 'Usage', buckets })).toEqual(id === undefined ? [] : [id])
  })
})

describe('of several groups', () => {
  const boost = { displayName: 'Boost', buckets: [{ ...weekly, window: 'boost' }] }
  const usage = { displayName: 'Usage', buckets: [weekly] }
  const pro = { displayName: 'Pro models', buckets: [weekly, { ...weekly, window: 'x' }] }

  it('the first with a window of the account is its own, the others have their name', () => {
    expect(idsOf(boost, usage, pro)).toEqual([
      'boost:boost',
      'pro_models:week',
      'pro_models:x',
      'week',
    ])
    expect(windowsOf(usage, pro)?.find(({ id }) => id === 'pro_models:week')?.label).toBe(
      'Pro models',
    )
  })

  it('the first stays the account’s own while it cannot be read', () => {
    const unread = { displayName: 'Usage', buckets: [{ window: '5h' }] }

    expect(idsOf(unread, pro)).toEqual(['pro_models:week', 'pro_models:x'])
  })

  it('a window of another word is scoped in the account’s own group too', () => {
    const buckets = [weekly, { ...weekly, window: 'boost' }]

    expect(idsOf({ displayName: 'Usage', buckets })).toEqual(['usage:boost', 'week'])
  })

  it('32 of 32 windows each are read', () => {
    const buckets = Array.from({ length: 33 }, (_, n) => ({ ...weekly, window: `w${n}` }))
    const groups = Array.from({ length: 33 }, (_, n) => ({ displayName: `g${n}`, buckets }))

    expect(windowsOf(...groups)).toHaveLength(32 * 32)
  })

  it('one without a name has its number', () => {
    const [, second] = windowsOf(usage, { buckets: [weekly] }) ?? []

    expect(second?.id).toBe('group_2:week')
    expect(second).not.toHaveProperty('label')
  })

  it('two windows with one id are the one with less left', () => {
    const buckets = [0.5, 0.2, 0.3].map((remainingFraction) => ({ ...weekly, remainingFraction }))

    expect(windowsOf({ buckets })).toMatchObject([{ id: 'week', percent: 20 }])
  })
})

it.each<{ fraction: unknown; percent: number | undefined }>([
  { fraction: 0, percent: 0 },
  { fraction: 1e-9, percent: 0.1 },
  { fraction: '0.5', percent: 50 },
  { fraction: -1, percent: undefined },
  { fraction: 1.5, percent: undefined },
  { fraction: 'half', percent: undefined },
])('of $fraction, $percent percent are left', ({ fraction, percent }) => {
  const read = windowsOf({ buckets: [{ ...weekly, remainingFraction: fraction }] })

  expect(read?.map((window) => window.percent)).toEqual(percent === undefined ? [] : [percent])
})

describe('windows that cannot be read', () => {
  const unread = { window: '5h' }

  it.each<{ why: string; groups: object[]; count: number }>([
    { why: 'beside one that can', groups: [{ buckets: [unread, weekly] }], count: 1 },
    { why: 'without any that can', groups: [{ buckets: ['odd', {}] }], count: 2 },
    { why: 'of another group', groups: [{ buckets: [weekly] }, { buckets: [unread] }], count: 0 },
  ])('$why', ({ groups, count }) => {
    const sample = pluginQuotaOf({ groups }, NOW)

    expect(sample?.unreadableWindowCount).toBe(count)
    expect(sample).not.toHaveProperty('reportsNone')
  })
})

it.each([
  { wire: { ...answer, groups: [] } },
  { wire: { ...answer, groups: null } },
  { wire: { ...answer, groups: undefined } },
  { wire: { ...answer, groups: [{ displayName: 'Usage', buckets: null }] } },
  { wire: {} },
])('reports none: $wire', ({ wire }) => {
  expect(pluginQuotaOf(wire, NOW)).toMatchObject({ windows: [], reportsNone: true })
})

it.each<{ subscription: unknown; plan: string | null }>([
  { subscription: { plan: 'Pro', tierName: 'Go' }, plan: 'Pro' },
  { subscription: { plan: '', tierName: 'Go' }, plan: 'Go' },
  { subscription: { tierId: 'go' }, plan: null },
  { subscription: null, plan: null },
  { subscription: 'Pro', plan: null },
])('the plan of $subscription is $plan', ({ subscription, plan }) => {
  expect(pluginQuotaOf({ ...answer, subscription }, NOW)?.plan).toBe(plan)
})

it.each([
  { wire: [answer] },
  { wire: { error: 'no quota provider' } },
  { wire: { groups: 'none' } },
  { wire: { groups: [1] } },
])('is no quota: $wire', ({ wire }) => {
  expect(pluginQuotaOf(wire, NOW)).toBeNull()
})

it.each<{ httpStatus: number; result: object }>([
  { httpStatus: 501, result: { kind: 'unavailable' } },
  { httpStatus: 502, result: { kind: 'failed', code: 'server_error' } },
  { httpStatus: 500, result: { kind: 'failed', code: 'server_error' } },
  { httpStatus: 404, result: { kind: 'failed', code: 'unexpected_status' } },
  { httpStatus: 400, result: { kind: 'failed', code: 'unexpected_status' } },
  { httpStatus: 401, result: { kind: 'failed', code: 'unexpected_status' } },
  { httpStatus: 429, result: { kind: 'throttled', retryAfterSeconds: null } },
])('an answer of $httpStatus has no quota', ({ httpStatus, result }) => {
  expect(pluginFailureOf(httpStatus)).toEqual({ ...result, httpStatus })
})
