import type { SQL } from 'drizzle-orm'
import { importInto as importIntoDatabase } from '../backup/postgres/postgres-target.ts'
import { importInto as importIntoFile } from '../backup/sqlite/sqlite-target.ts'
import type { ImportEngine } from '../backup/target/import-target.ts'
import type { Tables } from '../sql/connection.ts'
import { freshDatabase } from './fresh-database.ts'
import { freshSchemas } from './fresh-schemas.ts'
import { whyNoPostgres } from './postgres-programs.ts'

export interface EmptyStore extends Pick<ImportEngine, 'db'> {
  readonly location: string
  readonly tables: Tables
  /** The parts of its engine that write rows. */
  readonly engine: ImportEngine
  /** Runs a statement of both engines. */
  change(query: SQL): Promise<number>
  /** Rows of such a statement, as lists. */
  rows(query: SQL): Promise<unknown[][]>
}

/** Empty stores of every engine for the tests of one file; with `TEST_ENGINE=sqlite` of that one alone. */
export interface EmptyStores {
  readonly engines: readonly {
    readonly engine: 'sqlite' | 'postgres'
    /** Reason why it cannot be tested here; null if it can. */
    readonly whyNot: string | null
    create(): Promise<EmptyStore>
  }[]
  remove(): Promise<void>
}

export function emptyStores(): EmptyStores {
  const schemas = freshSchemas()
  const removals: (() => void)[] = []
  const engines: EmptyStores['engines'] = [
    {
      engine: 'sqlite',
      whyNot: null,
      async create() {
        const { db, path, remove } = freshDatabase()
        removals.push(remove)
        return emptyStore(path, importIntoFile(db))
      },
    },
    {
      engine: 'postgres',
      whyNot: whyNoPostgres(),
      async create() {
        const { session, address } = await schemas.next()
        return emptyStore(address, importIntoDatabase(session))
      },
    },
  ]
  return {
    engines: engines.filter(({ engine }) => engine === (process.env.TEST_ENGINE ?? engine)),
    async remove() {
      for (const remove of removals.splice(0)) remove()
      await schemas.remove()
    },
  }
}

function emptyStore(location: string, engine: ImportEngine): EmptyStore {
  const { db } = engine
  return {
    location,
    db,
    engine,
    tables: db.tables,
    change: (query) => db.run(query),
    rows: async (query) => (await db.rows(query)).map((row) => Object.values(row)),
  }
}
