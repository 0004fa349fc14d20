import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { bytesOf } from '../byte-text.ts'
import { openSqlite } from '../database/sqlite.ts'
import { collectSchema } from './collect-schema.ts'
import { createCollectedValues } from './collected-values.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-schema-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let count = 0

/** The values that the schema of a new database makes known. */
const knownFrom = (sql: string) => {
  count += 1
  const path = join(folder, `${count}.db`)
  const db = openSqlite(path)
  db.exec(sql)
  db.close()
  const collected = createCollectedValues()
  collectSchema({ path }, collected)
  return collected.values().map(({ value }) => value)
}

describe('the default of a column that is named as a secret is known', () => {
  it.each([
    { what: 'with its type', column: "password TEXT DEFAULT 'Kelp-9182xx'" },
    { what: 'without a type', column: "api_key DEFAULT 'Kelp-9182xx'" },
    { what: 'in parentheses', column: "password TEXT DEFAULT ('Kelp-9182xx')" },
    { what: 'in double quotes', column: 'password TEXT DEFAULT "Kelp-9182xx"' },
    { what: 'in small letters', column: "password text default 'Kelp-9182xx'" },
    { what: 'on another line', column: "password TEXT NOT NULL\n  DEFAULT\n  'Kelp-9182xx'" },
    { what: 'of a column in quotes', column: `"password" TEXT DEFAULT 'Kelp-9182xx'` },
    { what: 'of a column in brackets', column: "[password] TEXT DEFAULT 'Kelp-9182xx'" },
    { what: 'behind another default', column: "n INT DEFAULT 7, token TEXT DEFAULT 'Kelp-9182xx'" },
  ])('$what', ({ column }) => {
    expect(knownFrom(`CREATE TABLE t (id INTEGER, ${column})`)).toEqual(['Kelp-9182xx'])
  })

  it('as it reads, when it has quotes', () => {
    expect(knownFrom("CREATE TABLE t (password TEXT DEFAULT 'O''Brien-77')")).toContain(
      "O'Brien-77",
    )
  })

  it('as byte text, when it has letters beyond ASCII', () => {
    expect(knownFrom("CREATE TABLE t (password TEXT DEFAULT 'mörtel 77')")).toEqual([
      bytesOf('mörtel 77'),
    ])
  })

  it('of each table', () => {
    expect(
      knownFrom(
        "CREATE TABLE a (password DEFAULT 'Kelp-9182xx'); CREATE TABLE b (token DEFAULT 'Kelp-7731yy')",
      ),
    ).toEqual(['Kelp-9182xx', 'Kelp-7731yy'])
  })
})

it.each([
  "title TEXT DEFAULT 'Kelp-9182xx'",
  "key TEXT DEFAULT 'Kelp-9182xx'",
  'password INTEGER DEFAULT 77',
  "password TEXT DEFAULT 'unset'",
  "password TEXT, title TEXT DEFAULT 'Kelp-9182xx'",
  "password TEXT CHECK (password <> 'Kelp-9182xx')",
])('the column %s makes nothing known', (column) => {
  expect(knownFrom(`CREATE TABLE t (${column})`)).toEqual([])
})
