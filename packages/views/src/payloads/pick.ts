import {
  type AccountPick,
  type EvaluatedAccount,
  pickReasons,
  type Snapshot,
  secondsUntil,
} from '@svc/core'
import { CALLER_NAME } from '@svc/core/pool'
import * as v from 'valibot'
import { closedBodyOf } from './closed-body.ts'
import { recommendationItemSchema, recommendationItemsIn } from './recommendation-item.ts'
import { CONTRACT_VERSION } from './recommendations.ts'
import type { ViewContext } from './view-context.ts'
import { described, instantSchema, secondsSchema } from './wire-schema.ts'

/** Answer of `/api/v1/pick`. */
export const pickSchema = described(
  v.object({
    warnings: v.optional(
      described(v.array(v.string()), 'Parameters that are not known and were ignored.'),
    ),
    contractVersion: v.string(),
    sampledAt: v.nullable(instantSchema),
    item: described(
      v.nullable(recommendationItemSchema),
      'The account to use, never a blocked one; null if none may be used.',
    ),
    kept: described(v.boolean(), 'Whether it is the account the caller used before.'),
    reason: described(
      v.picklist(pickReasons),
      'kept: the account in use is within 10 points of the best, or was given lately to one of many callers. best: the best one. ' +
        'spread: one that fewer callers use than a better one. released: the caller is forgotten, and gets no account. none_listed: the pool is empty or was not read yet. none_matching: no account fits the filters. all_blocked and all_avoided: none that fits may be used.',
    ),
    text: described(v.string(), 'The reason for people.'),
    nextAt: v.optional(
      described(
        v.nullable(instantSchema),
        'Without an account: when the first that fits is expected back; null where nobody knows. Left out with an account, and if the caller is forgotten.',
      ),
    ),
    nextInSeconds: v.optional(
      described(v.nullable(secondsSchema), 'The same in seconds, from when this answer was made.'),
    ),
  }),
  'One account for the next request.',
)

/** The account for the next request, and why. */
export type Pick = v.InferOutput<typeof pickSchema>

const namesSchema = (description: string) =>
  v.optional(
    described(
      v.union([v.array(v.string()), v.string()]),
      `${description} A list, or a text with commas between them.`,
    ),
  )

/** Body of a pick by a caller that is remembered; a closed object. */
export const pickRequestSchema = described(
  v.strictObject({
    as: v.pipe(
      v.string(),
      v.regex(CALLER_NAME),
      v.description('Name of the caller, under which it is remembered for 15 minutes.'),
    ),
    keep: v.optional(
      described(
        v.string(),
        '`selector.authName` of the account in use; left out: the one it was given last. Of several proxies the file of that name at any of them.',
      ),
    ),
    avoid: namesSchema('`authName` of accounts not to give this time.'),
    plan: namesSchema('Only accounts of these plans.'),
    provider: namesSchema('Only accounts of these providers.'),
    upstream: namesSchema('Only accounts at these proxies.'),
    release: v.optional(
      described(
        v.boolean(),
        'True: the caller needs its account no longer, and is forgotten at once. It stands with `as` alone.',
      ),
    ),
    failed: v.optional(
      described(
        v.string(),
        '`authName` of the account that just refused the caller. It is not given to it until the next reading of the account, and for a minute at least.',
      ),
    ),
  }),
  'Who asks for an account, and what it knows.',
)

/** Valid body of a pick. */
export type PickBody = v.InferOutput<typeof pickRequestSchema>

/** Parses the body of a pick; null if it is invalid. */
export function pickBodyOf(text: string): PickBody | null {
  const { body = null, memberCount = 0 } = closedBodyOf(pickRequestSchema, text) ?? {}
  return body?.release === true && memberCount > 2 ? null : body
}

/** The answer of `/api/v1/pick`. */
export function pickView(
  pick: AccountPick<EvaluatedAccount> | { readonly reason: 'released' },
  snapshot: Snapshot,
  { text }: ViewContext,
): Pick {
  const { sampledAt, evaluatedAt } = snapshot
  const answer = {
    contractVersion: CONTRACT_VERSION,
    sampledAt: sampledAt === null ? null : text.iso(sampledAt),
  }
  const why = { reason: pick.reason, text: text.words.picks[pick.reason] }
  if ('item' in pick) {
    const item = recommendationItemsIn(snapshot, text)(pick.item)
    return { ...answer, item, kept: pick.kept, ...why }
  }
  const none = { ...answer, item: null, kept: false, ...why }
  if (!('none' in pick)) return none
  const { nextAt } = pick
  return {
    ...none,
    nextAt: nextAt === null ? null : text.iso(nextAt),
    nextInSeconds: secondsUntil(nextAt, evaluatedAt),
  }
}
