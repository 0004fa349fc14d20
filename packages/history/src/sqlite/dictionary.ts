import type { Database } from '@svc/sqlite'

/** Names stored once, with the numbers that replace them in rows. */
export interface Dictionary {
  /** Number of a name; a new name gets one. Call inside a transaction. */
  idOf(name: string): number
}

export interface Dictionaries {
  readonly accounts: Dictionary
  readonly apiNames: Dictionary
  readonly models: Dictionary
  readonly upstreams: Dictionary
  readonly providers: Dictionary
  /** Reads all names anew when they are next needed. Call after a transaction was rolled back: it may have added some. */
  forget(): void
}

/** Most names in a dictionary; all further ones count as one. */
const NAMES_MAX = 1_000_000
const OTHERS = '(others)'

export function createDictionaries(db: Database, instance: string): Dictionaries {
  const quoted = `'${instance.replaceAll("'", "''")}'`
  const forgets: (() => void)[] = []
  const dictionary = (allSql: string, insertSql: string): Dictionary => {
    const insert = db.prepare(insertSql)
    const all = db.prepare(allSql).raw()
    const read = () => new Map(all.all() as [string, number][])
    let ids: Map<string, number> | null = read()
    forgets.push(() => {
      ids = null
    })
    const idOf = (name: string): number => {
      ids ??= read()
      const known = ids.get(name)
      if (known !== undefined) return known
      if (ids.size >= NAMES_MAX && name !== OTHERS) return idOf(OTHERS)
      const id = Number(insert.run(name).lastInsertRowid)
      ids.set(name, id)
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
    forget() {
      for (const forget of forgets) forget()
    },
  }
}
