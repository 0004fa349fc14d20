import '../testing/browser.ts'
import { h } from 'preact'
import { afterEach, describe, expect, it } from 'vitest'
import { clearPage, draw, wordsOf, wordsOfEach } from '../testing/page.ts'
import { Coded } from './coded.tsx'

afterEach(clearPage)

describe('a text with code in it', () => {
  it.each([
    { text: 'No code.', words: 'No code.', code: [] },
    { text: 'Run `doctor`.', words: 'Run doctor .', code: ['doctor'] },
    { text: '`a` and `b`', words: 'a and b', code: ['a', 'b'] },
  ])('shows no backtick of "$text"', ({ text, words, code }) => {
    const place = draw(h(Coded, { text }))

    expect(wordsOf(place)).toBe(words)
    expect(wordsOfEach(place, 'code')).toEqual(code)
  })
})
