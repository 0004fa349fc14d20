import { type Account, type AccountEvidence, type EpochMs, MINUTE_MS } from '@svc/core'
import { isBankedListDue, newestDirectSample } from '@svc/core/account'
import type { Clock } from '@svc/core/service'
import { identitiesIn } from '../accounts/login-aliases.ts'
import { jitterFactor } from '../polling/polled-source.ts'
import type { AskedVendor, PlanReading, ProbeResult } from '../providers/contract/provider.ts'
import { isHeld } from '../proxy/management-access.ts'
import { upstreamErrorOf } from '../proxy/upstream-error.ts'
import { FAILED_LIST } from '../transports/ask-vendor.ts'
import {
  type PlanResult,
  type QueriedProvider,
  type QuotaTransport,
  queried,
} from '../transports/quota-transport.ts'
import type { AccountBook } from './account-book.ts'
import { askableAtMs, planAskableAtMs } from './account-budget.ts'
import { type AskedStore, createAskedNotes } from './asked-notes.ts'
import type { CurrentRefresh } from './current-refresh.ts'
import { evidenceWithBankedList, evidenceWithPlan } from './evidence-after.ts'
import { createQueryDispatcher } from './query-dispatcher.ts'
import { createQueryResults, type QueryDeps, type QueryTally } from './query-results.ts'
import {
  neverScheduled,
  noPause,
  pauseAfterAnswer,
  pauseAfterBroken,
  scheduleOf,
} from './schedule.ts'
import type { VendorPace } from './vendor-pace.ts'
import { note, takeSchedule, type WatchedAccount } from './watched-accounts.ts'

export interface QueryPlan {
  readonly transport: QuotaTransport
  readonly concurrency: number
  readonly quotaProbesPerMinute: number
  readonly queriedProvider: QueriedProvider<AskedVendor>
  readonly asked: AskedStore
  /** Turns and pauses of all queries of a vendor, shared by all proxies. */
  readonly pace: VendorPace
  /** Reads the account list again; true if it was read and given to the runner. */
  readonly refreshAccountList: () => Promise<boolean>
  /** Called after each query. */
  readonly onChange: () => void
}

/** State that queries read and answers change. */
export interface QuotaState {
  readonly book: AccountBook
  readonly tally: QueryTally
  readonly refresh: CurrentRefresh
}

/** Quota queries for each list of banked resets. */
const QUERIES_PER_LIST = 60

