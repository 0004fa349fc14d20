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
import type { StatusContext } from '@svc/views'
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

/** A snapshot, the bytes that say it, and what they say besides. */
export interface Published {
  readonly snapshot: Snapshot
  readonly payloads: Payloads
  readonly context: StatusContext
}

export interface MonitorDeps {
  readonly source: SnapshotSource
  readonly policy: EvaluationPolicy
  /** What was recorded before this process started; handed out once. Null while it may still come: until then nothing is compared. */
  readonly takeRecorded: () => RecordedPast | null
  readonly encode: (snapshot: Snapshot) => Promise<Published>
  /** The same with what is known by now besides the snapshot; the same object where that is nothing new. */
  readonly amend: (published: Published) => Promise<Published>
  /** Somebody waits for the next change, so that it is shown within a second whatever it costs. */
  readonly isAwaited: () => boolean
  /** How far apart snapshots may be while somebody reads them. */
  readonly readPaceMs: number
  readonly onSnapshot: (snapshot: Snapshot) => void
  /** Called for a snapshot, and again when what is said besides is another. */
  readonly onPublish: (published: Published) => void
  readonly clock: Clock
  readonly log: Log
}

export interface Monitor {
  /** Publishes a first snapshot, so that `latest()` may be called. Touches nothing outside the process. */
  prepare(): Promise<void>
  /** Watches the source. */
  start(): void
  /** The latest snapshot and what is said of it. Never waits. */
  latest(): Published
  /** What requests are answered from. Never waits. Somebody who reads is served at the pace of the readings. */
  read(): Payloads
  /** Shows what is known by now besides the snapshot, without a new one. Resolves when it is shown. */
  amend(): Promise<void>
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
/** How long after a reading somebody still counts as a reader. */
const READER_MS = 60_000
/** What is said besides the snapshot may change while it is encoded; so often it is looked after. */
const AMENDMENTS_MAX = 5

const NO_PAST: Past = { previous: null, recordedChanges: [] }

/**
 * Holds the latest snapshot: evaluates on every change of the source, and every 15 s because time itself changes the answer; while somebody reads, at
 * the pace of the account list if that is faster.
 */
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
  let lastReadAtMs = Number.NEGATIVE_INFINITY
  let stopped = false

  const isRead = () => clock.monotonicMs() - lastReadAtMs < READER_MS
  const intervalMs = () => (isRead() ? Math.min(EVALUATION_INTERVAL_MS, deps.readPaceMs) : EVALUATION_INTERVAL_MS)

  const publish = (next: Published) => {
    published = next
    deps.onPublish(next)
  }

  const upToDate = async (from: Published): Promise<Published> => {
    let current = from
    for (let round = 0; round < AMENDMENTS_MAX; round += 1) {
      const amended = await deps.amend(current)
      if (amended === current) break
      current = amended
    }
    return current
  }

  const evaluate = async () => {
    const startedMs = clock.monotonicMs()
    const now = clock.now()
    const observation = source.latest(now)
    const snapshot = await inTurns(evaluationSteps(observation, deps.policy, now, await pastOf(observation, now)))
    const evaluatedMs = clock.monotonicMs()
    const next = await upToDate(await deps.encode(snapshot))
    logTransition(deps.log, published?.snapshot ?? null, snapshot)
    publish(next)
    deps.onSnapshot(snapshot)
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
        evaluateAt(clock.monotonicMs() + intervalMs())
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

  const pauseEnd = () => {
    if (deps.isAwaited()) return Math.min(pauseEndsAtMs, endedAtMs + AWAITED_PAUSE_MS)
    return isRead() ? Math.min(pauseEndsAtMs, endedAtMs + deps.readPaceMs) : pauseEndsAtMs
  }

  const latest = (): Published => {
    if (published === null) throw new Error('the monitor was asked before it was prepared')
    return published
  }

  return {
    prepare: evaluate,
    start() {
      evaluateAt(clock.monotonicMs() + EVALUATION_INTERVAL_MS)
      source.start(() => evaluateAt(Math.max(clock.monotonicMs(), pauseEnd())))
    },
    latest,
    read() {
      lastReadAtMs = clock.monotonicMs()
      return latest().payloads
    },
    async amend() {
      for (let round = 0; round < AMENDMENTS_MAX && published !== null; round += 1) {
        const from: Published = published
        const amended = await upToDate(from)
        // A snapshot that was published meanwhile is amended in its turn.
        if (published !== from) continue
        if (amended !== from) publish(amended)
        return
      }
    },
    async stop() {
      stopped = true
      cancelNext()
      await source.stop()
      await running
    },
  }
}
