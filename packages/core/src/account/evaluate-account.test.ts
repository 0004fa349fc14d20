import { describe, expect, it } from 'vitest'
import { defaultPolicy } from '../evaluate.ts'
import type { Account } from '../facts/account.ts'
import type { AccountEvidence } from '../facts/account-evidence.ts'
import { readStatusMessage } from '../facts/status-message.ts'
import { mainWindows } from '../facts/window.ts'
import {
  anAccount,
  aQuotaSample,
  aSnapshot,
  evidenceOf,
  fromNow,
  NOW,
} from '../testing/builders.ts'
import { evaluateAccount } from './evaluate-account.ts'

describe('the failure rate', () => {
  const slots = (...counts: readonly (readonly [success: number, failed: number])[]) =>
    counts.map(([success, failed], index) => ({
      startAt: fromNow((index - counts.length) * 600),
      success,
      failed,
    }))
  it.each([
    ['nothing is counted', [], null],
    ['four requests are too few', slots([2, 2]), null],
    ['five are enough', slots([3, 2]), 0.4],
    ['none failed', slots([5, 0]), 0],
    ['all failed', slots([0, 5]), 1],
    ['the two newest slots count together', slots([2, 1], [1, 1]), 0.4],
    ['older ones do not', slots([0, 100], [5, 0], [5, 0]), 0],
    ['nor do they make up the number', slots([100, 0], [2, 0], [2, 0]), null],
  ])('when %s', (_, recentRequests, expected) => {
    const evaluated = evaluateAccount(anAccount('a', { recentRequests }), null, defaultPolicy, NOW)

    expect(evaluated.failureRatio).toBe(expected)
    // round(6 × 0.4) = 2, round(6 × 1) = 6
    expect(evaluated.scoreComponents.health).toBe(20 - Math.round(6 * (expected ?? 0)))
  })
})

describe('the failure rate of an account whose usage is kept', () => {
  const ratio = (requests: number, failed: number) =>
    evaluateAccount(
      anAccount('a', { recentRequests: [{ startAt: NOW, success: 0, failed: 100 }] }),
      null,
      defaultPolicy,
      NOW,
      {
        requests,
        tokens: 1,
        failed,
      },
    ).failureRatio

  it.each([
    [10, 4, 0.4],
    [5, 0, 0],
    [4, 4, null],
  ])(
    'is that of its %d requests, %d failed, whatever the proxy counts: %s',
    (requests, failed, expected) => {
      expect(ratio(requests, failed)).toBe(expected)
    },
  )
})

describe('what an account carries', () => {
  const scoped = { id: 'extra:spark:week', periodSeconds: 604_800, percent: 0, resetAt: null }
  const sample = aQuotaSample()
  const evaluated = evaluateAccount(
    anAccount('a'),
    evidenceOf([
      { ...sample, windows: [...sample.windows, scoped] },
      aQuotaSample({ ageSeconds: 60 }, { origin: 'headers' }),
    ]),
    defaultPolicy,
    NOW,
  )

  it('limits of another scope apart from its own', () => {
    expect(evaluated.windows.map(({ id }) => id)).toEqual(mainWindows.map(({ id }) => id))
    expect(evaluated.scopedWindows.map(({ id, state }) => [id, state])).toEqual([
      ['extra:spark:week', 'exhausted'],
    ])
    expect(evaluated.routable).toBe(true)
  })

  it('its newest sample and where that came from', () => {
    expect(evaluated.lastSample).toEqual({ at: NOW, origin: 'direct' })
    expect(evaluateAccount(anAccount('a'), null, defaultPolicy, NOW).lastSample).toBeNull()
  })

  it('the last diagnostic query of a disabled account', () => {
    const disabledProbe = { state: 'ok', probedAt: NOW, httpStatus: 200, sample } as const
    const disabled = evaluateAccount(
      anAccount('a', { operatorDisabled: true }),
      evidenceOf([], { disabledProbe }),
      defaultPolicy,
      NOW,
    )

    expect(disabled).toMatchObject({
      disabledProbe,
      routable: false,
      capacityWeight: 0,
      quotaClass: 'none',
    })
    expect(evaluated.disabledProbe).toEqual({ state: 'unknown' })
  })
})

