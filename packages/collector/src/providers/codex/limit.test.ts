import type { EpochMs, QuotaSample } from '@svc/core'
import { isUsedUp } from '@svc/core/account'
import { fromNow, NOW } from '@svc/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { windowsFromHeaders } from './headers.ts'
import { codexQuotaSampleOf } from './usage-document.ts'

const HOURS_5 = 18_000
const WEEK = 604_800
const MONTH = 2_628_000

interface Window {
  readonly used?: unknown
  readonly seconds: number
  readonly resetAt?: number
}
/** What one answer says of a limit, whichever way it is said. */
interface Said {
  readonly allowed?: boolean
  readonly reached?: boolean
  readonly type?: string
  readonly windows: readonly (Window | null)[]
}
const SLOTS = ['primary', 'secondary', 'tertiary']

function limitOf({ allowed, reached, windows }: Omit<Said, 'type'>): object {
  const slots = windows.map((window, at) => [
    `${SLOTS[at]}_window`,
    window && {
      used_percent: window.used,
      limit_window_seconds: window.seconds,
      reset_at: window.resetAt,
    },
  ])
  return { allowed, limit_reached: reached, ...Object.fromEntries(slots) }
}
function inAnswer({ type, ...limit }: Said): QuotaSample | null {
  const reached = type === undefined ? null : { type }
  const answer = { plan_type: 'plus', rate_limit: limitOf(limit), rate_limit_reached_type: reached }
  return codexQuotaSampleOf(answer, NOW)
}
function headersOf(prefix: string, { allowed, reached, type, windows }: Said) {
  const named: [string, unknown][] = [
    ['Allowed', allowed],
    ['Limit-Reached', reached],
    ['Rate-Limit-Reached-Type', type],
    ...windows.flatMap((window, at): [string, unknown][] => [
      [`${SLOTS[at]}-Used-Percent`, window?.used],
      [`${SLOTS[at]}-Window-Minutes`, window === null ? undefined : (window?.seconds ?? 0) / 60],
      [`${SLOTS[at]}-Reset-At`, window?.resetAt],
    ]),
  ]
  return Object.fromEntries(
    named.flatMap(([name, value]) => (value === undefined ? [] : [[prefix + name, String(value)]])),
  )
}
const inHeaders = (said: Said) => windowsFromHeaders(headersOf('X-Codex-', said), NOW)
const seconds = (at: EpochMs) => at / 1000
const brief = (sample: QuotaSample | null) =>
  sample?.windows.map(({ id, percent }) => `${id} ${percent}`)
const quiet = {
  windows: [
    { used: 40, seconds: HOURS_5 },
    { used: 33, seconds: WEEK },
  ],
}

