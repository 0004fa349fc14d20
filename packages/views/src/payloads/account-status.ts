import type { EpochMs, EvaluatedAccount } from '@svc/core'
import { subscriptionOf, subscriptionStates } from '@svc/core/account'
import * as v from 'valibot'
import { statusLabel, statusSign, statusSigns } from '../messages/statuses.ts'
import type { Wording } from '../messages/wording.ts'
import { described, instantSchema, optional, toneSchema } from './wire-schema.ts'

export const poolStatusSchema = v.object({
  text: v.string(),
  tone: toneSchema,
  sign: optional(
    v.picklist(statusSigns),
    'Marker shown in lists of accounts; omitted if equal to the tone.',
  ),
  until: v.nullable(instantSchema),
})

type PoolStatus = v.InferOutput<typeof poolStatusSchema>

export function poolStatus(account: EvaluatedAccount, text: Wording): PoolStatus {
  const { tone, until } = account.status
  const sign = statusSign(account)
  return {
    text: statusLabel(account, text),
    tone,
    ...(sign === tone ? {} : { sign }),
    until: until === null ? null : text.iso(until),
  }
}

/** Members of a subscription. Most rows state only the end, because every byte counts a thousand times. */
export const subscriptionEntries = {
  paidUntil: optional(
    instantSchema,
    'End of the paid subscription according to the last login; omitted if the login has none.',
  ),
  subscription: optional(
    v.object({
      state: v.picklist(subscriptionStates.filter((state) => state !== 'running')),
      seenAt: described(
        v.nullable(instantSchema),
        'Time at which the login that names `paidUntil` was written; null if unknown.',
      ),
    }),
    'State of the subscription; `renewed` if it continues past `paidUntil`. Omitted while more than a week is left.',
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
