import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, inTransaction, nodeOpener, type Open } from './node-driver.ts'
import { isSafeSqlite, openSqlite, usedDriver } from './open-sqlite.ts'

const own = nodeOpener()
/** The driver in use, and Node's own if it has one. */
const drivers: readonly (readonly [string, Open])[] = [
  [`${usedDriver().name}`, openSqlite],
  ...(own === null ? [] : [['Node', own] as const]),
]

it('takes the SQLite of Node first from Node 24 on, and else where better-sqlite3 does not load', () => {
  const isHidden = process.env.NODE_OPTIONS?.includes('without-better-sqlite3') === true
  const { node, sqlite = '0' } = process.versions
  const { name, obstacle } = usedDriver()

  expect({ name, obstacle }).toEqual(
    Number.parseInt(node, 10) >= 24 && isSafeSqlite(sqlite)
      ? { name: 'node:sqlite', obstacle: null }
      : isHidden
        ? { name: 'node:sqlite', obstacle: 'not_installed' }
        : { name: expect.any(String), obstacle },
  )
})

it.each([
  ['3.51.2', false],
  ['3.51.3', true],
  ['3.52.0', true],
  ['4.0.0', true],
  ['3.40.1', false],
  ['3.9.9', false],
])('%s is safe: %s', (version, isSafe) => {
  expect(isSafeSqlite(version)).toBe(isSafe)
})

describe.each(drivers)('%s', (_name, open) => {
  let folder = ''
  let db: Database
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-driver-'))
    db = open(join(folder, 'a.db'))
    db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, x)')
  })
  afterEach(() => {
    db.close()
    rmSync(folder, { recursive: true })
  })

  const codeOf = (work: () => unknown): unknown => {
    try {
      return work()
    } catch (error) {
      return error instanceof Error && 'code' in error ? error.code : error
    }
  }

  it('gives rows as objects, lists or their first column, and says what was changed', () => {
    const added = db.prepare('INSERT INTO t (x) VALUES (?), (?)').run('a', null)
    const all = 'SELECT x, id FROM t ORDER BY id'

    expect(added).toMatchObject({ changes: 2, lastInsertRowid: 2 })
    expect(db.prepare(all).all()).toEqual([
      { x: 'a', id: 1 },
      { x: null, id: 2 },
    ])
    expect(db.prepare(all).raw().all()).toEqual([
      ['a', 1],
      [null, 2],
    ])
    expect(db.prepare(all).pluck().all()).toEqual(['a', null])
    expect(db.prepare(all).pluck().get()).toBe('a')
    expect([...db.prepare(all).pluck().iterate()]).toEqual(['a', null])
    expect(db.prepare('SELECT x FROM t WHERE id = 9').get()).toBeUndefined()
    expect(db.prepare('SELECT x FROM t WHERE id = 9').pluck().get()).toBeUndefined()
    expect(db.prepare('SELECT id FROM t WHERE x = :x').pluck().get({ x: 'a' })).toBe(1)
  })

  it('keeps large integers, bytes and fractions as they are', () => {
    const big = 9_007_199_254_740_993n
    db.prepare('INSERT INTO t (x) VALUES (?), (?), (?)').run(big, Buffer.from([1, 2]), 1.5)
    const [[integer], [bytes], [fraction]] = db
      .prepare('SELECT x FROM t ORDER BY id')
      .raw()
      .safeIntegers()
      .all() as [[bigint], [Uint8Array], [number]]

    expect([integer, [...bytes], fraction]).toEqual([big, [1, 2], 1.5])
    expect(db.prepare('SELECT ? / 2').pluck().get(3)).toBe(1.5)
  })

  it('goes on after a list of rows was left early', () => {
    db.exec('INSERT INTO t (x) VALUES (1), (2)')
    for (const row of db.prepare('SELECT x FROM t').pluck().iterate()) {
      expect(row).toBe(1)
      break
    }

    expect(db.prepare('DELETE FROM t').run().changes).toBe(2)
  })

  it('runs pragmas and functions of ours', () => {
    db.function('twice', { deterministic: true }, (value: number) => value * 2)

    expect(db.pragma('user_version = 7')).toEqual([])
    expect(db.pragma('user_version', { simple: true })).toBe(7)
    expect(db.pragma('cache_size', { simple: true })).toBe(-16_000)
    expect(db.pragma('foreign_keys', { simple: true })).toBe(1)
    expect(db.prepare('SELECT twice(21)').pluck().get()).toBe(42)
  })

  it('undoes a transaction that fails, and only its part where one is inside another', () => {
    const add = (x: string) => db.prepare('INSERT INTO t (x) VALUES (?)').run(x)
    const fails = (x: string) => () => {
      add(x)
      throw new Error('enough')
    }

    expect(() => inTransaction(db, fails('lost'))).toThrow('enough')
    inTransaction(db, () => {
      add('kept')
      expect(() => inTransaction(db, fails('lost too'))).toThrow('enough')
      inTransaction(db, () => add('kept too'))
      expect(db.inTransaction).toBe(true)
    })
    expect(db.inTransaction).toBe(false)
    expect(db.prepare('SELECT x FROM t').pluck().all()).toEqual(['kept', 'kept too'])
  })

  it('names failures as SQLite does', () => {
    const other = open(join(folder, 'a.db'), { timeout: 0 })
    const reader = open(join(folder, 'a.db'), { readonly: true })
    writeFileSync(join(folder, 'text.db'), 'no database, but long enough for one '.repeat(99))
    other.exec('BEGIN IMMEDIATE')

    expect(codeOf(() => open(join(folder, 'gone.db'), { readonly: true }))).toBe('SQLITE_CANTOPEN')
    expect(codeOf(() => db.exec('nonsense'))).toBe('SQLITE_ERROR')
    expect(codeOf(() => reader.exec('DELETE FROM t'))).toMatch(/^SQLITE_READONLY/)
    expect(codeOf(() => open(join(folder, 'text.db')).exec('SELECT * FROM t'))).toBe(
      'SQLITE_NOTADB',
    )
    other.exec('INSERT INTO t (id) VALUES (1)')
    expect(codeOf(() => other.prepare('INSERT INTO t (id) VALUES (?)').run(1))).toMatch(
      /^SQLITE_CONSTRAINT/,
    )
    expect(codeOf(() => open(join(folder, 'a.db'), { timeout: 0 }).exec('BEGIN IMMEDIATE'))).toBe(
      'SQLITE_BUSY',
    )
    for (const each of [other, reader]) each.close()
  })

  it('makes no file that must exist, whatever it is called', () => {
    for (const name of ['plain.db', 'a?b#c%41.db', 'naïve name.db']) {
      const path = join(folder, name)

      expect(codeOf(() => open(path, { fileMustExist: true }))).toBe('SQLITE_CANTOPEN')
      expect(existsSync(path)).toBe(false)
      const made = open(path)
      made.exec('CREATE TABLE t (x)')
      made.close()
      expect(existsSync(path)).toBe(true)
      const found = open(path, { fileMustExist: true })
      expect(found.prepare('INSERT INTO t VALUES (1)').run().changes).toBe(1)
      found.close()
    }
  })
})
