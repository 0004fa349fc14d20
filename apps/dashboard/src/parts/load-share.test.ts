import '../testing/browser.ts'
import { h } from 'preact'
import { afterEach, expect, it } from 'vitest'
import { clearPage, draw, wordsOf } from '../testing/page.ts'
import { LoadShare } from './load-share.tsx'

afterEach(clearPage)

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
