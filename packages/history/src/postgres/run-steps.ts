import { PgDialect } from 'drizzle-orm/pg-core'
import type { Steps } from '../sql/steps.ts'
import type { Session } from './session.ts'

const dialect = new PgDialect()

/** Runs steps one after the other. Rejects with HistoryError. */
export async function runSteps<Result>(
  { rows, run }: Pick<Session, 'rows' | 'run'>,
  steps: Steps<Result>,
): Promise<Result> {
  let step = steps.next()
  while (step.done !== true) {
    const { sql, params } = dialect.sqlToQuery(step.value.query)
    step = steps.next(await (step.value.returns === 'rows' ? rows(sql, params) : run(sql, params)))
  }
  return step.value
}
