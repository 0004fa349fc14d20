import { describe, expect, it } from 'vitest'
import { scoreReasons } from './statuses.ts'

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

  it.each([
    { plan: 'plus', units: 1, unit: 'plus', text: 'Plus: 1 Plus unit' },
    { plan: 'pro', units: 20, unit: 'plus', text: 'Pro: 20 Plus units' },
    { plan: 'max_5x', units: 5, unit: 'pro', text: 'Max 5x: 5 Pro units' },
    {
      plan: 'intermediate',
      units: 1,
      unit: 'accounts',
      text: 'Intermediate: every account counts the same',
    },
  ] as const)('counts the units of its provider: $text', ({ text, ...weight }) => {
    expect(scoreReasons.plan(weight)).toBe(text)
  })
})
