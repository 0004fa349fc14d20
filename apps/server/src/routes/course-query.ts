import { type CourseQuery, courseRangeIds } from '@svc/core/service'
import { COURSE_RANGE_DEFAULT } from '@svc/views'

/** What is asked of the course of this account; null where the range is none that there is. */
export function courseQueryOf(accountKey: string, parameters: URLSearchParams): CourseQuery | null {
  const given = parameters.get('range') ?? COURSE_RANGE_DEFAULT
  const range = courseRangeIds.find((id) => id === given)
  return range === undefined ? null : { accountKey, range }
}
