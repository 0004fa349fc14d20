import * as v from 'valibot'
import { recommendationItemSchema } from './recommendation-item.ts'
import { instantSchema, secondsSchema } from './wire-schema.ts'

/** Why an account was picked, or why none was. */
export const pickReasons = [
  'kept',
  'best',
  'spread',
  'none_listed',
  'none_matching',
  'all_blocked',
  'all_avoided',
] as const

/** Answer of `/api/v1/pick`. */
export const pickSchema = v.pipe(
  v.object({
    warnings: v.optional(
      v.pipe(v.array(v.string()), v.description('Parameters that are not known and were ignored.')),
    ),
    contractVersion: v.string(),
    sampledAt: v.nullable(instantSchema),
    item: v.pipe(
      v.nullable(recommendationItemSchema),
      v.description('The account to use, never a blocked one; null if none may be used.'),
    ),
    kept: v.pipe(v.boolean(), v.description('Whether it is the account the caller used before.')),
    reason: v.pipe(
      v.picklist(pickReasons),
      v.description(
        'kept: the account in use is within 10 points of the best. best: the best one. spread: nearly the best, held by fewer callers. ' +
          'none_listed: the pool is empty or was not read yet. none_matching: no account fits the filters. all_blocked and all_avoided: none that fits may be used.',
      ),
    ),
    text: v.pipe(v.string(), v.description('The reason for people.')),
    nextAt: v.optional(
      v.pipe(
        v.nullable(instantSchema),
        v.description(
          'Without an account: when the first that fits is expected back; null where nobody knows. Left out with an account.',
        ),
      ),
    ),
    nextInSeconds: v.optional(
      v.pipe(
        v.nullable(secondsSchema),
        v.description('The same in seconds, from when this answer was made.'),
      ),
    ),
  }),
  v.description('One account for the next request.'),
)

/** The account for the next request, and why. */
export type Pick = v.InferOutput<typeof pickSchema>
