import type { RefreshFailure, RefreshRun, RefreshTarget } from '@svc/core/service'
import type { WatchedAccount } from './watched-accounts.ts'

/** The accounts that one refresh still has to query. */
export interface RefreshRound extends Omit<RefreshRun, 'expectedMs'> {
  readonly target: RefreshTarget
  /** Monotonic milliseconds. */
  readonly startedAtMs: number
  awaits(watched: WatchedAccount): boolean
  awaited(): readonly WatchedAccount[]
  /** Counts an answer; ignores an account that is not awaited. */
  settle(watched: WatchedAccount, succeeded: boolean): void
  /** Removes an account as if it had never been in scope. */
  drop(watched: WatchedAccount): void
  /** Ends the refresh. */
  end(failure: RefreshFailure | null): void
}

export function createRefreshRound(
  target: RefreshTarget,
  accounts: Iterable<WatchedAccount>,
  startedAtMs: number,
): RefreshRound {
  const left = new Set(accounts)
  let queued = left.size
  let done = 0
  let failed = 0
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
    startedAtMs,
    ended,
    tally: () => ({ queued, done, failed }),
    awaits: (watched) => left.has(watched),
    awaited: () => [...left],
    settle(watched, succeeded) {
      if (!left.delete(watched)) return
      done += 1
      if (!succeeded) failed += 1
      if (left.size === 0) end(null)
    },
    drop(watched) {
      if (!left.delete(watched)) return
      queued -= 1
      if (left.size === 0) end(null)
    },
    end,
    cancel: () => end(null),
  }
}
