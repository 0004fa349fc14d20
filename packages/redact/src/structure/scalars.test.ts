import { describe, expect, it } from 'vitest'
import { scalarsInBrackets } from './scalars.ts'

function valuesIn(text: string, lengthMax?: number) {
  const { scalars, end } = scalarsInBrackets(text, 0, lengthMax)
  return { values: scalars.map(({ start, end: to }) => text.slice(start, to)), end }
}

describe('the values in brackets', () => {
  it.each([
    { name: 'in quotes', text: '["a b", \'c\'] d', values: ['a b', 'c'] },
    { name: 'without quotes', text: '[a, b c, d]', values: ['a', 'b c', 'd'] },
    { name: 'over lines', text: '[\n  a,\n  "b",\n]', values: ['a', 'b'] },
    { name: 'of lists inside', text: '[[a], {b: [c]}]', values: ['a', 'c'] },
    { name: 'of members, without their names', text: '{a: b, c: "d e"}', values: ['b', 'd e'] },
    { name: 'with a bracket in quotes', text: '["a]b", c]', values: ['a]b', 'c'] },
    { name: 'in escaped quotes', text: String.raw`[\"a\",\"b c\"]`, values: ['a', 'b c'] },
    { name: 'behind a letter of Python', text: "[b'a', rb'c']", values: ['a', 'c'] },
    { name: 'without what a comment says', text: '[a, # "b", c]\n d]', values: ['a', 'd'] },
    { name: 'with a sign that begins no comment', text: '[a#b]', values: ['a#b'] },
    { name: 'empty ones left out', text: '["", a]', values: ['a'] },
  ])('are read $name', ({ text, values }) => {
    expect(valuesIn(text).values).toEqual(values)
  })

  it('end with the bracket that closes the first one', () => {
    expect(valuesIn('[a, [b]], c')).toEqual({ values: ['a', 'b'], end: 8 })
  })

  it('go up to the limit where no bracket closes the first one', () => {
    expect(valuesIn('[a, b, c')).toEqual({ values: ['a', 'b', 'c'], end: 8 })
    expect(valuesIn('[aa, bb, cc', 6).values).toEqual(['aa', 'b'])
  })
})
