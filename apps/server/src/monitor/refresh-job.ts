import {
  type Clock,
  type EndedRefresh,
  endedRefresh,
  type Log,
  type QuotaRefresher,
  type RefreshFailure,
  type RefreshRun,
  type RefreshScope,
  type RefreshState,
  type RunningRefresh,
  refreshDeadlineMs,
} from '@svc/core/service'

/** The one manual refresh there can be at a time. */
export interface RefreshJob {
  /** Begins a refresh, or joins the one under way, even of another scope. Never waits. */
  request(scope: RefreshScope): RunningRefresh
  latest(): RefreshState
  /** Under way, or ended a moment ago: somebody waits to see it. */
  isAwaited(): boolean
  /** Calls `listener` when a refresh has begun, every second while it goes on, and when it has ended. */
  onChange(listener: () => void): void
  stop(): void
}

export interface RefreshJobDeps {
  readonly refresher: QuotaRefresher
  readonly probesPerMinute: number
  readonly clock: Clock
  readonly log: Log
  readonly onEnded: (result: EndedRefresh['status']) => void
}

/** How long the end of a refresh is news. */
const AWAITED_MS = 5_000
const PROGRESS_MS = 1_000

export function createRefreshJob({
  refresher,
  probesPerMinute,
  clock,
  log,
  onEnded,
}: RefreshJobDeps): RefreshJob {
  let current: {
    readonly started: RunningRefresh
    readonly run: RefreshRun
    readonly cancelDeadline: () => void
  } | null = null
  let cancelTick = () => {}
  let last: RefreshState = { status: 'idle' }
  let endedAtMs = Number.NEGATIVE_INFINITY
  let changed = () => {}

  const running = ({ started, run }: NonNullable<typeof current>): RunningRefresh => ({
    ...started,
    tally: run.tally(),
  })

  const tick = () => {
    cancelTick = clock.schedule(PROGRESS_MS, () => {
      changed()
      tick()
    })
  }

  const end = (failure: RefreshFailure | null) => {
    if (current === null) return
    const ended = endedRefresh(running(current), failure, clock.now())
    const { scope, status, tally } = ended
    current.cancelDeadline()
    cancelTick()
    current.run.cancel()
    current = null
    last = ended
    endedAtMs = clock.monotonicMs()
    log.info('refresh ended', {
      scope,
      result: status,
      queued: tally.queued,
      failed: tally.failed,
      reason: failure,
    })
    onEnded(status)
    changed()
  }

  return {
    request(scope) {
      if (current === null) {
        const run = refresher.begin(scope)
        const started = {
          status: 'running',
          scope,
          startedAt: clock.now(),
          tally: run.tally(),
        } as const
        const cancelDeadline = clock.schedule(
          refreshDeadlineMs(started.tally.queued, probesPerMinute),
          () => end('deadline'),
        )
        const begun = { started, run, cancelDeadline }
        current = begun
        log.info('refresh started', { scope, queued: started.tally.queued })
        void run.ended.then((failure) => {
          if (current === begun) end(failure)
        })
        tick()
        changed()
      }
      return running(current)
    },
    latest: () => (current === null ? last : running(current)),
    isAwaited: () => current !== null || clock.monotonicMs() - endedAtMs < AWAITED_MS,
    onChange(listener) {
      changed = listener
    },
    stop() {
      current?.cancelDeadline()
      cancelTick()
      current?.run.cancel()
    },
  }
}
