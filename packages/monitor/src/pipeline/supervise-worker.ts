import type { Clock, Log } from '@svc/core/service'
import { endsWithin, type Thread } from '../threads/thread.ts'
import type { PipelineApi } from './compose-pipeline.ts'

/** A pipeline that is restarted if it ends or hangs. */
export interface SupervisedWorker extends Pick<Thread<PipelineApi>, 'call' | 'tell'> {
  /** Resolves with false if a thread hangs in a system call and so outlives its pipeline. */
  stop(): Promise<boolean>
}

export interface SupervisedWorkerDeps {
  /** Starts a thread. `isCurrent`: whether its reports still count; `onEnd`: called if it ends without being stopped. */
  readonly start: (
    isCurrent: () => boolean,
    onEnd: (error: string | null) => void,
  ) => Thread<PipelineApi>
  /** Called when a pipeline is lost, some time before the next one starts. */
  readonly onLost: () => void
  /** Called when the next pipeline has started. */
  readonly onReplaced: () => void
  readonly clock: Clock
  readonly log: Log
}

const PING_EVERY_MS = 5_000
/** A thread hangs if a ping stays unanswered for this long; it is ended at most one `PING_EVERY_MS` after that time. */
const SILENT_MS_MAX = 30_000
const RESTART_MS_MIN = 250
const RESTART_MS_MAX = 30_000
/** A pipeline that ran for this long did not fail at its start. */
const PROVEN_MS = 60_000
/** Longest wait for received usage to be stored and the store to close. */
const STOP_MS_MAX = 9_000

export function superviseWorker(deps: SupervisedWorkerDeps): SupervisedWorker {
  const { start, clock, log } = deps
  let restartMs = RESTART_MS_MIN
  /** True between the loss of one pipeline and the start of the next. */
  let isLost = false
  let stopped: Promise<boolean> | null = null
  const hanging = new Set<Thread<PipelineApi>>()
  let cancelPing = () => {}
  let cancelRestart = () => {}

  const launch = (): Thread<PipelineApi> => {
    isLost = false
    const launched = start(
      () => launched === thread && !isLost,
      (error) => replace(launched, 'ended', error),
    )
    watch(launched, clock.monotonicMs())
    return launched
  }

  /** Pings the thread at intervals. */
  const watch = (watched: Thread<PipelineApi>, sinceMs: number) => {
    cancelPing = clock.schedule(PING_EVERY_MS, async () => {
      const answer = watched.call('ping', []).catch(() => undefined)
      const isAlive = await endsWithin(clock, SILENT_MS_MAX, answer)
      if (watched !== thread || isLost || stopped !== null) return
      if (!isAlive) return replace(watched, 'hangs', null)
      if (clock.monotonicMs() - sinceMs >= PROVEN_MS) restartMs = RESTART_MS_MIN
      watch(watched, sinceMs)
    })
  }

  const replace = (lost: Thread<PipelineApi>, reason: 'ended' | 'hangs', error: string | null) => {
    if (lost !== thread || isLost || stopped !== null) return
    isLost = true
    log.error(
      'pipeline lost, starting another',
      { reason, error, inSeconds: restartMs / 1000 },
      'news',
    )
    cancelPing()
    deps.onLost()
    if (reason === 'hangs') {
      hanging.add(lost)
      void lost.terminate().then(() => hanging.delete(lost))
    }
    cancelRestart = clock.schedule(restartMs, () => {
      thread = launch()
      deps.onReplaced()
    })
    restartMs = Math.min(RESTART_MS_MAX, restartMs * 2)
  }

  let thread = launch()

  return {
    call: (...call) => thread.call(...call),
    tell: (...call) => thread.tell(...call),
    stop() {
      cancelPing()
      cancelRestart()
      stopped ??= thread
        .end({ clock, closeMs: STOP_MS_MAX }, thread.call('stop', []))
        .then((ended) => ended && hanging.size === 0)
      return stopped
    },
  }
}
