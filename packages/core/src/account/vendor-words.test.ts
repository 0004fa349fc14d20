import { describe, expect, it } from 'vitest'
import { evidenceFrom } from '../facts/account-evidence.ts'
import type { QuotaSample, WindowReading } from '../facts/reading.ts'
import { anAccount, aQuotaSample, fromNow, NOW } from '../testing/builders.ts'
import { evaluateAccount } from './evaluate-account.ts'
import { scoringPolicy } from './routing-score.ts'

const evaluated = (samples: readonly QuotaSample[]) =>
  evaluateAccount(
    anAccount('ana'),
    evidenceFrom(samples),
    { multiplier: 6, scoring: scoringPolicy },
    NOW,
  )
const windowsNow = (samples: readonly QuotaSample[]) => {
  const { windows, scopedWindows, blockedReasons } = evaluated(samples)
  const texts = [...windows, ...scopedWindows].flatMap((window) =>
    window.state === 'known' || window.state === 'exhausted'
      ? [
          `${window.id} ${window.state} ${window.percent} ${window.resetAt === null ? '-' : (window.resetAt - NOW) / 1000}`,
        ]
      : [],
  )
  return [...texts, ...blockedReasons]
}
const reading = (id: string, percent: number, resetsIn: number | null): WindowReading => ({
  id,
  percent,
  periodSeconds: 3600,
  resetAt: resetsIn === null ? null : fromNow(resetsIn),
})
const refused = { limitReached: true } as const
const allowed = { allowed: true } as const

describe('a reading taken after the reset that it names', () => {
  const over = (fiveHour: number, words: Partial<QuotaSample> = {}) =>
    aQuotaSample(
      { fiveHour, fiveHourResetsInSeconds: -3600, week: 50, weekResetsInSeconds: 400_000 },
      words,
    )

  it.each<{ why: string; sample: QuotaSample; now: readonly string[] }>([
    {
      why: 'refused and used up: used up, without a time',
      sample: over(0, refused),
      now: ['5h exhausted 0 -', 'week known 50 400000', 'quota_exhausted_5h'],
    },
    {
      why: 'used up, without a word',
      sample: over(0),
      now: ['5h exhausted 0 -', 'week known 50 400000', 'quota_exhausted_5h'],
    },
    {
      why: 'refused with a little left',
      sample: over(30, refused),
      now: ['5h exhausted 0 -', 'week known 50 400000', 'quota_exhausted_5h'],
    },
    {
      why: 'used in part: its percent stands',
      sample: over(30),
      now: ['5h known 30 -', 'week known 50 400000'],
    },
    {
      why: 'served with nothing left: it has started again',
      sample: over(0, allowed),
      now: ['5h known 100 -', 'week known 50 400000'],
    },
  ])('$why', ({ sample, now }) => {
    expect(windowsNow([sample])).toEqual(now)
  })

  it('earns nothing for a clock that has not started, and is asked about soon', () => {
    expect(evaluated([over(0, refused)])).toMatchObject({
      routable: false,
      score: 0,
      quotaClass: 'recovery',
    })
    expect(evaluated([over(30)]).scoreComponents.load).toBe(0)
  })
})

