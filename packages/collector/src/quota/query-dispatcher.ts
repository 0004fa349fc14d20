import type { Clock } from '@svc/core/service'
import { firstDue } from './schedule.ts'
import type { WatchedAccount } from './watched-accounts.ts'

export interface DispatchPlan {
  /** Most queries under way at once. */
  readonly concurrency: number
  readonly probesPerMinute: number
  readonly accounts: () => Iterable<WatchedAccount>
  /** Whether queries may go out at all now. */
  readonly ready: () => boolean
  /** Monotonic milliseconds. */
  readonly pausedUntilMs: () => number
  /** Time from which a query of the account's vendor may go out, in monotonic milliseconds. */
  readonly freeAtMs: (watched: WatchedAccount) => number
  /** Sends one query at this monotonic time; resolves when its answer was processed. Called for the same account only after that. */
  readonly send: (watched: WatchedAccount, nowMs: number) => Promise<void>
}

/** Sends due queries within the limits, one at a time per account. */
export interface QueryDispatcher {
  /** Sends the due queries and wakes for the next one. */
  sendDue(): void
  /** Milliseconds until the next `count` queries are answered; null while none may go out. */
  expectedMs(count: number): number | null
  /** Whether no query is under way. */
  isAtRest(): boolean
  /** Sends no more queries and waits for the queries under way. */
  stop(): Promise<void>
}

/** Assumed duration of a query before the first answer. */
const QUERY_MS = 1_000
/** Each answer moves the mean duration by an eighth of the difference. */
const MEAN_OF = 8

export function createQueryDispatcher(plan: DispatchPlan, clock: Clock): QueryDispatcher {
  const bucket = createTokenBucket(plan.probesPerMinute, clock.monotonicMs())
  const underWay = new Set<Promise<void>>()
  let meanMs = QUERY_MS
  let isStopped = false
  let cancelWake = () => {}

  const sendDue = () => {
    cancelWake()
    if (isStopped || !plan.ready()) return
    const nowMs = clock.monotonicMs()
    while (underWay.size < plan.concurrency) {
      const due = firstDue(restingOf(plan.accounts()), plan.freeAtMs)
      if (due === null) return
      const { candidate: watched } = due
      const startAtMs = Math.max(due.startAtMs, plan.pausedUntilMs(), bucket.nextAtMs(nowMs))
      if (startAtMs > nowMs) {
        cancelWake = clock.schedule(startAtMs - nowMs, sendDue)
        return
      }
      bucket.take(nowMs)
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
    sendDue,
    expectedMs(count) {
      if (!plan.ready()) return null
      if (count === 0) return 0
      const nowMs = clock.monotonicMs()
      const lastAtMs = bucket.nextAtMs(nowMs, Math.max(0, count - underWay.size))
      const budgetMs = Math.max(lastAtMs, plan.pausedUntilMs()) - nowMs + meanMs
      return Math.max(budgetMs, Math.ceil(count / plan.concurrency) * meanMs)
    },
    isAtRest: () => underWay.size === 0,
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

/** A budget of calls per minute that starts full. Times are monotonic milliseconds. */
interface TokenBucket {
  /** Time of the next token, `nowMs` if one is available; with `count`, of the last of that many. */
  nextAtMs(nowMs: number, count?: number): number
  /** Takes a token; call it only from `nextAtMs` on. */
  take(nowMs: number): void
}

export function createTokenBucket(perMinute: number, nowMs: number): TokenBucket {
  const msPerToken = 60_000 / perMinute
  let tokens = perMinute
  let countedAtMs = nowMs
  const count = (atMs: number) => {
    tokens = Math.min(perMinute, tokens + (atMs - countedAtMs) / msPerToken)
    countedAtMs = atMs
  }
  return {
    nextAtMs(atMs, wanted = 1) {
      count(atMs)
      // A sum of fractions may end slightly below a whole number.
      return tokens >= wanted - 1e-6 ? atMs : atMs + (wanted - tokens) * msPerToken
    },
    take(atMs) {
      count(atMs)
      tokens -= 1
    },
  }
}
