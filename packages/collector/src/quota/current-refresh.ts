import { type Account, type EpochMs, plusMs } from '@svc/core'
import {
  type Clock,
  firstInstant,
  type RefreshFailure,
  type RefreshTally,
  type RefreshTarget,
  type SkippedAccounts,
  type SourceFailureCode,
} from '@svc/core/service'
import type { QuotaTransport } from '../transports/quota-transport.ts'
import type { QueryWish } from './schedule.ts'
import type { WatchedAccount } from './watched-accounts.ts'

/** Failures in a row to reach the vendor after which a refresh gives up. */
const BROKEN_MAX = 3
/** Interval of the check whether a refresh may still query. */
const LOOK_MS = 1000
/** Least time between two refreshes of one account alone. See docs/rules.md#manual-refresh. */
const ALONE_MS = 60_000
/** Sorts before any due time, because somebody is waiting for this account. */
const FIRST_OF_ALL_MS = -1

export interface RefreshLimits {
  /** Whether an account that several proxies list is queried through this proxy. */
  readonly isAskedHere: (account: Account) => boolean
  /** Time from which the vendor may be queried about the account, in monotonic milliseconds; Infinity: not before a restart or a reload. */
  readonly askableAtMs: (watched: WatchedAccount) => number
}

const noLimits: RefreshLimits = {
  isAskedHere: () => true,
  askableAtMs: () => Number.NEGATIVE_INFINITY,
}

/** The latest refresh. It ends when all its accounts are answered or no more queries may be sent. */
export function createCurrentRefresh(
  transport: Pick<QuotaTransport, 'canQuery' | 'refusal'>,
  clock: Clock,
  { isAskedHere, askableAtMs }: RefreshLimits = noLimits,
) {
  let round: RefreshRound | null = null
  let cancelLooking = () => {}
  const awaitedAlone = new WeakSet<WatchedAccount>()
  const askedAloneAtMs = new WeakMap<WatchedAccount, number>()

  const isInScope = ({ account }: WatchedAccount, target: RefreshTarget) =>
    transport.canQuery(account) &&
    isAskedHere(account) &&
    (target.scope === 'account'
      ? account.selector.accountKey === target.accountKey
      : account.operatorDisabled === (target.scope === 'disabled-diagnostics'))

  /** Skips accounts that may not be queried now; a query under way is awaited. */
  const skipEarly = (of: RefreshRound) => {
    const nowMs = clock.monotonicMs()
    for (const watched of of.awaited()) {
      const atMs = askableAtMs(watched)
      if (watched.querying || atMs <= nowMs) continue
      of.skip(watched, Number.isFinite(atMs) ? plusMs(clock.now(), atMs - nowMs) : null)
    }
  }

  /** Ends the refresh if nothing is left to query or no query may be sent; otherwise checks again later. */
  const look = () => {
    cancelLooking()
    if (round === null) return
    skipEarly(round)
    const refusal = transport.refusal()
    if (refusal !== null || round.awaited().length === 0) round.end(refusal)
    else cancelLooking = clock.schedule(LOOK_MS, look)
  }

  return {
    /** Begins a refresh of the accounts in scope and ends the previous refresh. */
    begin(target: RefreshTarget, accounts: Iterable<WatchedAccount>): RefreshRound {
      round?.cancel()
      const nowMs = clock.monotonicMs()
      const inScope = [...accounts].filter((watched) => isInScope(watched, target))
      round = createRefreshRound(target, inScope, nowMs)
      skipEarly(round)
      const left = round.awaited()
      const refusal =
        left.length === 0 && inScope.length > 0
          ? 'asked_lately'
          : target.scope === 'account'
            ? refusalOf(left, askedAloneAtMs, nowMs)
            : null
      if (refusal !== null) round.end(refusal)
      for (const watched of left) {
        // The vendor asked to wait.
        if (watched.times.waitUntilMs > nowMs) round.settle(watched, false)
        else if (target.scope === 'account' && round.awaits(watched)) awaitedAlone.add(watched)
      }
      look()
      return round
    },
    /** Whether the account is queried on schedule, and whether a refresh waits for it. Drops an account that is no longer in scope. */
    wishFor(watched: WatchedAccount): QueryWish {
      if (round !== null && !isInScope(watched, round.target)) round.drop(watched)
      const sinceMs = round?.target.scope === 'account' ? FIRST_OF_ALL_MS : round?.startedAtMs
      return {
        takesTurns: isInScope(watched, { scope: 'default' }),
        awaitedSinceMs: round?.awaits(watched) === true ? (sinceMs ?? null) : null,
      }
    },
    dropUnlisted(isListed: (watched: WatchedAccount) => boolean) {
      for (const watched of round?.awaited() ?? []) if (!isListed(watched)) round?.drop(watched)
    },
    settle(watched: WatchedAccount, succeeded: boolean) {
      if (awaitedAlone.delete(watched)) askedAloneAtMs.set(watched, clock.monotonicMs())
      round?.settle(watched, succeeded)
    },
    /** End of the last query made for a refresh of this account alone, in monotonic milliseconds; null if there was none. */
    askedAloneAtMs: (watched: WatchedAccount): number | null => askedAloneAtMs.get(watched) ?? null,
    /** Notes that this account alone was refreshed through another proxy. */
    noteAskedAlone(watched: WatchedAccount, atMs: number) {
      askedAloneAtMs.set(watched, Math.max(atMs, askedAloneAtMs.get(watched) ?? 0))
    },
    /** Notes a query that did not reach the vendor; the refresh gives up after three in a row. */
    queryBroke(brokenInARow: number, code: SourceFailureCode) {
      if (brokenInARow >= BROKEN_MAX) round?.end(code)
    },
    stop() {
      cancelLooking()
      round?.cancel()
    },
  }
}

