import { epochMs } from '@svc/core'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { emptySample } from '../../testing/vendor-answers.ts'
import { windowsFromHeaders, xaiQuotaSampleOf } from './quota-windows.ts'

const end = epochMs(Date.parse('2026-11-26T02:35:32Z'))
const week = {
  type: 'USAGE_PERIOD_TYPE_WEEKLY',
  start: '2026-11-19T02:35:32.000Z',
  end: '2026-11-26T02:35:32.000Z',
}
const sampleOf = (config: unknown) => xaiQuotaSampleOf({ config }, NOW)
const windowOf = (changes: object) =>
  sampleOf({ currentPeriod: week, creditUsagePercent: 42.5, ...changes })?.windows[0]
const weekLeft = { id: 'week', periodSeconds: 604_800, percent: 57.5, resetAt: end }

describe('the recorded answers', () => {
  const rest = {
    onDemandCap: { val: 2000 },
    onDemandUsed: {},
    prepaidBalance: {},
    isUnifiedBillingUser: true,
    billingPeriodStart: week.start,
    billingPeriodEnd: week.end,
  }
  const onDemand = {
    id: 'extra_usage:month',
    periodSeconds: 2_592_000,
    percent: 100,
    resetAt: null,
    label: 'On demand',
  }

  it('credits of a week, shared by products, and money on demand', () => {
    const productUsage = [{ product: 'GrokBuild', usagePercent: 42.5 }]
    const config = { currentPeriod: week, creditUsagePercent: 42.5, productUsage, ...rest }

    expect(sampleOf(config)).toEqual({ ...emptySample, windows: [weekLeft, onDemand] })
  })

  it('no percentage: a derived zero', () => {
    expect(sampleOf({ currentPeriod: week, ...rest })).toEqual({
      ...emptySample,
      windows: [{ ...weekLeft, percent: 100, note: 'derived' }, onDemand],
    })
  })

  it('a free account has nothing to report', () => {
    expect(sampleOf({})).toEqual({ ...emptySample, reportsNone: true })
  })
})

describe('the percentage', () => {
  it.each<{ used: unknown; percent: number }>([
    { used: '42.5', percent: 57.5 },
    { used: 99.99, percent: 0.1 },
    { used: 137, percent: 0 },
  ])('of $used used is $percent left, as reported', ({ used, percent }) => {
    expect(windowOf({ creditUsagePercent: used })).toEqual({ ...weekLeft, percent })
  })

  it.each<{ used: unknown }>([null, 'half', '', {}, -1, true].map((used) => ({ used })))(
    'of $used is unreadable, not zero',
    ({ used }) => {
      expect(sampleOf({ currentPeriod: week, creditUsagePercent: used })).toEqual({
        ...emptySample,
        unreadableWindowCount: 1,
      })
    },
  )
})

describe('use by product', () => {
  const part = (usagePercent?: unknown) => ({ product: 'Api', usagePercent })

  it.each<{ why: string; total?: unknown; parts: unknown; percent: number; note?: string }>([
    { why: 'in place of the total', parts: [part(40), part(25)], percent: 35 },
    { why: 'as text', parts: [part('40'), part('25.5')], percent: 34.5 },
    { why: 'beyond all', parts: [part(90), part(25)], percent: 0 },
    { why: 'of one alone', parts: [part(40), part()], percent: 60 },
    { why: 'for an odd total', total: -1, parts: [part(40), part(25)], percent: 35 },
    { why: 'for a total of null', total: null, parts: [part(65)], percent: 35 },
    { why: 'against 0', total: 0, parts: [part(65)], percent: 35, note: 'sources_disagree' },
    { why: 'beside a total', total: 42.5, parts: [part(39), part(3.5)], percent: 57.5 },
    { why: 'odd beside a total', total: 42.5, parts: [part(-1)], percent: 57.5 },
    { why: 'of nothing', parts: [part(0), part()], percent: 100, note: 'derived' },
    { why: 'of no product', parts: [], percent: 100, note: 'derived' },
    { why: 'null', parts: null, percent: 100, note: 'derived' },
  ])('$why: $percent left', ({ total, parts, percent, note }) => {
    const window = windowOf({ creditUsagePercent: total, productUsage: parts })

    expect(window).toEqual({ ...weekLeft, percent, ...(note !== undefined && { note }) })
  })

  it.each<{ parts: unknown }>([
    { parts: [part(40), part(-1)] },
    { parts: [part('')] },
    { parts: [part(null)] },
    { parts: ['40'] },
    { parts: 'none' },
  ])('that is odd leaves the allowance unknown: $parts', ({ parts }) => {
    expect(sampleOf({ currentPeriod: week, productUsage: parts })).toEqual({
      ...emptySample,
      unreadableWindowCount: 1,
    })
  })

  it('without a period is an allowance of unknown length', () => {
    expect(sampleOf({ productUsage: [part(40)] })).toEqual({
      ...emptySample,
      unreadableWindowCount: 1,
    })
  })
})

