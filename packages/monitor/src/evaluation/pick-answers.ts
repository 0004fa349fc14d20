import { type EvaluatedAccount, pickAccount } from '@svc/core'
import { type Callers, noCallers, pickForCaller, releaseCaller } from '@svc/core/pool'
import type { Clock } from '@svc/core/service'
import { pickView } from '@svc/views'
import { encodeJson } from '../answers/encode-json.ts'
import type { FilteredPayload, PickQuestion } from '../answers/ready-answer.ts'
import { filterIn, poolOfAsked, poolsOfAsked, type WholePool } from './filtered-payloads.ts'

export interface PickAnswersDeps {
  readonly clock: Clock
  /** Called with an account on which several callers have failed. */
  readonly onQueryDue: (account: EvaluatedAccount) => void
}

/** Picks accounts from the published snapshot and remembers callers until the thread ends. */
export function createPickAnswers({ clock, onQueryDue }: PickAnswersDeps) {
  let callers: Callers = noCallers
  return {
    answer(
      { as, release, filter: values, ...question }: PickQuestion,
      { snapshot, context }: WholePool,
    ): FilteredPayload {
      const encoded = (pick: Parameters<typeof pickView>[0]) => ({
        answer: encodeJson(pickView(pick, snapshot, context), 'none'),
      })
      if (as !== undefined && release === true) {
        callers = releaseCaller(callers, as)
        return encoded({ reason: 'released' })
      }
      const found = filterIn(snapshot, values)
      if ('unknown' in found) return found
      const request = { ...question, ...found.filter }
      // Scores of two providers do not compare: the first provider that has a fitting account is picked from.
      const pools = poolsOfAsked(snapshot, found)
      const { accounts } =
        pools.find((pool) => 'item' in pickAccount(pool.accounts, request)) ??
        poolOfAsked(snapshot, found)
      if (as === undefined) return encoded(pickAccount(accounts, request))
      const picked = pickForCaller(accounts, { as, ...request }, callers, clock.monotonicMs())
      callers = picked.callers
      if (picked.queryDue !== null) onQueryDue(picked.queryDue)
      return encoded(picked.pick)
    },
  }
}
