import { openUsage, type StoredUsage } from '@svc/history'
import { catalogueOf } from '@svc/views'
import { encodeChart } from '../answers/encode-chart.ts'
import { encodeCourse } from '../answers/encode-course.ts'
import { inTurn } from '../threads/in-turn.ts'
import type { ReaderApi, ReaderSetup } from './store-threads.ts'

/** The methods of the reading thread. */
export function createReaderThread({ place, retentionDays, language }: ReaderSetup): ReaderApi {
  const words = catalogueOf(language)
  let opened: StoredUsage | null = null
  let labels: ReadonlyMap<string, string> = new Map()

  /** The store may not exist yet, or be replaced, so it is opened when it is first asked and after every failure. */
  const usage = async (): Promise<StoredUsage> => {
    if (opened === null) {
      opened = await openUsage({ ...place, retentionDays })
      opened.useLabels(labels)
    }
    return opened
  }
  const close = async () => {
    const closing = opened
    opened = null
    await closing?.close()
  }
  const closedOnFailure = async <Answer>(
    ask: (asked: StoredUsage) => Promise<Answer>,
  ): Promise<Answer> => {
    try {
      return await ask(await usage())
    } catch (error) {
      await close()
      throw error
    }
  }

  return inTurn<ReaderApi>({
    // Worded, encoded and compressed here, so that the main thread has nothing to do but to hand it out.
    async chart(request, now) {
      const series = await closedOnFailure((asked) => asked.series(request.query, now))
      return encodeChart(series, request, { now, words })
    },
    async course(query, moment) {
      const course = await closedOnFailure((asked) => asked.course(query, moment))
      return course === null ? null : encodeCourse(course, query, { now: moment.now, words })
    },
    summary: (now) => closedOnFailure((asked) => asked.summary(now)),
    useLabels(next) {
      labels = next
      opened?.useLabels(next)
    },
    close,
  })
}
