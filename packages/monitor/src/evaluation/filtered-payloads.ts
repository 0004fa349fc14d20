import {
  type AccountFilter,
  type EvaluatedAccount,
  type ProviderId,
  pickAccount,
  planKindOf,
  type Snapshot,
} from '@svc/core'
import { snapshotAtUpstream } from '@svc/core/health'
import {
  allAccountsOf,
  type Callers,
  fits,
  noCallers,
  noTrends,
  type ProviderPool,
  pickForCaller,
  poolOfProviders,
  poolPart,
  releaseCaller,
  trendsOf,
} from '@svc/core/pool'
import { type Clock, knownPlanKinds, providerIds } from '@svc/core/service'
import {
  capacityPartsView,
  EVERY_PROVIDER,
  pickView,
  recommendationsView,
  resetsCalendar,
  type StatusContext,
} from '@svc/views'
import { compressedTo, encodeJson, readyText } from '../answers/encode-json.ts'
import type {
  FilteredPayload,
  FilteredReading,
  FilterValues,
  Payloads,
  PickQuestion,
  ReadyAnswer,
  UnknownValue,
} from '../answers/ready-answer.ts'
import { CALENDAR_TYPE } from '../answers/response-headers.ts'
import { encodeSnapshot } from './encode-snapshot.ts'

/** Accounts that a request asks for. */
interface AskedAccounts {
  /** Filter with sorted lists; `providers` is left out for the default provider and for all providers. */
  readonly filter: AccountFilter
  /** Providers in the requested order; empty for the default provider and for all providers. */
  readonly inOrder: readonly ProviderId[]
  readonly everyProvider: boolean
}

/** Names that a filter by provider knows, whether they have accounts or not. */
export function knownProvidersOf(snapshot: Snapshot | undefined): readonly ProviderId[] {
  const listed = snapshot?.pools.map(({ provider }) => provider) ?? []
  return [...new Set([...providerIds, ...listed])]
}

/** Accounts of this pool that the filter values mean, or the first unknown value. A plan or provider without accounts is known. */
function filterIn(snapshot: Snapshot, values: FilterValues): AskedAccounts | UnknownValue {
  const { upstreams } = snapshot
  const known = {
    plan: () => [...knownPlanKinds, ...allAccountsOf(snapshot).map(({ plan }) => plan)],
    provider: () => [...knownProvidersOf(snapshot), EVERY_PROVIDER],
    upstream: () =>
      upstreams?.map(({ name }) => name) ??
      allAccountsOf(snapshot).map(({ account }) => account.upstream),
  }
  const filter: { -readonly [Name in keyof AccountFilter]: AccountFilter[Name] } = {}
  for (const parameter of ['plan', 'provider', 'upstream'] as const) {
    const names = values[parameter]
    if (names === undefined) continue
    const allowed = [...new Set(known[parameter]())]
    const asked = parameter === 'plan' ? names.map((name) => planIn(name, allowed)) : names
    if (!asked.every((value) => allowed.includes(value))) return { unknown: { parameter, allowed } }
    if (asked.includes(EVERY_PROVIDER)) continue
    filter[`${parameter}s`] = [...new Set(asked)].sort()
  }
  const everyProvider = values.provider?.includes(EVERY_PROVIDER) === true
  return { filter, everyProvider, inOrder: everyProvider ? [] : (values.provider ?? []) }
}

/** Pool of the requested providers, not yet filtered by plan and proxy. */
function poolOfAsked(
  snapshot: Snapshot,
  { filter: { providers }, everyProvider }: AskedAccounts,
): Snapshot {
  if (everyProvider) return poolOfProviders(snapshot, 'all')
  return providers === undefined ? snapshot : poolOfProviders(snapshot, providers)
}

/** Pool of each requested provider, in the requested order or else in display order. */
function poolsOfAsked(
  snapshot: Snapshot,
  { filter: { providers = [snapshot.provider] }, everyProvider, inOrder }: AskedAccounts,
): readonly ProviderPool[] {
  return snapshot.pools
    .filter(({ provider }) => everyProvider || providers.includes(provider))
    .sort((one, other) => inOrder.indexOf(one.provider) - inOrder.indexOf(other.provider))
}

/** Finds a plan by any of its names at any provider. */
function planIn(name: string, allowed: readonly string[]): string {
  const kinds = [...providerIds, '' satisfies ProviderId].map((provider) =>
    planKindOf({ provider, name }),
  )
  return kinds.find((kind) => allowed.includes(kind)) ?? planKindOf(name)
}

/** Creates the function that answers with the calendar of resets, made on demand once per snapshot. */
export function createCalendarAnswers(
  wording: Parameters<typeof resetsCalendar>[1],
): (snapshot: Snapshot) => ReadyAnswer {
  const made = new WeakMap<Snapshot, ReadyAnswer>()
  return (snapshot) => {
    const answer = made.get(snapshot) ?? readyText(resetsCalendar(snapshot, wording), CALENDAR_TYPE)
    made.set(snapshot, answer)
    return answer
  }
}

