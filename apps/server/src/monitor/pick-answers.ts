import { type EvaluatedAccount, pickAccount } from '@svc/core'
import { type Callers, noCallers, pickForCaller } from '@svc/core/pool'
import type { Clock } from '@svc/core/service'
import { pickView } from '@svc/views'
import { encodeJson } from '../answers/encode-json.ts'
import { type FilterValues, filterIn } from './account-filter.ts'
import type { PartAnswer, Whole } from './part-answers.ts'

/** Question for one account. It names accounts by `authName`. */
export interface PickQuestion {
  /** Caller that is remembered; left out: nobody is. */
  readonly as?: string
  readonly keep?: string | undefined
  readonly avoid?: readonly string[] | undefined
  /** Account that just refused the remembered caller. */
  readonly failed?: string | undefined
  readonly filter: FilterValues
}

/** Picks from the published snapshot, and the memory of callers, which ends with the thread. */
export interface PickAnswers {
  answer(question: PickQuestion, of: Whole): PartAnswer
}

export interface PickAnswersDeps {
  readonly clock: Clock
  /** Called with an account on which several callers have failed. */
  readonly onQueryDue: (account: EvaluatedAccount) => void
}

export function createPickAnswers({ clock, onQueryDue }: PickAnswersDeps): PickAnswers {
  let callers: Callers = noCallers
  return {
    answer({ as, filter: values, ...question }, { snapshot, context }) {
      const found = filterIn(snapshot, values)
      if ('unknown' in found) return found
      const request = { ...question, ...found.filter }
      const { accounts } = snapshot
      if (as === undefined)
        return {
          answer: encodeJson(pickView(pickAccount(accounts, request), snapshot, context), 'none'),
        }
      const picked = pickForCaller(accounts, { as, ...request }, callers, clock.monotonicMs())
      callers = picked.callers
      if (picked.queryDue !== null) onQueryDue(picked.queryDue)
      return { answer: encodeJson(pickView(picked.pick, snapshot, context), 'none') }
    },
  }
}
