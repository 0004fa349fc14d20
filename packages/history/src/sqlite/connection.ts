import type { Database, Statement } from '@svc/sqlite'
import type { SQL } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import * as tables from '../schema/sqlite.ts'
import type { Connection } from '../sql/connection.ts'
import { asHistoryError, historyErrorOf } from './sqlite-error.ts'

const dialect = new SQLiteSyncDialect()
/** A write transaction takes the write lock at once. */
const BEGIN = { write: 'BEGIN IMMEDIATE', read: 'BEGIN' } as const
const STATEMENTS_MAX = 64

/** Returns cached statements, because preparing takes several times as long as running most of them. */
export function preparedIn(prepare: (sql: string) => Statement): (sql: string) => Statement {
  const statements = new Map<string, Statement>()
  return (sql) => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    if (statements.size === STATEMENTS_MAX) statements.clear()
    const statement = prepare(sql)
    statements.set(sql, statement)
    return statement
  }
}

/** Connection to an open file. Its promises settle before any timer or I/O callback runs, so that a transaction never waits for outside events. */
export function connectionTo(db: Database): Connection {
  const prepared = preparedIn((sql) => db.prepare(sql))
  const asked = <Answer>(query: SQL, ask: (statement: Statement, params: unknown[]) => Answer) => {
    const { sql, params } = dialect.sqlToQuery(query)
    return asHistoryError(() => ask(prepared(sql), params))
  }
  return {
    tables,
    rows: async (query) => asked(query, (statement, params) => statement.all(...params)) as never,
    run: async (query) => asked(query, (statement, params) => statement.run(...params).changes),
    async transaction(kind, work) {
      try {
        db.exec(BEGIN[kind])
        const result = await work()
        db.exec('COMMIT')
        return result
      } catch (error) {
        // SQLite may already have rolled back.
        if (db.inTransaction) db.exec('ROLLBACK')
        throw historyErrorOf(error)
      }
    },
  }
}
