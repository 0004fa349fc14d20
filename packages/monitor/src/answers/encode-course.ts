import type { EpochMs, ProviderId } from '@svc/core'
import type { CourseQuery, WindowCourse } from '@svc/core/account'
import type { HealthHistory } from '@svc/core/health'
import type { PoolCycles } from '@svc/core/pool'
import {
  type Catalogue,
  healthHistoryView,
  type NoCourseReason,
  quotaCourseView,
  statsWindowsView,
} from '@svc/views'
import { encodeJson } from './encode-json.ts'
import type { ReadyAnswer } from './ready-answer.ts'

/**
 * Reads and encodes a course in the thread that has the readings; null if nothing of the account is stored. Rejects with ReaderBusy, or
 * with any other error if the readings cannot be read.
 */
export type CourseSource = (query: CourseQuery, now: EpochMs) => Promise<ReadyAnswer | null>

/** Reads and encodes the history of health in the thread that has the records. Rejects as a course does. */
export type HealthHistorySource = (now: EpochMs, provider: ProviderId) => Promise<ReadyAnswer>

/** Encodes a history of health in one synchronous step; `history`: the states, or the reason for their absence. */
export function encodeHealthHistory(
  history: HealthHistory | NoCourseReason,
  now: EpochMs,
): ReadyAnswer {
  return encodeJson(healthHistoryView(history, now))
}

/** Reads how full the windows of these accounts were; `weights`: Plus units of a full window, by account key. Rejects as a course does. */
export type CyclesSource = (
  weights: ReadonlyMap<string, number>,
  now: EpochMs,
) => Promise<PoolCycles>

/** Words and encodes a course in one synchronous step; `course`: the windows, or the reason for their absence. */
export function encodeCourse(
  course: readonly WindowCourse[] | NoCourseReason,
  query: CourseQuery,
  asked: { readonly now: EpochMs; readonly words: Catalogue },
): ReadyAnswer {
  return encodeJson(quotaCourseView(course, query, asked))
}

/** Words and encodes how full windows were; `cycles`: those of the range, or the reason for their absence. */
export function encodeCycles(
  cycles: PoolCycles | NoCourseReason,
  asked: { readonly now: EpochMs; readonly words: Catalogue },
): ReadyAnswer {
  return encodeJson(statsWindowsView(cycles, asked))
}
