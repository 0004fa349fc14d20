import { describe, expect, it } from 'vitest'
import { ruleOfCell } from './table-rules.ts'

const hides = (table: string, column: string, row: Record<string, unknown> = {}) =>
  ruleOfCell(table, column, row)?.hides ?? null

describe('a cell of our own store', () => {
  it.each([
    { table: 'accounts', column: 'key', kind: undefined, why: 'the stable key is not a secret' },
    { table: 'accounts', column: 'title', kind: 'user', why: 'a title may be a name' },
    { table: 'ACCOUNTS', column: 'Title', kind: 'user', why: 'SQL does not mind capitals' },
    { table: 'api_names', column: 'name', kind: 'secret', why: 'a client key is a secret' },
  ])('$table.$column is of kind $kind, because $why', ({ table, column, kind }) => {
    const rule = ruleOfCell(table, column, {})

    expect(rule?.kind).toBe(kind)
    expect(rule?.hides).toBe(kind === undefined ? undefined : 'always')
  })

  it.each([
    { name: 'fingerprint_key', hidden: 'always' },
    { name: 'account codex-ana.json', hidden: 'always' },
    { name: 'cut_ms', hidden: null },
    { name: 'accounts seen', hidden: null },
  ])('the value of meta under $name is hidden: $hidden', ({ name, hidden }) => {
    expect(hides('meta', 'value', { name, value: 'x' })).toBe(hidden)
  })
})

describe('a cell of any table', () => {
  it('is judged by the name of its column', () => {
    expect(hides('users', 'password_hash')).toBe('always')
    expect(hides('users', 'api_token')).toBe('always')
    expect(hides('users', 'email')).toBe('field')
    expect(hides('users', 'requests')).toBe(null)
  })

  it.each([
    { column: 'value', naming: 'name' },
    { column: 'VAL', naming: 'key' },
    { column: 'content', naming: 'setting' },
    { column: 'data', naming: 'option' },
    { column: 'value', naming: 'id' },
    { column: 'value', naming: 'Param' },
  ])('$column is judged by what stands under $naming beside it', ({ column, naming }) => {
    expect(hides('settings', column, { [naming]: 'smtp_password', [column]: 'x' })).toBe('always')
    expect(hides('settings', column, { [naming]: 'theme', [column]: 'x' })).toBe(null)
  })

  it('is not judged by a neighbour that is a number, nor under another name', () => {
    expect(hides('settings', 'value', { id: 7, value: 'x' })).toBe(null)
    expect(hides('settings', 'label', { name: 'password', label: 'x' })).toBe(null)
  })

  it('is judged by the first neighbour with a text', () => {
    expect(hides('settings', 'value', { id: 7, name: 'password', value: 'x' })).toBe('always')
  })
})
