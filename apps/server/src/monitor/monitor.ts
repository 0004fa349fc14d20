import type { Snapshot } from '@svc/core'
import { type Clock, errorPlace, type Log, readinessOf, type SourceChange } from '@svc/core/service'
import type { StatusContext } from '@svc/views'
import type { Payloads, ReadyAnswer } from '../answers/ready-answer.ts'
import type { GaugeSamples } from '../metrics/metric-families.ts'
import { createAlarm } from './alarm.ts'
import { createEvaluationBudget } from './evaluation-budget.ts'
import { createEvaluator, type EvaluatorDeps } from './evaluator.ts'
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

export interface MonitorDeps extends EvaluatorDeps {
  readonly encode: (snapshot: Snapshot) => Published
  /** The same with what is known by now besides the snapshot; the same object where that is nothing new. */
  readonly amend: (published: Published) => Published
  /** A user waits for the next change: show it within a second, even if evaluations are then more frequent. */
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

/**
 * Holds the latest snapshot: evaluates on every change of what is observed, and now and then because time itself changes the answer. While somebody
 * reads, at the pace of the account list; while nobody does, once a minute, and what a change brings is neither worded nor encoded before that.
 */
export function createMonitor(deps: MonitorDeps): Monitor {
  const { clock } = deps
  const evaluator = createEvaluator(deps)
  const budget = createEvaluationBudget(clock.monotonicMs())
  let published: Published | null = null
  let publishedAtMs = Number.NEGATIVE_INFINITY
  /** More is known than was published. */
  let isBehind = false
  let lastReadAtMs = Number.NEGATIVE_INFINITY
  let failuresInARow = 0
  let isRunning = false

  const isRead = () => clock.monotonicMs() - lastReadAtMs < READER_MS
  const intervalMs = () =>
    isRead() ? Math.min(READ_INTERVAL_MS, deps.readPaceMs) : UNREAD_INTERVAL_MS
  const isPublicationDue = () => clock.monotonicMs() >= publishedAtMs + intervalMs() - EARLY_MS
  // A script that waits for `/readyz` reads nothing else.
  const isToBePublished = () =>
    isRead() ||
    isPublicationDue() ||
    published === null ||
    readinessOf(published.snapshot) !== 'ready'

  const publish = (next: Published) => {
    published = next
    isBehind = false
    deps.onPublish(next)
  }

  const evaluate = () => {
    const startedMs = clock.monotonicMs()
    const { snapshot, previous } = evaluator.evaluate(clock.now())
    const evaluatedMs = clock.monotonicMs()
    if (isToBePublished()) {
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
    budget.spend(startedMs, endedMs)
  }

  const run = () => {
    alarm.cancel()
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
    evaluateBefore(
      failuresInARow > 0
        ? nowMs + RETRY_MS
        : Math.min(publishedAtMs + intervalMs(), nowMs + deps.recordPaceMs),
    )
  }
  const alarm = createAlarm(clock, run)
  const evaluateBefore = (atMs: number) => {
    if (isRunning) alarm.setBefore(atMs)
  }

  return {
    prepare: evaluate,
    start() {
      isRunning = true
      evaluateBefore(clock.monotonicMs() + Math.min(intervalMs(), deps.recordPaceMs))
    },
    changed(change) {
      // The regular pace is enough for what has only grown older.
      if (change === 'times' && !evaluator.isResetSince(clock.now())) return
      const readPaceMs = isRead() ? deps.readPaceMs : null
      const nextAtMs = budget.nextAtMs({ isAwaited: deps.isAwaited(), readPaceMs })
      evaluateBefore(Math.max(clock.monotonicMs(), nextAtMs))
    },
    read() {
      lastReadAtMs = clock.monotonicMs()
      if (!isRunning) return
      if (isBehind || isPublicationDue()) run()
      else evaluateBefore(publishedAtMs + intervalMs())
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
      isRunning = false
      alarm.cancel()
    },
  }
}
