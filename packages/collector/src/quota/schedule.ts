import type { Account, AccountEvidence, EpochMs } from '@svc/core'
import { plannedIntervalSeconds, probeScheduleOf } from '@svc/core/account'
import { allSamplesOf, type QuotaClass } from '@svc/core/service'
import { backoffMs } from '../polling/polled-source.ts'

/** Times of one account's queries. All times in this file are monotonic milliseconds, except those typed `EpochMs`. */
export interface QueryTimes {
  /** Start of the last query that counts; null if there was none. */
  readonly lastAttemptAtMs: number | null
  /** Random factor of the interval, drawn at each query. */
  readonly jitter: number
  /** Earliest next query requested by the vendor. */
  readonly waitUntilMs: number
  /** Time of the query that confirms a refused login; null if none is to be confirmed. */
  readonly confirmAtMs: number | null
  /** Time at which the last query of any kind was sent to the vendor, through any proxy; null if there was none. */
  readonly sentAtMs: number | null
  /** The account's turn in the first round of a process without stored queries of the account. */
  readonly firstRoundAtMs: number
}

export const neverQueried: QueryTimes = {
  lastAttemptAtMs: null,
  jitter: 1,
  waitUntilMs: 0,
  confirmAtMs: null,
  sentAtMs: null,
  firstRoundAtMs: 0,
}

export type ScheduleEvent =
  | { readonly kind: 'query_begins'; readonly atMs: number; readonly jitter: number }
  /** A diagnostic query was sent; the previous attempt is the last one again. */
  | { readonly kind: 'query_does_not_count'; readonly lastAttemptAtMs: number | null }
  /** No query was sent. */
  | {
      readonly kind: 'query_was_held'
      readonly lastAttemptAtMs: number | null
      readonly sentAtMs: number | null
    }
  /** The answer was about another account, or the query failed at a proxy that has since recovered. */
  | { readonly kind: 'query_is_void' }
  | { readonly kind: 'vendor_asks_to_wait'; readonly untilMs: number }
  /** Headers of client requests showed everything that a query would show. */
  | { readonly kind: 'headers_replace_query'; readonly atMs: number }
  /** The account was queried by another process, or through another proxy. */
  | { readonly kind: 'asked_elsewhere'; readonly atMs: number }
  /** A query of the same account was sent to the vendor by another process or through another proxy. */
  | { readonly kind: 'sent_elsewhere'; readonly atMs: number }
  | { readonly kind: 'first_round'; readonly atMs: number }
  | { readonly kind: 'login_to_confirm'; readonly atMs: number }
  /** The account's index changed; no login has been refused under the new index. */
  | { readonly kind: 'index_changed' }

