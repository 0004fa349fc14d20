import { epochMs, type QuotaSample } from '@svc/core'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { emptySample } from '../../testing/vendor-answers.ts'
import { claudeQuotaSampleOf } from './usage-document.ts'

/** The recorded answer of an account with both windows. */
const recorded = {
  five_hour: { utilization: 8, resets_at: '2026-11-23T21:32:12.000311+00:00' },
  seven_day: { utilization: 31, resets_at: '2026-11-28T10:08:52.000311+00:00' },
  seven_day_oauth_apps: null,
  seven_day_opus: null,
  seven_day_sonnet: null,
  seven_day_cowork: null,
  iguana_necktie: null,
  limits: [
    {
      kind: 'session',
      group: 'session',
      percent: 8,
      resets_at: '2026-11-23T21:32:12.000311+00:00',
      scope: null,
      is_active: true,
    },
    {
      kind: 'weekly_all',
      group: 'weekly',
      percent: 31,
      resets_at: '2026-11-28T10:08:52.000311+00:00',
      scope: null,
      is_active: false,
    },
  ],
  extra_usage: {
    is_enabled: false,
    monthly_limit: null,
    used_credits: null,
    utilization: null,
    currency: null,
  },
  spend: { limit: null },
}
const sessionResetAt = epochMs(Date.parse('2026-11-23T21:32:12Z'))
const weekResetAt = epochMs(Date.parse('2026-11-28T10:08:52Z'))

function sampleOf(wire: object): QuotaSample {
  const sample = claudeQuotaSampleOf(wire, NOW)
  if (sample === null) throw new Error('expected a sample')
  return sample
}
const flat = (changes: object = {}) => sampleOf({ ...recorded, limits: [], ...changes })
const listed = (...limits: readonly unknown[]) =>
  sampleOf({ ...recorded, limits: [...recorded.limits, ...limits] })
const scopedLimit = (displayName: unknown, percent: unknown = 12) => ({
  kind: 'weekly_scoped',
  group: 'weekly',
  percent,
  resets_at: '2026-11-28T10:08:52.000311+00:00',
  scope: { model: { id: null, display_name: displayName }, surface: null },
})
const windowNamed = (sample: QuotaSample, id: string) =>
  sample.windows.find((window) => window.id === id)
const idsOf = (sample: QuotaSample) => sample.windows.map(({ id }) => id)

describe('the recorded answers', () => {
  const both = {
    ...emptySample,
    windows: [
      { id: '5h', periodSeconds: 18_000, percent: 92, resetAt: sessionResetAt },
      { id: 'week', periodSeconds: 604_800, percent: 69, resetAt: weekResetAt },
    ],
  }

  it('list both windows', () => {
    expect(sampleOf(recorded)).toEqual(both)
  })

  it('of older shape have no list', () => {
    const { limits: _, ...older } = recorded

    expect(sampleOf(older)).toEqual(both)
  })

  it('name a used-up model beside the main windows', () => {
    expect(listed(scopedLimit('Fable', 100)).windows[2]).toEqual({
      id: 'premium:week',
      periodSeconds: 604_800,
      percent: 0,
      resetAt: weekResetAt,
      label: 'Fable',
      models: ['Fable'],
    })
  })

  it('of an account without limits report none', () => {
    const none = { five_hour: null, seven_day: null, seven_day_opus: null, limits: [] }

    expect(sampleOf(none)).toEqual({ ...both, windows: [], reportsNone: true })
  })

  it('of an enterprise report paid use alone', () => {
    const extra_usage = {
      is_enabled: true,
      monthly_limit: 5000,
      used_credits: 1240,
      utilization: 24.8,
      currency: 'USD',
    }

    expect(sampleOf({ five_hour: null, seven_day: null, limits: [], extra_usage })).toEqual({
      ...both,
      windows: [
        {
          id: 'extra_usage:month',
          periodSeconds: null,
          percent: 75.2,
          resetAt: null,
          label: 'Extra usage',
        },
      ],
      reportsNone: true,
    })
  })
})