describe('the period', () => {
  const month = { start: '2026-11-01T00:00:00Z', end: '2026-12-01T00:00:00Z' }
  const monthly = 'USAGE_PERIOD_TYPE_MONTHLY'

  it.each<readonly [why: string, period: object, id: string, periodSeconds: number]>([
    ['a week', week, 'week', 604_800],
    ['a month', { ...month, type: monthly }, 'month', 2_592_000],
    [
      'a month of 31 days',
      { type: monthly, start: '2026-10-28T00:00:00Z', end: '2026-11-28T00:00:00Z' },
      'month',
      2_678_400,
    ],
    ['no type', month, 'month', 2_592_000],
    ['a new type', { ...week, type: 'X' }, 'week', 604_800],
    ['a type alone', { type: monthly }, 'month', 2_592_000],
    ['a type that contradicts the length', { ...week, type: monthly }, 'month', 2_592_000],
    ['an end before the start', { ...week, start: week.end, end: week.start }, 'week', 604_800],
    [
      'a day without a type',
      { start: '2026-11-25T00:00:00Z', end: '2026-11-26T00:00:00Z' },
      'day',
      86_400,
    ],
  ])('$0 is $2', (_, period, id, periodSeconds) => {
    expect(windowOf({ currentPeriod: period })).toMatchObject({ id, periodSeconds, percent: 57.5 })
  })

  it.each<{ wire: unknown; resetAt: number | null }>([
    { wire: '2026-11-25T04:17:34.673127+00:00', resetAt: Date.parse('2026-11-25T04:17:34.673Z') },
    { wire: '2090-01-01T00:00:00Z', resetAt: null },
  ])('that ends at $wire resets at $resetAt', ({ wire, resetAt }) => {
    expect(windowOf({ currentPeriod: { ...week, end: wire } })).toMatchObject({ resetAt })
  })

  it.each<{ period: unknown }>([
    { period: undefined },
    { period: 'week' },
    { period: { type: 'X' } },
    { period: { start: week.end, end: week.start } },
    { period: { start: '2021-01-01T00:00:00Z', end: week.end } },
  ])('$period names no window: its percentage is unreadable', ({ period }) => {
    expect(sampleOf({ currentPeriod: period, creditUsagePercent: 5 })).toEqual({
      ...emptySample,
      unreadableWindowCount: 1,
    })
  })

  it('of a new type without a percentage is no account without limits', () => {
    expect(sampleOf({ currentPeriod: { type: 'X' } })).toEqual({
      ...emptySample,
      unreadableWindowCount: 1,
    })
  })
})

describe('money on demand', () => {
  it.each<{ cap: unknown; used: unknown; percent: number | null }>([
    { cap: { val: 2000 }, used: { val: 150 }, percent: 92.5 },
    { cap: { val: '2000' }, used: { val: '2000' }, percent: 0 },
    { cap: { val: 2000 }, used: { val: 2500 }, percent: 0 },
    { cap: { val: 2000 }, used: { val: null }, percent: null },
    { cap: {}, used: {}, percent: null },
    { cap: { val: -1 }, used: {}, percent: null },
    { cap: { val: 2000 }, used: undefined, percent: null },
    { cap: { val: 2000 }, used: { val: 'x' }, percent: null },
    { cap: { val: 2000 }, used: { val: -5 }, percent: null },
  ])('of $used in $cap: $percent left', ({ cap, used, percent }) => {
    const windows = sampleOf({ onDemandCap: cap, onDemandUsed: used })?.windows

    expect(windows?.map((window) => window.percent)).toEqual(percent === null ? [] : [percent])
  })

  it('alone is still something to report', () => {
    expect(sampleOf({ onDemandCap: { val: 1 }, onDemandUsed: {} })).not.toHaveProperty(
      'reportsNone',
    )
  })
})

