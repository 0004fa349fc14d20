import type { EpochMs, Snapshot } from '@svc/core'
import type { CourseQuery } from '@svc/core/account'
import type { Clock } from '@svc/core/service'
import { emptySum, type UsageRow } from '@svc/core/usage'
import {
  type AccountUsage,
  accountDetailView,
  type NoCourseReason,
  type ViewContext,
} from '@svc/views'
import type { AccountUsageSource, UsageByAccount } from '../answers/account-usage.ts'
import { encodeAround } from '../answers/encode-json.ts'
import type { ReadyAnswer } from '../answers/ready-answer.ts'
import { ReaderBusy } from '../store/store-reader.ts'
import type { CourseAnswers } from './course-answers.ts'
import { createKeptAnswers } from './kept-answers.ts'
import type { UsageWatch } from './usage-watch.ts'

/** Answers about one account. */
export interface AccountAnswers {
  /** Everything known of one account as bytes; null for an account that is neither listed nor recorded. Rejects with ReaderBusy. */
  answer(query: CourseQuery): Promise<ReadyAnswer | null>
}

export interface AccountAnswersDeps {
  /** What the other answers are made from; null before the first. */
  readonly latest: () => { readonly snapshot: Snapshot; readonly context: ViewContext } | null
  readonly courses: Pick<CourseAnswers, 'answer'>
  readonly usage: Pick<UsageWatch, 'asOf'>
  /** Null without a store. */
  readonly accountUsage: AccountUsageSource | null
  readonly clock: Clock
}

/** Answers one account as of the instant that all other answers refer to, its usage as of the instant of all answers about usage. */
export function createAccountAnswers(deps: AccountAnswersDeps): AccountAnswers {
  const { latest, courses, usage, accountUsage } = deps
  const kept = createKeptAnswers<UsageByAccount | null>(deps.clock)

  const usageOf = async (
    accountKey: string,
    now: EpochMs,
  ): Promise<AccountUsage | NoCourseReason> => {
    if (accountUsage === null) return 'no_store'
    const used = await kept.answer(String(now), {
      read: () => accountUsage(now),
      unreadable: () => null,
    })
    if (used === null) return 'store_unavailable'
    const ofAccount = (rows: readonly UsageRow[]) => {
      const { requests, tokens, failed } = rows.find(({ id }) => id === accountKey) ?? emptySum()
      return { requests, tokens, failed }
    }
    const { since, lastDay, lastWeek } = used
    return { since, lastDay: ofAccount(lastDay), lastWeek: ofAccount(lastWeek) }
  }

  return {
    async answer(query) {
      const { accountKey } = query
      const published = latest()
      if (published === null) throw new ReaderBusy('nothing was published yet')
      const { snapshot, context } = published
      const now = (await usage.asOf()) ?? snapshot.evaluatedAt
      const [quota, used] = await Promise.all([courses.answer(query), usageOf(accountKey, now)])
      if (quota === null) return null
      return encodeAround(
        accountDetailView(snapshot, { accountKey, usage: used }, context),
        'quota',
        quota,
      )
    },
  }
}
