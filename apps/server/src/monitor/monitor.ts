import type { Snapshot } from '@svc/core'
import { type Clock, errorPlace, type Log, type SourceChange } from '@svc/core/service'
import type { Asked } from '../answers/ready-answer.ts'
import { createAlarm } from './alarm.ts'
import { createEvaluationBudget } from './evaluation-budget.ts'
import { createEvaluator, type EvaluatorDeps } from './evaluator.ts'
import { createPublisher, type PublisherDeps } from './publisher.ts'
import { logTransition } from './snapshot-log.ts'

export interface MonitorDeps extends EvaluatorDeps, PublisherDeps {
  /** A user waits for the next change: show it within a second, even if evaluations are then more frequent. */
  readonly isAwaited: () => boolean
  /** How far apart snapshots may be in any case, because the history records the pool from them. */
  readonly recordPaceMs: number
  readonly onSnapshot: (snapshot: Snapshot) => void
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
  /**
   * Somebody reads, and is served at the pace of the readings. Publishes first where what was published is too old for what is read, or was not made as
   * it is read.
   */
  read(asked: Asked): void
  /** Publishes what is known by now besides the snapshot, without a new one; while nobody reads, it waits for the next. */
  amend(): void
  stop(): void
}

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
  const publisher = createPublisher(deps)
  const budget = createEvaluationBudget(clock.monotonicMs())
  let failuresInARow = 0
  let isRunning = false

  const evaluate = () => {
    const startedMs = clock.monotonicMs()
    const { snapshot, previous } = evaluator.evaluate(clock.now())
    const evaluatedMs = clock.monotonicMs()
    publisher.offer(snapshot)
    logTransition(deps.log, previous, snapshot)
    deps.onSnapshot(snapshot)
    const endedMs = clock.monotonicMs()
    logCost(deps.log, snapshot, { startedMs, evaluatedMs, endedMs })
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
        : Math.min(publisher.dueAtMs(), nowMs + deps.recordPaceMs),
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
      evaluateBefore(clock.monotonicMs() + Math.min(publisher.intervalMs(), deps.recordPaceMs))
    },
    changed(change) {
      // The regular pace is enough for what has only grown older.
      if (change === 'times' && !evaluator.isResetSince(clock.now())) return
      const readPaceMs = publisher.isRead() ? deps.readPaceMs : null
      const nextAtMs = budget.nextAtMs({ isAwaited: deps.isAwaited(), readPaceMs })
      evaluateBefore(Math.max(clock.monotonicMs(), nextAtMs))
    },
    read(asked) {
      publisher.noteReader(asked)
      if (isRunning && publisher.isOutdated()) return run()
      if (asked !== null && asked !== 'gauges') publisher.supply(asked)
      evaluateBefore(publisher.dueAtMs())
    },
    amend: publisher.amend,
    stop() {
      isRunning = false
      alarm.cancel()
    },
  }
}

/** How long evaluating took, and then wording and encoding. The times are monotonic milliseconds. */
function logCost(
  log: Log,
  { accounts }: Snapshot,
  times: { readonly startedMs: number; readonly evaluatedMs: number; readonly endedMs: number },
): void {
  log.debug('evaluated', {
    accounts: accounts.length,
    evaluateMs: Number((times.evaluatedMs - times.startedMs).toFixed(1)),
    encodeMs: Number((times.endedMs - times.evaluatedMs).toFixed(1)),
  })
}
