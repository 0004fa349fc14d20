import { type CourseQuery, courseRangeIds } from '@svc/core/account'
import { COURSE_RANGE_DEFAULT } from '@svc/views'

/** Query for the course of this account; null for an unknown range. */
export function courseQueryOf(accountKey: string, parameters: URLSearchParams): CourseQuery | null {
  const given = parameters.get('range') ?? COURSE_RANGE_DEFAULT
  const range = courseRangeIds.find((id) => id === given)
  return range === undefined ? null : { accountKey, range }
}
