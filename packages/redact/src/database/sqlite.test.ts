import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { RedactError } from '../redact-error.ts'
import { databaseError, openSqlite, quoted } from './sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-sqlite-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a database', () => {
  it('that is not there is refused with the code of SQLite', () => {
    expect(() => openSqlite(join(folder, 'missing.db'), { fileMustExist: true })).toThrow(
      new RedactError('is a database that cannot be read (SQLITE_CANTOPEN)'),
    )
  })

  it('that is another file is refused with the code of SQLite', () => {
    const path = join(folder, 'notes.db')
    writeFileSync(path, 'Kelp-9182xx and other words\n'.repeat(200))

    expect(() => openSqlite(path, {}).exec('SELECT * FROM sqlite_schema')).toThrow()
    expect(() => openSqlite(join(path, 'below.db'), {})).toThrow(RedactError)
  })

  it('does not run functions that its schema calls', () => {
    const path = join(folder, 'views.db')
    const db = openSqlite(path, {})
    db.function('kelp', () => 'called')
    db.exec('CREATE VIEW v AS SELECT kelp() AS x')

    expect(() => db.prepare('SELECT x FROM v').get()).toThrow('unsafe use of kelp()')
    db.close()
  })
})

describe('an error of SQLite', () => {
  it('loses its text, which may quote a value', () => {
    const error = Object.assign(new Error('UNIQUE failed: Kelp-9182xx'), {
      code: 'SQLITE_CONSTRAINT_UNIQUE',
    })

    expect(databaseError(error).message).toBe(
      'is a database that cannot be read (SQLITE_CONSTRAINT_UNIQUE)',
    )
  })

  it.each([new Error('Kelp-9182xx'), 'Kelp-9182xx', null])('without a code says so', (error) => {
    expect(databaseError(error).message).toBe('is a database that cannot be read (unknown error)')
  })

  it('that was worded already stays as it is', () => {
    const error = new RedactError('is a link')

    expect(databaseError(error)).toBe(error)
  })
})

it.each(['plain', 'two words', 'a "quoted" name', '"', "'; DROP TABLE t; --", 'naïve'])(
  'a table can have the name %s',
  (name) => {
    const db = openSqlite(':memory:', {})
    db.exec(`CREATE TABLE ${quoted(name)} (${quoted(name)})`)
    db.exec(`INSERT INTO ${quoted(name)} VALUES ('kelp')`)

    expect(db.prepare('SELECT name FROM sqlite_schema').pluck().get()).toBe(name)
    expect(db.prepare(`SELECT * FROM ${quoted(name)}`).get()).toEqual({ [name]: 'kelp' })
    db.close()
  },
)