export type CurrentRefresh = ReturnType<typeof createCurrentRefresh>

/** Reason not to query one account now; null if it may be queried. An account listed twice has several files. */
function refusalOf(
  files: readonly WatchedAccount[],
  askedAloneAtMs: { get(watched: WatchedAccount): number | undefined },
  nowMs: number,
): RefreshFailure | null {
  if (files.length === 0) return 'no_direct_quota'
  if (files.every(({ times }) => times.waitUntilMs > nowMs)) return 'vendor_asks_to_wait'
  const isLate = (watched: WatchedAccount) =>
    nowMs - (askedAloneAtMs.get(watched) ?? Number.NEGATIVE_INFINITY) >= ALONE_MS
  return files.some(isLate) ? null : 'asked_lately'
}

function createRefreshRound(
  target: RefreshTarget,
  accounts: Iterable<WatchedAccount>,
  startedAtMs: number,
) {
  const left = new Set(accounts)
  let queued = left.size
  let done = 0
  let failed = 0
  let skipped: SkippedAccounts | null = null
  let resolveEnded: (failure: RefreshFailure | null) => void = () => {}
  const ended = new Promise<RefreshFailure | null>((resolve) => {
    resolveEnded = resolve
  })
  const end = (failure: RefreshFailure | null) => {
    left.clear()
    resolveEnded(failure)
  }

  return {
    target,
    /** Monotonic milliseconds. */
    startedAtMs,
    ended,
    tally: (): RefreshTally => ({ queued, done, failed, ...(skipped === null ? {} : { skipped }) }),
    awaits: (watched: WatchedAccount) => left.has(watched),
    awaited: (): readonly WatchedAccount[] => [...left],
    /** Counts an answer; ignores an account that is not awaited. */
    settle(watched: WatchedAccount, succeeded: boolean) {
      if (!left.delete(watched)) return
      done += 1
      if (!succeeded) failed += 1
      if (left.size === 0) end(null)
    },
    /** Removes an account as if it had never been in scope. */
    drop(watched: WatchedAccount) {
      if (!left.delete(watched)) return
      queued -= 1
      if (left.size === 0) end(null)
    },
    /** Removes an account that may only be queried later, at `nextAskAt` (null if unknown). The round continues. */
    skip(watched: WatchedAccount, nextAskAt: EpochMs | null) {
      if (!left.delete(watched)) return
      queued -= 1
      const known = skipped ?? { count: 0, nextAskAt: null }
      skipped = { count: known.count + 1, nextAskAt: firstInstant([known.nextAskAt, nextAskAt]) }
    },
    end,
    cancel: () => end(null),
  }
}

type RefreshRound = ReturnType<typeof createRefreshRound>
