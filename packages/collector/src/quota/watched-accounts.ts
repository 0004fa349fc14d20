import { type Account, type AccountEvidence, type EpochMs, evidenceFrom, HOUR_MS } from '@svc/core'
import { isSameLogin, type QuotaClass } from '@svc/core/service'
import {
  type AccountSchedule,
  neverQueried,
  type QueryTimes,
  type ScheduleEvent,
  timesAfter,
} from './schedule.ts'

/** One account whose quota is watched. The object stays the same when its file is renamed. */
export interface WatchedAccount {
  /** The account in the newest list. */
  account: Account
  evidence: AccountEvidence
  quotaClass: QuotaClass
  /** Whether the account was never read by any means. */
  isUnread: boolean
  /** Time of the next query, in monotonic milliseconds; Infinity for never. */
  dueAtMs: number
  /** Whether the next query is for the plan alone. */
  isForPlan: boolean
  times: QueryTimes
  /** End of the last wait that the vendor requested for the account; null for none. */
  waitUntil: EpochMs | null
  /** Number of lists read when the vendor last refused the login. */
  refusedAfterLists: number
  querying: boolean
}

export interface WatchedAccounts {
  readonly byAuthName: ReadonlyMap<string, WatchedAccount>
  /** Accounts no longer listed, kept for a while because a renamed file may be missing from one list. */
  readonly gone: readonly { readonly watched: WatchedAccount; readonly sinceMs: number }[]
}

export const noWatchedAccounts: WatchedAccounts = { byAuthName: new Map(), gone: [] }

const GONE_KEPT_MS = HOUR_MS
const GONE_MAX = 1000

/**
 * Matches the watched accounts with a new list by their stable key: a renamed file keeps everything, and another account under an old name starts
 * empty. `listedBefore` is the time of the previous list. Later samples of an account that lost its name may belong to its successor.
 */
export function followAccounts(
  previous: WatchedAccounts,
  accounts: readonly Account[],
  { nowMs, listedBefore }: { readonly nowMs: number; readonly listedBefore: EpochMs | null },
): WatchedAccounts {
  const accountByName = new Map(accounts.map((account) => [account.selector.authName, account]))
  const leaving = [...previous.byAuthName].flatMap(([name, watched]) => {
    const now = accountByName.get(name)
    if (now !== undefined && isSameLogin(watched.account, now)) return []
    return [
      {
        watched: now === undefined ? watched : withoutSamplesSince(watched, listedBefore),
        sinceMs: nowMs,
      },
    ]
  })
  const recent = previous.gone.filter(({ sinceMs }) => nowMs - sinceMs <= GONE_KEPT_MS)
  const goneByKey = new Map(
    [...recent, ...leaving].slice(-GONE_MAX).map((entry) => [keyOf(entry.watched), entry]),
  )

  const byAuthName = new Map<string, WatchedAccount>()
  for (const account of accounts) {
    const { authName, accountKey } = account.selector
    const same = previous.byAuthName.get(authName)
    if (same !== undefined && isSameLogin(same.account, account)) {
      byAuthName.set(authName, renew(same, account))
      continue
    }
    const returning = goneByKey.get(accountKey)
    goneByKey.delete(accountKey)
    byAuthName.set(
      authName,
      returning === undefined ? newlyWatched(account) : renew(returning.watched, account),
    )
  }
  return { byAuthName, gone: [...goneByKey.values()] }
}

export function note(watched: WatchedAccount, event: ScheduleEvent): void {
  watched.times = timesAfter(watched.times, event)
}

/** `planAtMs`: time from which the plan alone may be queried, in monotonic milliseconds; Infinity for never. */
export function takeSchedule(
  watched: WatchedAccount,
  { quotaClass, isUnread, dueAtMs, plannedIntervalSeconds }: AccountSchedule,
  planAtMs = Number.POSITIVE_INFINITY,
): void {
  watched.quotaClass = quotaClass
  watched.isUnread = isUnread
  watched.dueAtMs = Math.min(planAtMs, dueAtMs)
  watched.isForPlan = planAtMs < dueAtMs
  if (plannedIntervalSeconds !== watched.evidence.plannedIntervalSeconds)
    watched.evidence = { ...watched.evidence, plannedIntervalSeconds }
}

function keyOf(watched: WatchedAccount): string {
  return watched.account.selector.accountKey
}

function newlyWatched(account: Account): WatchedAccount {
  return {
    account,
    evidence: evidenceFrom([]),
    quotaClass: 'none',
    isUnread: false,
    dueAtMs: Number.POSITIVE_INFINITY,
    isForPlan: false,
    times: neverQueried,
    waitUntil: null,
    refusedAfterLists: 0,
    querying: false,
  }
}

/** Updates the account. If its index changed, drops the login refusal, which belongs to the old index. */
function renew(watched: WatchedAccount, account: Account): WatchedAccount {
  const indexChanged = watched.account.selector.authIndex !== account.selector.authIndex
  watched.account = account
  if (indexChanged && watched.evidence.refusedLogin !== null) {
    watched.evidence = { ...watched.evidence, refusedLogin: null, probeFailure: null }
    note(watched, { kind: 'index_changed' })
  }
  return watched
}

function withoutSamplesSince(
  watched: WatchedAccount,
  listedBefore: EpochMs | null,
): WatchedAccount {
  const samples = watched.evidence.samples.filter(
    (sample) => listedBefore === null || sample.sampledAt < listedBefore,
  )
  watched.evidence = { ...watched.evidence, samples }
  return watched
}
