import {
  type Clock,
  type EpochMs,
  type EvaluationPolicy,
  errorPlace,
  evaluateSnapshot,
  hasResetBetween,
  type Log,
  type Observation,
  type Past,
  readinessOf,
  rememberedObservation,
  type Snapshot,
  type SourceChange,
} from '@svc/core'
import type { StatusContext } from '@svc/views'
import type { Payloads, ReadyAnswer } from '../answers/ready-answer.ts'
import type { GaugeSamples } from '../metrics/metric-families.ts'
import type { RecordedPast } from '../store/history.ts'
import { READER_MS } from './reader.ts'
import { logTransition } from './snapshot-log.ts'

/** The differences between a state and the same once nothing is evaluated any more. */
export interface IfStalled {
  readonly health: ReadyAnswer
  /** A piece of the status, and what takes its place. */
  readonly inStatus: { readonly before: string; readonly after: string }
  readonly gauges: readonly GaugeSamples[]
}

/** A snapshot, the bytes that say it, and what they say besides. */
export interface Published {
  readonly snapshot: Snapshot
  readonly payloads: Payloads
  readonly context: StatusContext
  readonly ifStalled: IfStalled
}

export interface MonitorDeps {
  /** What is known at `now`. Never waits. */
  readonly observe: (now: EpochMs) => Observation
  readonly policy: EvaluationPolicy
  /** What was recorded before this process started; handed out once. Null while it may still come: until then nothing is compared. */
  readonly takeRecorded: () => RecordedPast | null
  readonly encode: (snapshot: Snapshot) => Published
  /** The same with what is known by now besides the snapshot; the same object where that is nothing new. */
  readonly amend: (published: Published) => Published
  /** Somebody waits for the next change, so that it is shown within a second whatever it costs. */
  readonly isAwaited: () => boolean
  /** How far apart snapshots may be while somebody reads them. */
  readonly readPaceMs: number
  /** How far apart snapshots may be in any case, because the history records the pool from them. */
  readonly recordPaceMs: number
  readonly onSnapshot: (snapshot: Snapshot) => void
  /** Called for a snapshot, and again when what is said besides is another. */
  readonly onPublish: (published: Published) => void
  readonly clock: Clock
  readonly log: Log
}

export interface Monitor {
  /** Publishes a first snapshot. Touches nothing outside the process. */
  prepare(): void
  /** Evaluates from now on, whenever something has changed and regularly. */
  start(): void
  /** What is observed is another; `content` where it is not said what of it. */
  changed(change?: SourceChange): void
  /** Somebody reads, and is served at the pace of the readings. Publishes first where what was published is too old for a reader. */
  read(): void
  /** Publishes what is known by now besides the snapshot, without a new one; while nobody reads, it waits for the next. */
  amend(): void
  stop(): void
}

/** While somebody reads, ages and times to a reset on any payload are at most this old ... */
const READ_INTERVAL_MS = 15_000
/** ... and this old while nobody does: the first who reads again is answered from a new evaluation. */
const UNREAD_INTERVAL_MS = 60_000
/** A timer may fire a little early. */
const EARLY_MS = 100
/** An evaluation that failed is repeated after this ... */
const RETRY_MS = 5_000
/** ... and given up after so many. */
const FAILURES_MAX = 3
/** Changes that come in quick succession are evaluated together, at least this long after the last evaluation ... */
const PAUSE_MS_MIN = 250
/** ... while somebody waits for it at most this long ... */
const AWAITED_PAUSE_MS = 1_000
/** ... and so that while nobody reads evaluating takes at most one part in this many of the time, however large the pool. See docs/limits.md#processor-time. */
const PAUSE_PER_COST = 800
/** What may be spent at once, so that a start or a storm of changes shows without delay. */
const CREDIT_MS_MAX = 500

const NO_PAST: Past = { previous: null, recordedChanges: [] }

/**
 * Holds the latest snapshot: evaluates on every change of what is observed, and now and then because time itself changes the answer. While somebody
 * reads, at the pace of the account list; while nobody does, once a minute, and what a change brings is neither worded nor encoded before that.
 */