it('the plus of another provider weighs what that provider says', () => {
  const evaluate = (provider: string, claimedPlan: string) =>
    evaluateAccount(
      anAccount('a', { provider, claimedPlan }),
      evidenceOf([aQuotaSample()]),
      defaultPolicy,
      NOW,
    )
  expect(evaluate('claude', 'plus')).toMatchObject({ capacityWeight: 0, routable: true })
  expect(evaluate('claude', 'plus').scoreComponents.capacity).toBe(
    evaluate('claude', 'free').scoreComponents.capacity,
  )
  expect(evaluate('nobody', 'plus')).toMatchObject({ plan: 'plus', capacityWeight: 1 })
  expect(evaluate('codex', 'plus').capacityWeight).toBe(1)
})

describe('how far apart readings are planned', () => {
  const sampled = (plannedIntervalSeconds: number) =>
    evidenceOf([aQuotaSample({ ageSeconds: 30 })], { plannedIntervalSeconds })
  it.for<
    readonly [
      why: string,
      evidence: ReturnType<typeof evidenceOf> | null,
      seconds: number | null,
      account?: Partial<Account>,
    ]
  >([
    ['as planned', sampled(420), 420],
    ['rarely for a plan that does not count', sampled(21_600), 21_600, { claimedPlan: 'free' }],
    ['rarely before the first', null, 21_600],
    [
      'every half hour for a refused login',
      sampled(300),
      1_800,
      { message: readStatusMessage('unauthorized', NOW) },
    ],
    ['never for a disabled account', sampled(300), null, { operatorDisabled: true }],
  ])('$0', ([, evidence, seconds, account = {}]) => {
    const evaluated = evaluateAccount(anAccount('a', account), evidence, defaultPolicy, NOW)

    expect(evaluated.sampleEverySeconds).toBe(seconds)
  })
})

const byHeaders = (id: string) =>
  aQuotaSample(
    {},
    {
      windows: [{ id, periodSeconds: null, percent: 40, resetAt: null }],
      origin: 'headers',
    },
  )
const silent = aQuotaSample({}, { windows: [], reportsNone: true })
const unavailable = evidenceOf([byHeaders('day')], {
  probeFailure: { at: NOW, kind: 'unavailable', httpStatus: 403, inARow: 1 },
})

it.each<
  readonly [
    why: string,
    provider: string,
    evidence: AccountEvidence | null,
    states: readonly string[],
  ]
>([
  ['nobody can ask the vendor', 'kiro', null, ['5h none', 'week none']],
  ['a vendor that was not asked yet may report them', 'xai', null, ['5h unknown', 'week unknown']],
  ['the vendor reports none', 'antigravity', evidenceOf([silent]), ['5h none', 'week none']],
  [
    'a free account has its day alone',
    'xai',
    evidenceOf([silent, byHeaders('day')]),
    ['5h absent', 'week absent', 'day known'],
  ],
  [
    'nor does it where the vendor refuses to say',
    'xai',
    unavailable,
    ['5h absent', 'week absent', 'day known'],
  ],
  [
    'a limit of some models says nothing about the account',
    'antigravity',
    evidenceOf([silent, byHeaders('gemini:week')]),
    ['5h none', 'week none', 'gemini:week known'],
  ],
  [
    'every account of Claude has both windows, so that one is not reported',
    'claude',
    evidenceOf([silent, byHeaders('5h')]),
    ['5h known', 'week none'],
  ],
])('$1: $3, because $0', (_, provider, evidence, states) => {
  const [account] = aSnapshot([[anAccount('ada', { provider }), evidence]]).accounts
  const windows = [...(account?.windows ?? []), ...(account?.scopedWindows ?? [])]

  expect(
    windows.map((window) =>
      window.state === 'unknown' && window.reported === false
        ? `${window.id} none`
        : `${window.id} ${window.state}`,
    ),
  ).toEqual(states)
})
