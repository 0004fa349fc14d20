import { groupedBy } from '../facts/grouping.ts'
import type { ProviderId } from '../facts/provider.ts'
import { DAY_MS, type EpochMs, epochMs } from '../facts/time.ts'
import type { ServiceTier } from '../usage/rate.ts'
import type { Cost, PriceSource, RefusedPrice, UnpricedReason } from '../usage/usage-cost.ts'
import type { TokenClasses } from '../usage/usage-counts.ts'
import { modelNamesOf } from './model-names.ts'

/** Rates in whole pico-dollars a token; null where the source states none. */
export interface TokenRates {
  readonly in: number | null
  readonly read: number | null
  readonly write: number | null
  readonly out: number | null
}

/** Rates of one tier in one band of input, as `bandOf` counts them. */
export interface BandRates {
  /** Null is the standard tier. */
  readonly tier: ServiceTier | null
  readonly band: number
  readonly rates: TokenRates
}

/** All rates of a model, which replace the earlier ones. */
export type ModelRates = readonly BandRates[]

/** Rates of a model from a UTC day on, counted from 1970; day 0 is the beginning. */
export interface DatedPrice {
  readonly model: string
  readonly fromDay: number
  readonly rates: ModelRates
  /** Null: a rate of the operator's own. */
  readonly source: PriceSource | null
}

/** A factor on list prices, of an account or a provider, from a UTC day on. */
export interface Multiplier {
  readonly of: { readonly account: string } | { readonly provider: ProviderId }
  /** In parts of 1/10,000, 0 to 1,000,000. */
  readonly times: number
  readonly fromDay: number
}

/** Prices of the operator's own, beside the file. */
export interface OwnPrices {
  readonly rates: readonly DatedPrice[]
  readonly multipliers: readonly Multiplier[]
}

/** Prices and refusals that no store keeps. */
export interface PriceSettings {
  readonly own: OwnPrices
  /** Entries of the file that were refused, by their model. */
  readonly refused: ReadonlyMap<string, RefusedPrice>
}

/** All that prices depend on. */
export interface PriceFacts extends PriceSettings {
  /** Prices of the file, by the names of the store. */
  readonly stored: readonly DatedPrice[]
  /** UTC day from which records tell their tier; omitted if they always did. */
  readonly tiersFromDay?: number
}

/** Properties of a request that its price depends on. */
export interface PricedBy {
  readonly model: string
  readonly tier: ServiceTier | null
  /** Null: the token classes are unknown. */
  readonly band: number | null
  /** UTC day on which it started, counted from 1970. */
  readonly day: number
  readonly provider: ProviderId
  /** Null where sums do not tell it. */
  readonly account: string | null
}

const classNames = ['in', 'read', 'write', 'out'] as const
type ClassName = (typeof classNames)[number]

/** Price of the tokens of each class. */
export interface Price {
  /** In parts of 10⁻¹⁶ dollar a token. */
  readonly units: Readonly<Record<ClassName, bigint>>
  /** Classes of which the rate was assumed. */
  readonly assumed: readonly ClassName[]
}

export interface PriceBook {
  priceOf(priced: PricedBy): Price | UnpricedReason
  /** Rates of a model on a day; null if it has none. */
  pricesOn(model: string, day: number): DatedPrice | null
  /** Whether no model has a price. */
  readonly isEmpty: boolean
  /** The price file that was read last; null if none was. */
  readonly source: PriceSource | null
  /** Whether the price of a request depends on its account. */
  readonly isByAccount: boolean
  /** Instants from which any price holds or is no longer assumed, in order. */
  readonly starts: readonly EpochMs[]
}

/** Number of the UTC day of an instant. */
export function dayOf(at: EpochMs): number {
  return Math.floor(at / DAY_MS)
}

export function priceBookOf({ stored, own, refused, tiersFromDay = 0 }: PriceFacts): PriceBook {
  const ownByModel = byModel(own.rates)
  const storedByModel = byModel(stored)
  const pricesOn = (model: string, day: number) => {
    for (const name of modelNamesOf(model)) {
      const price = newestOn(ownByModel.get(name), day)
      if (price !== null) return price
    }
    return newestOn(storedByModel.get(model), day)
  }
  const reasonOf = (model: string): UnpricedReason =>
    modelNamesOf(model)
      .map((name) => refused.get(name))
      .find((reason) => reason !== undefined) ?? 'model'
  const sources = stored.flatMap(({ source }) => source ?? [])
  return {
    pricesOn,
    isEmpty: stored.length + own.rates.length === 0,
    source: sources.sort((one, other) => other.readAt - one.readAt)[0] ?? null,
    isByAccount: own.multipliers.some(({ of }) => 'account' in of),
    starts: startsOf({ stored, own, tiersFromDay }),
    priceOf({ model, tier, band, day, provider, account }) {
      if (band === null) return 'classes'
      const price = pricesOn(model, day)
      if (price === null) return reasonOf(model)
      const found = ratesOf(price.rates, tier, band)
      if (found === null) return 'tier'
      const times = BigInt(timesOf(own.multipliers, { provider, account, day }))
      const units = Object.fromEntries(
        classNames.map((name) => [name, BigInt(found.rates[name]) * times]),
      ) as Record<ClassName, bigint>
      const readDay = price.source === null ? 0 : dayOf(price.source.readAt)
      return { units, assumed: day < Math.max(readDay, tiersFromDay) ? classNames : found.assumed }
    },
  }
}

