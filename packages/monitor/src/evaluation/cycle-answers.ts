import { epochMs, MINUTE_MS, type Snapshot } from '@svc/core'
import type { Clock } from '@svc/core/service'
import type { Catalogue } from '@svc/views'
import { type CyclesSource, encodeCycles } from '../answers/encode-course.ts'
import type { ReadyAnswer } from '../answers/ready-answer.ts'
import { createKeptAnswers } from './kept-answers.ts'

/** Answers with how full past windows were. */
export interface CycleAnswers {
  /** The past windows of all accounts as bytes. Rejects with ReaderBusy. */
  answer(): Promise<ReadyAnswer>
}

export interface CycleAnswersDeps {
  /** Null without a store. */
  readonly source: CyclesSource | null
  /** The latest snapshot; null before the first. */
  readonly latest: () => Pick<Snapshot, 'accounts' | 'evaluatedAt'> | null
  readonly clock: Clock
  readonly words: Catalogue
}

/** An answer is kept for so long: reading a large pool takes seconds, and in a month of windows a few minutes change little. */
const KEPT_MS = 5 * MINUTE_MS

/** Answers how full the windows of the accounts were that count in the capacity of the pool, as of the last whole five minutes. */
export function createCycleAnswers({
  source,
  latest,
  clock,
  words,
}: CycleAnswersDeps): CycleAnswers {
  const kept = createKeptAnswers<ReadyAnswer>(clock, KEPT_MS)

  return {
    answer() {
      const snapshot = latest()
      const at = snapshot?.evaluatedAt ?? clock.now()
      const now = epochMs(Math.floor(at / KEPT_MS) * KEPT_MS)
      const weights = weightsOf(snapshot?.accounts ?? [])
      return kept.answer(JSON.stringify([now, [...weights.values()]]), {
        read: async () =>
          encodeCycles(source === null ? 'no_store' : await source(weights, now), { now, words }),
        unreadable: () => encodeCycles('store_unavailable', { now, words }),
      })
    },
  }
}

/** Plus units of a full window of each account that counts, by its key. */
function weightsOf(accounts: Snapshot['accounts']): ReadonlyMap<string, number> {
  return new Map(
    accounts
      .filter(({ countedInCapacity, capacityWeight }) => countedInCapacity && capacityWeight > 0)
      .map(({ selector, capacityWeight }) => [selector.accountKey, capacityWeight]),
  )
}
