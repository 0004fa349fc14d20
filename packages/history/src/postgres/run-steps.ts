import type { Steps } from '../sql/steps.ts'
import type { Session } from './session.ts'

/** Runs steps one after the other. Rejects with HistoryError. */
export async function runSteps<Result>(
  { rows, run }: Pick<Session, 'rows' | 'run'>,
  steps: Steps<Result>,
): Promise<Result> {
  let step = steps.next()
  while (step.done !== true) {
    const { returns, sql, values } = step.value
    step = steps.next(await (returns === 'rows' ? rows(sql, values) : run(sql, values)))
  }
  return step.value
}
