import { describe, expect, it } from 'vitest'
import { hiddenInLines, type LineReader } from './scanner.ts'
import { createPipeTables, createTextTables } from './tables.ts'

function hiddenIn(tables: LineReader, ...pieces: readonly string[]): readonly string[] {
  let base = 0
  return pieces.flatMap((piece) => {
    const spans = hiddenInLines(piece, base, [tables])
    const shown = spans.map(({ start, end, value }) => {
      expect(piece.slice(start - base, end - base)).toBe(value)
      return value
    })
    base += piece.length
    return shown
  })
}

describe('a table in a text', () => {
  it.each([
    { name: 'with commas', text: 'id,token\n1,a9x\n2,b8y\n', hidden: ['a9x', 'b8y'] },
    { name: 'with semicolons', text: 'id;token\n1;a9x\n', hidden: ['a9x'] },
    { name: 'with tabs', text: 'id\ttoken\n1\ta9x\n', hidden: ['a9x'] },
    { name: 'behind other lines', text: 'Report of today\n\nid,token\n1,a9x\n', hidden: ['a9x'] },
    { name: 'with quotes', text: 'id,token\n"1","a9,x"\n', hidden: ['a9,x'] },
    { name: 'with carriage returns', text: 'id,token\r\n1,a9x\r\n', hidden: ['a9x'] },
    {
      name: 'with a cell too many',
      text: 'id,token\n1,a9x\n2,q,b8yZ71q\n',
      hidden: ['a9x', 'q', 'b8yZ71q'],
    },
    {
      name: 'whose head is a sentence',
      text: 'Please send me the token, thanks a lot\n1,a9x\n',
      hidden: [],
    },
    { name: 'without a secret', text: 'id,note\n1,a9x\n', hidden: [] },
    { name: 'that ends', text: 'id,token\n1,a9x\n\n2,b8y\n', hidden: ['a9x'] },
  ])('$name', ({ text, hidden }) => {
    expect(hiddenIn(createTextTables(), text)).toEqual(hidden)
  })

  it('goes on in the next piece, a cell with line breaks as well', () => {
    expect(hiddenIn(createTextTables(), 'id,token\n', '1,a9x\n2,"b\n', 'c7z"\n3,d6w\n')).toEqual(
      expect.arrayContaining(['a9x', 'd6w']),
    )
    expect(hiddenIn(createTextTables(), 'id,note,token\n1,"x\n', 'y",c7z\n').join()).toContain(
      'c7z',
    )
  })
})

describe('a table drawn with bars', () => {
  it.each([
    {
      name: 'of Markdown',
      text: '| id | password |\n|----|:--:|\n| 1 | `a9x` |\n| 2 | **b8y** |\n',
      hidden: ['a9x', 'b8y'],
    },
    {
      name: 'of a client',
      text: ' id | token \n----+-------\n  1 | a9x   \n(1 row)\n',
      hidden: ['a9x'],
    },
    {
      name: 'in a box',
      text: '+--+-------+\n| id | token |\n+--+-------+\n| 1 | a9x |\n+--+-------+\n',
      hidden: ['a9x'],
    },
    {
      name: 'with carriage returns',
      text: '| id | token |\r\n|---|---|\r\n| 1 | a9x |\r\n',
      hidden: ['a9x'],
    },
    {
      name: 'with a cell too many',
      text: '| id | token |\n|---|---|\n| 1 | x9 | a9xZ71q |\n',
      hidden: ['x9', 'a9xZ71q'],
    },
    {
      name: 'whose value holds a name by chance',
      text: '| **api-keys** | MDPSxg?+7gt |\n|---|---|\n',
      hidden: ['MDPSxg?+7gt'],
    },
    { name: 'without a secret', text: '| id | note |\n|---|---|\n| 1 | a9x |\n', hidden: [] },
    { name: 'that is only a pipe of commands', text: 'cat a9x | sort | head\n', hidden: [] },
  ])('$name', ({ text, hidden }) => {
    expect(hiddenIn(createPipeTables(), text)).toEqual(hidden)
  })

  it('goes on in the next piece, and ends with an empty line', () => {
    const pieces = [
      '| id | token |\n',
      '|---|---|\n| 1 | a9x |\n',
      '| 2 | b8y |\n\n',
      '| 3 | c7z |\n',
    ]

    expect(hiddenIn(createPipeTables(), ...pieces)).toEqual(['a9x', 'b8y'])
  })
})
