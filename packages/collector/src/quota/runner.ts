import type { Account, AccountEvidence, SourceReading } from '@svc/core'
import type {
  Clock,
  DirectQuotaTally,
  Log,
  RefreshRun,
  RefreshScope,
  RememberedAccount,
} from '@svc/core/service'
import type { AccountActivity } from '@svc/core/usage'
import { jitterFactor } from '../polling/backoff.ts'
import type { CollectorReport } from '../polling/collector-report.ts'
import type { ProbeResult } from '../providers/contract/provider.ts'
import { isHeld } from '../proxy/management-access.ts'
import { upstreamErrorOf } from '../proxy/upstream-error.ts'
import type { QuotaTransport } from '../transports/quota-transport.ts'
import { createAccountBook } from './account-book.ts'
import { createLoginConfirmation } from './login-confirmation.ts'
import { takePassiveQuota } from './passive-quota.ts'
import { createQueryResults } from './query-results.ts'
import { createQueryTally } from './query-tally.ts'
import { createRefreshRound, type RefreshRound } from './refresh-round.ts'
import {
  firstDue,
  noPause,
  pauseAfterAnswer,
  pauseAfterBroken,
  type ScheduleEvent,
  scheduleOf,
  timesAfter,
} from './schedule.ts'
import { createTokenBucket } from './token-bucket.ts'
import type { WatchedAccount } from './watched-accounts.ts'

export interface RunnerPlan {
  readonly transport: QuotaTransport
  readonly concurrency: number
  readonly probesPerMinute: number
  /** Reads the account list once more; true when that worked, and `useAccounts` has been called with it. */
  readonly refreshAccountList: () => Promise<boolean>
  /** Called after each query. */
  readonly onChange: () => void
}

export interface RunnerDeps {
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
  readonly report: Pick<CollectorReport, 'count'>
}

/** Asks for the quota of every account when the schedule says so, never more than the ceilings allow. */
export interface QuotaRunner {
  /** Follows a new account list. */
  useAccounts(accounts: readonly Account[]): void
  /** Knows of accounts, by file name, what an earlier process has read. */
  restore(remembered: ReadonlyMap<string, RememberedAccount>): void
  /** Takes the quota that came with answers to requests; a fresh value of every window replaces the next query. */
  usePassive(activity: readonly AccountActivity[]): void
  /** Ends every pause: the proxy answers again. */
  retryNow(): void
  /** Asks once about every account in scope, soon, within the same ceilings. A refresh that is still running ends. */
  refresh(scope: RefreshScope): RefreshRun
  evidence(): ReadonlyMap<string, AccountEvidence>
  reading(): SourceReading<DirectQuotaTally>
  stop(): Promise<void>
}

/** A refresh gives up once the way to the vendor has failed this often in a row. */
const REFRESH_BROKEN_MAX = 3
/** How often a refresh looks whether it may still ask. */
const REFRESH_LOOK_MS = 1000

