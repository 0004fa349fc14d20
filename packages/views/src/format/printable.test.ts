import { expect, it } from 'vitest'
import { printable } from './printable.ts'

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
