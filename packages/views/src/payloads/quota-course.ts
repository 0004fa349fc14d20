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

export const noCourseReasonSchema = described(
  v.nullable(v.picklist(noCourseReasons)),
  'Why nothing is known; null where something is.',
)

const rangeIdSchema = v.picklist(courseRangeIds as readonly ['24h', '7d', '30d'])

export const coursePointSchema = described(
  v.object({
    t: described(instantSchema, 'When the reading was recorded.'),
    percent: described(percentSchema, 'Percent remaining.'),
    usedPercent: described(percentSchema, '100 − `percent`.'),
    resetAt: described(
      v.nullable(instantSchema),
      'When the window would be reset; null where it was not known.',
    ),
    origin: described(
      v.nullable(originSchema),
      'What the reading came with; null where that was not recorded.',
    ),
    ageSeconds: described(
      v.nullable(secondsSchema),
      'How old the reading was at `t`; null where that was not recorded.',
    ),
    rolledOver: described(
      v.boolean(),
      'A reset had passed since the reading: the window counts as full, but nothing had shown it yet.',
    ),
  }),
  'One recorded reading. It stands until the next point, or until a gap begins.',
)

export const cycleSchema = described(
  v.object({
    start: described(instantSchema, 'May lie before the range.'),
    end: described(instantSchema, 'Its reset; of a refilled one, the refill.'),
    state: described(
      v.picklist(cycleStates),
      '`refilled`: full again before the reset that was announced.',
    ),
    usedPercent: described(
      percentSchema,
      'Most that a reading shows, more than 0. 100: it ran dry. More may have been used unseen unless `expiredPercent` is known.',
    ),
    expiredPercent: described(
      v.nullable(percentSchema),
      'Left at its end, and lost; null unless it ended, and where no reading was near enough to its end to know.',
    ),
  }),
  'One run of a window, from its start to its reset.',
)

export const windowCourseSchema = described(
  v.object({
    id: v.string(),
    label: v.string(),
    readingCount: described(
      countSchema,
      'Readings the points were chosen from. Never fewer than there are points.',
    ),
    points: described(
      v.array(coursePointSchema),
      `Oldest first, at most ${COURSE_POINTS_MAX}. The first may lie before the range: it stood when the range began.`,
    ),
    resets: described(
      v.array(
        v.object({
          at: instantSchema,
          percentBefore: percentSchema,
          percentAfter: percentSchema,
          expected: described(v.boolean(), 'False where no reading before had announced it.'),
        }),
      ),
      `Refills of the window, oldest first, at most ${COURSE_RESETS_MAX}.`,
    ),
    gaps: described(
      v.array(v.object({ from: instantSchema, to: instantSchema })),
      'Where nothing is known, oldest first. No point stands there.',
    ),
    cycles: described(
      v.array(cycleSchema),
      'Windows that ended within the range or still run, oldest first. A window that nothing was used of has not begun and is none.',
    ),
  }),
  'What was recorded of one window.',
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
      end: described(instantSchema, 'The moment the other answers speak of.'),
    }),
    windows: described(
      v.array(windowCourseSchema),
      'Every window that is recorded; empty unless available.',
    ),
  }),
  'How the quota of one account went, from the readings that the store keeps.',
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
