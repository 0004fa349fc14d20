import type { EpochMs } from '@svc/core'
import type { FakeRoute } from './faults.ts'

/** Requests and vendor calls kept for inspection; older ones are dropped so that a long run stays small. */
const LOG_MAX = 10_000

/** Counters since the fake was made. `bannedRequests` and `refusedRequests` (every other 401 and 403) add up to what the key check turned away. */
export interface FakeStats {
  requests: number
  authenticatedRequests: number
  refusedRequests: number
  bannedRequests: number
  readonly requestsByRoute: Record<FakeRoute, number>
  /** Management requests being answered now, and the most there ever were. */
  managementInFlight: number
  managementInFlightMax: number
  /** Failed attempts the ban counter holds now, 0..5; 5 means banned. */
  readonly failedAttempts: number
}

/** One request as it arrived. `status` is null while it is being answered and when its connection was dropped. */
export interface FakeRequest {
  readonly at: EpochMs
  readonly method: string
  readonly path: string
  readonly route: FakeRoute
  readonly headers: Headers
  status: number | null
}

/** Counters at zero. `failedAttempts` asks the key check. */
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

/** Adds to a log and drops its oldest entry where it is full. */
export function keep<Entry>(log: Entry[], entry: Entry): void {
  log.push(entry)
  if (log.length > LOG_MAX) log.shift()
}
