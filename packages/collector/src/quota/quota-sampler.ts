import {
  type Account,
  type AccountActivity,
  type AccountEvidence,
  type Clock,
  type DirectQuotaTally,
  type DisabledProbe,
  type EpochMs,
  isMainWindow,
  type Log,
  mergedEvidence,
  newestDirectSample,
  plannedIntervalSeconds,
  probeScheduleOf,
  type QuotaClass,
  type QuotaSample,
  type RefreshRun,
  type RefreshScope,
  type RefusedLogin,
  type RememberedAccount,
  type SourceReading,
} from '@svc/core'
import { backoffMs, jitterFactor } from '../polling/backoff.ts'
import type { CollectorReport } from '../polling/collector-report.ts'
import { createSourceLog } from '../polling/source-log.ts'
import type { ProbeResult } from '../providers/contract/provider.ts'
import { isHeld } from '../proxy/management-access.ts'
import { upstreamErrorOf } from '../proxy/upstream-error.ts'
import type { QuotaTransport } from '../transports/quota-transport.ts'
import { createQueryTally } from './query-tally.ts'
import { createRefreshRound, type RefreshRound } from './refresh-round.ts'
import { createTokenBucket } from './token-bucket.ts'
import { followAccounts, noWatchedAccounts, type WatchedAccount, type WatchedAccounts } from './watched-accounts.ts'

export interface SamplerPlan {
  readonly transport: QuotaTransport
  readonly concurrency: number
  readonly probesPerMinute: number
  /** Reads the account list once more; true when that worked, and `useAccounts` has been called with it. */
  readonly refreshAccountList: () => Promise<boolean>
  /** Called after each query. */
  readonly onChange: () => void
}

export interface SamplerDeps {
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
  readonly report: CollectorReport
}

/** Asks for the quota of every account as often as its class needs, never more than the ceilings allow. */
export interface QuotaSampler {
  /** Follows a new account list. */
  useAccounts(accounts: readonly Account[]): void
  /** Knows of accounts, by file name, what an earlier process has read. */
  restore(remembered: ReadonlyMap<string, RememberedAccount>): void
  /** Takes what the vendor told with answers to requests; a fresh value of every window replaces the next query. */
  usePassive(activity: readonly AccountActivity[]): void
  /** Ends every pause: the proxy answers again. */
  retryNow(): void
  /** Asks once about every account in scope, soon, within the same ceilings. Whoever runs a refresh before this one ends it. */
  refresh(scope: RefreshScope): RefreshRun
  evidence(): ReadonlyMap<string, AccountEvidence>
  reading(): SourceReading<DirectQuotaTally>
  stop(): Promise<void>
}

/** A refused login is asked about again after this. Source: decisions §3. */
const CONFIRM_AFTER_MS = 3000
/** Longest pause of all queries while the way to the vendor is down. Source: reliability "Poller contract". */
const PAUSE_MS_MAX = 5 * 60_000
/** A refresh gives up once the way to the vendor has failed this often in a row. */
const REFRESH_BROKEN_MAX = 3
/** How often a refresh looks whether it may still ask. */
const REFRESH_LOOK_MS = 1000

/** At one due time the class that matters most goes first. */
const CLASS_RANK: Readonly<Record<QuotaClass, number>> = { primary: 0, recovery: 1, discovery: 2, none: 3 }

