import { describe, expect, it } from 'vitest'
import { scoreReasons } from './score-reasons.ts'

describe('a reason of a score', () => {
  it.each([
    { advice: null, text: '74% of the 5h window left' },
    { advice: 'onPace', text: '74% of the 5h window left, 74% of its time: on pace' },
    {
      advice: 'hurry',
      text: '74% of the 5h window left, 74% of its time: use it before the reset',
    },
    { advice: 'slow', text: '74% of the 5h window left, 74% of its time: spend it slowly' },
  ] as const)('of the pace with the advice $advice', ({ advice, text }) => {
    expect(scoreReasons.pace({ windowId: '5h', left: '74%', timeLeft: '74%', advice })).toBe(text)
  })

  it.each([
    { soundsGood: true, isOld: false, failedShare: null, text: 'Active' },
    { soundsGood: true, isOld: true, failedShare: null, text: 'Active, but its reading is old' },
    {
      soundsGood: false,
      isOld: true,
      failedShare: '3%',
      text: 'Active, and its reading is old and 3% of its latest requests failed',
    },
  ])('of the health joins what speaks against it: $text', ({ text, ...doubts }) => {
    expect(scoreReasons.health({ status: 'Active', ...doubts })).toBe(text)
  })

  it('counts Plus units in the number they are of', () => {
    expect([1, 20].map((units) => scoreReasons.plan({ plan: 'pro', units }))).toEqual([
      'Pro: 1 Plus unit',
      'Pro: 20 Plus units',
    ])
  })
})
