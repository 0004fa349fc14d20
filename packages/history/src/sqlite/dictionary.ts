import { type Database, inTransaction, type Statement } from '@svc/sqlite'

/** Names stored once, with the numbers that replace them in rows. */
export interface Dictionary {
  /** Number of a name; a new name gets one. Call inside a transaction. */
  idOf(name: string): number
}

/** The dictionaries of a store and its only way of writing, so that they never remember rolled-back names. */
export interface Dictionaries {
  readonly accounts: Dictionary
  readonly apiNames: Dictionary
  readonly models: Dictionary
  readonly upstreams: Dictionary
  readonly providers: Dictionary
  /** Runs `work` in one transaction: all is stored, or nothing. Throws SQLite's errors. */
  transaction<Result>(work: () => Result): Result
}

/** Most names in a dictionary; all further ones count as one. */
const NAMES_MAX = 1_000_000
const OTHERS = '(others)'

export function createDictionaries(db: Database, instance: string): Dictionaries {
  const quoted = `'${instance.replaceAll("'", "''")}'`
  let added: (() => void)[] = []
  const dictionary = (allSql: string, insertSql: string): Dictionary => {
    const insert: Statement = db.prepare(insertSql)
    const ids = new Map(db.prepare(allSql).raw().all() as [string, number][])
    const idOf = (name: string): number => {
      const known = ids.get(name)
      if (known !== undefined) return known
      if (ids.size >= NAMES_MAX && name !== OTHERS) return idOf(OTHERS)
      const id = Number(insert.run(name).lastInsertRowid)
      ids.set(name, id)
      added.push(() => ids.delete(name))
      return id
    }
    return { idOf }
  }
  return {
    accounts: dictionary(
      `SELECT key, id FROM accounts WHERE instance = ${quoted}`,
      `INSERT INTO accounts (instance, key, title) VALUES (${quoted}, ?, '')`,
    ),
    apiNames: dictionary(
      'SELECT name, id FROM api_names',
      'INSERT INTO api_names (name) VALUES (?)',
    ),
    models: dictionary('SELECT name, id FROM models', 'INSERT INTO models (name) VALUES (?)'),
    upstreams: dictionary(
      'SELECT name, id FROM upstreams',
      'INSERT INTO upstreams (name) VALUES (?)',
    ),
    providers: dictionary(
      'SELECT name, id FROM providers',
      'INSERT INTO providers (name) VALUES (?)',
    ),
    transaction(work) {
      try {
        return inTransaction(db, work)
      } catch (error) {
        for (const undo of added) undo()
        throw error
      } finally {
        added = []
      }
    },
  }
}
