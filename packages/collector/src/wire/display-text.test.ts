import fc from 'fast-check'
import { expect, it } from 'vitest'
import { displayText } from './display-text.ts'

it.each([
  { what: 'text that is fit already', text: 'Team A', shown: 'Team A' },
  { what: 'letters and signs of any script', text: 'Zoë 東京 🦊', shown: 'Zoë 東京 🦊' },
  { what: 'space around it', text: '  plus\t', shown: 'plus' },
  { what: 'line breaks', text: 'a\r\nb\u2028c', shown: 'abc' },
  { what: 'a terminal sequence', text: '\u001b[31mred', shown: '[31mred' },
  { what: 'a mark that turns the direction', text: 'a\u202egnp.exe', shown: 'agnp.exe' },
  { what: 'half a character', text: 'a\ud83e', shown: 'a\ufffd' },
  { what: 'nothing that can be seen', text: '\u0000 \u200f', shown: '' },
])('$what becomes "$shown"', ({ text, shown }) => {
  expect(displayText(text, 120)).toBe(shown)
})

it('text of the longest length stays whole, and one more character goes', () => {
  expect([displayText('x'.repeat(120), 120), displayText('x'.repeat(121), 120)]).toEqual([
    'x'.repeat(120),
    'x'.repeat(120),
  ])
})

it('a character that the limit cuts in half is marked', () => {
  expect(displayText('ab🦊', 3)).toBe('ab\ufffd')
})

it('what is shown is one line, well-formed, within its length, and stays as it is when shown again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, lengthMax) => {
      const shown = displayText(text, lengthMax)
      expect(shown.length).toBeLessThanOrEqual(lengthMax)
      expect(/[\p{Cc}\u2028\u2029]/u.test(shown)).toBe(false)
      expect(/\p{Surrogate}/u.test(shown)).toBe(false)
      expect(displayText(shown, lengthMax)).toBe(shown)
    }),
  )
})