/** Queries all accounts: each query is sent when due, and its answer decides when the next one is due. */
export function createAccountQueries(
  plan: QueryPlan,
  { book, tally, refresh }: QuotaState,
  { clock, random, log, report }: QueryDeps,
) {
  const { transport, concurrency, quotaProbesPerMinute, refreshAccountList, onChange } = plan
  const { queriedProvider, pace } = plan
  const stopping = new AbortController()
  const { signal: stop } = stopping
  const pausing = createPausingTransport(transport, refresh, { clock, random, report, stop })

  const listsApartMs = MINUTE_MS * Math.max(1, QUERIES_PER_LIST / quotaProbesPerMinute)
  const notes = createAskedNotes(plan.asked, book.all)

  const send = async (watched: WatchedAccount, nowMs: number) => {
    const provider = queried(queriedProvider, watched.account)
    const isForPlan = planAskableAtMs(watched, provider, { now: clock.now(), nowMs }) <= nowMs
    pace.begin(provider)
    if (watched.isForPlan && isForPlan) await sendForPlan(watched, provider, nowMs)
    else await sendForQuota(watched, provider, nowMs)
    endTurn(watched, provider)
    await sendForBankedList(watched, provider)
  }

  const sendForQuota = async (watched: WatchedAccount, provider: AskedVendor, nowMs: number) => {
    const { authIndex } = watched.account.selector
    const { lastAttemptAtMs, sentAtMs } = watched.times
    const { askedAt } = watched.evidence
    const isDiagnostic = watched.account.operatorDisabled
    note(watched, { kind: 'query_begins', atMs: nowMs, jitter: jitterFactor(random) })
    noteAsked(watched, nowMs)
    // Stored before it is sent: what dies in between counts as asked.
    const result = (await notes.keep())
      ? await pausing.query(watched.account, isDiagnostic)
      : 'held'
    if (stop.aborted) return
    if (result === 'held') {
      note(watched, { kind: 'query_was_held', lastAttemptAtMs, sentAtMs })
      watched.evidence = withAskedAt(watched.evidence, askedAt)
      return
    }
    const pause = pace.take(provider, result, watched.account.selector.accountKey)
    results.settle(watched, { authIndex, isDiagnostic, pause }, result)
    refresh.settle(watched, result.kind === 'sample')
    if (isDiagnostic) note(watched, { kind: 'query_does_not_count', lastAttemptAtMs })
  }

  /** Queries the plan alone. A failure leaves the quota unchanged. */
  const sendForPlan = async (watched: WatchedAccount, provider: AskedVendor, nowMs: number) => {
    const { account, evidence: before, times } = watched
    const take = (reading: PlanReading | null) => {
      watched.evidence = evidenceWithPlan(watched.evidence, reading, {
        askedAt: clock.now(),
        account,
      })
    }
    noteAsked(watched, nowMs)
    take(null)
    const result = (await notes.keep()) ? await pausing.queryPlan(account) : 'held'
    if (stop.aborted || !book.lists(watched, account.selector.authIndex)) return
    if (result === 'held') {
      const { vendorPlan: _asked, ...rest } = watched.evidence
      const { askedAt, vendorPlan } = before
      watched.evidence = withAskedAt(vendorPlan ? { ...rest, vendorPlan } : rest, askedAt)
      watched.times = times
    } else if (result === null || !('kind' in result)) take(result)
    else if (refusesAll(result)) {
      const vendorPause = pace.take(provider, result, watched.account.selector.accountKey)
      if (vendorPause !== null) watched.evidence = { ...watched.evidence, vendorPause }
    }
  }

  /**
   * Queries the single banked resets once a new answer has told their count, as one more query of the minute's share, and so rarely that a round of
   * all accounts takes at most 2 % longer. A failure changes nothing else.
   */
  const sendForBankedList = async (watched: WatchedAccount, { bankedList }: AskedVendor) => {
    const { bankedResets } = watched.evidence
    if (stop.aborted || bankedList === undefined || bankedResets === undefined) return
    const isNew = bankedResets.sampledAt === newestDirectSample(watched.evidence.samples)?.sampledAt
    const isDue = isNew && isBankedListDue(bankedResets, clock.now())
    if (!isDue || watched.evidence.probeFailure !== null || !pace.mayListBanked(listsApartMs))
      return
    const atMs = dispatcher.takePlace()
    pace.countBankedList(atMs)
    await untilStopped((go) => clock.schedule(atMs - clock.monotonicMs(), go), stop)
    const { account } = watched
    if (stop.aborted || !ready() || account.operatorDisabled) return
    const result = await transport.queryBankedList(account, stop).catch((error) => {
      return isHeld(upstreamErrorOf(error)) ? null : FAILED_LIST
    })
    if (stop.aborted || result === null) return
    const { accountKey } = account.selector
    for (const file of book.all())
      if (file.account.selector.accountKey === accountKey)
        file.evidence = evidenceWithBankedList(file.evidence, result, clock.now())
    book.evidenceChanged()
    onChange()
  }

  const endTurn = (watched: WatchedAccount, provider: AskedVendor) => {
    if (!stop.aborted) {
      planNext([watched])
      book.evidenceChanged()
    }
    // Other proxies may wait for the end of this query.
    pace.end(provider)
    if (stop.aborted) return
    void notes.keep()
    onChange()
  }

  /** Notes the query for every file that may belong to the same account. */
  const noteAsked = (asked: WatchedAccount, atMs: number) => {
    const files = [...book.all()].filter((watched) => mayBeOneAccount(asked, watched))
    for (const watched of files) note(watched, { kind: 'sent_elsewhere', atMs })
    planNext(files.filter((watched) => watched !== asked))
    asked.evidence = withAskedAt(asked.evidence, clock.now())
    book.evidenceChanged()
  }

  const ready = () => plan.asked.standing() !== 'awaited' && transport.ready()
  const { pausedUntilMs } = pausing
  const freeAtMs = ({ account }: WatchedAccount) => {
    const provider = queriedProvider(account)
    return provider === null ? Number.POSITIVE_INFINITY : pace.freeAtMs(provider)
  }
  const isPaused = ({ account }: WatchedAccount) => {
    const provider = queriedProvider(account)
    return provider === null || pace.pausedUntilMs(provider) > clock.monotonicMs()
  }
  const limits = { concurrency, quotaProbesPerMinute, ready, pausedUntilMs, freeAtMs, isPaused }
  const dispatcher = createQueryDispatcher({ ...limits, accounts: book.all, send }, clock)
  const stopListening = pace.onFree(dispatcher.sendDue)

  const planNext = (accounts: Iterable<WatchedAccount>) => {
    // Counts accounts queried through other proxies too: each proxy gets all of them in turn.
    const pool = { now: clock.now(), accountCount: book.count(), quotaProbesPerMinute }
    const times = { now: pool.now, nowMs: clock.monotonicMs() }
    for (const watched of accounts) {
      const provider = queriedProvider(watched.account)
      if (provider === null) takeSchedule(watched, neverScheduled(watched))
      else {
        const askableAt = askableAtMs(watched, provider, times)
        const wish = refresh.wishFor(watched)
        const schedule = scheduleOf(watched, pool, wish, askableAt)
        const planAtMs = wish.takesTurns
          ? planAskableAtMs(watched, provider, times)
          : Number.POSITIVE_INFINITY
        takeSchedule(watched, schedule, planAtMs)
      }
    }
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
    /** Recalculates when these accounts are queried, and sends the due queries. */
    schedule,
    /** Estimated milliseconds until the next `count` queries are answered; null while none may be sent. */
    expectedMs: dispatcher.expectedMs,
    /** Ends the pause, because the vendor may be reachable again. */
    endPause: pausing.endPause,
    /** Stores changes of the last queries and refusals. */
    keepAsked: () => void notes.keep(),
    /** Counts queries sent by other processes at these monotonic times. */
    countSent: (timesMs: readonly number[]) =>
      timesMs.toSorted((one, other) => one - other).forEach(dispatcher.countSent),
    /** Whether no query is under way. */
    isAtRest: dispatcher.isAtRest,
    async stop() {
      stopping.abort()
      confirmation.stop()
      stopListening()
      await dispatcher.stop()
      await notes.keep()
    },
  }
}

