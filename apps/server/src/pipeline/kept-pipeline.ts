import type { Clock, Log } from '@svc/core/service'
import { endsWithin, type Thread } from '../threads/thread.ts'
import type { PipelineApi } from './pipeline-api.ts'

/** A pipeline that is started again when it ends or hangs. */
export interface KeptPipeline extends Pick<Thread<PipelineApi>, 'call' | 'tell'> {
  /** False when a thread hangs in a call of the system and so outlives it. */
  stop(): Promise<boolean>
}

export interface KeptPipelineDeps {
  /** Starts a thread. `isCurrent`: whether what it reports still counts; `onEnd`: it has ended unasked. */
  readonly start: (
    isCurrent: () => boolean,
    onEnd: (error: string | null) => void,
  ) => Thread<PipelineApi>
  /** Called when a pipeline is lost, some time before the next one starts. */
  readonly onLost: () => void
  /** Called when the next one has started. */
  readonly onReplaced: () => void
  readonly clock: Clock
  readonly log: Log
}

const PING_EVERY_MS = 5_000
/** A thread hangs that leaves a ping unanswered for so long; it is ended, at most one `PING_EVERY_MS` later than that after it stopped. */
const SILENT_MS_MAX = 30_000
const RESTART_MS_MIN = 250
const RESTART_MS_MAX = 30_000
/** One that has run for so long has not failed at its start. */
const PROVEN_MS = 60_000
/** What was received is stored in this time, and the store closed. */
const STOP_MS_MAX = 9_000

export function keepPipeline(deps: KeptPipelineDeps): KeptPipeline {
  const { start, clock, log } = deps
  let restartMs = RESTART_MS_MIN
  /** Between the loss of one pipeline and the start of the next. */
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

  /** Looks now and then whether the thread still answers. */
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
