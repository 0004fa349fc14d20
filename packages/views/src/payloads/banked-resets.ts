import type { EvaluatedAccount } from '@svc/core'
import { BANKED_EXPIRIES_MAX } from '@svc/core/account'
import { bankedTotalOf } from '@svc/core/pool'
import * as v from 'valibot'
import type { Wording } from '../messages/wording.ts'
import { countSchema, described, instantSchema, isoOrNull, optional } from './wire-schema.ts'

/** Member `bankedResets` of an account. */
export const bankedResetsSchema = optional(
  v.nullable(
    v.object({
      count: described(countSchema, 'Number of resets that can be spent.'),
      expiresAt: described(
        v.array(instantSchema),
        `Known expiries, soonest first, at most ${BANKED_EXPIRIES_MAX}; empty if unknown.`,
      ),
      sampledAt: described(instantSchema, 'Time at which the vendor reported the count.'),
      stale: described(v.boolean(), 'Whether the count is older than the query interval allows.'),
    }),
  ),
  "Resets that the account's owner may spend; null if the vendor does not report them.",
)

/** Member `bankedResets` of one or several pools. */
export const bankedTotalSchema = optional(
  v.nullable(
    v.object({
      accounts: described(countSchema, 'Number of accounts with at least one banked reset.'),
      count: described(countSchema, 'Number of resets of all accounts, each counted once.'),
      lapsesAt: described(
        v.nullable(instantSchema),
        'Soonest known expiry; null if none is known.',
      ),
    }),
  ),
  'Resets that the owners of the accounts may spend; null if the vendor reports them for no account.',
)

export function bankedResetsView(
  { bankedResets }: EvaluatedAccount,
  text: Wording,
): v.InferOutput<typeof bankedResetsSchema> {
  if (bankedResets === undefined) return null
  const { count, expiresAt, sampledAt, stale } = bankedResets
  return { count, expiresAt: expiresAt.map(text.iso), sampledAt: text.iso(sampledAt), stale }
}

export function bankedTotalView(
  accounts: readonly EvaluatedAccount[],
): v.InferOutput<typeof bankedTotalSchema> {
  const total = bankedTotalOf(accounts)
  if (total === null) return null
  const { accountCount, count, lapsesAt } = total
  return {
    accounts: accountCount,
    count,
    lapsesAt: isoOrNull(lapsesAt),
  }
}
