import type { Dictionaries, Dictionary } from '../sql/engine.ts'
import { createRateNumbers } from '../sql/numbers.ts'
import { databaseError } from './postgres-error.ts'
import { type Session, storedText } from './session.ts'

/** Maximum of names in a dictionary; all further names count as one. */
const NAMES_MAX = 1_000_000
/** Maximum of names in a dictionary whose numbers are stored in 16 bits. */
const FEW_NAMES_MAX = 32_000
const OTHERS = '(others)'
/** Maximum of attempts to add names. One of several concurrent writers succeeds in each, so this is enough for as many writers. */
const ROUNDS_MAX = 100

export function createDictionaries(session: Session, instance: string): Dictionaries {
  const named = (table: string, namesMax: number) =>
    createDictionary(session, {
      table,
      namesMax,
      find: `SELECT name, id FROM svc_quota_monitor.${table} WHERE name = ANY ($1::text[])`,
      add: `INSERT INTO svc_quota_monitor.${table} (id, name) ${numberedFrom(table)}`,
      scope: [],
    })
  return {
    accounts: createDictionary(session, {
      table: 'accounts',
      namesMax: NAMES_MAX,
      find: 'SELECT key AS name, id FROM svc_quota_monitor.accounts WHERE key = ANY ($1::text[]) AND instance = $2',
      add: `INSERT INTO svc_quota_monitor.accounts (id, key, title, instance) ${numberedFrom('accounts', `, '', $3`)}`,
      scope: [instance],
    }),
    apiNames: named('api_names', NAMES_MAX),
    models: named('models', NAMES_MAX),
    upstreams: named('upstreams', FEW_NAMES_MAX),
    providers: named('providers', FEW_NAMES_MAX),
    rates: createRateNumbers(session),
  }
}

/**
 * Statement that adds new names, numbered after the largest number and up to `$2`. Of two concurrent writers one has a conflict and looks the names
 * up again.
 */
function numberedFrom(table: string, more = ''): string {
  return `SELECT id, name${more} FROM (
      SELECT (SELECT coalesce(max(id), 0) FROM svc_quota_monitor.${table}) + row_number() OVER (ORDER BY name) AS id, name
      FROM unnest($1::text[]) AS wanted (name)) AS numbered
    WHERE id <= $2 ORDER BY id ON CONFLICT DO NOTHING`
}

interface DictionaryTable {
  readonly table: string
  readonly namesMax: number
  readonly find: string
  readonly add: string
  /** Last parameters of `find` and `add`. */
  readonly scope: readonly string[]
}

function createDictionary(
  session: Session,
  { table, namesMax, find, add, scope }: DictionaryTable,
): Dictionary {
  const ids = new Map<string, number>()
  const missingOf = async (names: readonly string[]): Promise<readonly string[]> => {
    const missing = names.filter((name) => !ids.has(name))
    if (missing.length === 0) return missing
    const found = await session.rows<{ name: string; id: number }>(find, [missing, ...scope])
    for (const { name, id } of found) ids.set(name, id)
    return missing.filter((name) => !ids.has(name))
  }
  const learn = async (names: readonly string[], idMax: number): Promise<readonly string[]> => {
    let missing = await missingOf(names)
    for (let round = 0; missing.length > 0; round += 1) {
      if (round === ROUNDS_MAX) throw databaseError('busy')
      const added = await session.run(add, [missing, idMax, ...scope])
      const before = missing.length
      missing = await missingOf(missing)
      // Nobody could add a name: there are no numbers left.
      if (added === 0 && missing.length === before && (await isFull(idMax))) break
    }
    return missing
  }
  const isFull = async (idMax: number): Promise<boolean> => {
    const [row] = await session.rows<{ id: number }>(
      `SELECT coalesce(max(id), 0) AS id FROM svc_quota_monitor.${table}`,
    )
    return row !== undefined && row.id >= idMax
  }
  return {
    async idsOf(names) {
      const storedByName = new Map([...new Set(names)].map((name) => [name, storedText(name)]))
      const wanted = [...new Set(storedByName.values())]
      const left = await learn(wanted, namesMax)
      if (left.length > 0) await learn([OTHERS], namesMax + 1)
      const others = ids.get(OTHERS)
      return new Map(
        [...storedByName].map(([name, stored]) => [name, ids.get(stored) ?? others ?? 0]),
      )
    },
  }
}
