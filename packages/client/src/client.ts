import type { Health, Pick, Recommendations, StatsSeries, StatusSnapshot } from '@svc/views'
import { type ClientOptions, createRequests, type Query } from './request.ts'

/** Which accounts to consider; every list may name several. */
export interface AccountFilter {
  readonly plan?: readonly string[]
  readonly provider?: readonly string[]
  readonly upstream?: readonly string[]
}

export interface RankingFilter extends AccountFilter {
  /** Accounts at most, best first. */
  readonly limit?: number
  /** Leaves blocked accounts out. */
  readonly routable?: boolean
}

/** What the caller knows when it asks for an account. Accounts are named by `authName`. */
export interface PickRequest extends AccountFilter {
  /** Account in use. */
  readonly keep?: string
  /** Accounts that just failed. */
  readonly avoid?: readonly string[]
  /** Name under which the service remembers what the caller holds: 1 to 64 of `[A-Za-z0-9._-]`. */
  readonly as?: string
  /** Account that just failed for this caller; needs `as`. */
  readonly failed?: string
}

/** Calls of a running monitor. Every call rejects with ClientError. */
export interface Client {
  /** Accounts ranked by routing score, best first. */
  recommendations(filter?: RankingFilter): Promise<Recommendations>
  /** The account for the next request. Without `as` the same question has the same answer. */
  pick(request?: PickRequest): Promise<Pick>
  status(): Promise<StatusSnapshot>
  health(): Promise<Health>
  /** Usage over time. The service says in `warnings` what it did not take as given. */
  series(query?: Query): Promise<StatsSeries>
}

export function createClient(options: ClientOptions): Client {
  const requests = createRequests(options)
  const get = async <Answer>(path: string, query?: Query) =>
    (await requests.get(path, query)) as Answer
  return {
    recommendations: (filter = {}) => get('/api/v1/recommendations', { ...filter }),
    async pick({ as, failed, ...request } = {}) {
      if (as === undefined) return get('/api/v1/pick', request)
      return (await requests.post('/api/v1/pick', { as, failed, ...request })) as Pick
    },
    status: () => get('/api/v1/status'),
    health: () => get('/api/v1/health'),
    series: (query = {}) => get('/api/v1/stats/series', query),
  }
}
