import * as v from 'valibot'
import { healthItemSchema } from './health.ts'
import { countSchema, instantSchema, scoreSchema, toneSchema } from './wire-schema.ts'

/** Data of the event `snapshot`: the pool was evaluated. */
export const snapshotEventSchema = v.pipe(
  v.object({
    sampledAt: v.nullable(instantSchema),
    state: toneSchema,
    accountCount: countSchema,
    routableCount: countSchema,
    blockedCount: countSchema,
    topScore: scoreSchema,
    nextRoutableAt: v.nullable(instantSchema),
    etag: v.pipe(
      v.nullable(v.string()),
      v.description(
        'Version of `/api/v1/status` that shows it; null if none was made, because nobody reads it.',
      ),
    ),
  }),
  v.description('The pool as it is now; the answers of the API are as new as this.'),
)

/** Data of the event `change`: a recent change, worded as in `recentChanges` of health. */
export const changeEventSchema = v.pipe(healthItemSchema, v.description('A change of the pool.'))

/** Data of the event `action`. */
export const actionEventSchema = v.pipe(
  v.object({
    transition: v.picklist(['opened', 'resolved']),
    at: instantSchema,
    item: healthItemSchema,
  }),
  v.description('Something an operator must do, or need not do any more.'),
)

/** Schema of the data of each event of `/api/v1/events`, by its name. */
export const eventSchemas = {
  snapshot: snapshotEventSchema,
  change: changeEventSchema,
  action: actionEventSchema,
} as const

/** An event of `/api/v1/events` with its data. */
export type PoolEvent = {
  [Name in keyof typeof eventSchemas]: {
    readonly event: Name
    readonly data: v.InferOutput<(typeof eventSchemas)[Name]>
  }
}[keyof typeof eventSchemas]
