import { defaultNeed, type GuardNeed, type GuardVerdict, guardOf } from '@svc/core'
import type {
  AccountDetail,
  Health,
  Pick,
  Recommendations,
  StatsSeries,
  StatusSnapshot,
} from '@svc/views'
import { type EventsOptions, followEvents, type ReceivedEvent } from './follow-events.ts'
import { type ClientOptions, createRequests, type Query } from './request.ts'

/** Which providers an answer is about. */
export interface ProviderFilter {
  /** `all` for every one. Left out: Codex, or in a pool without it the provider with most accounts. */
  readonly provider?: readonly string[] | undefined
}

/** Which accounts to consider; every list may name several. */
export interface AccountFilter extends ProviderFilter {
  readonly plan?: readonly string[] | undefined
  readonly upstream?: readonly string[] | undefined
}

/** Which part of the ranking. */
export interface RankingFilter extends AccountFilter {
  /** Accounts at most, best first. */
  readonly limit?: number
  /** Leaves blocked accounts out. */
  readonly routable?: boolean
}

/** What the caller knows when it asks for an account. Accounts are named by `authName`. */
export interface PickRequest extends AccountFilter {
  /** Account in use. */
  readonly keep?: string | undefined
  /** Accounts that just failed. */
  readonly avoid?: readonly string[] | undefined
  /** Name under which the service remembers what the caller holds: 1 to 64 of `[A-Za-z0-9._-]`. */
  readonly as?: string | undefined
  /** Account that just failed for this caller; needs `as`. */
  readonly failed?: string | undefined
  /** True: the caller needs its account no longer, and is forgotten at once; with `as` alone. */
  readonly release?: boolean | undefined
}

/** Whether the pool of a provider has what is needed. */
export interface PoolVerdict extends GuardVerdict {
  /** Whose accounts were counted. */
  readonly provider: string
  /** Words of the service on the list that was counted, as why it has none yet. */
  readonly sourceText: string
  /** Meaning of the units: `plus`, `pro` or `accounts`; `mixed` for several providers. */
  readonly unit: string
}

/** Calls of a running monitor. Every call rejects with ClientError. */
export interface Client {
  /** Accounts ranked by routing score, best first. */
  recommendations(filter?: RankingFilter): Promise<Recommendations>
  /** The account for the next request. Without `as` the same question has the same answer. */
  pick(request?: PickRequest): Promise<Pick>
  /**
   * Whether the pool of a provider has what a job needs now: 2 of its units of the week and one account, unless the need says otherwise.
   * Several providers have no common unit: of them only accounts can be needed, with `minUnits` 0.
   */
  guard(need?: Partial<GuardNeed> & ProviderFilter): Promise<PoolVerdict>
  /** Everything known of one account. */
  account(accountKey: string, query?: { readonly range?: string }): Promise<AccountDetail>
  status(filter?: ProviderFilter): Promise<StatusSnapshot>
  health(filter?: ProviderFilter): Promise<Health>
  /** Usage over time. The service says in `warnings` what it did not take as given. */
  series(query?: Query): Promise<StatsSeries>
  /**
   * What happens in the pool, until the signal. A connection that breaks is made again, and goes on where it was. Throws if the first one
   * fails. Ignore events that you do not know.
   */
  events(options?: EventsOptions): AsyncIterable<ReceivedEvent>
}

const WIRE_WINDOWS = { '5h': 'fiveHour', week: 'week' } as const

/** The payloads by the names of their schemas, by which answers are checked. */
interface Payloads {
  readonly AccountDetail: AccountDetail
  readonly Health: Health
  readonly Pick: Pick
  readonly Recommendations: Recommendations
  readonly StatsSeries: StatsSeries
  readonly StatusSnapshot: StatusSnapshot
}

/** Throws a TypeError if the address is none or has a login in it, or a header is none. */
export function createClient(options: ClientOptions): Client {
  const requests = createRequests(options)
  const get = async <Name extends keyof Payloads>(path: string, name: Name, query?: Query) =>
    (await requests.get(path, name, query)).body as Payloads[Name]
  const ranking = '/api/v1/recommendations'
  return {
    recommendations: (filter = {}) => get(ranking, 'Recommendations', { ...filter }),
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
    events: (options = {}) => followEvents(requests, options),
  }
}

function guardOver(answer: Recommendations, givenAtMs: number, need: GuardNeed): PoolVerdict {
  // A service that names no provider knows Codex alone.
  const { source, sampledAt, routableCount, provider = 'codex', routingPolicy, items } = answer
  const ageMs = givenAtMs - Date.parse(sampledAt ?? '')
  const facts = {
    source: source.kind,
    // The Date header has whole seconds; a list that is younger still was dated by another clock.
    ageSeconds: ageMs > -1000 ? Math.max(0, Math.floor(ageMs / 1000)) : null,
    routableCount,
    hasWindow: hasWindow(items, need.window),
    capacity: capacityOf(answer, need.window),
  }
  const { capacityWeightUnit: unit } = routingPolicy
  return { ...guardOf(facts, need), provider, unit, sourceText: source.text }
}

/** Whether an account may have the window: one is known to, or none is known not to. */
function hasWindow(items: Recommendations['items'], window: GuardNeed['window']): boolean {
  const states = items.flatMap(({ quotaWindows }) =>
    quotaWindows.filter(({ id }) => id === window).map(({ state }) => state),
  )
  return (
    !states.includes('absent') || states.some((state) => !['absent', 'unknown'].includes(state))
  )
}

function capacityOf({ capacity: pool }: Recommendations, window: GuardNeed['window']) {
  const capacity = pool?.[WIRE_WINDOWS[window]]
  if (capacity?.usableUnits === undefined) return null
  const { usableUnits, usableStaleUnits = capacity.staleUnits } = capacity
  return { ...capacity, usableUnits, usableStaleUnits }
}
