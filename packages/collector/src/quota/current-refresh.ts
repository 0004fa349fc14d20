import type { Account } from '@svc/core'
import type { Clock, RefreshFailure, RefreshTarget, SourceFailureCode } from '@svc/core/service'
import type { QuotaTransport } from '../transports/quota-transport.ts'
import { createRefreshRound, type RefreshRound } from './refresh-round.ts'
import type { QueryWish } from './schedule.ts'
import type { WatchedAccount } from './watched-accounts.ts'

/** The refresh that was asked for last. It ends when all are answered, or when no query may go out any more. */
export interface CurrentRefresh {
  /** Begins a refresh of those accounts that are in scope. The one before it ends. */
  begin(target: RefreshTarget, accounts: Iterable<WatchedAccount>): RefreshRound
  /** What is asked of the account; the refresh leaves out one that is in its scope no more. */
  wishFor(watched: WatchedAccount): QueryWish
  /** Leaves out the accounts that are not listed any more. */
  dropUnlisted(isListed: (watched: WatchedAccount) => boolean): void
  settle(watched: WatchedAccount, succeeded: boolean): void
  /** Hears of a query that the way to the vendor has broken; gives up after some in a row. */
  queryBroke(brokenInARow: number, code: SourceFailureCode): void
  isRunning(): boolean
  stop(): void
}

/** A refresh gives up once the way to the vendor has failed this often in a row. */
const BROKEN_MAX = 3
/** How often a refresh looks whether it may still ask. */
const LOOK_MS = 1000
/** Between two refreshes of one account alone that ask the vendor. See docs/rules.md#manual-refresh. */
const ALONE_MS = 60_000
/** Before every account that is due: somebody waits for this one alone. */
const FIRST_OF_ALL_MS = -1

/** `isAskedHere`: whether the account is asked about through this proxy, where several list it. */
export function createCurrentRefresh(
  transport: Pick<QuotaTransport, 'canQuery' | 'refusal'>,
  clock: Clock,
  isAskedHere: (account: Account) => boolean = () => true,
): CurrentRefresh {
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

  /** Ends a refresh that may not ask any more, and one whose time has not come looks again. */
  const look = () => {
    cancelLooking()
    if (round === null) return
    const refusal = transport.refusal()
    if (refusal !== null || round.awaited().length === 0) round.end(refusal)
    else cancelLooking = clock.schedule(LOOK_MS, look)
  }

  return {
    begin(target, accounts) {
      round?.cancel()
      const nowMs = clock.monotonicMs()
      const inScope = [...accounts].filter((watched) => isInScope(watched, target))
      round = createRefreshRound(target, inScope, nowMs)
      const refusal = target.scope === 'account' ? refusalOf(inScope, askedAloneAtMs, nowMs) : null
      if (refusal !== null) round.end(refusal)
      for (const watched of inScope) {
        // The vendor has asked for patience.
        if (watched.times.waitUntilMs > nowMs) round.settle(watched, false)
        else if (target.scope === 'account' && round.awaits(watched)) awaitedAlone.add(watched)
      }
      look()
      return round
    },
    wishFor(watched) {
      if (round !== null && !isInScope(watched, round.target)) round.drop(watched)
      const sinceMs = round?.target.scope === 'account' ? FIRST_OF_ALL_MS : round?.startedAtMs
      return {
        takesTurns: isInScope(watched, { scope: 'default' }),
        awaitedSinceMs: round?.awaits(watched) === true ? (sinceMs ?? null) : null,
      }
    },
    dropUnlisted(isListed) {
      for (const watched of round?.awaited() ?? []) if (!isListed(watched)) round?.drop(watched)
    },
    settle(watched, succeeded) {
      if (awaitedAlone.delete(watched)) askedAloneAtMs.set(watched, clock.monotonicMs())
      round?.settle(watched, succeeded)
    },
    queryBroke(brokenInARow, code) {
      if (brokenInARow >= BROKEN_MAX) round?.end(code)
    },
    isRunning: () => round !== null && round.awaited().length > 0,
    stop() {
      cancelLooking()
      round?.cancel()
    },
  }
}

/** Why the vendor is not asked about one account now; its files are more than one where it is listed twice. */
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