/** Resolves when the scheduled task runs, or at once when `stop` is aborted. */
async function untilStopped(schedule: (go: () => void) => () => void, stop: AbortSignal) {
  await new Promise<void>((resolve) => {
    const end = () => {
      cancel()
      stop.removeEventListener('abort', end)
      resolve()
    }
    const cancel = schedule(end)
    stop.addEventListener('abort', end)
  })
}

/** Whether two files may belong to one account. Files with the same address may until the vendor has named an identity for both. */
function mayBeOneAccount(one: WatchedAccount, other: WatchedAccount): boolean {
  const [a, b] = [one.account, other.account]
  if (a.selector.accountKey === b.selector.accountKey) return true
  if (a.email === null || a.email !== b.email || a.provider !== b.provider) return false
  return [one, other].some(({ evidence }) => identitiesIn(evidence).length === 0)
}

/** Whether the result refuses all our queries rather than one account. */
function refusesAll({ kind }: ProbeResult): boolean {
  return kind === 'throttled' || kind === 'blocked'
}

function withAskedAt(
  { askedAt: _before, ...evidence }: AccountEvidence,
  askedAt: EpochMs | undefined,
): AccountEvidence {
  return askedAt === undefined ? evidence : { ...evidence, askedAt }
}

/** Wait before a refused login is confirmed. */
const CONFIRM_AFTER_MS = 3000

/** Queries refused logins once more after reading the account list again. */
function createLoginConfirmation(
  clock: Clock,
  plan: {
    /** Reads the account list again; resolves to true on success. */
    readonly refreshAccountList: () => Promise<boolean>
    /** Queries the accounts whose refusal still stands. */
    readonly confirm: (refused: readonly WatchedAccount[]) => void
  },
) {
  const unconfirmed = new Set<WatchedAccount>()
  let cancel = () => {}

  const confirmAll = async () => {
    const refused = [...unconfirmed]
    unconfirmed.clear()
    if (!(await plan.refreshAccountList())) return
    plan.confirm(refused.filter(({ evidence }) => evidence.refusedLogin !== null))
  }

  return {
    /** Adds a refused login; all logins added during the wait share one list. */
    add(watched: WatchedAccount) {
      unconfirmed.add(watched)
      if (unconfirmed.size === 1) cancel = clock.schedule(CONFIRM_AFTER_MS, () => void confirmAll())
    },
    stop: () => cancel(),
  }
}

/** Queries the vendor, and pauses all queries while the vendor cannot be reached. */
export function createPausingTransport(
  transport: Pick<QuotaTransport, 'query' | 'queryPlan' | 'endpointOf'>,
  refresh: Pick<CurrentRefresh, 'queryBroke'>,
  { clock, random, report, stop }: Omit<QueryDeps, 'log'> & { readonly stop: AbortSignal },
) {
  let pause = noPause
  return {
    /** Never throws. Resolves to 'held' if nothing was sent or the answer is no longer needed. */
    async query(account: Account, isDiagnostic: boolean): Promise<ProbeResult | 'held'> {
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
    /** Queries the plan, with the same results as `query`; a failure causes no pause. */
    async queryPlan(account: Account): Promise<PlanResult | 'held'> {
      try {
        return await transport.queryPlan(account, stop)
      } catch (error) {
        const failure = upstreamErrorOf(error)
        if (isHeld(failure) || stop.aborted) return 'held'
        report.count({ counter: 'upstream_errors_total', endpoint: transport.endpointOf(account) })
        return { kind: 'failed', code: failure.code, httpStatus: null }
      }
    },
    /** Monotonic milliseconds. */
    pausedUntilMs: () => pause.untilMs,
    endPause() {
      pause = noPause
    },
  }
}
