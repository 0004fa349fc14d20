import { signal } from '@preact/signals'
import type { QuotaCourse } from '@svc/views'
import { askRegularly } from './ask-regularly.ts'

export type CourseRange = QuotaCourse['range']['id']

/** How far back the drawer looks. */
export const courseRange = signal<CourseRange>('24h')
/** The course as it was last answered; null before the first answer. It may be of the account that was looked at before. */
export const course = signal<QuotaCourse | null>(null)
/** Whether the last question was not answered. */
export const courseFailed = signal(false)

const REFRESH_MS = 60_000

/** Asks for the course of this account now, and again and again while somebody looks; the returned function ends it. */
export function followCourse(accountKey: string, range: CourseRange): () => void {
  const path = `/api/v1/accounts/${encodeURIComponent(accountKey)}/quota?range=${range}`
  return askRegularly((stop) => void loadCourse(path, stop), REFRESH_MS)
}

async function loadCourse(path: string, signalToStop: AbortSignal): Promise<void> {
  try {
    const answer = await fetch(path, { cache: 'no-store', signal: signalToStop })
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    course.value = (await answer.json()) as QuotaCourse
    courseFailed.value = false
  } catch {
    if (!signalToStop.aborted) courseFailed.value = true
  }
}
