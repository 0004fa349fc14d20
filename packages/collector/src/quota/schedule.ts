import type { Account, AccountEvidence, EpochMs } from '@svc/core'
import { plannedIntervalSeconds, probeScheduleOf, type QuotaClass } from '@svc/core/service'
import { backoffMs } from '../polling/backoff.ts'

/** What the queries of one account have left behind. All times of this file are monotonic milliseconds, but where they are `EpochMs`. */
export interface QueryTimes {
  /** Start of the last query, null when it is to be queried as if there had been none. */
  readonly lastAttemptAtMs: number | null
  /** This account's share of the jitter, drawn at each query. */
  readonly jitter: number
  /** Not queried before, because the vendor asked to wait. */
  readonly waitUntilMs: number
  /** When a refused login is asked about again; null when there is nothing to confirm. */
  readonly confirmAtMs: number | null
}

export const neverQueried: QueryTimes = {
  lastAttemptAtMs: null,
  jitter: 1,
  waitUntilMs: 0,
  confirmAtMs: null,
}

export type ScheduleEvent =
  | { readonly kind: 'query_begins'; readonly atMs: number; readonly jitter: number }
  /** Nothing was sent, or only for diagnosis: the attempt before it is the last one again. */
  | { readonly kind: 'query_does_not_count'; readonly lastAttemptAtMs: number | null }
  /** Its answer was another account's, or the proxy that failed it answers again. */
  | { readonly kind: 'query_is_void' }
  | { readonly kind: 'vendor_asks_to_wait'; readonly untilMs: number }
  /** Headers have shown all that a query would. */
  | { readonly kind: 'headers_replace_query'; readonly atMs: number }
  /** Another process has asked. */
  | { readonly kind: 'asked_elsewhere'; readonly atMs: number }
  | { readonly kind: 'login_to_confirm'; readonly atMs: number }
  /** The account has another index, under which nothing was refused. */
  | { readonly kind: 'index_changed' }

export function timesAfter(times: QueryTimes, event: ScheduleEvent): QueryTimes {
  switch (event.kind) {
    case 'query_begins':
      return { ...times, lastAttemptAtMs: event.atMs, jitter: event.jitter, confirmAtMs: null }
    case 'query_does_not_count':
      return { ...times, lastAttemptAtMs: event.lastAttemptAtMs }
    case 'query_is_void':
      return { ...times, lastAttemptAtMs: null }
    case 'vendor_asks_to_wait':
      return { ...times, waitUntilMs: event.untilMs }
    case 'asked_elsewhere':
      return event.atMs > (times.lastAttemptAtMs ?? Number.NEGATIVE_INFINITY)
        ? { ...times, lastAttemptAtMs: event.atMs }
        : times
    case 'headers_replace_query':
      return { ...times, lastAttemptAtMs: event.atMs }
    case 'login_to_confirm':
      return { ...times, confirmAtMs: event.atMs }
    case 'index_changed':
      return { ...times, lastAttemptAtMs: null, confirmAtMs: null }
    default:
      return event satisfies never
  }
}

export interface ScheduledFacts {
  readonly account: Account
  readonly evidence: AccountEvidence
  readonly times: QueryTimes
}

export interface PoolFacts {
  readonly now: EpochMs
  readonly accountCount: number
  readonly probesPerMinute: number
}

/** What is asked of an account besides its turn. */
export interface QueryWish {
  /** Whether it is queried without being asked for. */
  readonly takesTurns: boolean
  /** Start of the refresh that still waits for it, before all times for one of this account alone; null where none does. */
  readonly awaitedSinceMs: number | null
}

export interface AccountSchedule {
  readonly quotaClass: QuotaClass
  /** Seconds between two direct queries in a pool of this size, jitter and edges not included. */
  readonly plannedIntervalSeconds: number
  /** When it is queried next; Infinity never. */
  readonly dueAtMs: number
}

/** When an account is queried next. A refresh asks at once, whatever the last query said; else a confirmation goes before the interval. */
export function scheduleOf(
  { account, evidence, times }: ScheduledFacts,
  pool: PoolFacts,
  wish: QueryWish,
): AccountSchedule {
  const wasQueried = evidence.samples.length > 0 || evidence.probeFailure !== null
  const { quotaClass, intervalSeconds } = probeScheduleOf(
    account,
    wasQueried ? evidence : null,
    pool.now,
  )
  const planned = plannedIntervalSeconds(quotaClass, pool.accountCount, pool.probesPerMinute)
  const schedule = { quotaClass, plannedIntervalSeconds: planned }
  if (wish.awaitedSinceMs !== null) return { ...schedule, dueAtMs: wish.awaitedSinceMs }
  if (!wish.takesTurns) return { ...schedule, dueAtMs: Number.POSITIVE_INFINITY }

  // The class decides the planned interval, and that the next query.
  const isPlanned = planned === evidence.plannedIntervalSeconds
  const known = wasQueried ? { ...evidence, plannedIntervalSeconds: planned } : null
  const seconds = isPlanned
    ? intervalSeconds
    : probeScheduleOf(account, known, pool.now).intervalSeconds
  const { lastAttemptAtMs, jitter, confirmAtMs, waitUntilMs } = times
  const usualMs = lastAttemptAtMs === null ? 0 : lastAttemptAtMs + seconds * 1000 * jitter
  return { ...schedule, dueAtMs: Math.max(confirmAtMs ?? usualMs, waitUntilMs) }
}

/** At one due time the class that matters most goes first. */
const CLASS_RANK: Readonly<Record<QuotaClass, number>> = {
  primary: 0,
  recovery: 1,
  discovery: 2,
  none: 3,
}

/** The account that is due first; null for none. Of equals the one that comes first. */
export function firstDue<Candidate extends Pick<AccountSchedule, 'quotaClass' | 'dueAtMs'>>(
  candidates: Iterable<Candidate>,
): Candidate | null {
  let first: Candidate | null = null
  for (const candidate of candidates) {
    if (Number.isFinite(candidate.dueAtMs) && (first === null || isBefore(candidate, first)))
      first = candidate
  }
  return first
}

function isBefore(
  one: Pick<AccountSchedule, 'quotaClass' | 'dueAtMs'>,
  other: Pick<AccountSchedule, 'quotaClass' | 'dueAtMs'>,
): boolean {
  if (one.dueAtMs !== other.dueAtMs) return one.dueAtMs < other.dueAtMs
  return CLASS_RANK[one.quotaClass] < CLASS_RANK[other.quotaClass]
}

/** The pause of all queries while the way to the vendor is down. */
export interface Pause {
  readonly brokenInARow: number
  readonly untilMs: number
}

export const noPause: Pause = { brokenInARow: 0, untilMs: 0 }

/** Longest pause: a way that is open again is used within five minutes. */
const PAUSE_MS_MAX = 5 * 60_000

/** The pause after a query that did not get through; `retryAfterSeconds` null where the other side names no time. */
export function pauseAfterBroken(
  { brokenInARow }: Pause,
  {
    nowMs,
    retryAfterSeconds,
    random,
  }: {
    readonly nowMs: number
    readonly retryAfterSeconds: number | null
    readonly random: () => number
  },
): Pause {
  const broken = brokenInARow + 1
  const pauseMs =
    retryAfterSeconds === null ? backoffMs(broken, PAUSE_MS_MAX, random) : retryAfterSeconds * 1000
  return { brokenInARow: broken, untilMs: nowMs + pauseMs }
}

/** A query that gets through ends the row of failures, and leaves a pause to run out. */
export function pauseAfterAnswer({ untilMs }: Pause): Pause {
  return { brokenInARow: 0, untilMs }
}
