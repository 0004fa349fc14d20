import { epochMs } from '@svc/core'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { emptySample } from '../../testing/vendor-answers.ts'
import { kimiQuotaSampleOf } from './usages-document.ts'

const at = (iso: string) => epochMs(Date.parse(iso))
const sampleOf = (wire: unknown) => kimiQuotaSampleOf(wire, NOW)
const windowsOf = (wire: unknown) => sampleOf(wire)?.windows
const week = (usage: object) => windowsOf({ usage })?.find(({ id }) => id === 'week')
const limitOf = (
  detail: unknown,
  duration: unknown = 300,
  timeUnit: unknown = 'TIME_UNIT_MINUTE',
) => ({
  window: { duration, timeUnit },
  detail,
})
const half = { limit: '100', used: '50' }

describe('the recorded shapes', () => {
  const user = {
    userId: 'kimiuser31',
    region: 'REGION_OVERSEA',
    membership: { level: 'LEVEL_INTERMEDIATE' },
    businessId: '',
  }

  it('a weekly plan: the week, and a window by its length', () => {
    const wire = {
      user,
      usage: { limit: '100', used: '41', remaining: '59', resetTime: '2026-11-27T06:22:12.000Z' },
      limits: [
        limitOf({
          limit: '100',
          used: '12',
          remaining: '88',
          resetTime: '2026-11-23T20:58:52.000Z',
        }),
      ],
      parallel: { limit: '20' },
      totalQuota: { limit: '99', remaining: '99' },
      subType: 'TYPE_PURCHASE',
    }

    expect(sampleOf(wire)).toEqual({
      ...emptySample,
      plan: 'intermediate',
      vendorIdentity: 'kimiuser31',
      windows: [
        { id: 'week', periodSeconds: 604_800, percent: 59, resetAt: at('2026-11-27T06:22:12Z') },
        { id: '5h', periodSeconds: 18_000, percent: 88, resetAt: at('2026-11-23T20:58:52Z') },
      ],
    })
  })

  it('a monthly plan: both halves agree on the 5h, and the month for code is a scope of its own', () => {
    const wire = {
      limits: [
        limitOf({
          limit: '100',
          used: '44',
          remaining: '56',
          resetTime: '2026-11-23T20:58:52.000Z',
        }),
      ],
      usages: {
        limit_5h: { used_ratio: 0.4372, reset_time: '2026-11-23T20:58:52.000Z' },
        limit_month_total: { used_ratio: 0.7877, reset_time: '2026-12-16T22:35:32.000Z' },
        limit_month_code: { used_ratio: 0.5, reset_time: '2026-12-16T22:35:32.000Z' },
      },
      booster_wallet: {},
    }
    const month = { periodSeconds: 2_592_000, resetAt: at('2026-12-16T22:35:32Z') }

    expect(sampleOf(wire)).toEqual({
      ...emptySample,
      windows: [
        { id: '5h', periodSeconds: 18_000, percent: 56, resetAt: at('2026-11-23T20:58:52Z') },
        { id: 'month', percent: 21.2, ...month },
        { id: 'code:month', label: 'Code', percent: 50, ...month },
      ],
    })
  })

  it('a mixed plan: the week and the 5h stand in both halves', () => {
    const wire = {
      user,
      usage: { limit: '100', used: '30' },
      limits: [limitOf({ limit: '100', remaining: '100' })],
      usages: { limit_5h: { used_ratio: 0 }, limit_7d: { used_ratio: 0.31 } },
    }

    expect(windowsOf(wire)).toEqual([
      { id: 'week', periodSeconds: 604_800, percent: 69, resetAt: null },
      { id: '5h', periodSeconds: 18_000, percent: 100, resetAt: null },
    ])
  })
})

describe('one count', () => {
  it.each<{ why: string; usage: object; percent: number }>([
    { why: 'nothing used', usage: { limit: '100', used: '0', remaining: '100' }, percent: 100 },
    { why: 'all used', usage: { limit: '100', used: '100', remaining: '0' }, percent: 0 },
    { why: 'more used than allowed', usage: { limit: 100, used: 140 }, percent: 0 },
    {
      why: 'a deficit beside the use',
      usage: { limit: 100, used: 103, remaining: -3 },
      percent: 0,
    },
    { why: 'zero left, left out', usage: { limit: '100', used: '100' }, percent: 0 },
    { why: 'zero used, left out', usage: { limit: '100', remaining: '100' }, percent: 100 },
    { why: 'used left out', usage: { limit: '100', remaining: '59' }, percent: 59 },
    { why: 'used null', usage: { limit: '100', used: null, remaining: '59' }, percent: 59 },
    { why: 'used unreadable', usage: { limit: 100, used: 'x', remaining: 59 }, percent: 59 },
    { why: 'requests', usage: { limit: '2048', used: '512', remaining: '1536' }, percent: 75 },
    { why: 'one request left', usage: { limit: '7168', used: '7167' }, percent: 0.1 },
  ])('$why: $percent left', ({ usage, percent }) => {
    expect(week(usage)).toMatchObject({ percent })
    expect(week(usage)).not.toHaveProperty('note')
  })

  it('of two figures that contradict each other takes the larger use', () => {
    expect(week({ limit: '100', used: '10', remaining: '20' })).toMatchObject({
      percent: 20,
      note: 'sources_disagree',
    })
  })
})

