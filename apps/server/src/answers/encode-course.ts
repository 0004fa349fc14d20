import type { EpochMs } from '@svc/core'
import type { CourseQuery, WindowCourse } from '@svc/core/account'
import { type Catalogue, type NoCourseReason, quotaCourseView } from '@svc/views'
import { encodeJson } from './encode-json.ts'
import type { ReadyAnswer } from './ready-answer.ts'

/**
 * Reads and encodes a course in the thread that has the readings; null if nothing of the account is stored. Rejects with ReaderBusy, or
 * with any other error if the readings cannot be read.
 */
export type CourseSource = (query: CourseQuery, now: EpochMs) => Promise<ReadyAnswer | null>

/** Words and encodes a course in one synchronous step; `course`: the windows, or the reason for their absence. */
export function encodeCourse(
  course: readonly WindowCourse[] | NoCourseReason,
  query: CourseQuery,
  asked: { readonly now: EpochMs; readonly words: Catalogue },
): ReadyAnswer {
  return encodeJson(quotaCourseView(course, query, asked))
}
