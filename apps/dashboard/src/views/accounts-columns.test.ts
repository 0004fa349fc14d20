import { h } from 'preact'
import { describe, expect, it } from 'vitest'
import { click, draw, wordsOf } from '../testing/page.ts'
import { LoadShare, PickBox, sumsText, windowSumText } from './accounts-columns.tsx'

const none = { id: '5h', usable: 0, held: 0, unknown: 0, next: null }

describe('the sums of accounts in words', () => {
  it.each([
    { what: 'nothing of it usable', sum: none, tracked: 2, words: '5h 0.0 of 2 Plus usable' },
    {
      what: 'a part blocked and a part not read',
      sum: { ...none, usable: 1.25, held: 0.5, unknown: 0.04 },
      tracked: 41.5,
      words: '5h 1.3 of 41.5 Plus usable (0.5 held, <0.1 unknown)',
    },
    {
      what: 'a window without a name of its own',
      sum: { ...none, id: 'day' },
      tracked: 1,
      words: 'day 0.0 of 1 Plus usable',
    },
  ])('say what is usable of a window, with $what', ({ sum, tracked, words }) => {
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
        { ...none, usable: 336.1 },
        { ...none, id: 'week', usable: 20 },
      ],
    }

    expect(sumsText(sums)).toMatch(
      /^1,204 accounts, 1,000 routable, 5h 336\.1 of 2,?211 Plus usable, week 20\.0 of 2,?211 Plus usable, 12\.\dM tokens in 24 h$/,
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

describe('a box that picks a row', () => {
  it('is turned by its page, not by the press: a row that stays picked keeps its box', () => {
    const pressed: boolean[] = []
    const place = draw(
      h(PickBox, {
        name: 'Select ana',
        isPicked: true,
        onPick: ({ shiftKey }) => void pressed.push(shiftKey),
      }),
    )
    const box = place.querySelector('input')
    // Browsers change the box before any listener runs.
    Object.assign(box ?? {}, { checked: false })
    click(box)

    expect(pressed).toHaveLength(1)
    expect(box).toMatchObject({ checked: true })
  })

  it.each([
    { isReached: true, tabindex: null },
    { isReached: false, tabindex: '-1' },
  ])('is a stop for the keyboard where nothing else picks its row: $isReached', (row) => {
    const { isReached, tabindex } = row
    const place = draw(
      h(PickBox, { name: 'Select ana', isPicked: false, isReached, onPick: () => undefined }),
    )

    expect(place.querySelector('input')?.getAttribute('tabindex')).toBe(tabindex)
  })
})

it.each([
  { tokens: 500, total: 1_000, words: '50% 500' },
  { tokens: 10, total: 1_000, words: '1% 10' },
  { tokens: 9, total: 1_000, words: '9' },
  { tokens: 12_000, total: 12_000_000, words: '12.0k' },
  { tokens: 0, total: 1_000, words: '–' },
  { tokens: 0, total: 0, words: '' },
])('$tokens of $total tokens are said as "$words"', ({ tokens, total, words }) => {
  expect(wordsOf(draw(h(LoadShare, { tokens, total })))).toBe(words)
})
