import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, inTransaction } from '@svc/sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { openSqlite } from '../database/sqlite.ts'
import { createLeakFinder } from './leak-finder.ts'
import { verifyDatabase } from './verify-database.ts'

const SECRET = 'words of a key'
const folder = mkdtempSync(join(tmpdir(), 'svc-verify-database-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let count = 0

const finder = createLeakFinder(
  [SECRET, '483920571', 'mörtel 77'].map((value) => ({
    value: Buffer.from(value).toString('latin1'),
    kind: 'secret',
    asWord: true,
  })),
)
const databaseWith = (fill: (db: Database) => void) => {
  count += 1
  const path = join(folder, `${count}.db`)
  const db = openSqlite(path, {})
  db.exec('CREATE TABLE quiet (a); CREATE TABLE t (a, "b c")')
  fill(db)
  db.close()
  return path
}
const leakIn = (fill: (db: Database) => void) =>
  verifyDatabase(databaseWith(fill), finder, new AbortController().signal)
const withCell = (cell: unknown) => (db: Database) => {
  db.prepare('INSERT INTO t ("b c") VALUES (?)').run(cell)
}

describe('a database has a leak', () => {
  it.each([
    { what: 'a text', cell: `x ${SECRET} y` },
    {
      what: 'a text over several pages',
      cell: `${'y'.repeat(4060)} ${SECRET} ${'z'.repeat(9000)}`,
    },
    { what: 'a text beyond ASCII', cell: 'von mörtel 77' },
    { what: 'a number', cell: 483_920_571 },
    { what: 'a large number in a text', cell: '7,483920571' },
    { what: 'bytes', cell: Buffer.from(`\u0000 ${SECRET}`) },
    { what: 'Base64', cell: Buffer.from(`x ${SECRET} y`).toString('base64') },
  ])('where a cell holds it as $what', ({ cell }) => {
    expect(leakIn(withCell(cell))).not.toBe(null)
  })

  it.each([
    { what: 'a table', sql: `CREATE TABLE "${SECRET}" (a)` },
    { what: 'a column', sql: `CREATE TABLE more ("${SECRET}")` },
    { what: 'a default', sql: `CREATE TABLE more (a DEFAULT '${SECRET}')` },
    { what: 'a view', sql: `CREATE VIEW v AS SELECT '${SECRET}'` },
    { what: 'an index', sql: `CREATE INDEX i ON t (a) WHERE a <> '${SECRET}'` },
  ])('where the schema holds it in $what', ({ sql }) => {
    expect(leakIn((db) => db.exec(sql))).not.toBe(null)
  })

  it('at the page where its table begins', () => {
    const offset = (fill: (db: Database) => void) => leakIn(fill)?.offset
    const pageBytes = 4096

    expect(offset((db) => db.exec(`INSERT INTO quiet VALUES ('${SECRET}')`))).toBe(pageBytes)
    expect(offset(withCell(SECRET))).toBe(2 * pageBytes)
  })
})

describe('a database has none', () => {
  it.each([
    { what: 'null', cell: null },
    { what: 'an empty text', cell: '' },
    { what: 'another number', cell: 1_483_920_571 },
    { what: 'a number with a fraction', cell: 48392.0571 },
    { what: 'a part of it', cell: 'words of a' },
    { what: 'other bytes', cell: Buffer.from([0, 255, 7]) },
  ])('where a cell holds $what', ({ cell }) => {
    expect(leakIn(withCell(cell))).toBe(null)
  })

  it('where a table has a name with quotes', () => {
    expect(
      leakIn((db) => db.exec('CREATE TABLE "a ""b" (x); INSERT INTO "a ""b" VALUES (1)')),
    ).toBe(null)
  })
})

it('the check of a large table is stopped', () => {
  const path = databaseWith((db) => {
    const add = db.prepare('INSERT INTO t (a) VALUES (?)')
    inTransaction(db, () => {
      for (let row = 0; row < 1_000; row += 1) add.run(row)
    })
  })
  const stop = new AbortController()
  stop.abort()

  expect(() => verifyDatabase(path, finder, stop.signal)).toThrow(
    expect.objectContaining({ name: 'AbortError' }),
  )
})
