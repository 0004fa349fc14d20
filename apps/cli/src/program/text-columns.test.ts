import fc from 'fast-check'
import { expect, it } from 'vitest'
import { columnsOf, fitted } from './text-columns.ts'

it.each([
  { text: 'abc', columns: 5, shown: 'abc  ' },
  { text: 'marta.k@example.com · Plus · ae62', columns: 15, shown: 'marta.k… · ae62' },
  { text: '配额配额配额', columns: 8, shown: '配额…额 ' },
  { text: 'abcdef', columns: 2, shown: 'a…' },
])('$text in $columns columns is $shown', ({ text, columns, shown }) => {
  expect(fitted(text, columns)).toBe(shown)
})

it('fills its columns exactly, whatever the text', () => {
  const texts = fc.array(fc.constantFrom('a', '配', '，', '😀', ' ')).map((all) => all.join(''))
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 40 }), (text, columns) => {
      expect(columnsOf(fitted(text, columns))).toBe(columns)
    }),
  )
})
