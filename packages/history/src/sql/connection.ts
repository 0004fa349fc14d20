import type { LeaseName } from '@svc/core/service'
import { type Column, getTableColumns, type SQL, sql, type Table } from 'drizzle-orm'
import type * as postgres from '../schema/postgres.ts'
import type * as sqlite from '../schema/sqlite.ts'

/** Runs work one after the other, in order of arrival: at once on one connection, each would become part of another's transaction. */
type SerialQueue = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Begins each work once the one before it has ended, however it ended. */
export function serialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
}

/** The same methods, each run in the queue. */
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

/** The tables of an engine. Those of both engines have the same names. */
export type Tables = typeof postgres | typeof sqlite

/** One connection to a store of any engine, for one piece of work at a time: a statement of another would become part of its transaction. */
export interface Connection {
  readonly tables: Tables
  /** Rows of a statement. Rejects with HistoryError, as every method. */
  rows<Row extends object>(query: SQL): Promise<readonly Row[]>
  /** Runs a statement and returns the number of changed rows. */
  run(query: SQL): Promise<number>
  /** Runs `work` in one transaction: all is stored, or nothing. Must not be nested. */
  transaction<Result>(kind: 'read' | 'write', work: () => Promise<Result>): Promise<Result>
}

/** Fields of a table's rows, under the names that the table declares. */
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

/** Below the most parameters of a statement in both engines. */
const ROWS_PER_STATEMENT = 500

/** Inserts rows of the same fields and returns the number of changed ones. `onConflict` knows the table as `t`. */
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

/** Names of columns without that of their table, as a list. */
export function namesOf(...columns: readonly Column[]): SQL {
  return sql.raw(columns.map(({ name }) => `"${name}"`).join(', '))
}

/** Assignments that let these columns of a conflicting row have the new values. */
export function renewed(...columns: readonly Column[]): SQL {
  return sql.raw(columns.map(({ name }) => `"${name}" = excluded."${name}"`).join(', '))
}

/** The condition that a lease is held. */
export type Held = (lease: LeaseName) => SQL

/** The condition of a store that no other monitor uses. */
export const always: Held = () => sql`true`