export function timesAfter(times: QueryTimes, event: ScheduleEvent): QueryTimes {
  switch (event.kind) {
    case 'query_begins':
      return {
        ...times,
        lastAttemptAtMs: event.atMs,
        sentAtMs: event.atMs,
        jitter: event.jitter,
        confirmAtMs: null,
      }
    case 'query_does_not_count':
      return { ...times, lastAttemptAtMs: event.lastAttemptAtMs }
    case 'query_was_held':
      return { ...times, lastAttemptAtMs: event.lastAttemptAtMs, sentAtMs: event.sentAtMs }
    case 'query_is_void':
      return { ...times, lastAttemptAtMs: null }
    case 'vendor_asks_to_wait':
      return { ...times, waitUntilMs: Math.max(times.waitUntilMs, event.untilMs) }
    case 'asked_elsewhere':
      return event.atMs > (times.lastAttemptAtMs ?? Number.NEGATIVE_INFINITY)
        ? { ...times, lastAttemptAtMs: event.atMs }
        : times
    case 'sent_elsewhere':
      return { ...times, sentAtMs: Math.max(event.atMs, times.sentAtMs ?? event.atMs) }
    case 'first_round':
      return { ...times, firstRoundAtMs: event.atMs }
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
  readonly quotaProbesPerMinute: number
}

/** Reasons for querying an account: its turn on schedule, or a refresh that waits for it. */
export interface QueryWish {
  /** Whether the account is queried on schedule, without a refresh. */
  readonly takesTurns: boolean
  /** Start of the refresh that waits for the account: earlier than all times for a refresh of this account alone, null if none waits. */
  readonly awaitedSinceMs: number | null
}

export interface AccountSchedule {
  readonly quotaClass: QuotaClass
  /** Whether the account belongs to the pool and was never read. */
  readonly isUnread: boolean
  /** Seconds between two direct queries in a pool of this size, without jitter and resets. */
  readonly plannedIntervalSeconds: number
  /** Time of the next query; Infinity for never. */
  readonly dueAtMs: number
}

/**
 * Schedules an account's next query. A refresh queries at once, whatever the last result; otherwise a refused login is confirmed before the interval
 * ends. Nothing is queried before `askableAtMs`, which follows from the vendor's budget.
 */
export function scheduleOf(
  { account, evidence, times }: ScheduledFacts,
  pool: PoolFacts,
  wish: QueryWish,
  askableAtMs = Number.NEGATIVE_INFINITY,
): AccountSchedule {
  const wasQueried = allSamplesOf(evidence).length > 0 || evidence.probeFailure !== null
  const { quotaClass, intervalSeconds } = probeScheduleOf(
    account,
    wasQueried ? evidence : null,
    pool.now,
  )
  const planned = plannedIntervalSeconds(
    { quotaClass, provider: account.provider },
    pool.accountCount,
    pool.quotaProbesPerMinute,
  )
  const isUnread = !wasQueried && quotaClass !== 'none'
  const schedule = { quotaClass, isUnread, plannedIntervalSeconds: planned }
  if (wish.awaitedSinceMs !== null)
    return { ...schedule, dueAtMs: Math.max(wish.awaitedSinceMs, askableAtMs) }
  if (!wish.takesTurns) return { ...schedule, dueAtMs: Number.POSITIVE_INFINITY }

  // The class decides the planned interval, which decides the next query.
  const isPlanned = !wasQueried || planned === evidence.plannedIntervalSeconds
  const seconds = isPlanned
    ? intervalSeconds
    : probeScheduleOf(account, { ...evidence, plannedIntervalSeconds: planned }, pool.now)
        .intervalSeconds
  const { lastAttemptAtMs, jitter, confirmAtMs, waitUntilMs } = times
  const usualMs = lastAttemptAtMs === null ? 0 : lastAttemptAtMs + seconds * 1000 * jitter
  return { ...schedule, dueAtMs: Math.max(confirmAtMs ?? usualMs, waitUntilMs, askableAtMs) }
}

/** Schedule of an account that is listed and never queried. */
export function neverScheduled({ evidence }: Pick<ScheduledFacts, 'evidence'>): AccountSchedule {
  return {
    quotaClass: 'none',
    isUnread: false,
    plannedIntervalSeconds: evidence.plannedIntervalSeconds,
    dueAtMs: Number.POSITIVE_INFINITY,
  }
}

type Place = Pick<AccountSchedule, 'quotaClass' | 'isUnread' | 'dueAtMs'> & {
  readonly times?: Pick<QueryTimes, 'lastAttemptAtMs'>
  /** Whether the next query is for the plan alone. */
  readonly isForPlan?: boolean
}

/** Order of classes with the same due time. Unread accounts come before all others. */
const CLASS_RANK: Readonly<Record<QuotaClass, number>> = {
  primary: 0,
  recovery: 1,
  discovery: 2,
  none: 3,
}

/** An account and the start of its query, which may have to wait for others. */
export interface Due<Candidate> {
  readonly candidate: Candidate
  readonly startAtMs: number
}

/** Turns of the vendors. */
export interface VendorTurns<Candidate> {
  readonly nowMs: number
  /** Time from which queries of the account's vendor may start. */
  readonly freeAtMs: (candidate: Candidate) => number
  /** Whether queries of the account's vendor are paused. */
  readonly isPaused: (candidate: Candidate) => boolean
  /** Number of the last turn of the account's vendor; lower numbers come first. */
  readonly lastTurnOf: (candidate: Candidate) => number
}

/**
 * The account whose query may start first; null if there is none. Among due accounts, one refreshed alone comes first; then vendors take turns.
 * Within a vendor, ties go to the earlier due time, unread accounts, the class, the account queried longest ago, and list order. Plan queries follow
 * once no unread account is due.
 */
export function firstDue<Candidate extends Place>(
  candidates: Iterable<Candidate>,
  { nowMs, freeAtMs, isPaused, lastTurnOf }: VendorTurns<Candidate>,
): Due<Candidate> | null {
  let first: Due<Candidate> | null = null
  let firstPlan: Due<Candidate> | null = null
  let isUnreadDue = false
  const isEarlier = (one: Due<Candidate>, other: Due<Candidate> | null) => {
    if (other === null) return true
    if (one.startAtMs !== other.startAtMs) return one.startAtMs < other.startAtMs
    const [a, b] = [one.candidate, other.candidate]
    if (isAwaitedAlone(a) !== isAwaitedAlone(b)) return isAwaitedAlone(a)
    const [turn, otherTurn] = [lastTurnOf(a), lastTurnOf(b)]
    return turn === otherTurn ? isBefore(a, b) : turn < otherTurn
  }
  for (const candidate of candidates) {
    // All that are due start now, whatever they have waited for.
    const startAtMs = Math.max(candidate.dueAtMs, freeAtMs(candidate), nowMs)
    if (candidate.isUnread && candidate.dueAtMs <= nowMs && !isPaused(candidate)) isUnreadDue = true
    if (!Number.isFinite(startAtMs)) continue
    const due = { candidate, startAtMs }
    if (candidate.isForPlan === true) firstPlan = isEarlier(due, firstPlan) ? due : firstPlan
    else if (isEarlier(due, first)) first = due
  }
  return firstPlan === null || isUnreadDue || !isEarlier(firstPlan, first) ? first : firstPlan
}

/** Whether a refresh waits for this account alone; such a query is due before all times. */
export function isAwaitedAlone({ dueAtMs }: Pick<Place, 'dueAtMs'>): boolean {
  return dueAtMs < 0
}

function isBefore(one: Place, other: Place): boolean {
  if (one.dueAtMs !== other.dueAtMs) return one.dueAtMs < other.dueAtMs
  if (one.isUnread !== other.isUnread) return one.isUnread
  if (one.quotaClass !== other.quotaClass)
    return CLASS_RANK[one.quotaClass] < CLASS_RANK[other.quotaClass]
  // Two files of one account share its budget: they take turns.
  const queriedAtMs = ({ times }: Place) => times?.lastAttemptAtMs ?? Number.NEGATIVE_INFINITY
  return queriedAtMs(one) < queriedAtMs(other)
}

/** Pause of all queries while the vendor cannot be reached. */
export interface Pause {
  readonly brokenInARow: number
  readonly untilMs: number
}

export const noPause: Pause = { brokenInARow: 0, untilMs: 0 }

/** Longest pause, so that a restored connection is used within five minutes. */
const PAUSE_MS_MAX = 5 * 60_000

/** The pause after a query that did not reach the vendor; `retryAfterSeconds` is null if the other side names no time. */
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

/** Resets the failure count after an answered query; a running pause continues until its end. */
export function pauseAfterAnswer({ untilMs }: Pause): Pause {
  return { brokenInARow: 0, untilMs }
}