describe('words of one limit, in an answer and in headers alike', () => {
  it.each<{ why: string; said: Said; read: Partial<QuotaSample> }>([
    { why: 'served', said: { ...quiet, allowed: true }, read: { allowed: true } },
    { why: 'refused', said: { ...quiet, allowed: false }, read: { limitReached: true } },
    { why: 'reached', said: { ...quiet, reached: true }, read: { limitReached: true } },
    {
      why: 'both words, the refusal counts',
      said: { ...quiet, allowed: true, reached: true },
      read: { limitReached: true },
    },
    {
      why: 'its own type',
      said: { ...quiet, type: 'rate_limit_reached' },
      read: { limitReached: true },
    },
    {
      why: 'a type that nobody knows',
      said: { ...quiet, type: 'trial_period_ended' },
      read: { limitReached: false, unknownNames: ['trial_period_ended'] },
    },
    ...['owner', 'member'].flatMap((who) =>
      ['credits_depleted', 'usage_limit_reached'].map((what) => ({
        why: `${who}: ${what}`,
        said: { ...quiet, allowed: true, type: `workspace_${who}_${what}` },
        read: { limitReached: false, allowed: true as const, spendReached: { resetAt: null } },
      })),
    ),
  ])('$why', ({ said, read }) => {
    for (const sample of [inAnswer(said), inHeaders(said)]) {
      expect(sample).toMatchObject(read)
      expect(brief(sample)).toEqual(['5h 60', 'week 67'])
    }
  })

  it('a refusal that names its window means that one', () => {
    const said = { ...quiet, allowed: false, type: 'secondary' }
    for (const sample of [inAnswer(said), inHeaders(said)])
      expect(brief(sample)).toEqual(['5h 60', 'week 0'])
    const slot = { ...headersOf('X-Codex-', quiet), 'X-Codex-Secondary-Limit-Reached': 'true' }
    expect(windowsFromHeaders(slot, NOW)).toMatchObject({ limitReached: true })
    expect(brief(windowsFromHeaders(slot, NOW))).toEqual(['5h 60', 'week 0'])
  })

  it('words alone are a reading', () => {
    expect(inHeaders({ reached: true, windows: [] })).toMatchObject({
      limitReached: true,
      windows: [],
    })
    expect(inHeaders({ windows: [] })).toBeNull()
  })

  it('say the same, whatever they say', () => {
    const window = fc.record(
      {
        used: fc.oneof(fc.integer({ min: -2, max: 120 }), fc.constant(100)),
        seconds: fc.constantFrom(HOURS_5, WEEK, MONTH),
        resetAt: fc.constantFrom(0, seconds(fromNow(-3600)), seconds(fromNow(900))),
      },
      { requiredKeys: ['seconds'] },
    )
    const said = fc.record(
      {
        allowed: fc.boolean(),
        reached: fc.boolean(),
        type: fc.constantFrom('rate_limit_reached', 'workspace_owner_credits_depleted', 'primary'),
        windows: fc.array(window, { minLength: 1, maxLength: 3 }),
      },
      { requiredKeys: ['windows'] },
    )
    fc.assert(
      fc.property(said, (one) => {
        const [answer, headers] = [inAnswer(one), inHeaders(one)]
        const saysNothing = answer !== null && !isUsedUp(answer) && answer.windows.length === 0
        if (headers === null) {
          expect(saysNothing).toBe(true)
          return
        }
        expect(headers).toEqual({
          ...answer,
          origin: 'headers',
          plan: null,
          unreadableWindowCount: 0,
        })
        const isRefused =
          one.allowed === false || one.reached === true || one.type === 'rate_limit_reached'
        expect(headers.limitReached).toBe(isRefused)
        if (isRefused) expect(isUsedUp(headers)).toBe(true)
      }),
    )
  })
})

describe('every window of a limit', () => {
  it('is read by its length, whatever its slot is called', () => {
    const limit = limitOf({
      windows: [{ used: 5, seconds: HOURS_5 }, null, { used: 100, seconds: MONTH }],
    })
    const fourth = { used_percent: 20, limit_window_seconds: WEEK }
    const sample = codexQuotaSampleOf(
      { plan_type: 'team', rate_limit: { ...limit, quaternary_window: fourth } },
      NOW,
    )
    expect(brief(sample)).toEqual(['5h 95', 'month 0', 'week 80'])
    expect(sample?.unknownNames).toEqual(['quaternary_window'])
  })

  it('without a length is unread, and its slot is named', () => {
    const limit = { primary_window: { used_percent: 5 }, later_window: { used_percent: 7 } }
    expect(codexQuotaSampleOf({ plan_type: 'pro', rate_limit: limit }, NOW)).toMatchObject({
      windows: [],
      unreadableWindowCount: 2,
      unknownNames: ['later_window', 'primary_window'],
    })
  })
})

