import { MINUTE_MS, type ProviderId } from '@svc/core'
import type { Clock } from '@svc/core/service'
import { firstDue, isAwaitedAlone } from './schedule.ts'
import type { WatchedAccount } from './watched-accounts.ts'

export interface DispatchPlan {
  /** Maximum number of queries under way at once. */
  readonly concurrency: number
  readonly quotaProbesPerMinute: number
  readonly accounts: () => Iterable<WatchedAccount>
  /** Whether any query may be sent now. */
  readonly ready: () => boolean
  /** Monotonic milliseconds. */
  readonly pausedUntilMs: () => number
  /** Time from which the account's vendor may be queried, in monotonic milliseconds. */
  readonly freeAtMs: (watched: WatchedAccount) => number
  /** Whether queries of the account's vendor are paused. */
  readonly isPaused: (watched: WatchedAccount) => boolean
  /** Sends one query at this monotonic time; resolves once its answer is processed. Never called for an account whose query is under way. */
  readonly send: (watched: WatchedAccount, nowMs: number) => Promise<void>
}

/** Assumed duration of a query before the first answer. */
const QUERY_MS = 1_000
/** Each answer moves the mean duration by an eighth of the difference. */
const MEAN_OF = 8

/** Sends due queries within the limits, one at a time per account. */
export function createQueryDispatcher(plan: DispatchPlan, clock: Clock) {
  const limit = createQueryLimit(plan.quotaProbesPerMinute)
  const underWay = new Set<Promise<void>>()
  let meanMs = QUERY_MS
  let isStopped = false
  let turn = 0
  const turns = new Map<ProviderId, number>()
  const lastTurnOf = ({ account }: WatchedAccount) => turns.get(account.provider) ?? 0
  let cancelWake = () => {}

  const sendDue = () => {
    cancelWake()
    if (isStopped || !plan.ready()) return
    const nowMs = clock.monotonicMs()
    while (underWay.size < plan.concurrency) {
      const due = firstDue(restingOf(plan.accounts()), { ...plan, nowMs, lastTurnOf })
      if (due === null) return
      const { candidate: watched } = due
      const startAtMs = Math.max(
        due.startAtMs,
        plan.pausedUntilMs(),
        isAwaitedAlone(watched) ? limit.nextAloneAtMs(nowMs) : limit.nextAtMs(nowMs),
      )
      if (startAtMs > nowMs) {
        cancelWake = clock.schedule(startAtMs - nowMs, sendDue)
        return
      }
      limit.take(nowMs)
      turn += 1
      turns.set(watched.account.provider, turn)
      send(watched, nowMs)
    }
  }

  const send = (watched: WatchedAccount, nowMs: number) => {
    watched.querying = true
    const query = plan.send(watched, nowMs).then(() => {
      underWay.delete(query)
      meanMs += (clock.monotonicMs() - nowMs - meanMs) / MEAN_OF
      watched.querying = false
      sendDue()
    })
    underWay.add(query)
  }

  return {
    /** Sends the due queries and schedules the next one. */
    sendDue,
    /** Estimated milliseconds until the next `count` queries are answered; null while none may be sent. */
    expectedMs(count: number): number | null {
      if (!plan.ready()) return null
      if (count === 0) return 0
      const nowMs = clock.monotonicMs()
      const lastAtMs = limit.nextAtMs(nowMs, Math.max(0, count - underWay.size))
      const budgetMs = Math.max(lastAtMs, plan.pausedUntilMs()) - nowMs + meanMs
      return Math.max(budgetMs, Math.ceil(count / plan.concurrency) * meanMs)
    },
    /** Takes the next place of a minute's share for a query out of turn, and returns its time, which may be later. */
    takePlace(): number {
      const atMs = Math.max(limit.nextAtMs(clock.monotonicMs()), plan.pausedUntilMs())
      limit.take(atMs)
      return atMs
    },
    /** Counts a query sent by another process, or by this one out of turn; calls must be in order of time. */
    countSent: limit.take,
    /** Whether no query is under way. */
    isAtRest: () => underWay.size === 0,
    /** Sends no more queries and waits for the queries under way. */
    async stop() {
      isStopped = true
      cancelWake()
      await Promise.all(underWay)
    },
  }
}

function* restingOf(accounts: Iterable<WatchedAccount>): Generator<WatchedAccount> {
  for (const watched of accounts) if (!watched.querying) yield watched
}

/**
 * Limits the queries in any minute. After a burst, queries are spaced evenly, so that an awaited query never waits long. All times are monotonic
 * milliseconds.
 */
export function createQueryLimit(perMinute: number) {
  const apartMs = MINUTE_MS / perMinute
  /** Times from which each query of a minute's share may go out again, in order. */
  const freeAtMs: number[] = Array(perMinute).fill(Number.NEGATIVE_INFINITY)
  let takenAtMs = Number.NEGATIVE_INFINITY
  const take = (times: number[], atMs: number) => {
    times.push(Math.max(atMs + MINUTE_MS, (times.at(-1) ?? Number.NEGATIVE_INFINITY) + apartMs))
  }
  const nextAtMs = (nowMs: number, count = 1) => {
    const times = [...freeAtMs]
    let atMs = nowMs
    for (let index = 0; index < count; index += 1) {
      atMs = Math.max(nowMs, times[index] ?? nowMs)
      take(times, atMs)
    }
    return atMs
  }
  return {
    /** Time at which the next query may be sent, or the last of the next `count` queries; never before `nowMs`. */
    nextAtMs,
    /** Earliest time of an awaited query, which only keeps the even spacing from the previous query, even if the minute's share is used up. */
    nextAloneAtMs: (nowMs: number) =>
      Math.min(nextAtMs(nowMs), Math.max(nowMs, takenAtMs + apartMs)),
    /** Counts a query; calls must be in order of time. */
    take(atMs: number) {
      takenAtMs = atMs
      take(freeAtMs, atMs)
      freeAtMs.shift()
    },
  }
}
