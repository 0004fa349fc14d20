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
import { described, instantSchema, secondsSchema } from './wire-schema.ts'

/** Answer of `/api/v1/health/history`. */
export const healthHistorySchema = described(
  v.object({
    available: v.boolean(),
    reason: noCourseReasonSchema,
    start: instantSchema,
    end: described(instantSchema, 'The moment the other answers speak of.'),
    stepSeconds: described(secondsSchema, 'Every stretch begins at such a step.'),
    awaySince: described(
      v.nullable(instantSchema),
      'Before this it is not known whether the proxy was away: changes are kept by number. Null where it is known throughout.',
    ),
    stretches: described(
      v.array(
        v.object({
          from: instantSchema,
          to: instantSchema,
          state: described(
            v.picklist(recordedStates),
            'The worst that was recorded in a quarter of an hour.',
          ),
        }),
      ),
      'Oldest first, without holes; empty unless available.',
    ),
  }),
  `How the pool was over the last ${HEALTH_HISTORY_DAYS} days, from what the store keeps.`,
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
    awaySince: awaySince === null ? null : instantToIso(awaySince),
    stretches: (known?.stretches ?? []).map((stretch) => ({
      from: instantToIso(stretch.from),
      to: instantToIso(stretch.to),
      state: stretch.state,
    })),
  }
}