it.each<{ config: unknown }>([
  { config: { currentPeriod: {} } },
  { config: { currentPeriod: null, creditUsagePercent: null } },
  { config: { monthlyLimit: { val: 100 }, used: { val: 5 } } },
])('reports none: $config', ({ config }) => {
  expect(sampleOf(config)).toEqual({ ...emptySample, reportsNone: true })
})

it.each<{ wire: unknown }>([
  { wire: undefined },
  { wire: null },
  { wire: [] },
  { wire: {} },
  { wire: { config: null } },
  { wire: { error: 'canary' } },
])('is no billing document: $wire', ({ wire }) => {
  expect(xaiQuotaSampleOf(wire, NOW)).toBeNull()
})

describe('headers', () => {
  const tokens = { 'X-Ratelimit-Limit-Tokens': ['1000000'] }
  const left = (remaining: unknown) => ({ ...tokens, 'X-Ratelimit-Remaining-Tokens': remaining })
  const requests = (limit: unknown, remaining: unknown) => ({
    ...left(['900000']),
    'X-Ratelimit-Limit-Requests': limit,
    'X-Ratelimit-Remaining-Requests': remaining,
  })

  it('of a free account tell its rolling day', () => {
    const recorded = {
      'Content-Type': ['text/event-stream'],
      'Set-Cookie': ['session=canary'],
      'X-Ratelimit-Limit-Requests': ['21'],
      'X-Ratelimit-Limit-Tokens': ['1000000'],
      'X-Ratelimit-Remaining-Requests': ['21'],
      'X-Ratelimit-Remaining-Tokens': ['999000'],
    }

    expect(windowsFromHeaders(recorded, NOW)).toEqual({
      ...emptySample,
      origin: 'headers',
      windows: [{ id: 'day', periodSeconds: 86_400, percent: 99.9, resetAt: null }],
    })
  })

  it.each<{ headers: object; percent: number }>([
    { headers: left(['0']), percent: 0 },
    { headers: left(['1']), percent: 0.1 },
    { headers: left('500000'), percent: 50 },
    { headers: requests(['20'], ['5']), percent: 25 },
    { headers: requests(['20'], ['20']), percent: 90 },
    { headers: requests(['20'], ['0']), percent: 0 },
    { headers: requests(['0'], ['0']), percent: 90 },
    { headers: requests(['x'], ['0']), percent: 90 },
    { headers: requests(['20'], undefined), percent: 90 },
  ])('$headers: $percent left', ({ headers, percent }) => {
    expect(windowsFromHeaders(headers, NOW)?.windows).toMatchObject([{ percent }])
  })

  it.each<{ headers: unknown }>([
    { headers: 'x-ratelimit-limit-tokens: 1' },
    { headers: [['x-ratelimit-limit-tokens', '1']] },
    { headers: {} },
    { headers: tokens },
    { headers: left(['-1']) },
    { headers: left(['2000000']) },
    { headers: { ...left(['0']), 'X-Ratelimit-Limit-Tokens': ['0'] } },
    { headers: { 'X-Ratelimit-Limit-Requests': '21', 'X-Ratelimit-Remaining-Requests': '20' } },
  ])('show no quota: $headers', ({ headers }) => {
    expect(windowsFromHeaders(headers, NOW)).toBeNull()
  })
})

it('names the fields that nobody knows', () => {
  const config = { currentPeriod: week, topUpMethod: 'X', dailyCredits: { val: 5 }, gone: null }

  expect(sampleOf(config)?.unknownNames).toEqual(['daily_credits'])
})
