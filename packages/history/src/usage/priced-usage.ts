import { DAY_MS, type EpochMs, epochMs } from '@svc/core'
import {
  dayOf,
  type Price,
  type PriceBook,
  type PricesSeen,
  tokenCostOf,
  type UnpricedReason,
} from '@svc/core/money'
import {
  addedCost,
  addTo,
  bandOf,
  type Cost,
  noCost,
  piecesOf,
  type UsagePiece,
  type UsageRequest,
  type UsageSum,
} from '@svc/core/usage'
import { tierOf } from './measures.ts'
import { UNKNOWN } from './rates.ts'
import { TOTAL_MEMBER } from './tiers.ts'
import type {
  MemberBucket,
  PricedNumbers,
  Selection,
  UsageQueries,
  UsageTables,
} from './usage-queries.ts'

/** Prices the rows of one UTC day by the numbers of the store. */
type Pricing = (rate: PricedNumbers, day: number) => Price | UnpricedReason

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
    })
    known.set(key, price)
    return price
  }
}

/** The queries of usage with its cost. */
export function pricedQueries(
  { buckets, pairsSince }: Pick<UsageTables, 'buckets' | 'pairsSince'>,
  { isByAccount, starts }: PriceBook,
  pricing: Pricing,
): Pick<UsageQueries, 'members' | 'buckets'> {
  const isOld = ({ seconds, from }: UsagePiece) =>
    seconds !== null && pairsSince !== null && from < pairsSince
  const cuts = [...starts, pairsSince ?? epochMs(0)]
  const priced: UsageQueries['buckets'] = async (selection, memberIds, pieces, span) => {
    const sums = new Map<string, MemberBucket & UsageSum>()
    const rated: Selection = { ...selection, rated: { byAccount: isByAccount } }
    const add = (memberId: number, usage: MemberBucket, cost: Cost) => {
      const key = `${memberId} ${usage.index}`
      const priced = Object.assign(usage, { memberId, cost })
      const sum = sums.get(key)
      if (sum === undefined) sums.set(key, priced)
      else addTo(sum, priced)
    }
    for (const [day, own] of piecesByDay(pieces, cuts)) {
      const [newer, older] = [own.filter((piece) => !isOld(piece)), own.filter(isOld)]
      for (const usage of await buckets(rated, memberIds, newer, span))
        if (usage.rate !== undefined)
          add(usage.memberId, usage, tokenCostOf(pricing(usage.rate, day), usage))
      if (older.length === 0) continue
      const { single, ids, isTotal } = singleOf(selection, memberIds)
      for (const usage of await buckets(single, ids, older, span)) {
        const rate = { model: usage.memberId, provider: 0, tier: 0, band: 0, account: 0 }
        const price = single.source === 'model' ? pricing(rate, day) : 'classes'
        add(isTotal ? TOTAL_MEMBER : usage.memberId, usage, costOfSum(price, usage))
      }
    }
    return [...sums.values()].filter(({ requests }) => requests > 0)
  }
  return {
    buckets: priced,
    members: (selection, pieces) => priced(selection, null, pieces, WHOLE),
  }
}

/** Sums without rates for a selection of one dimension; all usage is added up from models, because only they have prices. */
function singleOf(
  { groupings: [group = 'total'], filter }: Selection,
  memberIds: readonly number[] | null,
) {
  const [only] = filter.members
  const isTotal = group === 'total'
  const grouping = isTotal ? (only?.grouping ?? 'model') : group
  const source = grouping === 'api' ? 'client' : grouping
  const single: Selection = { source, groupings: [grouping], filter: { members: [] } }
  const ids = isTotal ? null : memberIds
  const chosen = ids?.filter((id) => only?.ids.includes(id) ?? true) ?? only?.ids ?? null
  return { single, isTotal, ids: chosen }
}

/** Cost of a sum that does not tell tiers and bands: the standard tier and the lowest band are assumed. Tokens of no class have no price. */
function costOfSum(price: Price | UnpricedReason, usage: MemberBucket): Cost {
  const { tokens, tokensIn, tokensCached, tokensWritten, tokensOut } = usage
  const known = tokensIn + tokensCached + tokensWritten + tokensOut
  if (typeof price === 'string') return tokenCostOf(price, usage)
  const { units } = tokenCostOf(price, usage)
  return { units, unpricedTokens: tokens - known, assumedTokens: known }
}

/** One bucket, longer than any history. */
const WHOLE = { start: epochMs(0), bucketSeconds: 1_000 * 366 * 86_400 }

/** Pieces of a span, cut at the starts of prices, by a day of their price. */
function piecesByDay(
  pieces: readonly UsagePiece[],
  starts: readonly number[],
): ReadonlyMap<number, readonly UsagePiece[]> {
  const found = new Map<number, UsagePiece[]>()
  const inOrder = [...starts].sort((one, other) => one - other)
  for (const piece of pieces) {
    const within = inOrder.filter((at) => at > piece.from && at < piece.to)
    for (const [index, from] of [piece.from, ...within].entries()) {
      const part = { ...piece, from: epochMs(from), to: epochMs(within[index] ?? piece.to) }
      const day = dayOf(epochMs(inOrder.findLast((start) => start <= part.from) ?? 0))
      found.set(day, [...(found.get(day) ?? []), part])
    }
  }
  return found
}

/** A request with its cost, or the reason why it has none. */
export function pricedRequest(book: PriceBook, request: UsageRequest): UsageRequest {
  const { at, account, provider, model, tier, classes, tokens } = request
  if (classes === null) return { ...request, unpriced: 'classes' }
  const price = book.priceOf({
    ...{ model, tier, provider, account: account.id },
    ...{ band: bandOf(classes), day: dayOf(at) },
  })
  if (typeof price === 'string') return { ...request, unpriced: price }
  return { ...request, cost: tokenCostOf(price, { ...classes, tokens }) }
}

const SEEN_DAYS = 30

/** Models of the last 30 days, with their prices and what they cost. */
export async function pricesSeen(tables: UsageTables, now: EpochMs): Promise<PricesSeen> {
  const book = await tables.book()
  const pricing = await pricingOf(tables, book)
  const names = await tables.named('model')
  const selection: Selection = {
    source: book.isByAccount ? 'account_rate' : 'total_rate',
    groupings: ['model'],
    filter: { members: [] },
    rated: { byAccount: book.isByAccount },
  }
  // From a whole sum on, because its requests may be gone.
  const from = epochMs((dayOf(now) - SEEN_DAYS) * DAY_MS)
  const { ratesUntil } = tables
  const asked = { now, bucketSeconds: null, ratesUntil }
  const pieces = piecesOf(selection.source, { from, end: now }, asked)
  const models = new Map<string, Seen>()
  for (const [day, own] of piecesByDay(pieces, book.starts))
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
    asOf: now,
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