describe('two halves', () => {
  it.each<{ why: string; used: string; ratio: unknown; percent: number; note?: string }>([
    { why: 'a stuck ratio', used: '100', ratio: 0, percent: 0, note: 'sources_disagree' },
    { why: 'a stuck count', used: '0', ratio: 1, percent: 0, note: 'sources_disagree' },
    { why: 'rounding', used: '44', ratio: 0.4372, percent: 56 },
    { why: 'two points', used: '59', ratio: 0.57, percent: 41 },
    { why: 'two points the other way', used: '57', ratio: 0.59, percent: 41 },
    { why: 'two points of tenths', used: '34.1', ratio: 0.361, percent: 63.9 },
    { why: 'beyond two points', used: '59', ratio: 0.569, percent: 41, note: 'sources_disagree' },
    { why: 'a ratio as text', used: '10', ratio: '0.5', percent: 50, note: 'sources_disagree' },
    { why: 'a ratio above 1', used: '99', ratio: 1.02, percent: 0 },
    { why: 'a negative ratio', used: '40', ratio: -1, percent: 60 },
    { why: 'no ratio', used: '40', ratio: undefined, percent: 60 },
    { why: 'a ratio that is none', used: '40', ratio: 'half', percent: 60 },
  ])('$why: $percent left', ({ used, ratio, percent, note }) => {
    const usage = { limit: '100', used }
    const sample = sampleOf({ usage, usages: { limit_7d: { used_ratio: ratio } } })

    expect(sample?.windows).toEqual([
      { id: 'week', periodSeconds: 604_800, percent, resetAt: null, ...(note && { note }) },
    ])
    expect(sample?.unreadableWindowCount).toBe(0)
  })

  it('keeps the note of a half that contradicts itself', () => {
    const usage = { limit: '100', used: '10', remaining: '95' }

    expect(windowsOf({ usage, usages: { limit_7d: { used_ratio: 0.11 } } })).toMatchObject([
      { percent: 89, note: 'sources_disagree' },
    ])
  })

  const [early, late] = ['2026-11-24T00:00:00Z', '2026-11-25T00:00:00Z']

  it.each<{ why: string; ratio: object; resetAt: string; usage?: object }>([
    { why: 'of the larger use', ratio: { used_ratio: 0.9, reset_time: late }, resetAt: late },
    { why: 'not of the smaller use', ratio: { used_ratio: 0.1, reset_time: late }, resetAt: early },
    { why: 'of the only half that has one', ratio: { used_ratio: 0.9 }, resetAt: early },
    { why: 'of a half without a figure', ratio: { reset_time: late }, resetAt: late, usage: half },
  ])('the reset is that $why', ({ ratio, resetAt, usage = { ...half, resetTime: early } }) => {
    expect(windowsOf({ usage, usages: { limit_7d: ratio } })).toMatchObject([
      { resetAt: at(resetAt) },
    ])
  })
})

describe('the length of a window', () => {
  it.each<{ duration: unknown; timeUnit: unknown; id: string; periodSeconds: number }>([
    { duration: 300, timeUnit: 'TIME_UNIT_MINUTE', id: '5h', periodSeconds: 18_000 },
    { duration: '5', timeUnit: 'TIME_UNIT_HOUR', id: '5h', periodSeconds: 18_000 },
    { duration: 7, timeUnit: 'TIME_UNIT_DAY', id: 'week', periodSeconds: 604_800 },
    { duration: 30, timeUnit: 'TIME_UNIT_DAY', id: 'month', periodSeconds: 2_592_000 },
    { duration: 24, timeUnit: 'TIME_UNIT_HOUR', id: 'day', periodSeconds: 86_400 },
    { duration: 90, timeUnit: 'TIME_UNIT_MINUTE', id: '5400s', periodSeconds: 5400 },
  ])('$duration $timeUnit is $id', ({ duration, timeUnit, id, periodSeconds }) => {
    expect(windowsOf({ limits: [limitOf(half, duration, timeUnit)] })).toEqual([
      { id, periodSeconds, percent: 50, resetAt: null },
    ])
  })
})

