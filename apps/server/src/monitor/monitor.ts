import {
  type Clock,
  type EpochMs,
  type EvaluationPolicy,
  evaluationSteps,
  type Log,
  type Observation,
  type Past,
  type RecentChange,
  type RememberedPool,
  rememberedObservation,
  type Snapshot,
  type SnapshotSource,
} from '@svc/core'
import { inTurns } from './in-turns.ts'
import type { Payloads } from './payloads.ts'
import { logTransition } from './snapshot-log.ts'

/** What an earlier process has left. */
export interface RecordedPast {
  /** Newest first. */
  readonly changes: readonly RecentChange[]
  /** The pool to compare with; null where it was never kept, or where this process has its own by now. */
  readonly remembered: RememberedPool | null
}

/** A snapshot and the bytes that say it. */
export interface Published {
  readonly snapshot: Snapshot
  readonly payloads: Payloads
}

export interface MonitorDeps {
  readonly source: SnapshotSource
  readonly policy: EvaluationPolicy
  /** What was recorded before this process started; handed out once. Null while it may still come: until then nothing is compared. */
  readonly takeRecorded: () => RecordedPast | null
  readonly encode: (snapshot: Snapshot) => Promise<Payloads>
  /** Somebody waits for the next change, so that it is shown within a second whatever it costs. */
  readonly isAwaited: () => boolean
  readonly onPublish: (published: Published) => void
  readonly clock: Clock
  readonly log: Log
}

export interface Monitor {
  /** Publishes a first snapshot, so that `latest()` may be called. Touches nothing outside the process. */
  prepare(): Promise<void>
  /** Watches the source. */
  start(): void
  /** What requests are answered from. Never waits. */
  latest(): Published
  stop(): Promise<void>
}

/** Ages and times to a reset on any payload are at most this old. Source: decisions §8. */
const EVALUATION_INTERVAL_MS = 15_000
/** Changes that come in quick succession are evaluated together, at least this long after the last evaluation ... */
const PAUSE_MS_MIN = 250
/** ... while somebody waits for it at most this long ... */
const AWAITED_PAUSE_MS = 1_000
/** ... and so that in the long run evaluating takes at most one part in this many of the time, however large the pool. Source: goal P13. */
const PAUSE_PER_COST = 800
/** What may be spent at once, so that a start or a storm of changes shows without delay. */
const CREDIT_MS_MAX = 500

const NO_PAST: Past = { previous: null, recordedChanges: [] }

/** Holds the latest snapshot: evaluates on every change of the source, and every 15 s because time itself changes the answer. */
export function createMonitor(deps: MonitorDeps): Monitor {
  const { clock, source } = deps
  let published: Published | null = null
  let cancelNext = () => {}
  let nextAtMs = Number.POSITIVE_INFINITY
  let endedAtMs = 0
  let pauseEndsAtMs = 0
  let creditMs = CREDIT_MS_MAX
  let creditedAtMs = clock.monotonicMs()
  let running: Promise<void> | null = null
  let stopped = false

  const evaluate = async () => {
    const startedMs = clock.monotonicMs()
    const now = clock.now()
    const observation = source.latest(now)
    const snapshot = await inTurns(evaluationSteps(observation, deps.policy, now, await pastOf(observation, now)))
    const evaluatedMs = clock.monotonicMs()
    const payloads = await deps.encode(snapshot)
    logTransition(deps.log, published?.snapshot ?? null, snapshot)
    published = { snapshot, payloads }
    deps.onPublish(published)
    const endedMs = clock.monotonicMs()
    deps.log.debug('published', {
      accounts: snapshot.accounts.length,
      evaluateMs: Number((evaluatedMs - startedMs).toFixed(1)),
      encodeMs: Number((endedMs - evaluatedMs).toFixed(1)),
    })
    creditMs = Math.min(CREDIT_MS_MAX, creditMs + (endedMs - creditedAtMs) / PAUSE_PER_COST) - (endedMs - startedMs)
    creditedAtMs = endedMs
    endedAtMs = endedMs
    pauseEndsAtMs = endedMs + Math.min(EVALUATION_INTERVAL_MS, Math.max(PAUSE_MS_MIN, -creditMs * PAUSE_PER_COST))
  }

  const pastOf = async (observation: Observation, now: EpochMs): Promise<Past> => {
    const recorded = deps.takeRecorded()
    if (recorded === null) return NO_PAST
    const { changes, remembered } = recorded
    const own = { previous: published?.snapshot ?? null, recordedChanges: changes }
    if (remembered === null) return own
    const left = rememberedObservation(observation, remembered)
    return { ...own, previous: await inTurns(evaluationSteps(left, deps.policy, now, { ...NO_PAST, standing: remembered })) }
  }

  const run = () => {
    running = evaluate()
      .catch((error: unknown) => deps.log.error('evaluation failed', { error: error instanceof Error ? error.name : 'unknown' }))
      .finally(() => {
        running = null
        evaluateAt(clock.monotonicMs() + EVALUATION_INTERVAL_MS)
      })
  }

  /** Sees to it that an evaluation begins at `atMs` or before. */
  const evaluateAt = (atMs: number) => {
    if (stopped || nextAtMs <= atMs) return
    cancelNext()
    nextAtMs = atMs
    cancelNext = clock.schedule(atMs - clock.monotonicMs(), () => {
      nextAtMs = Number.POSITIVE_INFINITY
      // A change during an evaluation is picked up by the one after it.
      if (running === null) run()
      else void running.then(() => evaluateAt(pauseEnd()))
    })
  }

  const pauseEnd = () => (deps.isAwaited() ? Math.min(pauseEndsAtMs, endedAtMs + AWAITED_PAUSE_MS) : pauseEndsAtMs)

  return {
    prepare: evaluate,
    start() {
      evaluateAt(clock.monotonicMs() + EVALUATION_INTERVAL_MS)
      source.start(() => evaluateAt(Math.max(clock.monotonicMs(), pauseEnd())))
    },
    latest() {
      if (published === null) throw new Error('the monitor was asked before it was prepared')
      return published
    },
    async stop() {
      stopped = true
      cancelNext()
      await source.stop()
      await running
    },
  }
}
