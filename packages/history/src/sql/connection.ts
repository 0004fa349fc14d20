import type { LeaseName } from '@svc/core/service'
import { type Column, getTableColumns, type SQL, sql, type Table } from 'drizzle-orm'
import type * as postgres from '../schema/postgres.ts'
import type * as sqlite from '../schema/sqlite.ts'

/** Runs pieces of work one after the other, in order of arrival. On one connection, concurrent work would become part of another's transaction. */
type SerialQueue = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Creates a queue that begins each piece of work once the previous one has succeeded or failed. */
export function serialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
}

/** Wraps the methods so that each call waits its turn in the queue, or runs in a transaction. */
export function queued<Api extends object>(queue: SerialQueue, methods: Api): Api {
  return Object.fromEntries(
    Object.entries<(...args: readonly unknown[]) => Promise<unknown>>(
      methods as Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>,
    ).map(([name, method]) => [
      name,
      (...args: readonly unknown[]) => queue(async () => method(...args)),
    ]),
  ) as Api
}

/** Tables of either engine; both engines use the same names. */
export type Tables = typeof postgres | typeof sqlite

/** Connection to a store of any engine, for one piece of work at a time, because a concurrent statement would become part of its transaction. */
export interface Connection {
  readonly tables: Tables
  /** Rows of a statement. Rejects with HistoryError, as does every method. */
  rows<Row extends object>(query: SQL): Promise<readonly Row[]>
  /** Runs a statement and returns the number of changed rows. */
  run(query: SQL): Promise<number>
  /** Runs `work` in one transaction: all is stored, or nothing. Must not be nested. */
  transaction<Result>(kind: 'read' | 'write', work: () => Promise<Result>): Promise<Result>
}

/** Selects fields of a table's rows, under the names that the table declares. */
export function select<From extends Table, Field extends keyof From['$inferSelect'] & string>(
  db: Pick<Connection, 'rows'>,
  from: From,
  fields: readonly Field[],
  rest = sql``,
): Promise<readonly Pick<From['$inferSelect'], Field>[]> {
  const columns = getTableColumns(from)
  // One piece of text: rendering each column by itself takes longer than many of these statements.
  const selected = fields.map((field) => `"${columns[field]?.name}" AS "${field}"`)
  return db.rows(sql`SELECT ${sql.raw(selected.join(', '))} FROM ${from} ${rest}`)
}

/** The column `value` of the only row; null without a row. */
export async function onlyValue(db: Pick<Connection, 'rows'>, query: SQL): Promise<number | null> {
  const [row] = await db.rows<{ value: number | null }>(query)
  return row?.value ?? null
}

/** Rows per statement, few enough for the maximum of parameters in both engines. */
const ROWS_PER_STATEMENT = 500

/** Inserts rows with the same fields and returns the number of changed rows. `onConflict` may refer to the table as `t`. */
export async function insert<Into extends Table>(
  db: Pick<Connection, 'run'>,
  into: Into,
  inserted: readonly Into['$inferInsert'][],
  onConflict = sql`DO NOTHING`,
): Promise<number> {
  const fields = Object.keys(inserted[0] ?? {})
  const columns = namesOf(...fields.map((field) => getTableColumns(into)[field] as Column))
  let changed = 0
  for (let start = 0; start < inserted.length; start += ROWS_PER_STATEMENT) {
    const part = inserted
      .slice(start, start + ROWS_PER_STATEMENT)
      .map((row) => sql`${fields.map((field) => row[field as keyof typeof row])}`)
    changed += await db.run(
      sql`INSERT INTO ${into} AS t (${columns}) VALUES ${sql.join(part, sql`, `)} ON CONFLICT ${onConflict}`,
    )
  }
  return changed
}

/** Column names without their table's name, as an SQL list. */
export function namesOf(...columns: readonly Column[]): SQL {
  return sql.raw(columns.map(({ name }) => `"${name}"`).join(', '))
}

/** A selected column under the name of a field. */
export function named(column: Column, field: string): SQL {
  return sql`${column} AS ${sql.identifier(field)}`
}

/** Assignments that overwrite these columns of a conflicting row with the new values. */
export function renewed(...columns: readonly Column[]): SQL {
  return sql.raw(columns.map(({ name }) => `"${name}" = excluded."${name}"`).join(', '))
}

/** Creates the SQL condition that a lease is held. */
export type Held = (lease: LeaseName) => SQL

/** Condition for a store that no other monitor uses. */
export const always: Held = () => sql`true`