describe('the reset', () => {
  const time = '2026-11-25T08:11:09.465054123Z'

  it.each<{ fields: object; resetAt: number }>([
    ...['reset_at', 'resetAt', 'reset_time', 'resetTime'].map((name) => ({
      fields: { [name]: time },
      resetAt: at('2026-11-25T08:11:09.465Z'),
    })),
    ...['reset_in', 'resetIn', 'ttl'].map((name) => ({
      fields: { [name]: '90' },
      resetAt: NOW + 90_000,
    })),
    { fields: { reset_at: 1_795_594_269 }, resetAt: 1_795_594_269_000 },
    { fields: { resetTime: '0001-01-01T00:00:00Z', ttl: 60 }, resetAt: NOW + 60_000 },
  ])('is read from $fields', ({ fields, resetAt }) => {
    expect(week({ ...half, ...fields })).toMatchObject({ resetAt })
  })

  it.each<{ fields: object }>([
    { fields: { resetTime: null } },
    { fields: { resetTime: '2090-01-01T00:00:00Z' } },
    { fields: { ttl: -1 } },
    { fields: { ttl: 400 * 86_400 } },
  ])('is unknown with $fields', ({ fields }) => {
    expect(week({ ...half, ...fields })).toMatchObject({ percent: 50, resetAt: null })
  })
})

describe('an odd window', () => {
  it.each<{ why: string; wire: object; unreadable: number }>([
    { why: 'neither used nor remaining', wire: { usage: { limit: '100' } }, unreadable: 1 },
    { why: 'a limit of 0', wire: { usage: { limit: '0', used: '0' } }, unreadable: 1 },
    { why: 'a negative use', wire: { usage: { limit: '100', used: '-5' } }, unreadable: 1 },
    { why: 'a week that is text', wire: { usage: 'canary' }, unreadable: 1 },
    { why: 'limits that are no list', wire: { limits: {} }, unreadable: 1 },
    { why: 'a limit that is text', wire: { limits: ['canary'] }, unreadable: 1 },
    { why: 'a limit without a length', wire: { limits: [{ detail: half }] }, unreadable: 1 },
    { why: 'an unknown unit', wire: { limits: [limitOf(half, 1, 'constructor')] }, unreadable: 1 },
    { why: 'no detail', wire: { limits: [limitOf(undefined)] }, unreadable: 1 },
    { why: 'ratios that are text', wire: { usages: 'canary' }, unreadable: 1 },
    { why: 'a ratio without a number', wire: { usages: { limit_7d: {} } }, unreadable: 1 },
    { why: 'a negative ratio', wire: { usages: { limit_7d: { used_ratio: -1 } } }, unreadable: 1 },
    { why: 'a new name', wire: { usages: { limit_1d: { used_ratio: 0.5 } } }, unreadable: 1 },
    { why: 'of a scope', wire: { usages: { limit_month_code: {} } }, unreadable: 0 },
  ])('$why: counts as unreadable, not as no limit', ({ wire, unreadable }) => {
    expect(sampleOf(wire)).toMatchObject({ ...emptySample, unreadableWindowCount: unreadable })
  })

  it('leaves the others readable', () => {
    const usages = { limit_5h: 'canary', limit_month_total: { used_ratio: 0.25 } }

    expect(sampleOf({ usage: half, limits: [null, 7], usages })).toMatchObject({
      windows: [
        { id: 'week', percent: 50 },
        { id: 'month', percent: 75 },
      ],
      unreadableWindowCount: 3,
    })
  })
})

describe('an answer without any window', () => {
  it.each<{ wire: object }>([
    { wire: { user: {} } },
    { wire: { usages: {} } },
    { wire: { limits: [], booster_wallet: {} } },
    { wire: { usage: null, totalQuota: { limit: '99', remaining: '0' } } },
    { wire: { usages: { limit_5h: null, parallel: 3 } } },
  ])('reports none: $wire', ({ wire }) => {
    expect(sampleOf(wire)).toMatchObject({ ...emptySample, reportsNone: true })
  })

  it.each<{ wire: unknown }>([
    { wire: undefined },
    { wire: [{ usage: half }] },
    { wire: {} },
    { wire: { error: { message: 'canary' } } },
    { wire: { totalQuota: { limit: '99', remaining: '0' } } },
  ])('is no usages document: $wire', ({ wire }) => {
    expect(sampleOf(wire)).toBeNull()
  })
})

describe('the account', () => {
  it.each<{ user: unknown; plan: string | null }>([
    { user: { membership: { level: 'LEVEL_FREE' } }, plan: 'free' },
    { user: { membership: { level: 'Vivace\n' } }, plan: 'vivace' },
    { user: { membership: { level: `LEVEL_${'X'.repeat(100)}` } }, plan: 'x'.repeat(64) },
    { user: { membership: { level: 'LEVEL_' } }, plan: null },
    { user: { membership: 'LEVEL_FREE' }, plan: null },
  ])('of $user has the plan $plan', ({ user, plan }) => {
    expect(sampleOf({ user, usage: half })).toMatchObject({ plan })
  })

  it.each<{ userId: unknown }>([{ userId: '' }, { userId: 7 }, { userId: null }])(
    'has no identity: $userId',
    ({ userId }) => {
      expect(sampleOf({ user: { userId } })).not.toHaveProperty('vendorIdentity')
    },
  )
})

it('names the ratios that nobody knows', () => {
  expect(sampleOf({ usages: { limit_1d: { used_ratio: 0.5 }, limit_7d: {} } })).toMatchObject({
    unknownNames: ['limit_1d'],
  })
})
