import { describe, expect, it } from 'vitest'
import { lineEnd, quoteAt, quotedValue } from './value-end.ts'

function valueIn(text: string, at = 0) {
  const quote = quoteAt(text, at)
  if (quote === null) return null
  const { start, end, isClosed } = quotedValue(text, at, quote)
  return { value: text.slice(start, end), isClosed }
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
