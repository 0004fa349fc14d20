import type { EpochMs, ProviderId } from '@svc/core'
import {
  type OwnPrices,
  type Price,
  type PricesSeen,
  priceBookOf,
  tokenCostOf,
  type UnpricedReason,
} from '@svc/core/money'
import {
  addTo,
  type Cost,
  emptySum,
  type TokenClasses,
  type UsageRecord,
  type UsageSum,
} from '@svc/core/usage'

/** Example rates in dollars a million tokens: input, read from a cache, written to one, output. One model of the sample has none. */
const EXAMPLE_RATES: Readonly<Record<string, readonly [number, number, number, number]>> = {
  'gpt-5.5': [5, 0.5, 5, 30],
  'gpt-5.5-codex': [5, 0.5, 5, 30],
  'gpt-5.4-mini': [0.75, 0.075, 0.75, 4.5],
  'claude-sonnet-5': [3, 0.3, 3.75, 15],
  'claude-opus-5': [5, 0.5, 6.25, 25],
  'claude-fable-5': [1, 0.1, 1.25, 5],
  'grok-4.5': [3, 0.75, 3, 15],
  'grok-code-fast-2': [0.2, 0.02, 0.2, 1.5],
  'kimi-k3': [0.6, 0.1, 0.6, 3],
  'gemini-3.1-pro': [2, 0.2, 2, 12],
  'gemini-3-flash': [0.5, 0.05, 0.5, 3],
}
const picoUsd = (usdPerMillion: number) => Math.round(usdPerMillion * 1_000_000)

const own: OwnPrices = {
  multipliers: [],
  rates: Object.entries(EXAMPLE_RATES).map(([model, [input, read, write, out]]) => {
    const rates = {
      in: picoUsd(input),
      read: picoUsd(read),
      write: picoUsd(write),
      out: picoUsd(out),
    }
    return { model, fromDay: 0, source: null, rates: [{ tier: null, band: 0, rates }] }
  }),
}
const book = priceBookOf({ stored: [], own, refused: new Map() })
const priceByModel = new Map<string, Price | UnpricedReason>()

type Used = Pick<UsageRecord, 'model' | 'provider'> & { readonly tokens: number } & TokenClasses

/** Cost of one or several requests of the sample, or the reason why they have none. */
export function exampleCostOf(used: Used): {
  readonly cost: Cost
  readonly unpriced: UnpricedReason | null
} {
  const { model, provider } = used
  // The rates of the sample are of all bands and days.
  const priced = { model, provider, tier: null, band: 0, day: 0, account: null }
  const price = priceByModel.get(model) ?? book.priceOf(priced)
  priceByModel.set(model, price)
  return { cost: tokenCostOf(price, used), unpriced: typeof price === 'string' ? price : null }
}

/** Models of the sample's records, with their example prices. */
export function examplePricesSeen(records: Iterable<UsageRecord>, asOf: EpochMs): PricesSeen {
  const sums = new Map<string, UsageSum & { readonly provider: ProviderId }>()
  for (const record of records) {
    const sum = sums.get(record.model) ?? { provider: record.provider, ...emptySum() }
    addTo(sum, record)
    sums.set(record.model, sum)
  }
  const models = [...sums].map(([model, sum]) => {
    const { cost, unpriced } = exampleCostOf({ model, ...sum })
    return { model, tokens: sum.tokens, cost, reason: unpriced, price: book.pricesOn(model, 0) }
  })
  return { asOf, models, source: null }
}
