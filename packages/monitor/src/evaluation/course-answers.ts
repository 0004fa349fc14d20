import { type EpochMs, epochMs, MINUTE_MS, type ProviderId } from '@svc/core'
import { type CourseQuery, unrecordedCourses } from '@svc/core/account'
import type { Clock } from '@svc/core/service'
import type { Catalogue, NoCourseReason } from '@svc/views'
import {
  type CourseSource,
  encodeCourse,
  encodeHealthHistory,
  type HealthHistorySource,
} from '../answers/encode-course.ts'
import type { ReadyAnswer } from '../answers/ready-answer.ts'
import { createKeptAnswers } from './kept-answers.ts'

/** Answers with the course of an account's quota. */
export interface CourseAnswers {
  /** The course as bytes; null for an account that is neither listed nor recorded. Rejects with ReaderBusy. */
  answer(query: CourseQuery): Promise<ReadyAnswer | null>
  /** The history of the pool's health as bytes. Rejects with ReaderBusy. */
  health(): Promise<ReadyAnswer>
}

export interface CourseAnswersDeps {
  /** Null without a store. */
  readonly source: CourseSource | null
  readonly healthSource: HealthHistorySource | null
  /** The provider whose pool is meant where none is named. */
  readonly provider: () => ProviderId
  /** The instant that all other answers refer to. */
  readonly asOf: () => EpochMs
  /** Whether the current pool has an account with this key. */
  readonly isListed: (accountKey: string) => boolean
  readonly clock: Clock
  readonly words: Catalogue
}

/** Answers the quota course of one account as of the instant that all other answers refer to, the history of health as of its minute. */
export function createCourseAnswers({
  source,
  healthSource,
  provider,
  asOf,
  isListed,
  clock,
  words,
}: CourseAnswersDeps): CourseAnswers {
  const kept = createKeptAnswers<ReadyAnswer | null>(clock)
  const keptHealth = createKeptAnswers<ReadyAnswer>(clock, MINUTE_MS)

  return {
    answer(query) {
      const now = asOf()
      const without = (reason: NoCourseReason) =>
        isListed(query.accountKey) ? encodeCourse(reason, query, { now, words }) : null
      return kept.answer(JSON.stringify([query.accountKey, query.range, now]), {
        async read() {
          if (source === null) return without('no_store')
          const recorded = await source(query, now)
          if (recorded !== null || !isListed(query.accountKey)) return recorded
          return encodeCourse(unrecordedCourses(query, now), query, { now, words })
        },
        unreadable: () => without('store_unavailable'),
      })
    },
    health() {
      // All who look within a minute share one reading of thirty days.
      const now = epochMs(Math.floor(asOf() / MINUTE_MS) * MINUTE_MS)
      const of = provider()
      return keptHealth.answer(`${of} ${now}`, {
        read: async () =>
          healthSource === null
            ? encodeHealthHistory('no_store', now)
            : await healthSource(now, of),
        unreadable: () => encodeHealthHistory('store_unavailable', now),
      })
    },
  }
}
