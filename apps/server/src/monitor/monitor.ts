import type { Snapshot } from '@svc/core'
import { type Clock, errorPlace, type Log, readinessOf, type SourceChange } from '@svc/core/service'
import type { StatusContext } from '@svc/views'
import {
  isCompressedTo,
  type Payloads,
  type Reading,
  type ReadyAnswer,
  type Wanted,
} from '../answers/ready-answer.ts'
import type { GaugeSamples } from '../metrics/metric-families.ts'
import { createAlarm } from './alarm.ts'
import { createAskedPayloads } from './asked-payloads.ts'
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
  /** Those that were wanted. */
  readonly payloads: Partial<Payloads>
  readonly context: StatusContext
  readonly ifStalled: IfStalled
}

export interface MonitorDeps extends EvaluatorDeps {
  readonly encode: (snapshot: Snapshot, wanted: Wanted) => Published
  /** The same with what else is wanted. */
  readonly encodeMore: (published: Published, wanted: Wanted) => Published
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
  /**
   * Somebody reads, and is served at the pace of the readings; null: no payload. Publishes first where what was published is too old for a reader, or
   * was not made as it is read.
   */
  read(reading: Reading | null): void
  /** Publishes what is known by now besides the snapshot, without a new one; while nobody reads, it waits for the next. */
  amend(): void
  stop(): void
}

/** While somebody reads, ages and times to a reset on any payload are at most this old ... */
const READ_INTERVAL_MS = 15_000
/** ... and this old while nobody does: the first who reads again is answered from a new evaluation. */
const UNREAD_INTERVAL_MS = 60_000
/** What nobody reads is made this seldom: it is shown when the pipeline is lost. */
const SPARE_INTERVAL_MS = 600_000
const SPARE: Wanted = { status: 'none', recommendations: 'none', health: 'none', stats: 'none' }
/** A timer may fire a little early. */
const EARLY_MS = 100
/** An evaluation that failed is repeated after this ... */
const RETRY_MS = 5_000
/** ... and given up after so many. */
const FAILURES_MAX = 3

/**
 * Holds the latest snapshot: evaluates on every change of what is observed, and now and then because time itself changes the answer. While somebody
 * reads, at the pace of the account list; while nobody does, once a minute. Only what was read in the last minute is worded and encoded.
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
  const asked = createAskedPayloads()
  let sparedAtMs = Number.NEGATIVE_INFINITY
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

  /** Until there is an account list all is made each time, so that it is there once there is one. */
  const isSpareDue = () =>
    published === null ||
    !published.snapshot.available ||
    clock.monotonicMs() >= sparedAtMs + SPARE_INTERVAL_MS

  const encode = (snapshot: Snapshot): Published => {
    const nowMs = clock.monotonicMs()
    const wanted = asked.wanted(nowMs)
    if (!isSpareDue()) return deps.encode(snapshot, wanted)
    sparedAtMs = nowMs
    return deps.encode(snapshot, { ...SPARE, ...wanted })
  }

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
      publish(encode(snapshot))
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
    read(reading) {
      lastReadAtMs = clock.monotonicMs()
      if (reading !== null) asked.note(reading, lastReadAtMs)
      if (isRunning && (isBehind || isPublicationDue())) return run()
      if (reading !== null && published !== null && !isMade(reading, published))
        publish(deps.encodeMore(published, asked.wanted(lastReadAtMs)))
      evaluateBefore(publishedAtMs + intervalMs())
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

function isMade({ payload, compression }: Reading, { payloads }: Published): boolean {
  const made = payloads[payload]
  return made !== undefined && isCompressedTo(made, compression)
}
