import { type EpochMs, plusMs, type SourceReading } from '@svc/core'
import {
  type DirectQuotaTally,
  type PausedProvider,
  providerRowOf,
  type SourceFailureCode,
  type VendorRefusal,
} from '@svc/core/service'
import type { CollectorReport } from '../polling/collector-report.ts'
import { createSourceLog, type PollDeps } from '../polling/polled-source.ts'
import type { ProbeResult } from '../providers/contract/provider.ts'
import type { AccountBook } from './account-book.ts'
import { disabledProbeOf, evidenceAfter } from './evidence-after.ts'
import { note, type WatchedAccount } from './watched-accounts.ts'

export interface QueryDeps extends PollDeps {
  readonly report: Pick<CollectorReport, 'count'>
}

export interface QueryResultsDeps extends Omit<QueryDeps, 'random'> {
  readonly book: AccountBook
  readonly tally: QueryTally
  /** Called with an account on the first refusal in a row of its login. */
  readonly onFirstRefusal: (watched: WatchedAccount) => void
}

/** A query as sent; the account may change before the answer. */
export interface SentQuery {
  readonly authIndex: string
  /** Whether it diagnoses an account that the operator has disabled. */
  readonly isDiagnostic: boolean
  /** Pause of all queries of the vendor caused by a refusal; absent for none. */
  readonly pause?: VendorRefusal | null
}

/** Applies answers to the account's evidence, the tally of all queries, metrics and log. */
export function createQueryResults(deps: QueryResultsDeps) {
  const { book, tally, clock, report } = deps
  const tell = createSourceLog('direct quota', deps)

  const count = (result: ProbeResult) => {
    tally.count(result, clock.now())
    const { outcome } = tally.reading()
    if (outcome.kind === 'ok') tell({ kind: 'ok' })
    else if (outcome.kind === 'failed')
      tell({ kind: 'failed', code: outcome.code, message: 'no query of late was answered' })
  }

  const record = (watched: WatchedAccount, { pause = null }: SentQuery, result: ProbeResult) => {
    const { account, evidence } = watched
    const { provider } = account
    const isConfirmedAtOnce = providerRowOf(provider).refusalsApartMs === 0
    watched.evidence = evidenceAfter(evidence, result, {
      now: clock.now(),
      isListedAgain: book.listCount() > watched.refusedAfterLists,
      account,
      provenAt: isConfirmedAtOnce ? null : (account.provenAt ?? account.lastSuccessAt),
      pause,
    })
    if (result.kind === 'throttled' && result.retryAfterSeconds !== null) {
      const waitMs = result.retryAfterSeconds * 1000
      note(watched, { kind: 'vendor_asks_to_wait', untilMs: clock.monotonicMs() + waitMs })
      watched.waitUntil = plusMs(clock.now(), waitMs)
    }
    if (result.kind !== 'auth') return
    watched.refusedAfterLists = book.listCount()
    if (isConfirmedAtOnce && watched.evidence.refusedLogin?.inARow === 1)
      deps.onFirstRefusal(watched)
  }

  return {
    settle(watched: WatchedAccount, sent: SentQuery, result: ProbeResult) {
      const { authIndex, isDiagnostic } = sent
      report.count({
        counter: 'direct_quota_probes_total',
        class: watched.quotaClass,
        result: countedAs[result.kind],
      })
      const isListed = book.lists(watched, authIndex)
      if (isDiagnostic) {
        // Only the diagnostic result changes: the account stays out of everything else.
        const disabledProbe = disabledProbeOf(result, clock.now())
        if (isListed) watched.evidence = { ...watched.evidence, disabledProbe }
        return
      }
      count(result)
      // An index that has left the list, or belongs to another account now, proves nothing.
      if (isListed) record(watched, sent, result)
      else note(watched, { kind: 'query_is_void' })
    },
  }
}

/** Name of each query result in metrics. */
const countedAs = {
  sample: 'ok',
  auth: 'auth',
  blocked: 'blocked',
  unavailable: 'failed',
  throttled: 'throttled',
  failed: 'failed',
} as const satisfies Readonly<Record<ProbeResult['kind'], string>>

/** Number of newest queries that decide the state of direct quota. */
const RECENT_MAX = 20

/** Counts the results of queries. `paused`: vendors that are not queried now. */
export function createQueryTally(paused: () => readonly PausedProvider[] = () => []) {
  let succeeded = 0
  let failed = 0
  let failuresInARow = 0
  let recent: readonly boolean[] = []
  let lastGoodAt: EpochMs | null = null
  let outcome: SourceReading<DirectQuotaTally>['outcome'] = { kind: 'pending' }

  return {
    count(result: ProbeResult, at: EpochMs) {
      const code = failureCodeOf(result)
      if (result.kind === 'sample') succeeded += 1
      else failed += 1
      recent = [...recent, code === null].slice(-RECENT_MAX)
      failuresInARow = code === null ? 0 : failuresInARow + 1
      if (code === null) lastGoodAt = at
      outcome =
        code === null || recent.includes(true)
          ? { kind: 'ok', at: lastGoodAt ?? at }
          : { kind: 'failed', code, at }
    },
    /** Takes the time of an earlier process's last good answer, because the first query may come late. */
    resume(at: EpochMs) {
      lastGoodAt ??= at
      if (outcome.kind === 'pending') outcome = { kind: 'ok', at }
    },
    /** Failed only if none of the newest queries said anything about its account: one dead account does not fail the source. */
    reading(): SourceReading<DirectQuotaTally> {
      const recentFailed = recent.filter((informative) => !informative).length
      const value = {
        succeeded,
        failed,
        recentFailed,
        recentCount: recent.length,
        paused: paused(),
      }
      return {
        outcome,
        failuresInARow,
        lastGood: lastGoodAt === null ? null : { value, at: lastGoodAt },
      }
    },
  }
}

export type QueryTally = ReturnType<typeof createQueryTally>

/** Failure of a query; null for an answer about the account, which proves that the vendor can be reached. */
function failureCodeOf(result: ProbeResult): SourceFailureCode | null {
  switch (result.kind) {
    case 'sample':
    case 'auth':
    case 'unavailable':
      return null
    case 'blocked':
      return 'blocked_by_vendor'
    case 'throttled':
      return 'throttled'
    case 'failed':
      return result.code
    default:
      return result satisfies never
  }
}