describe('a main window', () => {
  it.each([
    [37.4, 62.6],
    ['64.5', 35.5],
    [99.99, 0.1],
    [102, 0],
  ])('with %s %% used has %d %% left, listed or not', (used, left) => {
    const resets_at = null
    const limits = [{ kind: 'session', percent: used, resets_at }]

    expect(windowNamed(flat({ five_hour: { utilization: used, resets_at } }), '5h')).toEqual({
      id: '5h',
      periodSeconds: 18_000,
      percent: left,
      resetAt: null,
    })
    expect(windowNamed(sampleOf({ limits }), '5h')?.percent).toBe(left)
  })

  it('is taken from the list, where the two halves differ', () => {
    const sample = sampleOf({
      ...recorded,
      five_hour: { utilization: 90, resets_at: '2026-11-23T20:00:00Z' },
    })

    expect(sample.windows[0]).toMatchObject({ percent: 92, resetAt: sessionResetAt })
  })

  it.each<{ why: string; limits: readonly unknown[] }>([
    { why: 'has no entry', limits: [recorded.limits[1]] },
    { why: 'has no percent', limits: [{ kind: 'session', percent: null }] },
    { why: 'has a percent of another type', limits: [{ kind: 'session', percent: 'low' }] },
  ])('is taken from its own key, where the list $why', ({ limits }) => {
    expect(sampleOf({ ...recorded, limits })).toMatchObject({
      windows: expect.arrayContaining([expect.objectContaining({ id: '5h', percent: 92 })]),
      unreadableWindowCount: 0,
    })
  })

  const resets_at = '2026-11-23T21:32:12Z'
  it.each<readonly [why: string, entry: object, five_hour: object]>([
    ['the list has no reset', { percent: 8 }, { utilization: 8, resets_at }],
    [
      'the list has a reset of null',
      { percent: 8, resets_at: null },
      { utilization: 9, resets_at },
    ],
    ['the list has an odd reset', { percent: 8, resets_at: 'soon' }, { resets_at }],
    ['the key has no reset', { percent: null, resets_at }, { utilization: 8 }],
    ['the key has no figure', { percent: 8 }, { resets_at }],
  ])('is put together of both halves, where $0', (_, entry, five_hour) => {
    const sample = sampleOf({ five_hour, limits: [{ kind: 'session', ...entry }] })

    expect(sample.windows).toMatchObject([{ id: '5h', percent: 92, resetAt: sessionResetAt }])
    expect(sample.unreadableWindowCount).toBe(0)
  })

  it('of a model has the reset of its own key', () => {
    const seven_day_opus = { utilization: 3, resets_at: recorded.seven_day.resets_at }
    const sample = sampleOf({
      ...recorded,
      seven_day_opus,
      limits: [{ ...scopedLimit('Opus'), resets_at: undefined }],
    })

    expect(windowNamed(sample, 'opus:week')).toMatchObject({ percent: 88, resetAt: weekResetAt })
  })

  it.each<{ why: string; five_hour: unknown; unreadable: number }>([
    { why: 'null', five_hour: null, unreadable: 0 },
    { why: 'without a figure', five_hour: { resets_at: null }, unreadable: 0 },
    { why: 'with a figure of null', five_hour: { utilization: null }, unreadable: 0 },
    { why: 'below 0', five_hour: { utilization: -1 }, unreadable: 1 },
    { why: 'a bare number', five_hour: 37, unreadable: 1 },
    { why: 'text for a figure', five_hour: { utilization: 'much' }, unreadable: 1 },
  ])('that is $why does not fail the week', ({ five_hour, unreadable }) => {
    const sample = flat({ five_hour })

    expect(idsOf(sample)).toEqual(['week'])
    expect(sample.unreadableWindowCount).toBe(unreadable)
  })

  it.each<{ why: string; entry: unknown; unreadable: number }>([
    { why: 'a kind unknown so far', entry: { kind: 'hourly', percent: 3 }, unreadable: 1 },
    { why: 'no kind', entry: { percent: 3, scope: null }, unreadable: 1 },
    { why: 'text', entry: 'session', unreadable: 1 },
    { why: 'null', entry: null, unreadable: 0 },
    { why: 'no figure', entry: { kind: 'hourly', percent: null }, unreadable: 0 },
    { why: 'a scope', entry: { ...scopedLimit('Opus'), kind: 'daily_scoped' }, unreadable: 0 },
  ])('may be an entry with $why: $unreadable', ({ entry, unreadable }) => {
    const sample = flat({ five_hour: null, limits: [entry] })

    expect(idsOf(sample)).toEqual(['week'])
    expect(sample.unreadableWindowCount).toBe(unreadable)
  })

  it('is none of the unknown entries once both are read', () => {
    expect(listed({ kind: 'hourly', percent: 3 }).unreadableWindowCount).toBe(0)
  })

  it.each<{ wire: unknown; resetAt: number | null }>([
    { wire: null, resetAt: null },
    { wire: '2026-11-23T22:32:12.382311+01:00', resetAt: sessionResetAt + 382 },
    { wire: sessionResetAt / 1000, resetAt: sessionResetAt },
  ])('resets at $wire: $resetAt', ({ wire, resetAt }) => {
    const sample = flat({ five_hour: { utilization: 8, resets_at: wire } })

    expect(sample.windows[0]?.resetAt).toBe(resetAt)
  })
})

