import { describe, expect, it } from 'vitest'
import { createOwnRows } from './json-fields.ts'

/** Which elements of a row of this table are hidden. */
function hiddenIn(table: string, row: readonly string[], tablesName = 'tables'): readonly number[] {
  const rows = createOwnRows()
  rows.open('', false, 0)
  rows.open(tablesName, false, 1)
  rows.open(table, true, 2)
  rows.open('', true, 3)
  return row.flatMap((value, index) => (rows.ruleOf(index, value) === null ? [] : [index]))
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
    expect(hiddenIn(table, row)).toEqual(hidden)
  })

  it('is one only inside of the tables', () => {
    expect(hiddenIn('accounts', ['p', 'key', 'Ana'], 'other')).toEqual([])
  })

  it('ends with its list, and its table with the list of rows', () => {
    const rows = createOwnRows()
    rows.open('tables', false, 1)
    rows.open('apis', true, 2)
    rows.open('', true, 3)
    rows.close(3)
    expect(rows.ruleOf(0, 'x')).toBeNull()

    rows.close(2)
    rows.open('gaps', true, 2)
    rows.open('', true, 3)
    expect(rows.ruleOf(0, 'x')).toBeNull()
    rows.close(3)
    rows.close(2)
    rows.close(1)
    rows.open('apis', true, 2)
    rows.open('', true, 3)
    expect(rows.ruleOf(0, 'x')).toBeNull()
  })
})
