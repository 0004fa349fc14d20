import { defaultNeed, type GuardNeed, type GuardVerdict, guardOf } from '@svc/core'
import type {
  AccountDetail,
  CapacityParts,
  Health,
  Pick,
  Prices,
  Recommendations,
  StatsSeries,
  StatusSnapshot,
} from '@svc/views'
import { type EventsOptions, followEvents, type ReceivedEvent } from './follow-events.ts'
import { type ClientOptions, createRequests, type Query } from './request.ts'

/** The providers that an answer covers. */
export interface ProviderFilter {
  /** Names of providers, or `all`. Default: Codex, or in a pool without Codex the provider with the most accounts. */
  readonly provider?: readonly string[] | undefined
}

/** The accounts to consider; every list may contain several names. */
export interface AccountFilter extends ProviderFilter {
  readonly plan?: readonly string[] | undefined
  readonly upstream?: readonly string[] | undefined
}

/** The part of the ranking to return. */
export interface RankingFilter extends AccountFilter {
  /** Maximum number of accounts, best first. */
  readonly limit?: number
  /** Omits blocked accounts. */
  readonly routable?: boolean
}

/** A request for an account. Accounts are named by `authName`. */
export interface PickRequest extends AccountFilter {
  /** Account that the caller uses now and wants to keep. */
  readonly keep?: string | undefined
  /** Accounts that just failed and are avoided. */
  readonly avoid?: readonly string[] | undefined
  /** Name under which the service remembers what the caller holds: 1 to 64 of `[A-Za-z0-9._-]`. */
  readonly as?: string | undefined
  /** Account that just failed for this caller; needs `as`. */
  readonly failed?: string | undefined
  /** True to give the account back: the service forgets the caller at once. Needs `as`, and allows no other option. */
  readonly release?: boolean | undefined
}

/** Whether a provider's pool satisfies the need. */
export interface PoolVerdict extends GuardVerdict {
  /** Provider whose accounts were counted. */
  readonly provider: string
  /** The service's text about the counted list, for example the reason that there is no list yet. */
  readonly sourceText: string
  /** True if so much was never read that `units` are only a lower bound. */
  readonly atLeast: boolean
  /** Windows that accounts of the provider have, shortest first; null until all accounts were read. */
  readonly windows: readonly string[] | null
  /** Meaning of the units: `plus`, `pro` or `accounts`; `mixed` for several providers. */
  readonly unit: string
}

/** Calls of a running monitor. Every call rejects with ClientError. */
export interface Client {
  /** Accounts ranked by routing score, best first. */
  recommendations(filter?: RankingFilter): Promise<Recommendations>
  /** Quota left in each window, account by account. */
  capacity(filter?: AccountFilter): Promise<CapacityParts>
  /** The account for the next request. Without `as` the same question has the same answer. */
  pick(request?: PickRequest): Promise<Pick>
  /**
   * Whether a provider's pool satisfies a job's need now. The default need is 2 units of the week and one account. Several providers have no common
   * unit, so a need across them may only count accounts, with `minUnits` 0.
   */
  guard(need?: Partial<GuardNeed> & ProviderFilter): Promise<PoolVerdict>
  /** All details of one account. */
  account(accountKey: string, query?: { readonly range?: string }): Promise<AccountDetail>
  status(filter?: ProviderFilter): Promise<StatusSnapshot>
  health(filter?: ProviderFilter): Promise<Health>
  /** Usage over time. `warnings` in the answer lists the parameters that the service did not use as given. */
  series(query?: Query): Promise<StatsSeries>
  /** List prices of the models of the last 30 days, and what they cost. */
  prices(): Promise<Prices>
  /**
   * Events of the pool, until the signal. A lost connection is reopened and resumes after the last event. Throws if the first connection fails.
   * Ignore unknown events.
   */
  events(options?: EventsOptions): AsyncIterable<ReceivedEvent>
}

/** The payloads by the names of the schemas that validate them. */
interface Payloads {
  readonly AccountDetail: AccountDetail
  readonly CapacityParts: CapacityParts
  readonly Health: Health
  readonly Pick: Pick
  readonly Prices: Prices
  readonly Recommendations: Recommendations
  readonly StatsSeries: StatsSeries
  readonly StatusSnapshot: StatusSnapshot
}