export function createQuotaRunner(
  plan: RunnerPlan,
  { clock, random, log, report }: RunnerDeps,
): QuotaRunner {
  const { transport, probesPerMinute } = plan
  const bucket = createTokenBucket(probesPerMinute, clock.monotonicMs())
  const tally = createQueryTally()
  const stopping = new AbortController()
  const underWay = new Set<Promise<void>>()
  const book = createAccountBook(clock)
  let pause = noPause
  let round: RefreshRound | null = null
  let cancelWake = () => {}
  let cancelLooking = () => {}

  const note = (watched: WatchedAccount, event: ScheduleEvent) => {
    watched.times = timesAfter(watched.times, event)
  }

  const isInScope = ({ account }: WatchedAccount, scope: RefreshScope) =>
    transport.canQuery(account) && account.operatorDisabled === (scope === 'disabled-diagnostics')

  const schedule = (watched: WatchedAccount) => {
    if (round?.awaits(watched) === true && !isInScope(watched, round.scope)) round.drop(watched)
    const next = scheduleOf(
      watched,
      { now: clock.now(), accountCount: book.count(), probesPerMinute },
      {
        takesTurns: isInScope(watched, 'default'),
        awaitedSinceMs: round?.awaits(watched) === true ? round.startedAtMs : null,
      },
    )
    watched.quotaClass = next.quotaClass
    watched.dueAtMs = next.dueAtMs
    if (next.plannedIntervalSeconds !== watched.evidence.plannedIntervalSeconds)
      watched.evidence = {
        ...watched.evidence,
        plannedIntervalSeconds: next.plannedIntervalSeconds,
      }
  }

  const scheduleAll = () => {
    for (const watched of book.all()) schedule(watched)
    queryDue()
  }

  const queryDue = () => {
    cancelWake()
    if (stopping.signal.aborted || !transport.ready()) return
    const nowMs = clock.monotonicMs()
    while (underWay.size < plan.concurrency) {
      const watched = firstDue(restingOf(book.all()))
      if (watched === null) return
      const startAtMs = Math.max(watched.dueAtMs, pause.untilMs, bucket.nextAtMs(nowMs))
      if (startAtMs > nowMs) {
        cancelWake = clock.schedule(startAtMs - nowMs, queryDue)
        return
      }
      bucket.take(nowMs)
      begin(watched, nowMs)
    }
  }

  const begin = (watched: WatchedAccount, nowMs: number) => {
    const { authIndex } = watched.account.selector
    const { lastAttemptAtMs } = watched.times
    const isDiagnostic = watched.account.operatorDisabled
    watched.querying = true
    note(watched, { kind: 'query_begins', atMs: nowMs, jitter: jitterFactor(random) })
    const query = ask(watched.account, isDiagnostic).then((result) => {
      underWay.delete(query)
      watched.querying = false
      if (stopping.signal.aborted) return
      if (result === 'held' || isDiagnostic)
        note(watched, { kind: 'query_does_not_count', lastAttemptAtMs })
      if (result !== 'held') {
        results.settle(watched, { authIndex, isDiagnostic }, result)
        round?.settle(watched, result.kind === 'sample')
      }
      schedule(watched)
      book.evidenceChanged()
      plan.onChange()
      queryDue()
    })
    underWay.add(query)
  }

  const ask = async (account: Account, isDiagnostic: boolean): Promise<ProbeResult | 'held'> => {
    try {
      const result = await transport.query(account, stopping.signal, isDiagnostic)
      pause = pauseAfterAnswer(pause)
      return result
    } catch (error) {
      const failure = upstreamErrorOf(error)
      if (isHeld(failure) || stopping.signal.aborted) return 'held'
      const { code, retryAfterSeconds } = failure
      report.count({
        counter: 'upstream_errors_total',
        endpoint: transport.endpointOf(account),
      })
      pause = pauseAfterBroken(pause, { nowMs: clock.monotonicMs(), retryAfterSeconds, random })
      if (pause.brokenInARow >= REFRESH_BROKEN_MAX) round?.end(code)
      return { kind: 'failed', code, httpStatus: null }
    }
  }

  const confirmation = createLoginConfirmation(clock, {
    refreshAccountList: plan.refreshAccountList,
    confirm(refused) {
      for (const watched of refused) {
        note(watched, { kind: 'login_to_confirm', atMs: clock.monotonicMs() })
        schedule(watched)
      }
      queryDue()
    },
  })

  const results = createQueryResults({
    book,
    tally,
    onFirstRefusal: (watched) => confirmation.add(watched),
    clock,
    log,
    report,
  })

  /** Ends a refresh that may not ask any more, and one whose time has not come looks again. */
  const lookAtRound = () => {
    cancelLooking()
    if (round === null) return
    const refusal = transport.refusal()
    if (refusal !== null || round.awaited().length === 0) round.end(refusal)
    else cancelLooking = clock.schedule(REFRESH_LOOK_MS, lookAtRound)
  }

  return {
    restore(known) {
      book.restore(known)
      scheduleAll()
    },
    useAccounts(list) {
      book.follow(list)
      for (const watched of round?.awaited() ?? []) if (!book.lists(watched)) round?.drop(watched)
      scheduleAll()
    },
    usePassive(activity) {
      const changed = takePassiveQuota(book.all(), activity, clock.monotonicMs())
      if (changed.length === 0) return
      for (const watched of changed) schedule(watched)
      book.evidenceChanged()
      queryDue()
    },
    retryNow() {
      pause = noPause
      for (const watched of book.all()) {
        const { probeFailure } = watched.evidence
        if (probeFailure?.kind === 'failed' && probeFailure.httpStatus === null)
          note(watched, { kind: 'query_is_void' })
      }
      scheduleAll()
    },
    refresh(scope) {
      round?.cancel()
      const nowMs = clock.monotonicMs()
      const begun = createRefreshRound(
        scope,
        [...book.all()].filter((watched) => isInScope(watched, scope)),
        nowMs,
      )
      round = begun
      for (const watched of begun.awaited()) {
        // The vendor has asked for patience.
        if (watched.times.waitUntilMs > nowMs) begun.settle(watched, false)
      }
      lookAtRound()
      scheduleAll()
      return begun
    },
    evidence: book.evidence,
    reading: tally.reading,
    async stop() {
      stopping.abort()
      cancelWake()
      confirmation.stop()
      cancelLooking()
      round?.cancel()
      await Promise.all(underWay)
    },
  }
}

function* restingOf(accounts: Iterable<WatchedAccount>): Generator<WatchedAccount> {
  for (const watched of accounts) if (!watched.querying) yield watched
}
