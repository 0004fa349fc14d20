import type { EpochMs, EvaluatedAccount } from '@svc/core'
import { subscriptionOf, subscriptionStates } from '@svc/core/account'
import * as v from 'valibot'
import type { Wording } from '../messages/wording.ts'
import { described, instantSchema } from './wire-schema.ts'

/** Members of a subscription. Most have weeks left and state only their end, because every byte of a row counts a thousand times. */
export const subscriptionEntries = {
  paidUntil: v.optional(
    described(
      instantSchema,
      'Until when the account is paid for, as its last login said; left out where it said nothing.',
    ),
  ),
  subscription: v.optional(
    described(
      v.object({
        state: v.picklist(subscriptionStates.filter((state) => state !== 'running')),
        seenAt: described(
          v.nullable(instantSchema),
          'When that login was written; null when unknown.',
        ),
      }),
      'How what is paid for stands; renewed is one that goes on past its end. Left out while it runs for more than a week.',
    ),
  ),
}

/** Subscription members of an account; empty if its login names no end. */
export function subscriptionIn(
  account: EvaluatedAccount,
  now: EpochMs,
  text: Wording,
): v.InferOutput<v.ObjectSchema<typeof subscriptionEntries, undefined>> {
  const subscription = subscriptionOf(account, now)
  if (subscription === null) return {}
  const { state, until, seenAt } = subscription
  const paidUntil = text.iso(until)
  if (state === 'running') return { paidUntil }
  return {
    paidUntil,
    subscription: { state, seenAt: seenAt === null ? null : text.iso(seenAt) },
  }
}