export function createMonitor(deps: MonitorDeps): Monitor {
  const { clock } = deps
  let current: Snapshot | null = null
  let published: Published | null = null
  let publishedAtMs = Number.NEGATIVE_INFINITY
  /** More is known than was published. */
  let isBehind = false
  let cancelNext = () => {}
  let nextAtMs = Number.POSITIVE_INFINITY
  let endedAtMs = 0
  let pauseEndsAtMs = 0
  let creditMs = CREDIT_MS_MAX
  let creditedAtMs = clock.monotonicMs()
  let lastReadAtMs = Number.NEGATIVE_INFINITY
  let failuresInARow = 0
  let isStarted = false
  let isStopped = false

  const isRead = () => clock.monotonicMs() - lastReadAtMs < READER_MS
  const intervalMs = () =>
    isRead() ? Math.min(READ_INTERVAL_MS, deps.readPaceMs) : UNREAD_INTERVAL_MS
  const isPublicationDue = () => clock.monotonicMs() >= publishedAtMs + intervalMs() - EARLY_MS

  const publish = (next: Published) => {
    published = next
    isBehind = false
    deps.onPublish(next)
  }

  const evaluate = () => {
    const startedMs = clock.monotonicMs()
    const now = clock.now()
    const observation = deps.observe(now)
    const previous = current
    const snapshot = evaluateSnapshot(observation, deps.policy, now, pastOf(observation, now))
    const evaluatedMs = clock.monotonicMs()
    current = snapshot
    // A script that waits for `/readyz` reads nothing else.
    if (
      isRead() ||
      isPublicationDue() ||
      published === null ||
      readinessOf(published.snapshot) !== 'ready'
    ) {
      publish(deps.encode(snapshot))
      publishedAtMs = clock.monotonicMs()
    } else isBehind = true
    logTransition(deps.log, previous, snapshot)
    deps.onSnapshot(snapshot)
    const endedMs = clock.monotonicMs()
    deps.log.debug('evaluated', {
      accounts: snapshot.accounts.length,
      evaluateMs: Number((evaluatedMs - startedMs).toFixed(1)),
      encodeMs: Number((endedMs - evaluatedMs).toFixed(1)),
    })
    creditMs =
      Math.min(CREDIT_MS_MAX, creditMs + (endedMs - creditedAtMs) / PAUSE_PER_COST) -
      (endedMs - startedMs)
    creditedAtMs = endedMs
    endedAtMs = endedMs
    pauseEndsAtMs =
      endedMs + Math.min(UNREAD_INTERVAL_MS, Math.max(PAUSE_MS_MIN, -creditMs * PAUSE_PER_COST))
  }

  const pastOf = (observation: Observation, now: EpochMs): Past => {
    const recorded = deps.takeRecorded()
    if (recorded === null) return NO_PAST
    const { changes, remembered } = recorded
    const own = { previous: current, recordedChanges: changes }
    if (remembered === null) return own
    const left = rememberedObservation(observation, remembered)
    return {
      ...own,
      previous: evaluateSnapshot(left, deps.policy, now, { ...NO_PAST, standing: remembered }),
    }
  }

  const run = () => {
    cancelNext()
    nextAtMs = Number.POSITIVE_INFINITY
    try {
      evaluate()
      failuresInARow = 0
    } catch (error) {
      failuresInARow += 1
      deps.log.error('evaluation failed', { error: errorPlace(error) })
      // Another pipeline may fare better, and health says so until one does.
      if (failuresInARow >= FAILURES_MAX) throw error
    }
    const nowMs = clock.monotonicMs()
    evaluateAt(
      failuresInARow > 0
        ? nowMs + RETRY_MS
        : Math.min(publishedAtMs + intervalMs(), nowMs + deps.recordPaceMs),
    )
  }

  /** Sees to it that an evaluation begins at `atMs` or before. */
  const evaluateAt = (atMs: number) => {
    if (!isStarted || isStopped || nextAtMs <= atMs) return
    cancelNext()
    nextAtMs = atMs
    cancelNext = clock.schedule(atMs - clock.monotonicMs(), run)
  }

  const pauseEnd = () => {
    if (deps.isAwaited()) return Math.min(pauseEndsAtMs, endedAtMs + AWAITED_PAUSE_MS)
    return isRead() ? Math.min(pauseEndsAtMs, endedAtMs + deps.readPaceMs) : pauseEndsAtMs
  }

  /** Whether an account has got quota back since the last evaluation. */
  const isReset = () =>
    current === null || hasResetBetween(current.resetColumns, current.evaluatedAt, clock.now())

  return {
    prepare: evaluate,
    start() {
      isStarted = true
      evaluateAt(clock.monotonicMs() + Math.min(intervalMs(), deps.recordPaceMs))
    },
    changed(change) {
      // The regular pace is enough for what has only grown older.
      if (change === 'times' && !isReset()) return
      evaluateAt(Math.max(clock.monotonicMs(), pauseEnd()))
    },
    read() {
      lastReadAtMs = clock.monotonicMs()
      if (!isStarted || isStopped) return
      if (isBehind || isPublicationDue()) run()
      else evaluateAt(publishedAtMs + intervalMs())
    },
    amend() {
      if (published === null) return
      if (!isRead()) {
        isBehind = true
        return
      }
      const amended = deps.amend(published)
      if (amended !== published) publish(amended)
    },
    stop() {
      isStopped = true
      cancelNext()
    },
  }
}
