import { DAY_MS, epochMs, instantToIso } from '@svc/core'
import {
  type BandRates,
  type DatedPrice,
  type PaidBack,
  type PricedModel,
  type PricesSeen,
  unpricedReasons,
} from '@svc/core/money'
import { bandBounds, serviceTiers } from '@svc/core/usage'
import * as v from 'valibot'
import type { Catalogue } from '../messages/en/catalogue.ts'
import {
  costSchema,
  paidBackSchema,
  priceSourceSchema,
  priceSourceView,
  statedCost,
} from './cost.ts'
import { harmlessId } from './csv.ts'
import { type NoCourseReason, noCourseReasonSchema } from './quota-course.ts'
import { countSchema, described, instantSchema, optional } from './wire-schema.ts'

const rateSchema = v.nullable(v.number())

/** Answer of `/api/v1/prices`. */
export const pricesSchema = described(
  v.object({
    available: v.boolean(),
    reason: noCourseReasonSchema,
    source: priceSourceSchema,
    asOf: optional(instantSchema, 'End of the 30 days, to the minute; omitted unless available.'),
    paidBack: described(
      v.nullable(paidBackSchema),
      'Usage at list prices compared with the price of the subscriptions, over all listed accounts with a subscription in own prices; null if there is none.',
    ),
    models: described(
      v.array(
        v.object({
          model: v.string(),
          rates: described(
            v.array(
              v.object({
                tier: described(
                  v.nullable(v.picklist(serviceTiers)),
                  'Service tier; null for the standard tier.',
                ),
                above: described(
                  countSchema,
                  'The rates apply to requests with more input tokens than this.',
                ),
                input: rateSchema,
                cacheRead: rateSchema,
                cacheWrite: rateSchema,
                output: rateSchema,
              }),
            ),
            'Dollars per million tokens; null where the source states none. Empty if there is no price.',
          ),
          source: described(
            v.nullable(v.picklist(['file', 'own'])),
            'Origin of the rates: the price file, or own prices; null if there is no price.',
          ),
          from: described(
            v.nullable(v.pipe(v.string(), v.isoDate())),
            'First UTC day on which the rates apply; null if they apply from the beginning or there is no price.',
          ),
          tokens: countSchema,
          cost: costSchema,
          unpriced: described(
            v.nullable(v.picklist(unpricedReasons)),
            'Reason why most of the unpriced tokens have no price; null if all tokens have one.',
          ),
          unpricedText: described(
            v.nullable(v.string()),
            '`unpriced` as text; null if `unpriced` is null.',
          ),
        }),
      ),
      'Models used in the last 30 days: those with the most unpriced tokens first, then those with the most tokens. Empty unless available.',
    ),
  }),
  'List prices of the API by model, and the cost of the last 30 days at these prices.',
)
export type Prices = v.InferOutput<typeof pricesSchema>

/** The answer of `/api/v1/prices`. `seen`: the models, or the reason they are missing. */
export function pricesView(
  seen: PricesSeen | NoCourseReason,
  paidBack: PaidBack | null,
  words: Catalogue,
): Prices {
  const known = typeof seen === 'string' ? null : seen
  return {
    available: known !== null,
    reason: typeof seen === 'string' ? seen : null,
    source: priceSourceView(known?.source ?? null),
    ...(known === null ? {} : { asOf: instantToIso(known.asOf) }),
    paidBack,
    models: [...(known?.models ?? [])]
      .sort(
        (one, other) =>
          other.cost.unpricedTokens - one.cost.unpricedTokens ||
          other.tokens - one.tokens ||
          (one.model < other.model ? -1 : 1),
      )
      .map((model) => modelView(model, words)),
  }
}

function modelView(
  { model, tokens, cost, reason, price }: PricedModel,
  { unpriced }: Catalogue,
): Prices['models'][number] {
  return {
    model: harmlessId(model),
    rates: [...(price?.rates ?? [])].sort(byTierAndBand).map(ratesView),
    source: price === null ? null : price.source === null ? 'own' : 'file',
    from: price === null ? null : firstDayOf(price),
    tokens,
    cost: statedCost(cost, tokens),
    unpriced: reason,
    unpricedText: reason && unpriced[reason],
  }
}

/** The standard tier first, each with its lowest band first. */
function byTierAndBand(one: BandRates, other: BandRates): number {
  const rank = ({ tier }: BandRates) => (tier === null ? -1 : serviceTiers.indexOf(tier))
  return rank(one) - rank(other) || one.band - other.band
}

const PICO_USD_A_TOKEN = 1_000_000

function ratesView({ tier, band, rates }: BandRates): Prices['models'][number]['rates'][number] {
  const usdAMillion = (picoUsd: number | null) => picoUsd && picoUsd / PICO_USD_A_TOKEN
  return {
    tier,
    above: band === 0 ? 0 : (bandBounds[band - 1] ?? 0),
    input: usdAMillion(rates.in),
    cacheRead: usdAMillion(rates.read),
    cacheWrite: usdAMillion(rates.write),
    output: usdAMillion(rates.out),
  }
}

function firstDayOf({ fromDay }: DatedPrice): string | null {
  return fromDay === 0 ? null : instantToIso(epochMs(fromDay * DAY_MS)).slice(0, 10)
}
