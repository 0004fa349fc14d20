import type { Account, AccountEvidence, SourceReading } from '@svc/core'
import {
  type DirectQuotaTally,
  fileKeyOf,
  type RefreshRun,
  type RefreshTarget,
  type RememberedAccount,
} from '@svc/core/service'
import type { AccountActivity } from '@svc/core/usage'
import { createAccountBook } from './account-book.ts'
import { createAccountQueries, type QueryDeps, type QueryPlan } from './account-queries.ts'
import { createCurrentRefresh } from './current-refresh.ts'
import { takePassiveQuota } from './passive-quota.ts'
import { createQueryTally } from './query-tally.ts'
import { note } from './watched-accounts.ts'

/** Asks for the quota of every account when the schedule says so, never more than the ceilings allow. */
export interface QuotaRunner {
  /** Follows a new account list. */
  useAccounts(accounts: readonly Account[]): void
  /** Knows of accounts, by file name, what an earlier process has read. */
  restore(remembered: ReadonlyMap<string, RememberedAccount>): void
  /** Knows of accounts, by file name, what another process that asks about them has read. */
  adopt(known: ReadonlyMap<string, RememberedAccount>): void
  /** Queries may go out again that might not before. */
  askAgain(): void
  /** Takes the quota that came with answers to requests; a fresh value of every window replaces the next query. */
  usePassive(activity: readonly AccountActivity[]): void
  /** Asks about these files alone from now on, by `fileKeyOf`: several proxies list the others too. */
  askOnly(files: ReadonlySet<string>): void
  /** Ends every pause: the proxy answers again. */
  retryNow(): void
  /** Asks once about every account in scope, soon, within the same ceilings. A refresh that is still running ends. */
  refresh(target: RefreshTarget): RefreshRun
  evidence(): ReadonlyMap<string, AccountEvidence>
  reading(): SourceReading<DirectQuotaTally>
  /** Whether no query is under way, and none is waited for. */
  isAtRest(): boolean
  stop(): Promise<void>
}

/** Makes a runner that queries nothing before its first account list. */
export function createQuotaRunner(plan: QueryPlan, deps: QueryDeps): QuotaRunner {
  const { clock } = deps
  const book = createAccountBook(clock)
  const queryTally = createQueryTally()
  let asked: ReadonlySet<string> | null = null
  const isAskedHere = (account: Account) => asked === null || asked.has(fileKeyOf(account))
  const refresh = createCurrentRefresh(plan.transport, clock, isAskedHere)
  const state = { book, tally: queryTally, refresh, isAskedHere }
  const queries = createAccountQueries(plan, state, deps)

  return {
    useAccounts(list) {
      book.follow(list)
      refresh.dropUnlisted(book.lists)
      queries.schedule(book.all())
    },
    restore(known) {
      book.restore(known)
      queries.schedule(book.all())
    },
    adopt(known) {
      book.adopt(known)
      queries.schedule(book.all())
      plan.onChange()
    },
    askAgain: () => queries.schedule(book.all()),
    usePassive(activity) {
      const changed = takePassiveQuota(book.all(), activity, clock.monotonicMs())
      if (changed.length === 0) return
      book.evidenceChanged()
      queries.schedule(changed)
    },
    askOnly(files) {
      asked = files
      queries.schedule(book.all())
    },
    retryNow() {
      queries.endPause()
      for (const watched of book.all()) {
        const { probeFailure } = watched.evidence
        if (probeFailure?.kind === 'failed' && probeFailure.httpStatus === null)
          note(watched, { kind: 'query_is_void' })
      }
      queries.schedule(book.all())
    },
    refresh(target) {
      const { tally, ended, cancel } = refresh.begin(target, book.all())
      queries.schedule(book.all())
      return {
        tally,
        ended,
        expectedMs: () => queries.expectedMs(tally().queued - tally().done),
        cancel() {
          cancel()
          // What it asked for is not due any more.
          queries.schedule(book.all())
        },
      }
    },
    evidence: book.evidence,
    reading: queryTally.reading,
    isAtRest: () => queries.isAtRest() && !refresh.isRunning(),
    async stop() {
      refresh.stop()
      await queries.stop()
    },
  }
}