describe('the last word counts', () => {
  const empty = { fiveHour: null, week: null } as const
  const both = {
    fiveHour: 60,
    week: 67,
    fiveHourResetsInSeconds: 9000,
    weekResetsInSeconds: 90_000,
  } as const
  const headers = { origin: 'headers' } as const

  it.each<{ why: string; samples: readonly QuotaSample[]; now: readonly string[] }>([
    {
      why: 'a refusal without windows means the one with the least left',
      samples: [
        aQuotaSample({ ...both, ageSeconds: 60 }, allowed),
        aQuotaSample(empty, { ...headers, ...refused }),
      ],
      now: ['5h exhausted 0 9000', 'week known 67 90000', 'quota_exhausted_5h'],
    },
    {
      why: 'but none where one is used up',
      samples: [
        aQuotaSample({ ...both, week: 0, ageSeconds: 60 }, refused),
        aQuotaSample(empty, { ...headers, ...refused }),
      ],
      now: ['5h known 60 9000', 'week exhausted 0 90000', 'quota_exhausted_week'],
    },
    {
      why: 'nor one that has been reset since it was read',
      samples: [
        aQuotaSample(
          { fiveHour: 10, fiveHourResetsInSeconds: -30, week: null, ageSeconds: 60 },
          allowed,
        ),
        aQuotaSample(empty, { ...headers, ...refused }),
      ],
      now: ['5h known 100 -', 'limit exhausted 0 -', 'quota_exhausted_limit'],
    },
    {
      why: 'an older refusal without windows is over',
      samples: [
        aQuotaSample(both, allowed),
        aQuotaSample({ ...empty, ageSeconds: 60 }, { ...headers, ...refused }),
      ],
      now: ['5h known 60 9000', 'week known 67 90000'],
    },
    {
      why: 'a word that serves ends a refusal by word',
      samples: [
        aQuotaSample({ ...both, ageSeconds: 60 }, refused),
        aQuotaSample(empty, { ...headers, ...allowed }),
      ],
      now: ['5h known 60 9000', 'week known 67 90000'],
    },
    {
      why: 'and one whose window names no reset to come',
      samples: [
        aQuotaSample({ fiveHour: 0, week: 67, ageSeconds: 60 }, refused),
        aQuotaSample(empty, { ...headers, ...allowed }),
      ],
      now: ['5h known 100 -', 'week known 67 -'],
    },
    {
      why: 'but not a window that is used up until its reset',
      samples: [
        aQuotaSample({ ...both, fiveHour: 0, ageSeconds: 60 }, refused),
        aQuotaSample(empty, { ...headers, ...allowed }),
      ],
      now: ['5h exhausted 0 9000', 'week known 67 90000', 'quota_exhausted_5h'],
    },
    {
      why: 'of one time, the direct answer',
      samples: [
        aQuotaSample({ fiveHour: 0, week: 67 }, refused),
        aQuotaSample(empty, { ...headers, ...allowed }),
      ],
      now: ['5h exhausted 0 -', 'week known 67 -', 'quota_exhausted_5h'],
    },
  ])('$why', ({ samples, now }) => {
    for (const order of [samples, samples.toReversed()]) expect(windowsNow(order)).toEqual(now)
  })
})

it('a limit with a key in answers and a name in headers is one', () => {
  const spark = (id: string, label: string, percent: number) => ({
    ...reading(id, percent, 900),
    label,
  })
  const answer = aQuotaSample(
    { ageSeconds: 60 },
    {
      windows: [
        spark('extra:codex_bengalfox:week', 'GPT-5.3-Codex-Spark', 70),
        spark('extra:other:week', 'Other', 50),
      ],
    },
  )
  const signals = aQuotaSample(
    {},
    {
      origin: 'headers',
      windows: [spark('extra:gpt-5-3-codex-spark:week', 'gpt-5.3-codex-spark', 0)],
    },
  )
  for (const order of [
    [answer, signals],
    [signals, answer],
  ])
    expect(evaluated(order).scopedWindows.map(({ id, state }) => [id, state])).toEqual([
      ['extra:codex_bengalfox:week', 'exhausted'],
      ['extra:other:week', 'known'],
    ])
})

describe('paid use that has ended', () => {
  const spent = { spendReached: { resetAt: null } }
  it.each<{ why: string; words: Partial<QuotaSample>; reasons: readonly string[] }>([
    { why: 'blocks nothing where the vendor serves', words: allowed, reasons: [] },
    { why: 'blocks where it refuses', words: refused, reasons: ['quota_exhausted_spend'] },
    { why: 'blocks where it says nothing', words: {}, reasons: ['quota_exhausted_spend'] },
  ])('$why', ({ words, reasons }) => {
    const account = evaluated([aQuotaSample({}, { ...spent, ...words })])
    expect(account.blockedReasons).toEqual(reasons)
    expect(account.windows).toMatchObject([
      { id: '5h', percent: 80 },
      { id: 'week', percent: 60 },
      { id: 'spend', state: 'exhausted' },
    ])
  })
})