describe('a window of another scope', () => {
  it.each([
    { name: 'Opus', id: 'opus:week' },
    { name: 'Claude Sonnet 5', id: 'claude_sonnet_5:week' },
    { name: ' Opus (4.8)! ', id: 'opus_4_8:week' },
    { name: 'Fable', id: 'premium:week' },
    { name: 'Claude FABLE 5', id: 'premium:week' },
    { name: 'Fabled', id: 'fabled:week' },
  ])('of the model $name is $id', ({ name, id }) => {
    expect(windowNamed(listed(scopedLimit(name)), id)).toMatchObject({
      percent: 88,
      label: name.trim(),
      models: [name.trim()],
    })
  })

  it.each<{ why: string; entry: unknown }>([
    { why: 'all models', entry: scopedLimit('All models') },
    { why: 'no name', entry: scopedLimit(null) },
    { why: 'a name without letters or digits', entry: scopedLimit('—') },
    { why: 'no scope', entry: { ...scopedLimit('Opus'), scope: null } },
    { why: 'no figure', entry: scopedLimit('Opus', null) },
  ])('with $why is left out, and counts as no main window', ({ entry }) => {
    const sample = flat({ five_hour: null, limits: [recorded.limits[1], entry] })

    expect(idsOf(sample)).toEqual(['week'])
    expect(sample.unreadableWindowCount).toBe(0)
  })

  it('has a name that is cut and fit to be shown', () => {
    const sample = listed(scopedLimit(`O\u202epus ${'x'.repeat(100)}`))

    expect(sample.windows[2]?.label).toBe(`Opus ${'x'.repeat(42)}`)
  })

  it.each([
    { key: 'seven_day_opus', id: 'opus:week', label: 'Opus', models: ['Opus'] },
    { key: 'seven_day_sonnet', id: 'sonnet:week', label: 'Sonnet', models: ['Sonnet'] },
    { key: 'iguana_necktie', id: 'premium:week', label: 'Fable', models: ['Fable'] },
    { key: 'seven_day_oauth_apps', id: 'oauth_apps:week', label: 'OAuth apps' },
    { key: 'seven_day_cowork', id: 'cowork:week', label: 'Cowork' },
    { key: 'seven_day_routines', id: 'routines:week', label: 'Routines' },
  ])('has the key $key', ({ key, ...window }) => {
    const sample = sampleOf({ ...recorded, [key]: { utilization: 40, resets_at: null } })

    expect(sample.windows[2]).toEqual({
      ...window,
      periodSeconds: 604_800,
      percent: 60,
      resetAt: null,
    })
  })

  it.each(['seven_day_omelette', 'tangelo', 'spend'])('is not one of the key %s', (key) => {
    const sample = sampleOf({ ...recorded, [key]: { utilization: 40, resets_at: null } })

    expect(idsOf(sample)).toEqual(['5h', 'week'])
  })

  it('stands once, as the list has it', () => {
    const sample = listed(scopedLimit('Fable', 100), scopedLimit('Fable', 3))
    const both = sampleOf({
      ...recorded,
      iguana_necktie: { utilization: 3 },
      limits: [scopedLimit('Fable', 100)],
    })

    expect(windowNamed(sample, 'premium:week')?.percent).toBe(0)
    expect(windowNamed(both, 'premium:week')?.percent).toBe(0)
    expect(idsOf(sample)).toHaveLength(3)
  })

  it('alone is reported, without a main window', () => {
    const sample = sampleOf({ five_hour: null, limits: [scopedLimit('Opus')] })

    expect(idsOf(sample)).toEqual(['opus:week'])
    expect(sample).not.toHaveProperty('reportsNone')
  })

  it('of an endless list is read up to the sixty-fourth entry', () => {
    const many = Array.from({ length: 100 }, (_, at) => scopedLimit(`model ${at}`))

    expect(idsOf(sampleOf({ limits: many }))).toHaveLength(64)
  })
})

