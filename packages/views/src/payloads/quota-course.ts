import { type EpochMs, instantToIso } from '@svc/core'
import {
  COURSE_POINTS_MAX,
  COURSE_RESETS_MAX,
  type CoursePoint,
  type CourseQuery,
  type CourseRangeId,
  type Cycle,
  courseRangeIds,
  courseRanges,
  courseSpanOf,
  cycleStates,
  type WindowCourse,
} from '@svc/core/account'
import * as v from 'valibot'
import type { Catalogue } from '../messages/en/catalogue.ts'
import {
  countSchema,
  described,
  instantSchema,
  isoOrNull,
  originSchema,
  percentSchema,
  secondsSchema,
} from './wire-schema.ts'

export const COURSE_RANGE_DEFAULT: CourseRangeId = '24h'

/** Reasons for a missing course: there is no store, or it cannot be read now. */
const noCourseReasons = ['no_store', 'store_unavailable'] as const
/** Reason for a missing course. */
export type NoCourseReason = (typeof noCourseReasons)[number]

export const noCourseReasonSchema = described(
  v.nullable(v.picklist(noCourseReasons)),
  'Reason why no data is available; null if data is available.',
)

const rangeIdSchema = v.picklist(courseRangeIds as readonly ['24h', '7d', '30d'])

export const coursePointSchema = described(
  v.object({
    t: described(instantSchema, 'Time the reading was recorded.'),
    percent: described(percentSchema, 'Percent remaining.'),
    usedPercent: described(percentSchema, '100 − `percent`.'),
    resetAt: described(v.nullable(instantSchema), 'Expected reset of the window; null if unknown.'),
    origin: described(
      v.nullable(originSchema),
      'Kind of answer that the reading came from; null if not recorded.',
    ),
    ageSeconds: described(
      v.nullable(secondsSchema),
      'Age of the reading at `t`, in seconds; null if not recorded.',
    ),
    rolledOver: described(
      v.boolean(),
      'True if a reset had passed since the reading: the window counts as full, unconfirmed by a new reading.',
    ),
  }),
  'One recorded reading, in effect until the next point or gap.',
)

export const cycleSchema = described(
  v.object({
    start: described(instantSchema, 'Start of the cycle; may precede the range.'),
    end: described(instantSchema, 'Time of the reset or refill.'),
    state: described(
      v.picklist(cycleStates),
      'State of the cycle; `refilled` if the window was full again before the announced reset.',
    ),
    usedPercent: described(
      percentSchema,
      'Highest percent used in any reading, never 0, and 100 if the window ran dry. Actual use may be higher unless `expiredPercent` is known.',
    ),
    expiredPercent: described(
      v.nullable(percentSchema),
      'Percent that was left and expired at the end; null if `state` is not `ended` or no reading was close enough to the end.',
    ),
  }),
  'One cycle of a window, from its start to its reset.',
)

export const windowCourseSchema = described(
  v.object({
    id: v.string(),
    label: v.string(),
    readingCount: described(
      countSchema,
      'Number of readings from which the points were selected, never less than the number of points.',
    ),
    points: described(
      v.array(coursePointSchema),
      `Selected readings, oldest first, at most ${COURSE_POINTS_MAX}. The first may precede the range: it was in effect when the range began.`,
    ),
    resets: described(
      v.array(
        v.object({
          at: instantSchema,
          percentBefore: percentSchema,
          percentAfter: percentSchema,
          expected: described(v.boolean(), 'False if no earlier reading announced the reset.'),
        }),
      ),
      `Resets of the window, oldest first, at most ${COURSE_RESETS_MAX}.`,
    ),
    gaps: described(
      v.array(v.object({ from: instantSchema, to: instantSchema })),
      'Intervals without readings, oldest first. No point lies in a gap.',
    ),
    cycles: described(
      v.array(cycleSchema),
      'Cycles that ended within the range or still run, oldest first. A window without any use has not started and has no cycle.',
    ),
  }),
  'Recorded history of one window.',
)

/** Answer of `/api/v1/accounts/{accountKey}/quota`. */
export const quotaCourseSchema = described(
  v.object({
    accountKey: v.string(),
    available: v.boolean(),
    reason: noCourseReasonSchema,
    range: v.object({
      id: rangeIdSchema,
      label: v.string(),
      seconds: secondsSchema,
      start: instantSchema,
      end: described(instantSchema, 'End of the range: evaluation time of the current snapshot.'),
    }),
    windows: described(v.array(windowCourseSchema), 'Recorded windows; empty unless available.'),
  }),
  'Quota history of one account, from stored readings.',
)

/** Answer of `/api/v1/accounts/{accountKey}/quota`. */
export type QuotaCourse = v.InferOutput<typeof quotaCourseSchema>

/** The answer of `/api/v1/accounts/{accountKey}/quota`. `course`: the windows, or the reason they are missing. */
export function quotaCourseView(
  course: readonly WindowCourse[] | NoCourseReason,
  { accountKey, range }: CourseQuery,
  { now, words }: { readonly now: EpochMs; readonly words: Catalogue },
): QuotaCourse {
  const { from, to } = courseSpanOf(range, now)
  const available = typeof course !== 'string'
  return {
    accountKey,
    available,
    reason: available ? null : course,
    range: {
      id: range,
      label: words.usage.ranges[range],
      seconds: courseRanges[range],
      start: instantToIso(from),
      end: instantToIso(to),
    },
    windows: available ? course.map((each) => windowView(each, words)) : [],
  }
}

function windowView(
  course: WindowCourse,
  { windowLabel }: Catalogue,
): QuotaCourse['windows'][number] {
  return {
    id: course.windowId,
    label: windowLabel(course.windowId),
    readingCount: course.readingCount,
    points: course.points.map(pointView),
    resets: course.resets.map(({ at, before, after, expected }) => ({
      at: instantToIso(at),
      percentBefore: before,
      percentAfter: after,
      expected,
    })),
    gaps: course.gaps.map(({ from, to }) => ({ from: instantToIso(from), to: instantToIso(to) })),
    cycles: course.cycles.map(cycleView),
  }
}

function cycleView({ from, to, state, usedPercent, expiredPercent }: Cycle) {
  return {
    start: instantToIso(from),
    end: instantToIso(to),
    state,
    usedPercent: oneDecimal(usedPercent),
    expiredPercent: expiredPercent === null ? null : oneDecimal(expiredPercent),
  }
}

function pointView({ at, percent, resetAt, origin, sampledAt, rolledOver }: CoursePoint) {
  return {
    t: instantToIso(at),
    percent,
    usedPercent: oneDecimal(100 - percent),
    resetAt: isoOrNull(resetAt),
    origin,
    ageSeconds: sampledAt === null ? null : Math.max(0, Math.round((at - sampledAt) / 1000)),
    rolledOver,
  }
}

/** Rounds a percent to one decimal. */
function oneDecimal(percent: number): number {
  return Math.round(percent * 10) / 10
}
