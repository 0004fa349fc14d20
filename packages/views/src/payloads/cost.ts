import { instantToIso } from '@svc/core'
import { type PriceSource, priceFileKinds } from '@svc/core/money'
import { type Cost, nanoUsdOf } from '@svc/core/usage'
import * as v from 'valibot'
import { usdText } from '../format/format.ts'
import { countSchema, described, instantSchema } from './wire-schema.ts'

/** Cost at list prices, as texts and numbers. */
export const costSchema = described(
  v.object({
    nanoUsd: described(
      v.nullable(countSchema),
      'Cost in billionths of a dollar, at most 2^53 - 1; null if none of the tokens has a price.',
    ),
    text: v.string(),
    unpricedTokens: described(
      countSchema,
      'Tokens without a price, which `nanoUsd` does not include.',
    ),
    assumedTokens: described(countSchema, 'Priced tokens whose rate or tier was assumed.'),
  }),
  'Cost at the list price of the API.',
)
export type StatedCost = v.InferOutput<typeof costSchema>

export const priceSourceSchema = described(
  v.nullable(
    v.object({
      kind: v.picklist(priceFileKinds),
      readAt: instantSchema,
      sha256: v.string(),
    }),
  ),
  'Price file that was read last; null if none was read.',
)

/** Worth of subscriptions, of one account or of all. */
export const paidBackSchema = v.object({
  listUsd30d: described(
    v.nullable(v.number()),
    'Cost of the last 30 days at the list price of the API, in dollars; null if nothing has a price.',
  ),
  subscriptionUsd30d: described(v.number(), 'Price of the subscription for 30 days, in dollars.'),
  paidBack: described(
    v.nullable(v.number()),
    'Value of the usage as a multiple of the price of the subscription, since the account was first seen, over at most 30 days; null within the first week.',
  ),
  isAtLeast: described(
    v.boolean(),
    'True if `paidBack` is a lower bound, because some usage was not recorded or has no price.',
  ),
})

/** Text of an unknown cost. */
export const NO_USD = '–'

export function statedCost(cost: Cost, tokens: number): StatedCost {
  const nanoUsd = nanoUsdOf(cost, tokens)
  const { unpricedTokens, assumedTokens } = cost
  const text = nanoUsd === null ? NO_USD : usdText(nanoUsd / 1e9)
  return { nanoUsd, text, unpricedTokens, assumedTokens }
}

export function priceSourceView(
  source: PriceSource | null,
): v.InferOutput<typeof priceSourceSchema> {
  return source && { ...source, readAt: instantToIso(source.readAt) }
}
