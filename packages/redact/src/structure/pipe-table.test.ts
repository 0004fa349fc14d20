import { describe, expect, it } from 'vitest'
import { createPipeTables } from './pipe-table.ts'

function hiddenIn(...pieces: readonly string[]): readonly string[] {
  const tables = createPipeTables()
  let base = 0
  return pieces.flatMap((piece) => {
    const spans = tables.push(piece, base)
    for (const { start, end, value } of spans)
      expect(piece.slice(start - base, end - base)).toBe(value)
    base += piece.length
    return spans.map(({ value }) => value)
  })
}

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
    expect(hiddenIn(text)).toEqual(hidden)
  })

  it('goes on in the next piece, and ends with an empty line', () => {
    const pieces = [
      '| id | token |\n',
      '|---|---|\n| 1 | a9x |\n',
      '| 2 | b8y |\n\n',
      '| 3 | c7z |\n',
    ]

    expect(hiddenIn(...pieces)).toEqual(['a9x', 'b8y'])
  })
})