/** Publication of the whole pool. */
interface WholePool {
  readonly snapshot: Snapshot
  readonly context: StatusContext
}

/** Maximum number of kept parts; the least recently read one is dropped. */
const PARTS_MAX = 64

/** Answers about parts of the pool, each made on demand, once per snapshot and state of the refresh. New usage waits for the next snapshot, as in the whole status. */
export function createFilteredPayloads() {
  let last: WholePool | null = null
  const parts = new Map<string, { readonly part: WholePool; readonly made: Partial<Payloads> }>()
  return {
    answer(
      { payload, compression, filter: values, routable = false, limit: most }: FilteredReading,
      of: WholePool,
    ): FilteredPayload {
      if (last?.snapshot !== of.snapshot || last.context.refresh !== of.context.refresh)
        parts.clear()
      last = of
      const found = filterIn(of.snapshot, values)
      if ('unknown' in found) return found
      const limit = most ?? null
      const key = JSON.stringify([found, routable, limit])
      const { part, made: before } = parts.get(key) ?? partOf(of, found, { routable, limit })
      if (payload === 'capacity') {
        const view = encodeJson(capacityPartsView(part.snapshot, part.context), 'none')
        return { answer: compressedTo(view, compression) }
      }
      const made = encodeSnapshot(part.snapshot, part.context, { [payload]: compression }, before)
      parts.delete(key)
      parts.set(key, { part, made })
      const [oldest] = parts.keys()
      if (parts.size > PARTS_MAX && oldest !== undefined) parts.delete(oldest)
      const answer = made[payload]
      if (answer === undefined) throw new Error(`${payload} was not made`)
      return { answer }
    },
  }
}

/** The context with the forecast of the requested provider. */
function contextFor(context: StatusContext, { provider }: Snapshot): StatusContext {
  const { trends, trendsByProvider } = context
  if (trendsByProvider === undefined) return context
  const own = trendsOf(trendsByProvider, provider)
  return own === trends ? context : { ...context, trends: own }
}

/** The matching accounts as a pool of their own, with their ranking if it is limited. The forecast covers all proxies together. */
function partOf(
  { snapshot, context }: WholePool,
  asked: AskedAccounts,
  { routable, limit }: { readonly routable: boolean; readonly limit: number | null },
): { readonly part: WholePool; readonly made: Partial<Payloads> } {
  const { filter } = asked
  const [upstream, ...others] = filter.upstreams ?? []
  // One of several proxies has a list and sources of its own.
  const alone =
    upstream === undefined || others.length > 0 ? null : snapshotAtUpstream(snapshot, upstream)
  const within = poolOfAsked(alone ?? snapshot, asked)
  const fitting = within.accounts.filter((account) => fits(account, filter))
  const hasAll = fitting.length === within.accounts.length
  const part = {
    snapshot: hasAll ? within : poolPart(within, (account) => fits(account, filter)),
    context:
      alone === null
        ? { ...contextFor(context, within), ...(hasAll && { whole: { snapshot, context } }) }
        : { ...context, trends: noTrends, trendsByProvider: new Map() },
  }
  if (!routable && limit === null) return { part, made: {} }
  const listed = fitting.filter((account) => account.routable || !routable)
  const ranking = recommendationsView(
    part.snapshot,
    part.context,
    listed.slice(0, limit ?? listed.length),
  )
  return { part, made: { recommendations: encodeJson(ranking, 'none') } }
}

interface PickAnswersDeps {
  readonly clock: Clock
  /** Called with an account on which several callers have failed. */
  readonly onQueryDue: (account: EvaluatedAccount) => void
}

/** Picks accounts from the published snapshot and remembers callers until the thread ends. */
export function createPickAnswers({ clock, onQueryDue }: PickAnswersDeps) {
  let callers: Callers = noCallers
  return {
    answer(
      { as, release, filter: values, ...question }: PickQuestion,
      { snapshot, context }: WholePool,
    ): FilteredPayload {
      const encoded = (pick: Parameters<typeof pickView>[0]) => ({
        answer: encodeJson(pickView(pick, snapshot, context), 'none'),
      })
      if (as !== undefined && release === true) {
        callers = releaseCaller(callers, as)
        return encoded({ reason: 'released' })
      }
      const found = filterIn(snapshot, values)
      if ('unknown' in found) return found
      const request = { ...question, ...found.filter }
      // Scores of two providers do not compare: the first provider that has a fitting account is picked from.
      const pools = poolsOfAsked(snapshot, found)
      const { accounts } =
        pools.find((pool) => 'item' in pickAccount(pool.accounts, request)) ??
        poolOfAsked(snapshot, found)
      if (as === undefined) return encoded(pickAccount(accounts, request))
      const picked = pickForCaller(accounts, { as, ...request }, callers, clock.monotonicMs())
      callers = picked.callers
      if (picked.queryDue !== null) onQueryDue(picked.queryDue)
      return encoded(picked.pick)
    },
  }
}
