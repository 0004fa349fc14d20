import type { LeaseName } from '@svc/core/service'

/** A statement as PostgreSQL and SQLite both understand it, with the values of `$1`, `$2` …; SQLite runs it without the name of the schema. */
export interface SqlStatement {
  readonly returns: 'rows' | 'changes'
  readonly sql: string
  readonly values: readonly unknown[]
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

/** Rows of one statement. */
export function* rows<Row extends object>(
  sql: string,
  values: readonly unknown[] = [],
): Steps<readonly Row[]> {
  return (yield { returns: 'rows', sql, values }) as readonly Row[]
}

/** The only column of the only row; null without a row. */
export function* value(sql: string, values: readonly unknown[] = []): Steps<number | null> {
  const [row] = yield* rows<{ value: number | null }>(sql, values)
  return row?.value ?? null
}

/** Runs a statement and returns the number of changed rows. */
export function* run(sql: string, values: readonly unknown[] = []): Steps<number> {
  return (yield { returns: 'changes', sql, values }) as number
}

/** Below the most parameters of a statement in both engines; SQLite looks for each by its name. */
const ROWS_PER_STATEMENT = 100

/** Inserts rows and returns the number of changed ones. `onConflict` knows the table as `t`. */
export function* insert(
  table: string,
  columns: readonly string[],
  inserted: readonly (readonly unknown[])[],
  onConflict = 'DO NOTHING',
): Steps<number> {
  let changed = 0
  for (let start = 0; start < inserted.length; start += ROWS_PER_STATEMENT) {
    const part = inserted.slice(start, start + ROWS_PER_STATEMENT)
    const lists = part.map(
      (_, row) =>
        `(${columns.map((_name, column) => `$${row * columns.length + column + 1}`).join(', ')})`,
    )
    changed += yield* run(
      `INSERT INTO svc_quota_monitor.${table} AS t (${columns.join(', ')}) VALUES ${lists.join(', ')} ON CONFLICT ${onConflict}`,
      part.flat(),
    )
  }
  return changed
}

/** Part of a WHERE clause. */
export interface Condition {
  readonly sql: string
  readonly values: readonly unknown[]
}

/** Condition that is true while a lease is held, with its values; the first is `$from`. */
export type Held = (lease: LeaseName, from: number) => Condition

/** The condition of a store that no other monitor uses. */
export const always: Held = () => ({ sql: 'true', values: [] })

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
