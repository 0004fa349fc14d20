import {
  type AccountPick,
  type EvaluatedAccount,
  pickReasons,
  type Snapshot,
  secondsUntil,
} from '@svc/core'
import { CALLER_NAME } from '@svc/core/pool'
import * as v from 'valibot'
import { recommendationItemSchema, recommendationItemsIn } from './recommendation-item.ts'
import { CONTRACT_VERSION } from './recommendations.ts'
import type { ViewContext } from './view-context.ts'
import { closedBodyOf, described, instantSchema, optional, secondsSchema } from './wire-schema.ts'

/** Answer of `/api/v1/pick`. */
export const pickSchema = described(
  v.object({
    warnings: optional(
      v.array(v.string()),
      'Unknown parameters that were ignored; omitted if there are none.',
    ),
    contractVersion: v.string(),
    sampledAt: v.nullable(instantSchema),
    item: described(
      v.nullable(recommendationItemSchema),
      'Account to use, never a blocked one; null if none can be used.',
    ),
    kept: described(v.boolean(), 'True if it is the account the caller already used.'),
    reason: described(
      v.picklist(pickReasons),
      'Reason for the pick. `kept`: the account in use is within 10 points of the best, or the caller got it recently and callers outnumber the accounts within these 10 points. `best`: the best ' +
        'account. `spread`: an account that fewer callers use than a better one. `released`: the caller is forgotten and gets no account. `none_listed`: the ' +
        'pool is empty or was not read yet. `none_matching`: no account matches the filters. `all_blocked`, `all_avoided`: all matching accounts are blocked or avoided.',
    ),
    text: described(v.string(), 'The reason as text.'),
    nextAt: optional(
      v.nullable(instantSchema),
      'Time the first matching account is expected back; null if unknown. Omitted if there is an account or the caller was released.',
    ),
    nextInSeconds: optional(
      v.nullable(secondsSchema),
      'Seconds from this answer to `nextAt`; null or omitted if `nextAt` is.',
    ),
  }),
  'One account for the next request.',
)

/** The account for the next request, and why. */
export type Pick = v.InferOutput<typeof pickSchema>

const namesSchema = (description: string) =>
  optional(
    v.union([v.array(v.string()), v.string()]),
    `${description} A list, or a text separated by commas.`,
  )

/** Request body of a pick by a remembered caller; a closed object. */
export const pickRequestSchema = described(
  v.strictObject({
    as: v.pipe(
      v.string(),
      v.regex(CALLER_NAME),
      v.description('Name of the caller, remembered for 15 minutes.'),
    ),
    keep: optional(
      v.string(),
      '`selector.authName` (the name of the auth file) of the account in use, at any proxy; defaults to the account this caller got last.',
    ),
    avoid: namesSchema('`authName` of each account to exclude from this pick.'),
    plan: namesSchema('Plans to include.'),
    provider: namesSchema('Providers to include.'),
    upstream: namesSchema('Proxies to include.'),
    release: optional(
      v.boolean(),
      'True makes the monitor forget the caller, which no longer needs its account. Valid only with `as` and no other member.',
    ),
    failed: optional(
      v.string(),
      "`authName` of the account that just refused the caller. The caller does not get it again before the account's next reading, nor within a minute.",
    ),
  }),
  'Request for an account: the caller, its account and its filters.',
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
