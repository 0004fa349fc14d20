import { signal } from '@preact/signals'
import type { QuotaCourse } from '@svc/views'
import { followAnswer } from './ask-regularly.ts'

export type CourseRange = QuotaCourse['range']['id']

/** Range of the charts in the drawer. */
export const courseRange = signal<CourseRange>('24h')
/** The last course received; null before the first answer. It may still belong to the previously open account. */
export const course = signal<QuotaCourse | null>(null)
/** Whether the last request failed. */
export const courseFailed = signal(false)

const REFRESH_MS = 60_000

/** Requests the course of this account now, and regularly while the page is visible. The returned function ends it. */
export function followCourse(accountKey: string, range: CourseRange): () => void {
  const path = `/api/v1/accounts/${encodeURIComponent(accountKey)}/quota?range=${range}`
  return followAnswer(path, course, courseFailed, REFRESH_MS)
}
