import type { Account } from '@svc/core'
import type { Clock, RefreshRun, RefreshScope, SourceFailureCode } from '@svc/core/service'
import type { QuotaTransport } from '../transports/quota-transport.ts'
import { createRefreshRound, type RefreshRound } from './refresh-round.ts'
import type { QueryWish } from './schedule.ts'
import type { WatchedAccount } from './watched-accounts.ts'

/** The refresh that was asked for last. It ends when all are answered, or when no query may go out any more. */
export interface CurrentRefresh {
  /** Begins a refresh of those accounts that are in scope. The one before it ends. */
  begin(scope: RefreshScope, accounts: Iterable<WatchedAccount>): RefreshRun
  /** What is asked of the account; the refresh leaves out one that is in its scope no more. */
  wishFor(watched: WatchedAccount): QueryWish
  /** Leaves out the accounts that are not listed any more. */
  dropUnlisted(isListed: (watched: WatchedAccount) => boolean): void
  settle(watched: WatchedAccount, succeeded: boolean): void
  /** Hears of a query that the way to the vendor has broken; gives up after some in a row. */
  queryBroke(brokenInARow: number, code: SourceFailureCode): void
  stop(): void
}

/** A refresh gives up once the way to the vendor has failed this often in a row. */
const BROKEN_MAX = 3
/** How often a refresh looks whether it may still ask. */
const LOOK_MS = 1000

/** `isAskedHere`: whether the account is asked about through this proxy, where several list it. */
export function createCurrentRefresh(
  transport: Pick<QuotaTransport, 'canQuery' | 'refusal'>,
  clock: Clock,
  isAskedHere: (account: Account) => boolean = () => true,
): CurrentRefresh {
  let round: RefreshRound | null = null
  let cancelLooking = () => {}

  const isInScope = ({ account }: WatchedAccount, scope: RefreshScope) =>
    transport.canQuery(account) &&
    account.operatorDisabled === (scope === 'disabled-diagnostics') &&
    isAskedHere(account)

  /** Ends a refresh that may not ask any more, and one whose time has not come looks again. */
  const look = () => {
    cancelLooking()
    if (round === null) return
    const refusal = transport.refusal()
    if (refusal !== null || round.awaited().length === 0) round.end(refusal)
    else cancelLooking = clock.schedule(LOOK_MS, look)
  }

  return {
    begin(scope, accounts) {
      round?.cancel()
      const nowMs = clock.monotonicMs()
      const inScope = [...accounts].filter((watched) => isInScope(watched, scope))
      round = createRefreshRound(scope, inScope, nowMs)
      for (const watched of inScope) {
        // The vendor has asked for patience.
        if (watched.times.waitUntilMs > nowMs) round.settle(watched, false)
      }
      look()
      return round
    },
    wishFor(watched) {
      if (round !== null && !isInScope(watched, round.scope)) round.drop(watched)
      return {
        takesTurns: isInScope(watched, 'default'),
        awaitedSinceMs: round?.awaits(watched) === true ? round.startedAtMs : null,
      }
    },
    dropUnlisted(isListed) {
      for (const watched of round?.awaited() ?? []) if (!isListed(watched)) round?.drop(watched)
    },
    settle: (watched, succeeded) => round?.settle(watched, succeeded),
    queryBroke(brokenInARow, code) {
      if (brokenInARow >= BROKEN_MAX) round?.end(code)
    },
    stop() {
      cancelLooking()
      round?.cancel()
    },
  }
}
