import type { EpochMs, ProviderId } from '@svc/core'
import type { CourseQuery } from '@svc/core/account'
import type { PoolCycles } from '@svc/core/pool'
import type { UsageSummary } from '@svc/core/usage'
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
