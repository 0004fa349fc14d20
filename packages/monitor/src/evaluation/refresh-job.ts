import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { endedRefresh, refreshDeadlineMs } from '@svc/core/pool'
import type {
  Clock,
  EndedRefresh,
  Log,
  QuotaRefresher,
  RefreshFailure,
  RefreshRun,
  RefreshState,
  RefreshTarget,
  RunningRefresh,
} from '@svc/core/service'

export interface RefreshJobDeps {
  readonly refresher: QuotaRefresher
  readonly quotaProbesPerMinute: number
  readonly clock: Clock
  readonly log: Log
  readonly onEnded: (result: EndedRefresh['status']) => void
}

/** Milliseconds for which a user still waits to see a refresh that has ended. */
const AWAITED_MS = 5_000
const PROGRESS_MS = 1_000

interface CurrentRefresh {
  readonly target: RefreshTarget
  readonly startedAt: EpochMs
  readonly run: RefreshRun
  readonly cancelDeadline: () => void
}

/** Runs manual refreshes, one at a time. */
export function createRefreshJob({
  refresher,
  quotaProbesPerMinute,
  clock,
  log,
  onEnded,
}: RefreshJobDeps) {
  let current: CurrentRefresh | null = null
  let cancelTick = () => {}
  let last: RefreshState = { status: 'idle' }
  let endedAtMs = Number.NEGATIVE_INFINITY
  let changed = () => {}

  const running = ({ target, startedAt, run }: CurrentRefresh): RunningRefresh => {
    const leftMs = run.expectedMs()
    const expectedEndAt = leftMs === null ? null : wholeSecond(plusMs(clock.now(), leftMs))
    return { status: 'running', target, startedAt, expectedEndAt, tally: run.tally() }
  }

  const tick = () => {
    cancelTick = clock.schedule(PROGRESS_MS, () => {
      changed()
      tick()
    })
  }

  const stop = () => {
    current?.cancelDeadline()
    cancelTick()
    current?.run.cancel()
  }

  const end = (failure: RefreshFailure | null) => {
    if (current === null) return
    const ended = endedRefresh(running(current), failure, clock.now())
    const { target, status, tally } = ended
    stop()
    current = null
    last = ended
    endedAtMs = clock.monotonicMs()
    const { queued, failed } = tally
    log.info('refresh ended', {
      scope: target.scope,
      result: status,
      queued,
      failed,
      reason: failure,
    })
    onEnded(status)
    changed()
  }

  const begin = (target: RefreshTarget): CurrentRefresh => {
    const run = refresher.begin(target)
    const tally = run.tally()
    const deadlineMs = refreshDeadlineMs(tally.queued, quotaProbesPerMinute)
    const begun = {
      target,
      startedAt: clock.now(),
      run,
      cancelDeadline: clock.schedule(deadlineMs, () => end('deadline')),
    }
    current = begun
    log.info('refresh started', { scope: target.scope, queued: tally.queued })
    void run.ended.then((failure) => {
      if (current === begun) end(failure)
    })
    tick()
    changed()
    return begun
  }

  return {
    /** Starts a refresh or joins the running one, even of another scope. Never waits. */
    request: (target: RefreshTarget): RunningRefresh => running(current ?? begin(target)),
    /** Ends the running refresh and skips the accounts not queried yet. Returns the final state of that refresh, or of the last one. */
    cancel(): RefreshState {
      end('cancelled')
      return last
    },
    latest: (): RefreshState => (current === null ? last : running(current)),
    /** Whether a refresh is running or has just ended, so that a user waits to see it. */
    isAwaited: () => current !== null || clock.monotonicMs() - endedAtMs < AWAITED_MS,
    /** Calls `listener` when a refresh begins, every second while it runs, and when it ends. */
    onChange(listener: () => void) {
      changed = listener
    },
    stop,
  }
}

/** An estimate is no more precise than a second, and rounding keeps its text unchanged for a while. */
const wholeSecond = (at: EpochMs) => epochMs(Math.ceil(at / 1000) * 1000)
