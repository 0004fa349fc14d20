import type { PriceSource } from '../usage/usage-cost.ts'
import { modelNamesOf } from './model-names.ts'
import type { DatedPrice, ModelRates } from './price-book.ts'
import type { PriceFile } from './price-files.ts'

/**
 * Prices to be added after a file was read: of each known model whose rates changed, from today on; of one without a price until now, from the beginning. A
 * model that is gone from the file keeps its price. See docs/rules.md#cost.
 */
export function pricesAfterReading({
  inForce,
  models,
  file,
  source,
  today,
}: {
  /** All that are stored. */
  readonly inForce: readonly DatedPrice[]
  /** Known to the store, by its spelling. */
  readonly models: readonly string[]
  readonly file: Pick<PriceFile, 'models'>
  readonly source: PriceSource | null
  /** UTC day, counted from 1970. */
  readonly today: number
}): readonly DatedPrice[] {
  const newest = new Map<string, DatedPrice>()
  for (const price of inForce)
    if (price.fromDay >= (newest.get(price.model)?.fromDay ?? 0)) newest.set(price.model, price)
  return [...new Set(models)].flatMap((model) => {
    const rates = modelNamesOf(model)
      .map((name) => file.models.get(name))
      .find((found) => found !== undefined)
    const before = newest.get(model)
    if (rates === undefined || (before !== undefined && isSame(before.rates, rates))) return []
    const fromDay = before === undefined ? 0 : Math.max(today, before.fromDay)
    return [{ model, fromDay, rates, source }]
  })
}

function isSame(one: ModelRates, other: ModelRates): boolean {
  return textOf(one) === textOf(other)
}

/** Rates as one text, whatever order they are listed in. */
function textOf(rates: ModelRates): string {
  return rates
    .map(({ tier, band, rates: { in: input, read, write, out } }) =>
      [tier, band, input, read, write, out].join(' '),
    )
    .sort()
    .join('\n')
}
