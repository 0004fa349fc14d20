import { DAY_MS, type EpochMs, epochMs } from '@svc/core'
import {
  dayOf,
  type Price,
  type PriceBook,
  type PricedBy,
  type PricesSeen,
  tokenCostOf,
  type UnpricedReason,
} from '@svc/core/money'
import {
  addedCost,
  addTo,
  bandOf,
  type Cost,
  emptySum,
  noCost,
  piecesOf,
  type UsagePiece,
  type UsageRequest,
  type UsageSum,
} from '@svc/core/usage'
import { tierOf } from './measures.ts'
import { UNKNOWN } from './rates.ts'
import type {
  MemberBucket,
  RateNumbers,
  Selection,
  UsageQueries,
  UsageTables,
} from './usage-queries.ts'

/** Prices the rows of one UTC day by the numbers of the store. */
type Pricing = (rate: RateNumbers, day: number) => Price | UnpricedReason

/** Names of models, providers and accounts, once for an answer. */
export async function pricingOf(
  { named }: Pick<UsageTables, 'named'>,
  book: PriceBook,
): Promise<Pricing> {
  const [models, providers, accounts] = [
    await named('model'),
    await named('provider'),
    await named('account'),
  ]
  const known = new Map<string, Price | UnpricedReason>()
  return ({ model, provider, tier, band, account }, day) => {
    const key = `${model} ${provider} ${tier} ${band} ${account} ${day}`
    const found = known.get(key)
    if (found !== undefined) return found
    const price = book.priceOf({
      model: models.get(model)?.id ?? '',
      provider: providers.get(provider)?.id ?? '',
      tier: tierOf(tier),
      band: band === UNKNOWN ? null : band,
      account: accounts.get(account)?.id ?? null,
      day,
    } satisfies PricedBy)
    known.set(key, price)
    return price
  }
}

/** The queries of usage with its cost. */
export function pricedQueries(
  { buckets }: Pick<UsageQueries, 'buckets'>,
  { isByAccount, changes }: PriceBook,
  pricing: Pricing,
): Pick<UsageQueries, 'members' | 'buckets'> {
  const priced: UsageQueries['buckets'] = async (selection, memberIds, pieces, span) => {
    const sums = new Map<string, MemberBucket & UsageSum>()
    const rated: Selection = { ...selection, rated: { byAccount: isByAccount } }
    for (const [day, own] of piecesByDay(pieces, changes))
      for (const usage of await buckets(rated, memberIds, own, span)) {
        const { memberId, index, rate } = usage
        if (rate === undefined) continue
        const key = `${memberId} ${index}`
        const sum = sums.get(key) ?? { memberId, index, ...emptySum() }
        sums.set(key, sum)
        addTo(sum, { ...usage, cost: tokenCostOf(pricing(rate, day), usage) })
      }
    return [...sums.values()].filter(({ requests }) => requests > 0)
  }
  return {
    buckets: priced,
    members: (selection, pieces) => priced(selection, null, pieces, WHOLE),
  }
}

/** One bucket, longer than any history. */
const WHOLE = { start: epochMs(0), bucketSeconds: 1_000 * 366 * 86_400 }

/** Pieces of a span, cut where prices change, by a day of their price. */
function piecesByDay(
  pieces: readonly UsagePiece[],
  changes: readonly number[],
): ReadonlyMap<number, readonly UsagePiece[]> {
  const found = new Map<number, UsagePiece[]>()
  for (const piece of pieces) {
    const within = changes
      .map((day) => day * DAY_MS)
      .filter((at) => at > piece.from && at < piece.to)
    for (const [index, from] of [piece.from, ...within].entries()) {
      const part = { ...piece, from: epochMs(from), to: epochMs(within[index] ?? piece.to) }
      const day = changes.findLast((change) => change <= dayOf(part.from)) ?? 0
      found.set(day, [...(found.get(day) ?? []), part])
    }
  }
  return found
}

/** A request with its cost, or the reason why it has none. */
export function pricedRequest(book: PriceBook, request: UsageRequest): UsageRequest {
  const { at, account, provider, model, tier, classes, tokens } = request
  const price = book.priceOf({
    ...{ model, tier, provider, account: account.id },
    ...{ band: bandOf(classes), day: dayOf(at) },
  })
  if (typeof price === 'string') return { ...request, unpriced: price }
  return classes === null
    ? request
    : { ...request, cost: tokenCostOf(price, { ...classes, tokens }) }
}

const SEEN_DAYS = 30

/** Models of the last 30 days, with their prices and what they cost. */
export async function pricesSeen(tables: UsageTables, now: EpochMs): Promise<PricesSeen> {
  const book = await tables.book()
  const pricing = await pricingOf(tables, book)
  const names = await tables.named('model')
  const selection: Selection = {
    source: book.isByAccount ? 'account_rate' : 'client_rate',
    groupings: ['model'],
    filter: { members: [] },
    rated: { byAccount: book.isByAccount },
  }
  // From a whole sum on, because its requests may be gone.
  const from = epochMs((dayOf(now) - SEEN_DAYS) * DAY_MS)
  const pieces = piecesOf(selection.source, { from, end: now }, { now, bucketSeconds: null })
  const models = new Map<string, Seen>()
  for (const [day, own] of piecesByDay(pieces, book.changes))
    for (const usage of await tables.buckets(selection, null, own, WHOLE)) {
      const { rate, memberId, tokens } = usage
      const model = names.get(memberId)?.id ?? ''
      const seen = models.get(model) ?? { tokens: 0, cost: noCost, reasons: new Map() }
      models.set(model, seen)
      const price = rate === undefined ? 'model' : pricing(rate, day)
      seen.tokens += tokens
      seen.cost = addedCost(seen.cost, tokenCostOf(price, usage))
      if (typeof price === 'string')
        seen.reasons.set(price, (seen.reasons.get(price) ?? 0) + tokens)
    }
  return {
    source: book.source,
    models: [...models].map(([model, { reasons, ...seen }]) => {
      const [most] = [...reasons].sort((one, other) => other[1] - one[1])
      return { model, ...seen, reason: most?.[0] ?? null, price: book.pricesOn(model, dayOf(now)) }
    }),
  }
}

interface Seen {
  tokens: number
  cost: Cost
  readonly reasons: Map<UnpricedReason, number>
}