/** Creates a client. Throws a TypeError if the address is invalid or contains a login, or if a header is invalid. */
export function createClient(options: ClientOptions): Client {
  const requests = createRequests(options)
  const get = async <Name extends keyof Payloads>(path: string, name: Name, query?: Query) =>
    (await requests.get(path, name, query)).body as Payloads[Name]
  const ranking = '/api/v1/recommendations'
  return {
    recommendations: (filter = {}) => get(ranking, 'Recommendations', { ...filter }),
    capacity: (filter = {}) => get('/api/v1/capacity', 'CapacityParts', { ...filter }),
    async pick({ as, failed, ...request } = {}) {
      const path = '/api/v1/pick'
      if (as === undefined) return get(path, 'Pick', request)
      return (await requests.post(path, 'Pick', { as, failed, ...request })).body as Pick
    },
    async guard({ provider, ...given } = {}) {
      const { body, givenAtMs } = await requests.get(ranking, 'Recommendations', { provider })
      return guardOver(body as Recommendations, givenAtMs, { ...defaultNeed, ...given })
    },
    account: (accountKey, query = {}) =>
      get(`/api/v1/accounts/${encodeURIComponent(accountKey)}`, 'AccountDetail', query),
    status: (filter = {}) => get('/api/v1/status', 'StatusSnapshot', { ...filter }),
    health: (filter = {}) => get('/api/v1/health', 'Health', { ...filter }),
    series: (query = {}) => get('/api/v1/stats/series', 'StatsSeries', query),
    prices: () => get('/api/v1/prices', 'Prices'),
    events: (options = {}) => followEvents(requests, options),
  }
}

function guardOver(answer: Recommendations, givenAtMs: number, need: GuardNeed): PoolVerdict {
  // A service that names no provider knows Codex alone.
  const {
    source,
    sampledAt,
    routableCount,
    provider = 'codex',
    routingPolicy,
    items,
    pools,
  } = answer
  const capacity = capacityOf(answer, provider, need.window)
  const atLeast = capacity?.atLeast === true
  const ageMs = givenAtMs - Date.parse(sampledAt ?? '')
  const facts = {
    source: source.kind,
    // The Date header has whole seconds; a list that is younger still was dated by another clock.
    ageSeconds: ageMs > -1000 ? Math.max(0, Math.floor(ageMs / 1000)) : null,
    routableCount,
    hasWindow: hasWindow(items, need.window),
    hasUnweighed: atLeast && items.some(hasUnknownPlan),
    capacity,
  }
  const { capacityWeightUnit: unit } = routingPolicy
  const pool = pools?.find((each) => each.provider === provider)
  const isRead = pool !== undefined && (pool.accountsRead ?? 0) >= (pool.accountsToRead ?? 1)
  const windows = isRead ? pool.windows.map(({ id }) => id) : null
  return { ...guardOf(facts, need), provider, atLeast, windows, unit, sourceText: source.text }
}

/** Whether accounts may have the window: true if one is known to have it, or if none is known to lack it. */
function hasWindow(items: Recommendations['items'], window: GuardNeed['window']): boolean {
  const states = items.map(({ quotaWindows }) => {
    // An account that was read lists the windows that it has.
    const isRead = quotaWindows.some(({ state }) => !['absent', 'unknown'].includes(state))
    return quotaWindows.find(({ id }) => id === window)?.state ?? (isRead ? 'absent' : 'unknown')
  })
  return (
    !states.includes('absent') || states.some((state) => !['absent', 'unknown'].includes(state))
  )
}

/** Whether a routable account counts nothing because its plan is not known. */
function hasUnknownPlan(item: Recommendations['items'][number]): boolean {
  return item.routingEligible && item.capacityWeight === 0 && item.planKind === 'unknown'
}

/**
 * Quota of a window; the main ones count for every account, whichever window meters it. Windows that share one quantity have the figures of the
 * first, which has the fewest unknown units.
 */
function capacityOf({ capacity: main, pools }: Recommendations, provider: string, window: string) {
  const windows = pools?.find((each) => each.provider === provider)?.windows
  const own = windows?.find(({ id }) => id === window)
  const shared = windows?.find(({ id }) => id === own?.sharedBy?.[0])
  const ofMain = window === '5h' ? main?.fiveHour : window === 'week' ? main?.week : own
  const capacity = shared ?? ofMain
  if (capacity?.usableUnits === undefined) return null
  const { usableUnits, usableStaleUnits = capacity.staleUnits } = capacity
  return { ...capacity, usableUnits, usableStaleUnits }
}
