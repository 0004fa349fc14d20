import { type Column, type SQL, sql, type Table } from 'drizzle-orm'
import { HistoryError } from '../contract/history-error.ts'
import { type Connection, namesOf, onlyValue } from './connection.ts'
import { createRateNumbers } from './numbers.ts'

/** Maximum of names in a dictionary; all further names count as one. */
const NAMES_MAX = 1_000_000
/** Maximum of names in a dictionary whose numbers are stored in 16 bits. */
const FEW_NAMES_MAX = 32_000
const OTHERS = '(others)'
/** Names of one statement: fewer than the parameters that any engine takes, and more than a batch has, so that writers of the same batch add the same ones. */
const NAMES_AT_ONCE = 20_000
/** Maximum of attempts to add names. One of several concurrent writers succeeds in each, so this is enough for as many writers. */
const ROUNDS_MAX = 100

export type Dictionaries = ReturnType<typeof createDictionaries>
export type Dictionary = Dictionaries['accounts']

/** Names stored once, with the numbers that replace them in rows. */
export function createDictionaries(db: Connection, instance: string) {
  const { accounts, apiNames, models, providers, upstreams } = db.tables
  const few = { namesMax: FEW_NAMES_MAX }
  return {
    accounts: createDictionary(db, accounts, accounts.key, {
      scope: sql`${accounts.instance} = ${instance}`,
      fixed: { columns: [accounts.title, accounts.instance], values: sql`, '', ${instance}` },
    }),
    apiNames: createDictionary(db, apiNames, apiNames.name),
    models: createDictionary(db, models, models.name),
    upstreams: createDictionary(db, upstreams, upstreams.name, few),
    providers: createDictionary(db, providers, providers.name, few),
    rates: createRateNumbers(db),
  }
}

interface DictionaryOptions {
  readonly namesMax?: number
  /** Condition of the names that count. */
  readonly scope?: SQL
  /** Further columns of a new name. */
  readonly fixed?: { readonly columns: readonly Column[]; readonly values: SQL }
}

function createDictionary(
  db: Connection,
  table: Table & { readonly id: Column },
  column: Column,
  {
    namesMax = NAMES_MAX,
    scope = sql`true`,
    fixed = { columns: [], values: sql`` },
  }: DictionaryOptions = {},
) {
  const ids = new Map<string, number>()
  const newest = sql`SELECT coalesce(max(${table.id}), 0) AS value FROM ${table}`
  /** Looks names up; returns those that have no number yet. */
  const find = async (names: readonly string[]): Promise<readonly string[]> => {
    const found = await db.rows<{ name: string; id: number }>(
      sql`SELECT ${column} AS name, ${table.id} AS id FROM ${table} WHERE ${column} IN ${names} AND ${scope}`,
    )
    for (const { name, id } of found) ids.set(name, id)
    return names.filter((name) => !ids.has(name))
  }
  /** Numbers new names after the largest number, up to `idMax`. Of two concurrent writers one has a conflict and looks the names up again. */
  const add = (names: readonly string[], idMax: number): Promise<number> => {
    const wanted = names.map((name) => sql`(${name})`)
    const numbered = sql`SELECT (${newest}) + row_number() OVER (ORDER BY column1) AS id, column1 AS name FROM (VALUES ${sql.join(wanted, sql`, `)}) AS wanted`
    return db.transaction('write', () =>
      db.run(
        sql`INSERT INTO ${table} (${namesOf(table.id, column, ...fixed.columns)})
          SELECT id, name${fixed.values} FROM (${numbered}) AS numbered WHERE id <= ${idMax} ORDER BY id ON CONFLICT DO NOTHING`,
      ),
    )
  }
  /** Gives each of these names a number; returns those for which none is left. */
  const learn = async (names: readonly string[], idMax: number): Promise<readonly string[]> => {
    let missing = await find(names)
    for (let round = 0; missing.length > 0; round += 1) {
      if (round === ROUNDS_MAX) throw new HistoryError('busy')
      const added = await add(missing, idMax)
      const before = missing.length
      missing = await find(missing)
      // Nobody could add a name: there are no numbers left.
      if (added === 0 && missing.length === before && ((await onlyValue(db, newest)) ?? 0) >= idMax)
        break
    }
    return missing
  }
  return {
    /**
     * Numbers of these names; new names get one. Call before a transaction, never inside, so that other writers see a new number at once and no number
     * of a rolled-back transaction is remembered. An unused name does no harm. Rejects with HistoryError.
     */
    async idsOf(names: Iterable<string>): Promise<ReadonlyMap<string, number>> {
      const asked = [...names]
      const missing = new Set<string>()
      for (const name of asked) if (!ids.has(name)) missing.add(storedText(name))
      const wanted = [...missing].filter((name) => !ids.has(name))
      if (missing.size === 0) return ids
      for (let start = 0; start < wanted.length; start += NAMES_AT_ONCE) {
        const left = await learn(wanted.slice(start, start + NAMES_AT_ONCE), namesMax)
        if (left.length > 0) await learn([OTHERS], namesMax + 1)
      }
      const idOf = (name: string) => ids.get(name) ?? ids.get(storedText(name)) ?? ids.get(OTHERS)
      return new Map(asked.map((name) => [name, idOf(name) ?? 0]))
    },
  }
}

/** Text in the form that every engine can store: NUL and half surrogate pairs become U+FFFD. */
export function storedText(text: string): string {
  return Buffer.from(text.replaceAll('\0', '\uFFFD')).toString()
}