export function createQuotaSampler(plan: SamplerPlan, { clock, random, log, report }: SamplerDeps): QuotaSampler {
  const { transport } = plan
  const bucket = createTokenBucket(plan.probesPerMinute, clock.monotonicMs())
  const tally = createQueryTally()
  const tell = createSourceLog('direct quota', { clock, log })
  const stopping = new AbortController()
  const underWay = new Set<Promise<void>>()
  let accounts: WatchedAccounts = noWatchedAccounts
  let listedAt: EpochMs | null = null
  let remembered: ReadonlyMap<string, RememberedAccount> = new Map()
  let listCount = 0
  let evidenceByAuthName: ReadonlyMap<string, AccountEvidence> | null = null
  let brokenInARow = 0
  let pausedUntilMs = 0
  let cancelWake = () => {}
  const unconfirmed = new Set<WatchedAccount>()
  let cancelConfirming = () => {}
  let round: RefreshRound | null = null
  let cancelLooking = () => {}

  const schedule = (watched: WatchedAccount) => {
    const { account, lastAttemptAtMs } = watched
    const wasQueried = watched.evidence.samples.length > 0 || watched.evidence.probeFailure !== null
    const scheduleNow = () => probeScheduleOf(account, wasQueried ? watched.evidence : null, clock.now())
    let { quotaClass, intervalSeconds } = scheduleNow()
    const planned = plannedIntervalSeconds(quotaClass, accounts.byAuthName.size, plan.probesPerMinute)
    if (planned !== watched.evidence.plannedIntervalSeconds) {
      watched.evidence = { ...watched.evidence, plannedIntervalSeconds: planned }
      // The class decides the planned interval, and that the next query.
      intervalSeconds = scheduleNow().intervalSeconds
    }
    watched.quotaClass = quotaClass
    if (round?.awaits(watched) === true && !isInScope(watched, round.scope)) round.drop(watched)
    if (round?.awaits(watched) === true) {
      watched.dueAtMs = round.startedAtMs
      return
    }
    const usual = lastAttemptAtMs === null ? 0 : lastAttemptAtMs + intervalSeconds * 1000 * watched.jitter
    const dueAtMs = Math.max(watched.confirmAtMs ?? usual, watched.waitUntilMs)
    watched.dueAtMs = isInScope(watched, 'default') ? dueAtMs : Number.POSITIVE_INFINITY
  }

  const isInScope = ({ account }: WatchedAccount, scope: RefreshScope) =>
    transport.canQuery(account) && account.operatorDisabled === (scope === 'disabled-diagnostics')

  const scheduleAll = () => {
    for (const watched of accounts.byAuthName.values()) schedule(watched)
    queryDue()
  }

  const firstDue = (): WatchedAccount | null => {
    let first: WatchedAccount | null = null
    for (const watched of accounts.byAuthName.values()) {
      if (!watched.querying && Number.isFinite(watched.dueAtMs) && (first === null || isBefore(watched, first))) first = watched
    }
    return first
  }

  const queryDue = () => {
    cancelWake()
    if (stopping.signal.aborted || !transport.ready()) return
    const nowMs = clock.monotonicMs()
    while (underWay.size < plan.concurrency) {
      const watched = firstDue()
      if (watched === null) return
      const startAtMs = Math.max(watched.dueAtMs, pausedUntilMs, bucket.nextAtMs(nowMs))
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
    const lastAttemptAtMs = watched.lastAttemptAtMs
    const isDiagnostic = watched.account.operatorDisabled
    watched.querying = true
    watched.lastAttemptAtMs = nowMs
    watched.jitter = jitterFactor(random)
    watched.confirmAtMs = null
    const query = ask(watched.account, isDiagnostic).then((result) => {
      underWay.delete(query)
      watched.querying = false
      if (stopping.signal.aborted) return
      if (result === 'held' || isDiagnostic) watched.lastAttemptAtMs = lastAttemptAtMs
      if (result !== 'held') {
        if (isDiagnostic) settleDiagnostic(watched, authIndex, result)
        else settle(watched, authIndex, result)
        round?.settle(watched, result.kind === 'sample')
      }
      schedule(watched)
      evidenceByAuthName = null
      plan.onChange()
      queryDue()
    })
    underWay.add(query)
  }

  const ask = async (account: Account, isDiagnostic: boolean): Promise<ProbeResult | 'held'> => {
    try {
      const result = await transport.query(account, stopping.signal, isDiagnostic)
      brokenInARow = 0
      return result
    } catch (error) {
      const failure = upstreamErrorOf(error)
      if (isHeld(failure) || stopping.signal.aborted) return 'held'
      report.upstreamError(transport.endpointOf(account), failure.code)
      brokenInARow += 1
      const pauseMs = failure.retryAfterSeconds === null ? backoffMs(brokenInARow, PAUSE_MS_MAX, random) : failure.retryAfterSeconds * 1000
      pausedUntilMs = clock.monotonicMs() + pauseMs
      if (brokenInARow >= REFRESH_BROKEN_MAX) round?.end(failure.code)
      return { kind: 'failed', code: failure.code, httpStatus: null }
    }
  }

  const settle = (watched: WatchedAccount, authIndex: string, result: ProbeResult) => {
    const { selector } = watched.account
    report.probe(watched.quotaClass, result.kind === 'sample' ? 'ok' : result.kind)
    tally.count(result, clock.now())
    const { outcome } = tally.reading()
    if (outcome.kind === 'ok') tell({ kind: 'ok' })
    else if (outcome.kind === 'failed') tell({ kind: 'failed', code: outcome.code, message: 'no query of late was answered' })

    // An index that has left the list, or is another account's by now, answers for nobody.
    if (accounts.byAuthName.get(selector.authName) === watched && selector.authIndex === authIndex) record(watched, result)
    else watched.lastAttemptAtMs = null
  }

  /** Nothing but the diagnostic result changes: the account stays out of everything else. */
  const settleDiagnostic = (watched: WatchedAccount, authIndex: string, result: ProbeResult) => {
    const { selector } = watched.account
    report.probe(watched.quotaClass, result.kind === 'sample' ? 'ok' : result.kind)
    if (accounts.byAuthName.get(selector.authName) !== watched || selector.authIndex !== authIndex) return
    watched.evidence = { ...watched.evidence, disabledProbe: disabledProbeOf(result, clock.now()) }
  }

  const record = (watched: WatchedAccount, result: ProbeResult) => {
    const { evidence } = watched
    if (result.kind === 'sample') {
      const samples = [...evidence.samples.filter((sample) => sample.origin !== result.sample.origin), result.sample]
      watched.evidence = { ...evidence, samples, probeFailure: null, refusedLogin: null }
      return
    }
    const { kind, httpStatus } = result
    const probeFailure = { at: clock.now(), kind, httpStatus, inARow: (evidence.probeFailure?.inARow ?? 0) + 1 }
    const refusedLogin = result.kind === 'auth' ? refusedAgain(watched, result.httpStatus) : evidence.refusedLogin
    watched.evidence = { ...evidence, probeFailure, refusedLogin }
    if (result.kind === 'throttled' && result.retryAfterSeconds !== null) {
      watched.waitUntilMs = clock.monotonicMs() + result.retryAfterSeconds * 1000
    }
    if (result.kind === 'auth' && refusedLogin?.inARow === 1) confirmSoon(watched)
  }

  /** A second refusal counts only when the list was read in between and still shows the account. */
  const refusedAgain = (watched: WatchedAccount, httpStatus: number): RefusedLogin => {
    const before = watched.evidence.refusedLogin
    const counts = before !== null && listCount > watched.refusedAfterLists
    watched.refusedAfterLists = listCount
    return { inARow: (before?.inARow ?? 1) + (counts ? 1 : 0), lastAt: clock.now(), httpStatus }
  }

  /** All that are refused within the seconds of waiting are confirmed after the same list. */
  const confirmSoon = (watched: WatchedAccount) => {
    unconfirmed.add(watched)
    if (unconfirmed.size === 1) cancelConfirming = clock.schedule(CONFIRM_AFTER_MS, () => void confirmAll())
  }

  const confirmAll = async () => {
    const refused = [...unconfirmed]
    unconfirmed.clear()
    if (!(await plan.refreshAccountList())) return
    for (const watched of refused) {
      if (watched.evidence.refusedLogin === null) continue
      watched.confirmAtMs = clock.monotonicMs()
      schedule(watched)
    }
    queryDue()
  }

  /** Ends a refresh that may not ask any more, and one whose time has not come looks again. */
  const lookAtRound = () => {
    cancelLooking()
    if (round === null) return
    const refusal = transport.refusal()
    if (refusal !== null || round.awaited().length === 0) round.end(refusal)
    else cancelLooking = clock.schedule(REFRESH_LOOK_MS, lookAtRound)
  }

  /** Adds what an earlier process knew to the accounts that are listed still, once. */
  const recall = () => {
    for (const [authName, watched] of accounts.byAuthName) {
      const known = remembered.get(authName)
      if (known?.evidence == null || known.account.selector.accountKey !== watched.account.selector.accountKey) continue
      watched.evidence = mergedEvidence(watched.evidence, known.evidence)
    }
    if (accounts.byAuthName.size > 0) remembered = new Map()
    evidenceByAuthName = null
  }

  return {
    restore(known) {
      remembered = known
      recall()
      scheduleAll()
    },
    useAccounts(list) {
      accounts = followAccounts(accounts, list, { nowMs: clock.monotonicMs(), listedBefore: listedAt })
      for (const watched of round?.awaited() ?? []) {
        if (accounts.byAuthName.get(watched.account.selector.authName) !== watched) round?.drop(watched)
      }
      recall()
      listedAt = clock.now()
      listCount += 1
      evidenceByAuthName = null
      scheduleAll()
    },
    usePassive(activity) {
      const sampleByKey = new Map(activity.flatMap(({ accountKey, sample }) => (sample === null ? [] : [[accountKey, sample] as const])))
      if (sampleByKey.size === 0) return
      for (const watched of accounts.byAuthName.values()) {
        const sample = sampleByKey.get(watched.account.selector.accountKey)
        if (sample === undefined) continue
        const { samples } = watched.evidence
        const known = samples.find(({ origin }) => origin === sample.origin)
        if (known !== undefined && known.sampledAt >= sample.sampledAt) continue
        watched.evidence = { ...watched.evidence, samples: [...samples.filter((other) => other !== known), sample] }
        if (watched.quotaClass === 'primary' && !watched.querying && showsAllWindowsOf(newestDirectSample(samples), sample)) {
          watched.lastAttemptAtMs = clock.monotonicMs()
        }
        schedule(watched)
        evidenceByAuthName = null
      }
      queryDue()
    },
    retryNow() {
      brokenInARow = 0
      pausedUntilMs = 0
      for (const watched of accounts.byAuthName.values()) {
        const { probeFailure } = watched.evidence
        if (probeFailure?.kind === 'failed' && probeFailure.httpStatus === null) watched.lastAttemptAtMs = null
      }
      scheduleAll()
    },
    refresh(scope) {
      round?.cancel()
      const nowMs = clock.monotonicMs()
      const begun = createRefreshRound(
        scope,
        [...accounts.byAuthName.values()].filter((watched) => isInScope(watched, scope)),
        nowMs,
      )
      round = begun
      for (const watched of begun.awaited()) {
        // The vendor has asked for patience.
        if (watched.waitUntilMs > nowMs) begun.settle(watched, false)
      }
      lookAtRound()
      scheduleAll()
      return begun
    },
    evidence() {
      evidenceByAuthName ??= evidenceOf(accounts)
      return evidenceByAuthName
    },
    reading: tally.reading,
    async stop() {
      stopping.abort()
      cancelWake()
      cancelConfirming()
      cancelLooking()
      round?.cancel()
      await Promise.all(underWay)
    },
  }
}

/** True when nothing would be learnt from a query that the headers do not say already. */
function showsAllWindowsOf(direct: QuotaSample | null, passive: QuotaSample): boolean {
  if (direct === null) return false
  const shown = new Set(passive.windows.map(({ id }) => id))
  return direct.windows.every(({ id }) => !isMainWindow(id) || shown.has(id))
}

function disabledProbeOf(result: ProbeResult, probedAt: EpochMs): DisabledProbe {
  if (result.kind === 'sample') {
    const { sample } = result
    const isExhausted =
      sample.limitReached || sample.spendReached !== null || sample.windows.some(({ id, percent }) => isMainWindow(id) && percent <= 0)
    return { state: isExhausted ? 'exhausted' : 'ok', probedAt, httpStatus: 200, sample }
  }
  return { state: result.kind === 'auth' ? 'auth_invalid' : 'error', probedAt, httpStatus: result.httpStatus, sample: null }
}

function isBefore(one: WatchedAccount, other: WatchedAccount): boolean {
  if (one.dueAtMs !== other.dueAtMs) return one.dueAtMs < other.dueAtMs
  return CLASS_RANK[one.quotaClass] < CLASS_RANK[other.quotaClass]
}

function evidenceOf(accounts: WatchedAccounts): ReadonlyMap<string, AccountEvidence> {
  const queried = [...accounts.byAuthName].filter(
    ([, { evidence }]) => evidence.samples.length > 0 || evidence.probeFailure !== null || evidence.disabledProbe.state !== 'unknown',
  )
  return new Map(queried.map(([authName, { evidence }]) => [authName, evidence]))
}
