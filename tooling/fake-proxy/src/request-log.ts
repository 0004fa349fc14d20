import type { EpochMs } from '@svc/core'
import type { FakeRoute } from './faults.ts'

/** Requests and vendor calls kept for inspection; older ones are dropped so that a long run stays small. */
const LOG_MAX = 10_000

/** Counters since the start. `bannedRequests` and `refusedRequests` (every other 401 and 403) are all requests the key check rejected. */
export interface FakeStats {
  requests: number
  authenticatedRequests: number
  refusedRequests: number
  bannedRequests: number
  readonly requestsByRoute: Record<FakeRoute, number>
  /** Management requests being answered now, and their maximum so far. */
  managementInFlight: number
  managementInFlightMax: number
  /** Failed attempts in the ban counter now, 0..5; 5 means banned. */
  readonly failedAttempts: number
}

/** One received request. `status` is null while the request is being answered, and if its connection was dropped. */
export interface FakeRequest {
  readonly at: EpochMs
  readonly method: string
  readonly path: string
  readonly route: FakeRoute
  readonly headers: Headers
  status: number | null
}

/** Counters at zero. `failedAttempts` reads the key check. */
export function noRequestsYet(failuresOpen: () => number): FakeStats {
  return {
    requests: 0,
    authenticatedRequests: 0,
    refusedRequests: 0,
    bannedRequests: 0,
    requestsByRoute: {
      healthz: 0,
      'auth-files': 0,
      'usage-statistics-enabled': 0,
      'api-call': 0,
      'usage-queue': 0,
      usage: 0,
      config: 0,
      other: 0,
    },
    managementInFlight: 0,
    managementInFlightMax: 0,
    get failedAttempts() {
      return failuresOpen()
    },
  }
}

/** Adds to a log and, if it is full, drops its oldest entry. */
export function keep<Entry>(log: Entry[], entry: Entry): void {
  log.push(entry)
  if (log.length > LOG_MAX) log.shift()
}
