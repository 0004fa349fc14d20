import type { SQL } from 'drizzle-orm'
import { runSteps as runInPostgres } from '../postgres/run-steps.ts'
import { rows, run, type Steps } from '../sql/steps.ts'
import { runSteps as runInSqlite } from '../sqlite/run-steps.ts'
import { freshDatabase } from './fresh-database.ts'
import { freshSchemas } from './fresh-schemas.ts'
import { whyNoPostgres } from './postgres-programs.ts'

export interface EmptyStore {
  readonly location: string
  run<Result>(steps: Steps<Result>): Promise<Result>
  /** Runs a statement that both engines understand. */
  change(query: SQL): Promise<number>
  /** Rows of such a statement, as lists. */
  rows(query: SQL): Promise<unknown[][]>
}

/** Empty stores of every engine for the tests of one file. */
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
  return {
    engines: [
      {
        engine: 'sqlite',
        whyNot: null,
        async create() {
          const { db, path, remove } = freshDatabase()
          removals.push(remove)
          return emptyStore(path, async (steps) => runInSqlite(db, steps))
        },
      },
      {
        engine: 'postgres',
        whyNot: whyNoPostgres(),
        async create() {
          const { session, address } = await schemas.next()
          return emptyStore(address, (steps) => runInPostgres(session, steps))
        },
      },
    ],
    async remove() {
      for (const remove of removals.splice(0)) remove()
      await schemas.remove()
    },
  }
}

function emptyStore(location: string, runSteps: EmptyStore['run']): EmptyStore {
  return {
    location,
    run: runSteps,
    change: (query) => runSteps(run(query)),
    rows: async (query) => (await runSteps(rows(query))).map((row) => Object.values(row)),
  }
}
