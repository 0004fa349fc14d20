import { expect, it } from 'vitest'
import { printable, printableJson, printableLines, withoutControls } from './printable.ts'

it.each([
  { what: 'a colour', name: 'a\u001b[31mb', shown: 'a\\u{1b}[31mb' },
  { what: 'a line break', name: 'a\nb', shown: 'a\\u{a}b' },
  { what: 'a return to the start of the line', name: 'a\rb', shown: 'a\\u{d}b' },
  { what: 'a turn of direction', name: 'a\u202efdp.exe', shown: 'a\\u{202e}fdp.exe' },
  { what: 'a separator of lines', name: 'a\u2028b', shown: 'a\\u{2028}b' },
  { what: 'an invisible sign', name: 'a\u200bb', shown: 'a\\u{200b}b' },
])('$what in the name of a file is written as an escape', ({ name, shown }) => {
  expect(printable(name)).toBe(shown)
})

it.each(['log.txt', 'Ünïcode 日本 😀.log', 'C:\\logs\\a b'])('%s stays as it is', (name) => {
  expect(printable(name)).toBe(name)
})

it('lines keep their breaks and colours, and nothing else that is not shown', () => {
  expect(printableLines('a\n\u001b[1mb\u001b[0m\r\nc\u001b[2Jd\u009b31me\rf\u202eg')).toBe(
    'a\n\u001b[1mb\u001b[0m\r\nc\\u{1b}[2Jd\\u{9b}31me\\u{d}f\\u{202e}g',
  )
})

it('a cell keeps joined signs, and no control character', () => {
  expect(withoutControls('\u{1F468}\u200d\u{1F469}\u001b\n\u2029\u2066')).toBe(
    '\u{1F468}\u200d\u{1F469}\\u{1b}\\u{a}\\u{2029}\\u{2066}',
  )
})

it.each([0, 2])('JSON with an indent of %i says the same, visibly', (indent) => {
  const value = { a: ['\n\u001b\u009b\u2028\u202e\u{E0041}\u{1F600}'], '\u200b': 1 }
  const text = printableJson(value, indent)

  expect(JSON.parse(text)).toEqual(value)
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  expect(text).toContain('\u{1F600}')
})
