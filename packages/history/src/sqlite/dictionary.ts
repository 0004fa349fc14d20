import { type Database, inTransaction, type Statement } from './sqlite.ts'

/** Names stored once, and the numbers that stand for them in every row. */
export interface Dictionary {
  /** The number of a name, given one when it has none yet. Call inside a transaction. */
  idOf(name: string): number
}

/** The dictionaries of a store, and the one way to write to it, so that they never hold what was rolled back. */
export interface Dictionaries {
  readonly accounts: Dictionary
  readonly apiNames: Dictionary
  readonly models: Dictionary
  readonly upstreams: Dictionary
  readonly providers: Dictionary
  /** Runs `work` in one transaction: all of it is stored, or nothing. Throws what SQLite throws. */
  transaction<Result>(work: () => Result): Result
}

/** A store never learns more names than this; what comes after counts as one. */
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