describe('limits of models and features', () => {
  const used = {
    reached: true,
    windows: [
      { used: 40, seconds: HOURS_5 },
      { used: 90, seconds: WEEK },
    ],
  }

  it.each([
    { prefix: 'X-Codex-Code-Review-', scope: 'code_review' },
    { prefix: 'X-Codex-Bengalfox-', scope: 'extra:codex_bengalfox' },
    { prefix: 'X-Codex-Additional-Gpt-5.3-Codex-Spark-', scope: 'extra:gpt-5-3-codex-spark' },
  ])('in headers have a scope of their own: $scope', ({ prefix, scope }) => {
    const sample = windowsFromHeaders(
      { ...headersOf('X-Codex-', { ...quiet, allowed: true }), ...headersOf(prefix, used) },
      NOW,
    )
    expect(brief(sample)).toEqual(['5h 60', 'week 67', `${scope}:5h 60`, `${scope}:week 0`])
    expect(sample).toMatchObject({ allowed: true, limitReached: false })
    expect(sample?.unknownNames).toBeUndefined()
  })

  it('have the name that the vendor gives them', () => {
    const named = { 'X-Codex-Bengalfox-Limit-Name': 'GPT-5.3-Codex-Spark' }
    const headers = windowsFromHeaders({ ...headersOf('X-Codex-Bengalfox-', used), ...named }, NOW)
    const answer = codexQuotaSampleOf(
      {
        plan_type: 'pro',
        rate_limit: null,
        additional_rate_limits: [
          {
            limit_name: 'GPT-5.3-Codex-Spark',
            metered_feature: 'codex_bengalfox',
            rate_limit: limitOf(used),
          },
        ],
      },
      NOW,
    )
    expect(headers?.windows).toEqual(answer?.windows)
    expect(answer?.windows[1]).toMatchObject({
      id: 'extra:codex_bengalfox:week',
      label: 'GPT-5.3-Codex-Spark',
      percent: 0,
    })
  })

  it('refused without a window are one without a length', () => {
    const sample = windowsFromHeaders(
      { 'X-Codex-Additional-Spark-Allowed': 'false', ...headersOf('X-Codex-', quiet) },
      NOW,
    )
    expect(brief(sample)).toEqual(['5h 60', 'week 67', 'extra:spark:limit 0'])
    expect(sample?.limitReached).toBe(false)
  })

  it('of a feature that is new are read, and counted', () => {
    const sample = codexQuotaSampleOf(
      {
        plan_type: 'pro',
        rate_limit: limitOf(quiet),
        image_rate_limit: limitOf(used),
        _odd_rate_limit: limitOf(used),
      },
      NOW,
    )
    expect(brief(sample)).toEqual(['5h 60', 'week 67', 'image:5h 60', 'image:week 0'])
    expect(sample?.unknownNames).toEqual(['image_rate_limit'])
  })
})

describe('names that nobody knows', () => {
  const namesIn = (changes: object, limit: object = {}) =>
    codexQuotaSampleOf(
      { plan_type: 'pro', rate_limit: { ...limitOf(quiet), ...limit }, ...changes },
      NOW,
    )?.unknownNames

  it('are counted, wherever they stand', () => {
    expect(namesIn({ fairUse: { x: 1 } }, { paused: true })).toEqual(['fair_use', 'paused'])
    const headers = { ...headersOf('X-Codex-', quiet), 'X-Codex-Weekly-Mood': 'grim' }
    expect(windowsFromHeaders(headers, NOW)?.unknownNames).toEqual(['x-codex-weekly-mood'])
  })

  it.each([
    'sk-proj-AbC123xyz0987654321',
    'someone@example.com',
    '4f9c2b7e1d0a8c6e5b3f',
    '0b0e1c52-93a4-4f6e-8d1b-6a1c2d3e4f50',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx',
    'x'.repeat(49),
  ])('are no values: %s', (secret) => {
    expect(namesIn({ [secret]: 1, rate_limit_reached_type: secret })).toEqual([
      'rate_limit_reached_type',
    ])
  })

  it('are bounded, and change nothing else', () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`name_${at}`, 1]))
    expect(namesIn(many)).toHaveLength(16)
    const usual = { plan_type: 'pro', rate_limit: limitOf(quiet) }
    const { unknownNames: _names, ...sample } =
      codexQuotaSampleOf({ ...usual, ...many }, NOW) ?? expect.fail()
    expect(sample).toEqual(codexQuotaSampleOf(usual, NOW))
  })
})
