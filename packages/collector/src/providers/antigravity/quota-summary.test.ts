import { parseInstant } from '@svc/core'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { emptySample } from '../../testing/vendor-answers.ts'
import { quotaSummaryOf } from './quota-summary.ts'

const fiveHours = { window: '5h', resetTime: '2026-11-23T21:32:12.000Z' }
const weekly = { window: 'weekly', resetTime: '2026-11-28T10:08:52.000Z' }

/** The answer recorded through the proxy, with the vendor's descriptions. */
const recorded = {
  description: 'Limits are shared by the models of a group.',
  groups: [
    {
      displayName: 'Gemini Models',
      description: 'Models within this group: Gemini Flash, Gemini Pro',
      buckets: [
        {
          bucketId: 'gemini-5h',
          displayName: 'Five Hour Limit',
          ...fiveHours,
          remainingFraction: 1,
        },
        {
          bucketId: 'gemini-weekly',
          displayName: 'Weekly Limit',
          ...weekly,
          remainingFraction: 0.9545,
        },
      ],
    },
    {
      displayName: 'Claude and GPT models',
      description: 'Claude and GPT models',
      buckets: [
        { bucketId: '3p-5h', ...fiveHours, remainingFraction: 0.31 },
        { bucketId: '3p-weekly', ...weekly, remainingFraction: 0 },
      ],
    },
  ],
}
const windowsOf = (wire: unknown) => quotaSummaryOf(wire, NOW)?.windows
const byId = (wire: unknown) =>
  Object.fromEntries(windowsOf(wire)?.map((window) => [window.id, window]) ?? [])
const oneGroup = (bucket: object, group: object = {}) => ({
  groups: [{ displayName: 'Gemini Models', ...group, buckets: [bucket] }],
})
const bucket = { bucketId: 'gemini-5h', window: '5h', remainingFraction: 0.4 }

it('has the two windows of each pool of models', () => {
  const gemini = { label: 'Gemini Models', models: ['Gemini Flash', 'Gemini Pro'] }
  const others = { label: 'Claude and GPT models' }
  const [hoursEnd, weekEnd] = [fiveHours, weekly].map(({ resetTime }) => parseInstant(resetTime))

  expect(quotaSummaryOf(recorded, NOW)).toEqual({
    ...emptySample,
    windows: expect.any(Array),
  })
  expect(byId(recorded)).toEqual({
    'gemini:5h': {
      id: 'gemini:5h',
      periodSeconds: 18_000,
      percent: 100,
      resetAt: hoursEnd,
      ...gemini,
    },
    'gemini:week': {
      id: 'gemini:week',
      periodSeconds: 604_800,
      percent: 95.5,
      resetAt: weekEnd,
      ...gemini,
    },
    '3p:5h': { id: '3p:5h', periodSeconds: 18_000, percent: 31, resetAt: hoursEnd, ...others },
    '3p:week': { id: '3p:week', periodSeconds: 604_800, percent: 0, resetAt: weekEnd, ...others },
  })
})

it.each(['response', 'body'])('is read inside `%s`', (member) => {
  expect(quotaSummaryOf({ [member]: recorded }, NOW)).toEqual(quotaSummaryOf(recorded, NOW))
})

describe('the percent left', () => {
  it.each<readonly [why: string, fraction: object, percent: number | undefined]>([
    ['nothing', { remainingFraction: 0 }, 0],
    ['a remainder that would round to 0', { remainingFraction: 1e-6 }, 0.1],
    ['less than nothing', { remainingFraction: -1 }, undefined],
    ['numeric text', { remainingFraction: '0.31' }, 31],
    ['text in percent', { remainingFraction: '40%' }, 40],
    ['text in percent with blanks', { remainingFraction: ' 40 % ' }, 40],
    ['no percent left', { remainingFraction: '0%' }, 0],
    ['one level deeper', { remaining: { remainingFraction: 0.25 } }, 25],
    [
      'its own before the deeper one',
      { remainingFraction: 0.5, remaining: { remainingFraction: 0.25 } },
      50,
    ],
    ['missing', {}, undefined],
    ['more than all', { remainingFraction: 40 }, undefined],
    ['more than all in percent', { remainingFraction: '101%' }, undefined],
    ['words', { remainingFraction: 'most%' }, undefined],
    ['an object whose text cannot be made', { remainingFraction: { toString: 1 } }, undefined],
  ])('$0', (_, fraction, percent) => {
    const read = windowsOf(oneGroup({ bucketId: 'gemini-5h', window: '5h', ...fraction }))

    expect(read?.map((window) => window.percent)).toEqual(percent === undefined ? [] : [percent])
  })
})