describe('paid use beyond the plan', () => {
  const extra = (changes: object) =>
    windowNamed(
      sampleOf({
        ...recorded,
        extra_usage: { is_enabled: true, monthly_limit: 5000, used_credits: 1250, ...changes },
      }),
      'extra_usage:month',
    )?.percent

  it.each([
    { changes: { utilization: 24.8 }, percent: 75.2 },
    { changes: { utilization: null }, percent: 75 },
    { changes: { used_credits: 9000 }, percent: 0 },
    { changes: { is_enabled: false, utilization: 24.8 }, percent: undefined },
    { changes: { monthly_limit: null }, percent: undefined },
    { changes: { monthly_limit: 0 }, percent: undefined },
    { changes: { used_credits: null }, percent: undefined },
    { changes: { utilization: 'some' }, percent: undefined },
  ])('with $changes has $percent % left', ({ changes, percent }) => {
    expect(extra(changes)).toBe(percent)
  })

  it('does not make an account have limits, nor be an unread window', () => {
    const sample = sampleOf({ extra_usage: { is_enabled: true, utilization: 'some' } })

    expect(sample).toMatchObject({ windows: [], unreadableWindowCount: 0, reportsNone: true })
  })
})

it.each<{ why: string; wire: unknown }>([
  { why: 'nothing', wire: undefined },
  { why: 'a list', wire: [recorded] },
  { why: 'an empty object', wire: {} },
  { why: 'an error', wire: { type: 'error', error: { type: 'api_error', message: 'limits' } } },
  { why: 'no readable figure', wire: { five_hour: 'x', seven_day: { utilization: {} } } },
  {
    why: 'paid use beside one',
    wire: { five_hour: 'x', extra_usage: { is_enabled: true, utilization: 3 } },
  },
])('$why is no document', ({ wire }) => {
  expect(claudeQuotaSampleOf(wire, NOW)).toBeNull()
})

it('names the keys and kinds that nobody knows', () => {
  const limits = [...recorded.limits, { kind: 'daily_all', percent: 3 }]
  const wire = { ...recorded, limits, seven_day_x: { utilization: 3 }, tangelo: 3, gone: null }

  expect(sampleOf(wire).unknownNames).toEqual(['daily_all', 'seven_day_x'])
  expect(sampleOf(recorded)).not.toHaveProperty('unknownNames')
})
