import type { Account } from '@svc/core'
import type { Clock, Log } from '@svc/core/service'
import { jitterFactor } from '../polling/backoff.ts'
import type { CollectorReport } from '../polling/collector-report.ts'
import type { ProbeResult } from '../providers/contract/provider.ts'
import { isHeld } from '../proxy/management-access.ts'
import { upstreamErrorOf } from '../proxy/upstream-error.ts'
import type { QuotaTransport } from '../transports/quota-transport.ts'
import type { AccountBook } from './account-book.ts'
import type { CurrentRefresh } from './current-refresh.ts'
import { createQueryDispatcher } from './query-dispatcher.ts'
import { createQueryResults, type QueryTally } from './query-results.ts'
import { noPause, pauseAfterAnswer, pauseAfterBroken, scheduleOf } from './schedule.ts'
import { note, takeSchedule, type WatchedAccount } from './watched-accounts.ts'

export interface QueryPlan {
  readonly transport: QuotaTransport
  readonly concurrency: number
  readonly probesPerMinute: number
  /** Reads the account list again; true if it was read and given to the runner. */
  readonly refreshAccountList: () => Promise<boolean>
  /** Called after each query. */
  readonly onChange: () => void
}

export interface QueryDeps {
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
  readonly report: Pick<CollectorReport, 'count'>
}

/** State that queries read and that their answers change. */
export interface QuotaState {
  readonly book: AccountBook
  readonly tally: QueryTally
  readonly refresh: CurrentRefresh
}

/** Queries of all accounts: each is sent when due, and its answer decides when the next one is. */
export interface AccountQueries {
  /** Recalculates when these accounts are queried, and sends the due queries. */
  schedule(accounts: Iterable<WatchedAccount>): void
  /** Milliseconds until the next `count` queries are answered; null while none may go out. */
  expectedMs(count: number): number | null
  /** Ends the pause: the way to the vendor may be open again. */
  endPause(): void
  /** Whether no query is under way. */
  isAtRest(): boolean
  stop(): Promise<void>
}

export function createAccountQueries(
  { transport, concurrency, probesPerMinute, refreshAccountList, onChange }: QueryPlan,
  { book, tally, refresh }: QuotaState,
  { clock, random, log, report }: QueryDeps,
): AccountQueries {
  const stopping = new AbortController()
  const { signal: stop } = stopping
  const pausing = createPausingTransport(transport, refresh, { clock, random, report, stop })

  const send = async (watched: WatchedAccount, nowMs: number) => {
    const { authIndex } = watched.account.selector
    const { lastAttemptAtMs } = watched.times
    const isDiagnostic = watched.account.operatorDisabled
    note(watched, { kind: 'query_begins', atMs: nowMs, jitter: jitterFactor(random) })
    const result = await pausing.query(watched.account, isDiagnostic)
    if (stop.aborted) return
    if (result === 'held' || isDiagnostic)
      note(watched, { kind: 'query_does_not_count', lastAttemptAtMs })
    if (result !== 'held') {
      results.settle(watched, { authIndex, isDiagnostic }, result)
      refresh.settle(watched, result.kind === 'sample')
    }
    planNext([watched])
    book.evidenceChanged()
    onChange()
  }
  const { ready } = transport
  const { pausedUntilMs } = pausing
  const dispatcher = createQueryDispatcher(
    { concurrency, probesPerMinute, accounts: book.all, ready, pausedUntilMs, send },
    clock,
  )

  const planNext = (accounts: Iterable<WatchedAccount>) => {
    // Counts accounts queried through other proxies too: each proxy gets all of them in turn.
    const pool = { now: clock.now(), accountCount: book.count(), probesPerMinute }
    for (const watched of accounts)
      takeSchedule(watched, scheduleOf(watched, pool, refresh.wishFor(watched)))
  }
  const schedule = (accounts: Iterable<WatchedAccount>) => {
    planNext(accounts)
    dispatcher.sendDue()
  }
  const confirmation = createLoginConfirmation(clock, {
    refreshAccountList,
    confirm(refused) {
      const atMs = clock.monotonicMs()
      for (const watched of refused) note(watched, { kind: 'login_to_confirm', atMs })
      schedule(refused)
    },
  })
  const onFirstRefusal = confirmation.add
  const results = createQueryResults({ book, tally, onFirstRefusal, clock, log, report })

  return {
    schedule,
    expectedMs: dispatcher.expectedMs,
    endPause: pausing.endPause,
    isAtRest: dispatcher.isAtRest,
    async stop() {
      stopping.abort()
      confirmation.stop()
      await dispatcher.stop()
    },
  }
}

/** Queries refused logins once more, after a new account list. */
interface LoginConfirmation {
  /** Adds a refused login; all logins added during the wait share one list. */
  add(watched: WatchedAccount): void
  stop(): void
}

/** Wait before a refused login is confirmed. */
const CONFIRM_AFTER_MS = 3000

function createLoginConfirmation(
  clock: Clock,
  plan: {
    /** Reads the account list again; true if that worked. */
    readonly refreshAccountList: () => Promise<boolean>
    /** Queries the accounts whose refusal still stands. */
    readonly confirm: (refused: readonly WatchedAccount[]) => void
  },
): LoginConfirmation {
  const unconfirmed = new Set<WatchedAccount>()
  let cancel = () => {}

  const confirmAll = async () => {
    const refused = [...unconfirmed]
    unconfirmed.clear()
    if (!(await plan.refreshAccountList())) return
    plan.confirm(refused.filter(({ evidence }) => evidence.refusedLogin !== null))
  }

  return {
    add(watched) {
      unconfirmed.add(watched)
      if (unconfirmed.size === 1) cancel = clock.schedule(CONFIRM_AFTER_MS, () => void confirmAll())
    },
    stop: () => cancel(),
  }
}

/** Queries the vendor, and pauses all queries while the way there is down. */
interface PausingTransport {
  /** Never throws. 'held' if nothing was sent or the answer is no longer awaited. */
  query(account: Account, isDiagnostic: boolean): Promise<ProbeResult | 'held'>
  /** Monotonic milliseconds. */
  pausedUntilMs(): number
  endPause(): void
}

interface PausingTransportDeps {
  readonly clock: Clock
  readonly random: () => number
  readonly report: Pick<CollectorReport, 'count'>
  /** Ends every query. */
  readonly stop: AbortSignal
}

export function createPausingTransport(
  transport: Pick<QuotaTransport, 'query' | 'endpointOf'>,
  refresh: Pick<CurrentRefresh, 'queryBroke'>,
  { clock, random, report, stop }: PausingTransportDeps,
): PausingTransport {
  let pause = noPause
  return {
    async query(account, isDiagnostic) {
      try {
        const result = await transport.query(account, stop, isDiagnostic)
        pause = pauseAfterAnswer(pause)
        return result
      } catch (error) {
        const failure = upstreamErrorOf(error)
        if (isHeld(failure) || stop.aborted) return 'held'
        const { code, retryAfterSeconds } = failure
        report.count({ counter: 'upstream_errors_total', endpoint: transport.endpointOf(account) })
        pause = pauseAfterBroken(pause, { nowMs: clock.monotonicMs(), retryAfterSeconds, random })
        refresh.queryBroke(pause.brokenInARow, code)
        return { kind: 'failed', code, httpStatus: null }
      }
    },
    pausedUntilMs: () => pause.untilMs,
    endPause() {
      pause = noPause
    },
  }
}