describe('the id of a window', () => {
  it.for<readonly [why: string, bucket: object, id: string | undefined, group?: object]>([
    ['pool and week', { bucketId: '3p-weekly', window: 'weekly' }, '3p:week'],
    ['a day', { bucketId: '3p-daily', window: 'daily' }, '3p:day'],
    ['a day by its hours', { bucketId: '3p-24h', window: '24h' }, '3p:day'],
    ['a month', { bucketId: '3p-monthly', window: 'monthly' }, '3p:month'],
    ['in capitals', { bucketId: 'Gemini-WEEKLY', window: 'Weekly' }, 'gemini:week'],
    ['another word', { bucketId: '3p-x', window: 'Per minute' }, '3p:per_minute'],
    ['a word of objects', { bucketId: '3p-x', window: 'constructor' }, '3p:constructor'],
    ['the word in the id alone', { bucketId: 'gemini-weekly' }, 'gemini:week'],
    ['before the last dash', { bucketId: 'claude-gpt-5h', window: '5h' }, 'claude_gpt:5h'],
    ['no id', { window: '5h' }, 'gemini_models:5h'],
    ['an id without a dash', { bucketId: 'gemini', window: '5h' }, 'gemini_models:5h'],
    ['no name at all', { window: '5h' }, undefined, { displayName: null }],
    ['no word at all', { bucketId: 'gemini' }, undefined],
  ])('$0', ([, named, id, group]) => {
    const read = windowsOf(oneGroup({ remainingFraction: 0.4, ...named }, group))

    expect(read?.map((window) => window.id)).toEqual(id === undefined ? [] : [id])
  })

  it('is given once, to the window with the least left', () => {
    const groups = [0.4, 0.2, 0.3].map((remainingFraction) => ({
      buckets: [{ ...bucket, remainingFraction }],
    }))

    expect(windowsOf({ groups })).toMatchObject([{ id: 'gemini:5h', percent: 20 }])
  })
})

describe('the models of a pool', () => {
  it.each<{ description: unknown; models: readonly string[] | undefined }>([
    { description: 'Gemini 3.1 Pro, Gemini 3 Flash', models: ['Gemini 3.1 Pro', 'Gemini 3 Flash'] },
    {
      description: 'Models within this group: Claude Opus, Claude Sonnet, GPT-OSS',
      models: ['Claude Opus', 'Claude Sonnet', 'GPT-OSS'],
    },
    { description: 'gemini-3-flash,gemini-3.1-pro', models: ['gemini-3-flash', 'gemini-3.1-pro'] },
    { description: 'Gemini Models', models: undefined },
    { description: 'Limits are shared by the models of a group.', models: undefined },
    { description: 'You have used some of it, but 5 hours remain.', models: undefined },
    { description: 'You have used some of your limit, it will refresh', models: undefined },
    { description: 'Gemini Flash, ', models: undefined },
    { description: '', models: undefined },
    { description: 7, models: undefined },
    { description: Array.from({ length: 33 }, (_, n) => `M${n}`).join(), models: undefined },
  ])('$description', ({ description, models }) => {
    expect(windowsOf(oneGroup(bucket, { description }))?.[0]?.models).toEqual(models)
  })
})

it.each<{ wire: unknown; resetAt: number | null }>([
  { wire: '2026-11-23T21:32:12Z', resetAt: Date.UTC(2026, 10, 23, 21, 32, 12) },
  { wire: undefined, resetAt: null },
])('a reset of $wire', ({ wire, resetAt }) => {
  expect(windowsOf(oneGroup({ ...bucket, resetTime: wire }))).toMatchObject([{ resetAt }])
})

describe('an answer', () => {
  it('without groups reports none', () => {
    expect(quotaSummaryOf({ groups: [] }, NOW)).toMatchObject({
      windows: [],
      reportsNone: true,
      unreadableWindowCount: 0,
    })
  })

  it('without any figure leaves all windows unknown', () => {
    const sample = quotaSummaryOf(oneGroup({ ...bucket, remainingFraction: undefined }), NOW)

    expect(sample).toMatchObject({ windows: [], unreadableWindowCount: 1 })
    expect(sample).not.toHaveProperty('reportsNone')
  })

  it('with one odd window has the others', () => {
    const groups = [{ buckets: ['odd', { ...bucket, remainingFraction: null }, bucket] }]

    expect(quotaSummaryOf({ groups }, NOW)).toMatchObject({
      windows: [{ id: 'gemini:5h', percent: 40 }],
      unreadableWindowCount: 0,
    })
  })

  it('with too many has the first 32 of a group', () => {
    const buckets = Array.from({ length: 33 }, (_, n) => ({ ...bucket, bucketId: `p${n}-5h` }))

    expect(windowsOf({ groups: [{ buckets }] })).toHaveLength(32)
  })

  it.each([
    { wire: [] },
    { wire: {} },
    { wire: { groups: null } },
    { wire: { groups: 'none' } },
    { wire: { groups: [{}] } },
    { wire: { groups: [{ buckets: {} }] } },
    { wire: { error: { code: 403 } } },
  ])('is no summary: $wire', ({ wire }) => {
    expect(quotaSummaryOf(wire, NOW)).toBeNull()
  })
})
