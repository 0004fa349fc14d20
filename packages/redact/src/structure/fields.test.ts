import { describe, expect, it } from 'vitest'
import { createColumns } from './fields.ts'

/** The cells of a row that are hidden below these heads. */
function hiddenBelow(heads: readonly (readonly string[])[], row: readonly string[]) {
  const columns = createColumns()
  for (const head of heads) columns.takeHead(head)
  const rules = columns.rulesFor(row, row.length === columns.width)
  return row.filter((_, index) => rules[index] !== null)
}

describe('columns of a table', () => {
  it.each([
    { name: 'a secret', head: ['id', 'password'], row: ['1', 'a9x'], hidden: ['a9x'] },
    { name: 'a number as a secret', head: ['id', 'pin'], row: ['1', '4321'], hidden: ['4321'] },
    {
      name: 'an address',
      head: ['id', 'email'],
      row: ['1', 'ana@mail.example'],
      hidden: ['ana@mail.example'],
    },
    { name: 'counts', head: ['id', 'tokens'], row: ['1', '18422'], hidden: [] },
    { name: 'nothing', head: ['id', 'note'], row: ['1', 'a9x'], hidden: [] },
    { name: 'names in rows', head: ['key', 'value'], row: ['api_key', 'a9x'], hidden: ['a9x'] },
    { name: 'harmless names in rows', head: ['key', 'value'], row: ['color', 'red'], hidden: [] },
  ])('with $name', ({ head, row, hidden }) => {
    expect(hiddenBelow([head], row)).toEqual(hidden)
  })

  it('of which one is a secret hide all that may be it in a row that does not fit', () => {
    expect(hiddenBelow([['id', 'token']], ['1', 'x', 'y', 'a9xZ71'])).toContain('a9xZ71')
    expect(hiddenBelow([['id', 'note']], ['1', 'x', 'plain', 'words'])).toEqual([])
  })

  it('keep what an earlier head hides when a later one does not', () => {
    const heads = [
      ['id', 'token'],
      ['api_key', 'name'],
    ]

    expect(hiddenBelow(heads, ['a9x', 'b8y'])).toEqual(['a9x', 'b8y'])
  })

  it.each([
    { name: 'names', needsNames: true, first: ['id', 'password'], isHead: true, width: 2 },
    { name: 'values', needsNames: true, first: ['1', 'a9x'], isHead: false, width: 0 },
    { name: 'anything', needsNames: false, first: ['1', 'a9x'], isHead: true, width: 2 },
  ])('begin with $name', ({ needsNames, first, isHead, width }) => {
    const columns = createColumns({ needsNames })
    expect(columns.width).toBeNull()

    expect(columns.takeHead(first)).toBe(isHead)
    expect(columns.width).toBe(width)
  })

  it('have no second head in a row of values', () => {
    const columns = createColumns()
    columns.takeHead(['id', 'token'])

    expect(columns.takeHead(['2', 'a9x'])).toBe(false)
    expect(columns.takeHead(['name', 'note'])).toBe(false)
  })
})
