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
  instantSchema,
  originSchema,
  percentSchema,
  secondsSchema,
} from './wire-schema.ts'

/** Default range of a request. */
export const COURSE_RANGE_DEFAULT: CourseRangeId = '24h'

/** Reasons for a missing course: there is no store, or it cannot be read now. */
const noCourseReasons = ['no_store', 'store_unavailable'] as const
/** Reason for a missing course. */
export type NoCourseReason = (typeof noCourseReasons)[number]

export const noCourseReasonSchema = v.pipe(
  v.nullable(v.picklist(noCourseReasons)),
  v.description('Why nothing is known; null where something is.'),
)

const rangeIdSchema = v.picklist(courseRangeIds as readonly ['24h', '7d', '30d'])

export const coursePointSchema = v.pipe(
  v.object({
    t: v.pipe(instantSchema, v.description('When the reading was recorded.')),
    percent: v.pipe(percentSchema, v.description('Percent remaining.')),
    usedPercent: v.pipe(percentSchema, v.description('100 − `percent`.')),
    resetAt: v.pipe(
      v.nullable(instantSchema),
      v.description('When the window would be reset; null where it was not known.'),
    ),
    origin: v.pipe(
      v.nullable(originSchema),
      v.description('What the reading came with; null where that was not recorded.'),
    ),
    ageSeconds: v.pipe(
      v.nullable(secondsSchema),
      v.description('How old the reading was at `t`; null where that was not recorded.'),
    ),
    rolledOver: v.pipe(
      v.boolean(),
      v.description(
        'A reset had passed since the reading: the window counts as full, but nothing had shown it yet.',
      ),
    ),
  }),
  v.description('One recorded reading. It stands until the next point, or until a gap begins.'),
)

export const cycleSchema = v.pipe(
  v.object({
    start: v.pipe(instantSchema, v.description('May lie before the range.')),
    end: v.pipe(instantSchema, v.description('Its reset; of a refilled one, the refill.')),
    state: v.pipe(
      v.picklist(cycleStates),
      v.description('`refilled`: full again before the reset that was announced.'),
    ),
    usedPercent: v.pipe(
      percentSchema,
      v.description(
        'Most that a reading shows, more than 0. 100: it ran dry. More may have been used unseen unless `expiredPercent` is known.',
      ),
    ),
    expiredPercent: v.pipe(
      v.nullable(percentSchema),
      v.description(
        'Left at its end, and lost; null unless it ended, and where no reading was near enough to its end to know.',
      ),
    ),
  }),
  v.description('One run of a window, from its start to its reset.'),
)

export const windowCourseSchema = v.pipe(
  v.object({
    id: v.string(),
    label: v.string(),
    readingCount: v.pipe(
      countSchema,
      v.description('Readings the points were chosen from. Never fewer than there are points.'),
    ),
    points: v.pipe(
      v.array(coursePointSchema),
      v.description(
        `Oldest first, at most ${COURSE_POINTS_MAX}. The first may lie before the range: it stood when the range began.`,
      ),
    ),
    resets: v.pipe(
      v.array(
        v.object({
          at: instantSchema,
          percentBefore: percentSchema,
          percentAfter: percentSchema,
          expected: v.pipe(
            v.boolean(),
            v.description('False where no reading before had announced it.'),
          ),
        }),
      ),
      v.description(`Refills of the window, oldest first, at most ${COURSE_RESETS_MAX}.`),
    ),
    gaps: v.pipe(
      v.array(v.object({ from: instantSchema, to: instantSchema })),
      v.description('Where nothing is known, oldest first. No point stands there.'),
    ),
    cycles: v.pipe(
      v.array(cycleSchema),
      v.description(
        'Windows that ended within the range or still run, oldest first. A window that nothing was used of has not begun and is none.',
      ),
    ),
  }),
  v.description('What was recorded of one window.'),
)

/** Answer of `/api/v1/accounts/{accountKey}/quota`. */
export const quotaCourseSchema = v.pipe(
  v.object({
    accountKey: v.string(),
    available: v.boolean(),
    reason: noCourseReasonSchema,
    range: v.object({
      id: rangeIdSchema,
      label: v.string(),
      seconds: secondsSchema,
      start: instantSchema,
      end: v.pipe(instantSchema, v.description('The moment the other answers speak of.')),
    }),
    windows: v.pipe(
      v.array(windowCourseSchema),
      v.description('Every window that is recorded; empty unless available.'),
    ),
  }),
  v.description('How the quota of one account went, from the readings that the store keeps.'),
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
    resetAt: resetAt === null ? null : instantToIso(resetAt),
    origin,
    ageSeconds: sampledAt === null ? null : Math.max(0, Math.round((at - sampledAt) / 1000)),
    rolledOver,
  }
}

/** A percent like all others. */
function oneDecimal(percent: number): number {
  return Math.round(percent * 10) / 10
}
