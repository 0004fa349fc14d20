import type { Database } from '@svc/sqlite'
import type { Connection } from '../sql/connection.ts'
import type { Dictionaries, Dictionary } from '../sql/engine.ts'
import { createRateNumbers } from '../sql/numbers.ts'

/** Maximum of names in a dictionary; all further names count as one. */
const NAMES_MAX = 1_000_000
const OTHERS = '(others)'

export function createDictionaries(
  db: Database,
  connection: Connection,
  instance: string,
): Dictionaries {
  const quoted = `'${instance.replaceAll("'", "''")}'`
  const dictionary = (allSql: string, insertSql: string): Dictionary => {
    const insert = db.prepare(insertSql)
    const read = () => new Map(db.prepare(allSql).raw().all() as [string, number][])
    let ids: Map<string, number> | null = null
    const add = (known: Map<string, number>, names: Iterable<string>) =>
      connection.transaction('write', async () => {
        const added: [string, number][] = []
        for (const name of names)
          if (known.size + added.length < NAMES_MAX || name === OTHERS)
            added.push([name, Number(insert.run(name).lastInsertRowid)])
        return added
      })
    return {
      async idsOf(names) {
        ids ??= read()
        const known = ids
        const missing = new Set<string>()
        for (const name of names) if (!known.has(name)) missing.add(name)
        if (missing.size === 0) return known
        for (const [name, id] of await add(known, missing)) known.set(name, id)
        const left = [...missing].filter((name) => !known.has(name))
        if (left.length === 0) return known
        const others = await this.idsOf([OTHERS])
        const other = others.get(OTHERS) ?? 0
        return new Map([...known, ...left.map((name) => [name, other] as const)])
      },
    }
  }
  const named = (table: string) =>
    dictionary(`SELECT name, id FROM ${table}`, `INSERT INTO ${table} (name) VALUES (?)`)
  return {
    accounts: dictionary(
      `SELECT key, id FROM accounts WHERE instance = ${quoted}`,
      `INSERT INTO accounts (instance, key, title) VALUES (${quoted}, ?, '')`,
    ),
    apiNames: named('api_names'),
    models: named('models'),
    upstreams: named('upstreams'),
    providers: named('providers'),
    rates: createRateNumbers(connection),
  }
}
