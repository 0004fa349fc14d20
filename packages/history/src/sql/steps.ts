import type { LeaseName } from '@svc/core/service'
import { type SQL, sql } from 'drizzle-orm'

/** A statement as PostgreSQL and SQLite both understand it; SQLite runs it without the name of the schema. */
export interface SqlStatement {
  readonly returns: 'rows' | 'changes'
  readonly query: SQL
}

/**
 * Statements and what follows from their answers, written once for both engines. SQLite runs all of them at once, so that nothing else happens on the
 * connection in between; PostgreSQL waits for each answer.
 */
export type Steps<Result> = Generator<SqlStatement, Result, readonly object[] | number>

/** The methods of an asynchronous port, as steps. */
export type StepsOf<Api> = {
  readonly [Method in keyof Api]: Api[Method] extends (...args: infer Args) => Promise<infer Answer>
    ? (...args: Args) => Steps<Answer>
    : never
}

export function* rows<Row extends object>(query: SQL): Steps<readonly Row[]> {
  return (yield { returns: 'rows', query }) as readonly Row[]
}

/** The only column of the only row; null without a row. */
export function* value(query: SQL): Steps<number | null> {
  const [row] = yield* rows<{ value: number | null }>(query)
  return row?.value ?? null
}

/** Runs a statement and returns the number of changed rows. */
export function* run(query: SQL): Steps<number> {
  return (yield { returns: 'changes', query }) as number
}

/** Below the most parameters of a statement in both engines. */
const ROWS_PER_STATEMENT = 100

/** Inserts rows and returns the number of changed ones. `onConflict` knows the table as `t`. */
export function* insert(
  table: string,
  columns: readonly string[],
  inserted: readonly (readonly unknown[])[],
  onConflict = sql`DO NOTHING`,
): Steps<number> {
  const into = sql.raw(`svc_quota_monitor.${table} AS t (${columns.join(', ')})`)
  let changed = 0
  for (let start = 0; start < inserted.length; start += ROWS_PER_STATEMENT) {
    const part = inserted.slice(start, start + ROWS_PER_STATEMENT).map((row) => sql`${row}`)
    changed += yield* run(
      sql`INSERT INTO ${into} VALUES ${sql.join(part, sql`, `)} ON CONFLICT ${onConflict}`,
    )
  }
  return changed
}

export type Held = (lease: LeaseName) => SQL

/** The condition of a store that no other monitor uses. */
export const always: Held = () => sql`true`

/** The asynchronous port whose methods are steps that `run` runs. */
export function mapSteps<Api extends object>(
  methods: StepsOf<Api>,
  run: (steps: Steps<unknown>) => unknown,
): Api {
  return Object.fromEntries(
    Object.entries<(...args: readonly unknown[]) => Steps<unknown>>(methods).map(
      ([name, method]) => [name, (...args: readonly unknown[]) => run(method(...args))],
    ),
  ) as Api
}
