import { openUsage } from '@svc/history'
import { catalogueOf } from '@svc/views'
import { encodeChart } from '../answers/encode-chart.ts'
import { encodeCourse } from '../answers/encode-course.ts'
import type { ReaderApi, ReaderSetup } from './store-threads.ts'

/** The methods of the reading thread. */
export function createReaderThread({ path, retentionDays, language }: ReaderSetup): ReaderApi {
  const words = catalogueOf(language)
  let opened: ReturnType<typeof openUsage> | null = null
  let labels: ReadonlyMap<string, string> = new Map()

  /** The store may not exist yet, or be replaced, so it is opened when it is first asked and after every failure. */
  const usage = (): ReturnType<typeof openUsage> => {
    if (opened === null) {
      opened = openUsage({ path, retentionDays })
      opened.useLabels(labels)
    }
    return opened
  }
  const close = () => {
    opened?.close()
    opened = null
  }
  const closedOnFailure = <Answer>(ask: () => Answer): Answer => {
    try {
      return ask()
    } catch (error) {
      close()
      throw error
    }
  }

  return {
    // Worded, encoded and compressed here, so that the main thread has nothing to do but to hand it out.
    chart: (request, now) =>
      encodeChart(
        closedOnFailure(() => usage().series(request.query, now)),
        request,
        { now, words },
      ),
    course(query, moment) {
      const course = closedOnFailure(() => usage().course(query, moment))
      return course === null ? null : encodeCourse(course, query, { now: moment.now, words })
    },
    summary: (now) => closedOnFailure(() => usage().summary(now)),
    useLabels(next) {
      labels = next
      opened?.useLabels(next)
    },
    close,
  }
}
