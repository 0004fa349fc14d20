import { addedCost, type Cost, noCost } from '../usage/usage-cost.ts'
import type { CountedCost, PriceableUsage } from '../usage/usage-increments.ts'
import { dayOf, type OwnPrices, priceBookOf, tokenCostOf } from './price-book.ts'
import { pricesAfterReading } from './price-changes.ts'
import type { PriceFile } from './price-files.ts'

const UNITS_OF_USD = 1e16

/** Cost of usage by the file as it is now, and by own prices of the day. */
export function modelCostsOf(
  usage: readonly PriceableUsage[],
  { list, own }: { readonly list: Pick<PriceFile, 'models'> | null; readonly own: OwnPrices },
): readonly CountedCost[] {
  const models = usage.map(({ model }) => model)
  const stored =
    list === null
      ? []
      : pricesAfterReading({ inForce: [], models, file: list, source: null, today: 0 })
  const book = priceBookOf({ stored, own, refused: new Map() })
  const costs = new Map<string, Omit<CountedCost, 'usd'> & { readonly cost: Cost }>()
  for (const { provider, model, account, client, tier, band, dayStart, sum } of usage) {
    const day = dayOf(dayStart)
    const price = book.priceOf({ provider, model, account, tier, band, day })
    if (typeof price === 'string') continue
    const key = [provider, model, client].join('\n')
    const cost = addedCost(costs.get(key)?.cost ?? noCost, tokenCostOf(price, sum))
    costs.set(key, { provider, model, client, cost })
  }
  return [...costs.values()].map(({ cost, ...counted }) => ({
    ...counted,
    usd: Number(cost.units) / UNITS_OF_USD,
  }))
}
