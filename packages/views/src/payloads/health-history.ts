import { type EpochMs, instantToIso } from '@svc/core'
import {
  HEALTH_HISTORY_DAYS,
  type HealthHistory,
  healthSpanOf,
  QUARTER_MS,
  recordedStates,
} from '@svc/core/health'
import * as v from 'valibot'
import { type NoCourseReason, noCourseReasonSchema } from './quota-course.ts'
import { described, instantSchema, isoOrNull, secondsSchema } from './wire-schema.ts'

/** Answer of `/api/v1/health/history`. */
export const healthHistorySchema = described(
  v.object({
    available: v.boolean(),
    reason: noCourseReasonSchema,
    start: instantSchema,
    end: described(instantSchema, 'End of the range: evaluation time of the current snapshot.'),
    stepSeconds: described(secondsSchema, 'Step to which the intervals are aligned, in seconds.'),
    awaySince: described(
      v.nullable(instantSchema),
      'Time before which outages of the proxy are unknown, because a limited number of changes is kept; null if they are known throughout.',
    ),
    stretches: described(
      v.array(
        v.object({
          from: instantSchema,
          to: instantSchema,
          state: described(
            v.picklist(recordedStates),
            'State of the pool in this interval: the worst recorded in each of its quarters of an hour.',
          ),
        }),
      ),
      'Intervals, oldest first, without gaps; empty unless available.',
    ),
  }),
  `Health of the pool over the last ${HEALTH_HISTORY_DAYS} days, from the store.`,
)

/** Answer of `/api/v1/health/history`. */
export type HealthHistoryPayload = v.InferOutput<typeof healthHistorySchema>

/** The answer of `/api/v1/health/history`. `history`: the states, or the reason they are missing. */
export function healthHistoryView(
  history: HealthHistory | NoCourseReason,
  now: EpochMs,
): HealthHistoryPayload {
  const { from, to } = healthSpanOf(now)
  const known = typeof history === 'string' ? null : history
  const awaySince = known?.awaySince ?? null
  return {
    available: known !== null,
    reason: typeof history === 'string' ? history : null,
    start: instantToIso(from),
    end: instantToIso(to),
    stepSeconds: QUARTER_MS / 1000,
    awaySince: isoOrNull(awaySince),
    stretches: (known?.stretches ?? []).map((stretch) => ({
      from: instantToIso(stretch.from),
      to: instantToIso(stretch.to),
      state: stretch.state,
    })),
  }
}
