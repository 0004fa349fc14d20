import type { EpochMs, ProviderId } from '@svc/core'
import type { CourseQuery } from '@svc/core/account'
import type { PoolCycles } from '@svc/core/pool'
import type { UsageSummary } from '@svc/core/usage'
import type { NoCourseReason } from '@svc/views'
import type { UsageByAccount } from './account-usage.ts'
import type { SeriesRequest } from './encode-chart.ts'
import type { RowsLeft, RowsPart, RowsRequest } from './encode-rows.ts'
import type { ReadyAnswer } from './ready-answer.ts'

/**
 * Questions to a history, of the store or of the sample. Answers that readers get as they are come encoded from the thread that has the readings. Each
 * rejects with ReaderBusy, or with any other error if the history cannot be read.
 */
export interface HistoryQuestions {
  chart(request: SeriesRequest, now: EpochMs): Promise<ReadyAnswer>
  /** Null if the history has no reading of the account. */
  course(query: CourseQuery, now: EpochMs): Promise<ReadyAnswer | null>
  health(now: EpochMs, provider: ProviderId): Promise<ReadyAnswer>
  /** Past windows of these accounts; `weights`: Plus units of a full window, by account key. */
  cycles(weights: ReadonlyMap<string, number>, now: EpochMs): Promise<PoolCycles>
  accountUsage(now: EpochMs): Promise<UsageByAccount>
  rows(request: RowsRequest, left: RowsLeft): Promise<RowsPart>
  summary(now: EpochMs): Promise<UsageSummary>
}

/** Names of the questions, for a channel. */
export const historyQuestions: Readonly<Record<keyof HistoryQuestions, true>> = {
  chart: true,
  course: true,
  health: true,
  cycles: true,
  accountUsage: true,
  rows: true,
  summary: true,
}

/**
 * Answers that are read from the history, the same for all who ask within seconds. Each rejects with ReaderBusy; without a history, or if it cannot be
 * read, the answer says so.
 */
export interface HistoryAnswers {
  chart(request: SeriesRequest): Promise<ReadyAnswer>
  /** Course of an account's quota; null for an account that is neither listed nor recorded. */
  course(query: CourseQuery): Promise<ReadyAnswer | null>
  /** Everything known of one account; null for an account that is neither listed nor recorded. */
  account(query: CourseQuery): Promise<ReadyAnswer | null>
  healthHistory(): Promise<ReadyAnswer>
  /** Past windows of all accounts. */
  cycles(): Promise<ReadyAnswer>
  /** The next part of a download, the first one if `left` is null; or why requests cannot be read. */
  rows(request: RowsRequest, left: RowsLeft | null): Promise<RowsPart | NoCourseReason>
}

/** Names of the answers, for a channel. */
export const historyAnswers: Readonly<Record<keyof HistoryAnswers, true>> = {
  chart: true,
  course: true,
  account: true,
  healthHistory: true,
  cycles: true,
  rows: true,
}
