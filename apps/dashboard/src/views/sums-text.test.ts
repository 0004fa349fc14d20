import '../testing/browser.ts'
import { describe, expect, it } from 'vitest'
import { sumsText, windowSumText } from './sums-text.ts'

const none = { id: '5h', left: 0, unknown: 0, next: null }

describe('the sums of accounts in words', () => {
  it.each([
    { what: 'nothing of it left', sum: none, tracked: 2, words: '5h 0.0 of 2 Plus left' },
    {
      what: 'a part not read',
      sum: { ...none, left: 1.25, unknown: 0.04 },
      tracked: 41.5,
      words: '5h 1.3 of 41.5 Plus left (<0.1 unknown)',
    },
    {
      what: 'a window without a name of its own',
      sum: { ...none, id: 'day' },
      tracked: 1,
      words: 'day 0.0 of 1 Plus left',
    },
  ])('say what is left of a window, with $what', ({ sum, tracked, words }) => {
    expect(windowSumText(sum, { tracked, unit: 'plus' })).toBe(words)
  })

  it('name every window, and large numbers with their separators', () => {
    const sums = {
      accounts: 1_204,
      routable: 1_000,
      tracked: 2_211,
      unit: 'plus' as const,
      tokens: 12_450_000,
      windows: [
        { ...none, left: 336.1 },
        { ...none, id: 'week', left: 20 },
      ],
    }

    expect(sumsText(sums)).toMatch(
      /^1,204 accounts, 1,000 routable, 5h 336\.1 of 2,?211 Plus left, week 20\.0 of 2,?211 Plus left, 12\.\dM tokens in 24 h$/,
    )
  })

  it('say that nothing is tracked in place of windows that count nothing', () => {
    const sums = {
      accounts: 1,
      routable: 1,
      tracked: 0,
      unit: 'plus' as const,
      tokens: 0,
      windows: [none],
    }

    expect(sumsText(sums)).toBe('1 account, 1 routable, no tracked quota, 0 tokens in 24 h')
    expect(sumsText({ ...sums, tokens: null })).toBe('1 account, 1 routable, no tracked quota')
  })
})
