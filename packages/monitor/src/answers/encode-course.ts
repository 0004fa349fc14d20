import type { EpochMs } from '@svc/core'
import type { CourseQuery, WindowCourse } from '@svc/core/account'
import type { HealthHistory } from '@svc/core/health'
import { type Catalogue, healthHistoryView, type NoCourseReason, quotaCourseView } from '@svc/views'
import { encodeJson } from './encode-json.ts'
import type { ReadyAnswer } from './ready-answer.ts'

/** Encodes a history of health in one synchronous step; `history`: the states, or the reason for their absence. */
export function encodeHealthHistory(
  history: HealthHistory | NoCourseReason,
  now: EpochMs,
): ReadyAnswer {
  return encodeJson(healthHistoryView(history, now))
}

/** Words and encodes a course in one synchronous step; `course`: the windows, or the reason for their absence. */
export function encodeCourse(
  course: readonly WindowCourse[] | NoCourseReason,
  query: CourseQuery,
  asked: { readonly now: EpochMs; readonly words: Catalogue },
): ReadyAnswer {
  return encodeJson(quotaCourseView(course, query, asked))
}
