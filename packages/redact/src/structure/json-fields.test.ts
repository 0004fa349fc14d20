import { describe, expect, it } from 'vitest'
import { createJsonScanner } from './json.ts'

/** The hidden values of a document. */
function hiddenIn(document: object): readonly string[] {
  const scanner = createJsonScanner({ insideString: () => [], isKnown: () => false })
  return scanner.scan(JSON.stringify(document), 0, true).map(({ value }) => value)
}

describe('a row of a backup', () => {
  it.each([
    { table: 'accounts', row: ['p', 'key', 'Ana'], hidden: [2] },
    { table: 'usage', row: ['1', '-5', 'p', 'key', 'client', 'model', '12', '0'], hidden: [4] },
    { table: 'apis', row: ['client'], hidden: [0] },
    { table: 'days', row: ['api', '0', 'p', 'client', '1', '2', '0'], hidden: [3] },
    { table: 'days', row: ['model', '0', 'p', 'gpt-5.5', '1', '2', '0'], hidden: [] },
    { table: 'meta', row: ['fingerprint_key', 'canary'], hidden: [1] },
    { table: 'meta', row: ['cut_ms', '12'], hidden: [] },
    { table: 'gaps', row: ['1', '2', 'proxy_restarted'], hidden: [] },
    { table: '__proto__', row: ['1', '2', '3'], hidden: [] },
  ])('of $table that begins with $row.0 hides $hidden', ({ table, row, hidden }) => {
    expect(hiddenIn({ tables: { [table]: [row] } })).toEqual(hidden.map((index) => row[index]))
  })

  it.each([
    { where: 'outside of the tables', document: { other: { apis: [['y']] } } },
    { where: 'behind the row', document: { tables: { apis: [['x'], 'y', { z: 'z' }] } } },
    { where: 'in another table', document: { tables: { apis: [['x']], gaps: [['y']] } } },
    { where: 'behind the tables', document: { tables: { apis: [['x']] }, apis: [['y']] } },
  ])('is none $where', ({ document }) => {
    expect(hiddenIn(document).filter((value) => value !== 'x')).toEqual([])
  })
})
