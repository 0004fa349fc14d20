import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cellEnd, plainRowAt, ROW_LENGTH_MAX, rowAt } from './csv.ts'

const valuesAt = (text: string, from = 0, delimiter = ',') => {
  const row = rowAt(text, from, delimiter, true)
  return row === null ? null : row.cells.map(({ value }) => value)
}

const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`
const cells = fc.array(
  fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', ' ', 'é'), maxLength: 8 }),
  { minLength: 1, maxLength: 5 },
)

describe('a row of CSV', () => {
  it('is read back whatever its cells hold, row after row', () => {
    fc.assert(
      fc.property(
        fc.array(cells, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(',', ';', '\t'),
        fc.constantFrom('\n', '\r\n'),
        (rows, delimiter, newline) => {
          const text = rows.map((row) => row.map(quoted).join(delimiter) + newline).join('')
          let at = 0
          for (const values of rows) {
            const row = rowAt(text, at, delimiter, true)
            expect(row?.isSound).toBe(true)
            expect(row?.cells.map(({ value }) => value)).toEqual(values)
            at = row?.next ?? -1
          }
          expect(at).toBe(text.length)
        },
      ),
    )
  })

  it('is waited for until its line break was seen, wherever the text is cut', () => {
    fc.assert(
      fc.property(cells, fc.constantFrom('\n', '\r\n'), (values, newline) => {
        const row = values.map(quoted).join(',') + newline
        for (let length = 0; length < row.length; length += 1)
          expect(rowAt(row.slice(0, length), 0, ',', false)).toBeNull()
        expect(rowAt(row, 0, ',', false)?.next).toBe(row.length)
      }),
    )
  })

  it.each([
    { name: 'a quote inside of a bare cell', text: '1,x"y,z\n', isSound: false },
    { name: 'letters behind a quoted cell', text: '"a"b,c\n', isSound: false },
    { name: 'a quote that is never closed', text: '1,"a\n2,b\n', isSound: false },
    { name: 'a doubled quote in quotes', text: '"a""b",c\n', isSound: true },
    { name: 'a line break in quotes', text: '"a\nb",c\n', isSound: true },
    { name: 'nothing at all', text: '\n', isSound: true },
  ])('with $name is sound: $isSound', ({ text, isSound }) => {
    expect(rowAt(text, 0, ',', true)?.isSound).toBe(isSound)
  })

  it('that is longer than any is not waited for', () => {
    const endless = `"${'x'.repeat(ROW_LENGTH_MAX)}`

    expect(rowAt(endless, 0, ',', false)).toEqual({ cells: [], next: 0, isSound: false })
    expect(rowAt(endless.slice(0, -2), 0, ',', false)).toBeNull()
  })

  it('keeps empty cells at both ends, and trims bare ones', () => {
    expect(valuesAt(',a, b ,\n')).toEqual(['', 'a', 'b', ''])
    expect(valuesAt('"",""\r\n')).toEqual(['', ''])
  })
})

describe('a line of CSV whose quotes are not trusted', () => {
  it('ends with its line, and its cells lose quotes and blanks at their ends', () => {
    const text = `x\n1, "it's" ,"a\nb",c\n`
    const row = plainRowAt(text, 2, ',', true)

    expect(row?.cells.map(({ start, end }) => text.slice(start, end))).toEqual(['1', "it's", 'a'])
    expect(row?.next).toBe(text.indexOf('\nb') + 1)
    expect(row?.isSound).toBe(false)
  })

  it('covers everything that is no quote, blank or delimiter', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '"', ',', ' ', '\r'), maxLength: 20 }),
        (line) => {
          const row = plainRowAt(`${line}\n`, 0, ',', true)
          const covered = new Set(
            row?.cells.flatMap(({ start, end }) =>
              Array.from({ length: end - start }, (_, index) => start + index),
            ),
          )
          for (let at = 0; at < (row?.next ?? 0); at += 1)
            if (line[at] === 'a') expect(covered).toContain(at)
        },
      ),
    )
  })
})

it.each([
  { text: 'a\nb', isLast: false, at: 1 },
  { text: 'a\rb', isLast: false, at: 1 },
  { text: 'a\r\nb', isLast: false, at: 2 },
  { text: 'a\r', isLast: false, at: null },
  { text: 'a\r', isLast: true, at: 1 },
  { text: 'ab', isLast: true, at: null },
])(
  'the line break of $text is at $at when it is the last piece: $isLast',
  ({ text, isLast, at }) => {
    expect(cellEnd(text, 0, isLast)).toBe(at)
  },
)
