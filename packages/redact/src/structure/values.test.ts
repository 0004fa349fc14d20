import { describe, expect, it } from 'vitest'
import { lineEnd, quoteAt, quotedValue, valuesInBrackets } from './values.ts'

function valueIn(text: string, at = 0) {
  const quote = quoteAt(text, at)
  if (quote === null) return null
  const { start, end, next } = quotedValue(text, at, quote)
  return { value: text.slice(start, end), isClosed: next > end }
}

describe('a value in quotes', () => {
  it.each([
    { name: 'double quotes', text: '"a b" c', value: 'a b' },
    { name: 'single quotes', text: "'a b' c", value: 'a b' },
    { name: 'back quotes', text: '`a b` c', value: 'a b' },
    { name: 'an escaped quote inside', text: String.raw`"a\"b" c`, value: String.raw`a\"b` },
    { name: 'a backslash at its end', text: String.raw`"a\\" c"`, value: String.raw`a\\` },
    {
      name: 'a backslash at its end, in escaped quotes',
      text: String.raw`\"a\\\\\" c\"`,
      value: String.raw`a\\\\`,
    },
    {
      name: 'an escaped quote, in escaped quotes',
      text: String.raw`\"a\\\" c\" d`,
      value: String.raw`a\\\" c`,
    },
    { name: 'escaped quotes', text: String.raw`\"a b\" c`, value: 'a b' },
    { name: 'quotes escaped twice', text: String.raw`\\\"a b\\\" c`, value: 'a b' },
    { name: 'a doubled quote inside', text: '"a""b" c', value: 'a""b' },
    { name: 'three quotes', text: '"""a "b" c""" d', value: 'a "b" c' },
    { name: 'entities', text: '&quot;a b&quot; c', value: 'a b' },
    { name: 'percent signs', text: '%22a b%22 c', value: 'a b' },
    { name: 'code points', text: String.raw`\u0022a b\u0022 c`, value: 'a b' },
    {
      name: 'a shell that escapes a quote',
      text: String.raw`'it'\''s' c`,
      value: String.raw`it'\''s`,
    },
    { name: 'a shell that changes quotes', text: `'a'"b"'c' d`, value: `a'"b"'c` },
    { name: 'lines of the same value', text: '"a\nb" c', value: 'a\nb' },
    { name: 'nothing', text: '"" c', value: '' },
  ])('ends behind $name', ({ text, value }) => {
    expect(valueIn(text)).toEqual({ value, isClosed: true })
  })

  it.each([
    { name: 'is never closed', text: '"a b\nc', value: 'a b' },
    { name: 'is closed behind the next setting', text: '"a b\nname: "c"', value: 'a b' },
    { name: 'is closed behind the next record', text: '"a b\r\n{"c":1}', value: 'a b' },
    { name: 'is closed too far away', text: `"a b\n${'x'.repeat(70_000)}"`, value: 'a b' },
    { name: 'is closed too many lines below', text: `"a b${'\n'.repeat(300)}"`, value: 'a b' },
  ])('takes its line when it $name', ({ text, value }) => {
    expect(valueIn(text)).toEqual({ value, isClosed: false })
  })

  it('begins with a quote alone', () => {
    expect(quoteAt('a"b"', 0)).toBeNull()
    expect(quoteAt('a"b"', 1)).toBe('"')
  })
})

it.each([
  { text: 'ab\ncd', at: 0, end: 2 },
  { text: 'ab\r\ncd', at: 0, end: 2 },
  { text: 'ab\r\ncd', at: 4, end: 6 },
  { text: 'ab', at: 1, end: 2 },
  { text: '\r\n', at: 1, end: 1 },
])(
  'the line at $at of $text ends at $end, whichever line was asked for before',
  ({ text, at, end }) => {
    for (const before of [0, at]) {
      lineEnd(text, before)
      expect(lineEnd(text, at)).toBe(end)
    }
  },
)

function valuesIn(text: string, lengthMax?: number) {
  const { values, end } = valuesInBrackets(text, 0, lengthMax)
  return { values: values.map(({ start, end: to }) => text.slice(start, to)), end }
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
