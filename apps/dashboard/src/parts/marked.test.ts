import '../testing/browser.ts'
import { h } from 'preact'
import { afterEach, describe, expect, it } from 'vitest'
import { clearPage, draw, wordsOf, wordsOfEach } from '../testing/page.ts'
import { Marked } from './marked.tsx'

afterEach(clearPage)

describe('a text with marks', () => {
  it.each([
    { text: 'None.', words: 'None.', marked: [] },
    { text: '*0.7 Plus* at 10:40', words: '0.7 Plus at 10:40', marked: ['0.7 Plus'] },
    { text: 'left: *32 min*', words: 'left: 32 min', marked: ['32 min'] },
  ])('draws what is marked in "$text"', ({ text, words, marked }) => {
    const place = draw(h(Marked, { text, children: (part) => h('b', { key: part }, part) }))

    expect(wordsOf(place)).toBe(words)
    expect(wordsOfEach(place, 'b')).toEqual(marked)
  })
})