/** Cost of tokens at a price, or the reason why they have none. */
export function tokenCostOf(
  price: Price | UnpricedReason,
  {
    tokens,
    tokensIn,
    tokensCached,
    tokensWritten,
    tokensOut,
  }: TokenClasses & { readonly tokens: number },
): Cost {
  if (typeof price === 'string') return { units: 0n, unpricedTokens: tokens, assumedTokens: 0 }
  const counts = { in: tokensIn, read: tokensCached, write: tokensWritten, out: tokensOut }
  let units = 0n
  for (const name of classNames) units += price.units[name] * BigInt(counts[name])
  const assumedTokens = price.assumed.reduce((sum, name) => sum + counts[name], 0)
  return { units, unpricedTokens: 0, assumedTokens }
}

/** Prices by model, newest first. */
function byModel(prices: readonly DatedPrice[]): ReadonlyMap<string, readonly DatedPrice[]> {
  const found = groupedBy(prices, ({ model }) => model)
  for (const list of found.values()) list.sort((one, other) => other.fromDay - one.fromDay)
  return found
}

function newestOn(prices: readonly DatedPrice[] | undefined, day: number): DatedPrice | null {
  return prices?.find(({ fromDay }) => fromDay <= day) ?? null
}

function startsOf({
  stored,
  own,
  tiersFromDay = 0,
}: Omit<PriceFacts, 'refused'>): readonly EpochMs[] {
  const days = [...stored, ...own.rates, ...own.multipliers].map(({ fromDay }) => fromDay)
  const read = stored.flatMap(({ source }) => (source === null ? [] : [dayOf(source.readAt)]))
  const inOrder = [...new Set([tiersFromDay, ...days, ...read])].sort((one, other) => one - other)
  return inOrder.map((day) => epochMs(day * DAY_MS))
}

type KnownRates = Readonly<Record<ClassName, number>>

/** Rates of a tier in a band, with the classes of which they were assumed; null if the tier has none. See docs/rules.md#cost. */
function ratesOf(
  model: ModelRates,
  tier: ServiceTier | null,
  band: number,
): { readonly rates: KnownRates; readonly assumed: readonly ClassName[] } | null {
  const own = tierRatesOf(model, tier, band)
  if (own === null) return null
  const standard = tier === null ? null : tierRatesOf(model, null, band)
  if (standard === null || standard.band <= own.band) return own
  // The list names no price of both, and a product of two surcharges is none.
  const dearer = classNames.map((name) => [name, Math.max(own.rates[name], standard.rates[name])])
  return { rates: Object.fromEntries(dearer) as KnownRates, assumed: classNames }
}

function tierRatesOf(model: ModelRates, tier: ServiceTier | null, band: number) {
  const fitting = model
    .filter((one) => one.tier === tier && one.band <= band)
    .sort((one, other) => other.band - one.band)
  const [top] = fitting
  if (top === undefined) return null
  const statedBy = (name: ClassName) => fitting.find(({ rates }) => rates[name] !== null)
  const input = statedBy('in')?.rates.in ?? 0
  const rateOf = (name: ClassName) => statedBy(name)?.rates[name] ?? input
  const rates: KnownRates = {
    in: input,
    read: rateOf('read'),
    write: rateOf('write'),
    out: rateOf('out'),
  }
  return { band: top.band, rates, assumed: classNames.filter((name) => top.rates[name] === null) }
}

function timesOf(
  multipliers: readonly Multiplier[],
  { provider, account, day }: Pick<PricedBy, 'provider' | 'account' | 'day'>,
): number {
  const newest = (isOf: (one: Multiplier['of']) => boolean) =>
    multipliers
      .filter(({ of, fromDay }) => isOf(of) && fromDay <= day)
      .reduce<Multiplier | null>(
        (found, one) => (one.fromDay >= (found?.fromDay ?? 0) ? one : found),
        null,
      )
  const found =
    newest((of) => 'account' in of && of.account === account) ??
    newest((of) => 'provider' in of && of.provider === provider)
  return found?.times ?? 10_000
}

/** A model of the last 30 days. */
export interface PricedModel {
  readonly model: string
  readonly tokens: number
  readonly cost: Cost
  /** Reason why most of its unpriced tokens have no price; null if all have one. */
  readonly reason: UnpricedReason | null
  /** Price of today; null without one. */
  readonly price: DatedPrice | null
}

export interface PricesSeen {
  /** End of the time in which the models were used. */
  readonly asOf: EpochMs
  readonly models: readonly PricedModel[]
  readonly source: PriceSource | null
}
