import { describe, expect, it } from 'vitest'
import { createTextTables } from './text-tables.ts'

function hiddenIn(...pieces: readonly string[]): readonly string[] {
  const tables = createTextTables()
  let base = 0
  return pieces.flatMap((piece) => {
    const spans = tables.push(piece, base)
    for (const { start, end } of spans) expect(end - base).toBeLessThanOrEqual(piece.length + start)
    const shown = spans.map(({ start, end }) => piece.slice(start - base, end - base))
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
    expect(hiddenIn(text)).toEqual(hidden)
  })

  it('goes on in the next piece, a cell with line breaks as well', () => {
    expect(hiddenIn('id,token\n', '1,a9x\n2,"b\n', 'c7z"\n3,d6w\n')).toEqual(
      expect.arrayContaining(['a9x', 'd6w']),
    )
    expect(hiddenIn('id,note,token\n', '1,"x\n', 'y",c7z\n').join()).toContain('c7z')
  })
})
