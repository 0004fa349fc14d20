import type { Database, Statement } from '@svc/sqlite'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { mapSteps, type SqlStatement, type Steps, type StepsOf } from '../sql/steps.ts'
import type { AtOnce } from './promised.ts'

/** Runs steps at once. Throws SQLite's errors. */
export function runSteps<Result>(db: Database, steps: Steps<Result>): Result {
  let step = steps.next()
  while (step.done !== true) step = steps.next(answerOf(db, step.value))
  return step.value
}

/** Methods that run their steps at once. They throw SQLite's errors. */
export function runningSteps<Api extends object>(db: Database, methods: StepsOf<Api>): AtOnce<Api> {
  return mapSteps(methods, (steps) => runSteps(db, steps)) as unknown as AtOnce<Api>
}

const dialect = new SQLiteSyncDialect()

function answerOf(db: Database, { returns, query }: SqlStatement) {
  const { sql, params } = dialect.sqlToQuery(query)
  const statement = prepared(db, sql)
  return returns === 'rows'
    ? (statement.all(...params) as readonly object[])
    : statement.run(...params).changes
}

const STATEMENTS_MAX = 64
const statementsOf = new WeakMap<Database, Map<string, Statement>>()

/** Preparing takes several times as long as most of these statements. */
function prepared(db: Database, sql: string): Statement {
  const statements = statementsOf.get(db) ?? new Map<string, Statement>()
  statementsOf.set(db, statements)
  const known = statements.get(sql)
  if (known !== undefined) return known
  if (statements.size === STATEMENTS_MAX) statements.clear()
  const statement = db.prepare(inSqlite(sql))
  statements.set(sql, statement)
  return statement
}

/** There is no schema, and one table for the sums of all tiers. */
function inSqlite(sql: string): string {
  return sql
    .replaceAll(
      /svc_quota_monitor\.rollup_(\d+)/g,
      '(SELECT * FROM rollups WHERE tier_seconds = $1)',
    )
    .replaceAll('svc_quota_monitor.', '')
}
