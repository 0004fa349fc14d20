import type { EpochMs } from '@svc/core'
import type { CourseQuery, WindowCourse } from '@svc/core/account'
import { type Catalogue, type NoCourseReason, quotaCourseView } from '@svc/views'
import { encodeJson } from './encode-json.ts'
import type { ReadyAnswer } from './ready-answer.ts'

/**
 * Reads and encodes a course where the readings are; null where none of the account is stored. Rejects with ReaderBusy, or with anything else when they
 * cannot be read.
 */
export type CourseSource = (query: CourseQuery, now: EpochMs) => Promise<ReadyAnswer | null>

/** Words and encodes a course in one go; `course`: the windows, or why there are none. */
export function encodeCourse(
  course: readonly WindowCourse[] | NoCourseReason,
  query: CourseQuery,
  asked: { readonly now: EpochMs; readonly words: Catalogue },
): ReadyAnswer {
  return encodeJson(quotaCourseView(course, query, asked))
}
