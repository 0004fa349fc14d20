import {
  type EpochMs,
  type EvaluationPolicy,
  evaluateSnapshot,
  type Observation,
  type Past,
  type Snapshot,
} from '@svc/core'
import { actionChanges } from '@svc/core/health'
import {
  allAccountsOf,
  hasResetBetween,
  rememberedObservation,
  type TrendsByProvider,
} from '@svc/core/pool'
import { type Clock, errorPlace, type Log, type SourceChange } from '@svc/core/service'
import type { Asked } from '../answers/ready-answer.ts'
import type { RecordedPast } from '../store/history.ts'
import { createPublisher, type PublisherDeps } from './publisher.ts'

export interface Audience {
  /** Whether a user waits for the next change. */
  readonly isAwaited: boolean
  /** Longest pause for current readers; null without readers. */
  readonly readPaceMs: number | null
}

/** Shortest pause after an evaluation, so that changes in quick succession are evaluated together. */
const PAUSE_MS_MIN = 250
/** Longest pause, so that changes are recorded in time. */
const PAUSE_MS_MAX = 60_000
/** Longest pause while a user waits for a change. */
const AWAITED_PAUSE_MS = 1_000
/** Divisor of the share of time that evaluations may take without readers, however large the pool. See docs/limits.md#processor-time. */
const PAUSE_PER_COST = 800
/** Largest credit in milliseconds, so that a start or a storm of changes shows without delay. */
const CREDIT_MS_MAX = 500

/** Creates a credit that fills slowly and is spent by evaluations; once it is used up, the pauses grow long. */
export function createEvaluationBudget(nowMs: number) {
  let creditMs = CREDIT_MS_MAX
  let creditedAtMs = nowMs
  let endedAtMs = 0
  let pauseEndsAtMs = 0

  return {
    /** Charges an evaluation that ran from `startedMs` to `endedMs`. */
    spend(startedMs: number, endedMs: number) {
      const filledMs = creditMs + (endedMs - creditedAtMs) / PAUSE_PER_COST
      creditMs = Math.min(CREDIT_MS_MAX, filledMs) - (endedMs - startedMs)
      creditedAtMs = endedMs
      endedAtMs = endedMs
      const pauseMs = Math.max(PAUSE_MS_MIN, -creditMs * PAUSE_PER_COST)
      pauseEndsAtMs = endedMs + Math.min(PAUSE_MS_MAX, pauseMs)
    },
    /** Earliest time of the next evaluation for this audience. */
    nextAtMs({ isAwaited, readPaceMs }: Audience) {
      const longestMs = isAwaited ? AWAITED_PAUSE_MS : (readPaceMs ?? PAUSE_MS_MAX)
      return Math.min(pauseEndsAtMs, endedAtMs + longestMs)
    },
  }
}

interface MonitorDeps extends PublisherDeps {
  /** The state known at `now`. Never waits. */
  readonly observe: (now: EpochMs) => Observation
  readonly policy: EvaluationPolicy
  /** History recorded before this process started; returned once. Null while it may still arrive; until then no snapshots are compared. */
  readonly takeRecorded: () => RecordedPast | null
  /** Latest forecast of how long each provider's pool lasts. */
  readonly trends: () => TrendsByProvider
  /** Whether a user waits for the next change, which is then shown within a second even if that needs more frequent evaluations. */
  readonly isAwaited: () => boolean
  /** Longest time between snapshots in any case, because the history is recorded from them. */
  readonly recordPaceMs: number
  /** `previous`: the snapshot before this one; null for the first. */
  readonly onSnapshot: (snapshot: Snapshot, previous: Snapshot | null) => void
  readonly clock: Clock
  readonly log: Log
}

/** Delay before a failed evaluation is repeated. */
const RETRY_MS = 5_000
/** Added to a wait, because a timer may fire a little early. */
const WAKE_AFTER_MS = 10
/** If the last evaluation took at most this many milliseconds, an account's return is evaluated within a second, else at the pace of the readings. */
const CHEAP_MS = 50
/** Failures in a row after which the monitor gives up. */
const FAILURES_MAX = 3

/**
 * Holds the latest snapshot: evaluates on every change of the observation, and regularly because time alone changes the result. With
 * readers it follows the pace of the account list; without, it evaluates once a minute and encodes nothing in between.
 */
export function createMonitor(deps: MonitorDeps) {
  const { clock } = deps
  const evaluator = createEvaluator(deps)
  const publisher = createPublisher(deps)
  const budget = createEvaluationBudget(clock.monotonicMs())
  let failuresInARow = 0
  let nextRoutableAt: EpochMs | null = null
  let lastCostMs = 0
  let isRunning = false

  const evaluate = () => {
    const startedMs = clock.monotonicMs()
    const { snapshot, previous } = evaluator.evaluate(clock.now())
    const evaluatedMs = clock.monotonicMs()
    publisher.publish(snapshot)
    logTransition(deps.log, previous, snapshot)
    deps.onSnapshot(snapshot, previous)
    const endedMs = clock.monotonicMs()
    nextRoutableAt = snapshot.nextRoutableAt
    lastCostMs = endedMs - startedMs
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
      // Another pipeline may succeed; until then health reports the failure.
      if (failuresInARow >= FAILURES_MAX) throw error
    }
    const nowMs = clock.monotonicMs()
    evaluateBefore(
      failuresInARow > 0
        ? nowMs + RETRY_MS
        : Math.min(publisher.dueAtMs(), returnAtMs(), nowMs + deps.recordPaceMs),
    )
  }
  /** Time at which the next account's return is evaluated, as far as the budget allows; Infinity while nobody follows the events. */
  const returnAtMs = () => {
    const waitMs = nextRoutableAt === null ? 0 : nextRoutableAt - clock.now()
    if (waitMs <= 0 || !publisher.isFollowed()) return Number.POSITIVE_INFINITY
    const isAwaited = deps.isAwaited() || lastCostMs <= CHEAP_MS
    const allowedAtMs = budget.nextAtMs({ isAwaited, readPaceMs: deps.readPaceMs })
    return Math.max(clock.monotonicMs() + waitMs + WAKE_AFTER_MS, allowedAtMs)
  }
  const alarm = createAlarm(clock, run)
  const evaluateBefore = (atMs: number) => {
    if (isRunning) alarm.setBefore(atMs)
  }

  return {
    /** Publishes a first snapshot without any call outside the process. */
    prepare: evaluate,
    /** Starts evaluating, on every change and at regular intervals. */
    start() {
      isRunning = true
      evaluateBefore(clock.monotonicMs() + Math.min(publisher.intervalMs(), deps.recordPaceMs))
    },
    /** Tells the monitor that the observation changed; `change` defaults to `content`. */
    changed(change?: SourceChange) {
      // Readings that have only become older can wait for the regular pace.
      if (change === 'times' && !evaluator.isResetSince(clock.now())) return
      const readPaceMs = publisher.isRead() ? deps.readPaceMs : null
      const nextAtMs = budget.nextAtMs({ isAwaited: deps.isAwaited(), readPaceMs })
      evaluateBefore(Math.max(clock.monotonicMs(), nextAtMs))
    },
    /**
     * Notes a reader, who is then served at the pace of the readings. Publishes first if the published payloads are too old for this reader,
     * or lack the requested form.
     */
    read(asked: Asked) {
      publisher.noteReader(asked)
      if (isRunning && publisher.isOutdated()) return run()
      if (typeof asked === 'object' && asked !== null) publisher.encodeMissing(asked)
      evaluateBefore(Math.min(publisher.dueAtMs(), returnAtMs()))
    },
    /** Publishes news that is not part of the snapshot, without making a new snapshot; without readers this waits for the next one. */
    republish: publisher.republish,
    stop() {
      isRunning = false
      alarm.cancel()
    },
  }
}

export type Monitor = ReturnType<typeof createMonitor>

/** Logs the time spent on evaluating, and on wording and encoding. The times are monotonic milliseconds. */
function logCost(
  log: Log,
  snapshot: Snapshot,
  times: { readonly startedMs: number; readonly evaluatedMs: number; readonly endedMs: number },
): void {
  log.debug('evaluated', {
    accounts: allAccountsOf(snapshot).length,
    evaluateMs: Number((times.evaluatedMs - times.startedMs).toFixed(1)),
    encodeMs: Number((times.endedMs - times.evaluatedMs).toFixed(1)),
  })
}

/** A single timer that rings at the earliest requested time. */
export function createAlarm(clock: Clock, ring: () => void) {
  let cancelTimer = () => {}
  let ringsAtMs = Number.POSITIVE_INFINITY

  const cancel = () => {
    cancelTimer()
    ringsAtMs = Number.POSITIVE_INFINITY
  }
  return {
    cancel,
    /** Rings at `atMs`, a monotonic time, or earlier. */
    setBefore(atMs: number) {
      if (ringsAtMs <= atMs) return
      cancelTimer()
      ringsAtMs = atMs
      cancelTimer = clock.schedule(atMs - clock.monotonicMs(), () => {
        ringsAtMs = Number.POSITIVE_INFINITY
        ring()
      })
    },
  }
}

/** Logs events of interest to an operator: actions that open or are resolved, loss of the last usable account, changes in data quality. */
export function logTransition(log: Log, previous: Snapshot | null, next: Snapshot): void {
  if (previous?.source !== next.source || previous.health.state !== next.health.state) {
    log.info('snapshot', {
      source: next.source,
      health: next.health.state,
      accounts: allAccountsOf(next).length,
      routable: next.routableCount,
      failing: failingSources(next),
      actions: [...new Set(next.health.actions.map(({ action }) => action.code))],
    })
  }
  logActions(log, previous, next)
  logRoutable(log, previous, next)
  const count = next.skipped.length
  if (count > (previous?.skipped.length ?? 0)) {
    const reasons = [...new Set(next.skipped.map(({ reason }) => reason))]
    log.warn('entries of the account list are left out', { count, reasons })
  }
}

function logActions(log: Log, previous: Snapshot | null, next: Snapshot): void {
  const { opened, resolved } = actionChanges(previous?.health.actions ?? [], next.health.actions)
  for (const { code, tone, count } of opened)
    log.warn('action opened', { code, tone, count }, 'news')
  for (const { code, tone, count } of resolved) log.info('action resolved', { code, tone, count })
}

/** Logs when the last usable account is lost, and when one returns. */
function logRoutable(
  log: Log,
  previous: Snapshot | null,
  { available, routableCount, blockedCount }: Snapshot,
): void {
  const wasRoutable = previous?.available === true ? previous.routableCount > 0 : null
  if (!available) return
  if (routableCount === 0 && wasRoutable !== false)
    log.warn('no account can take work', { routable: 0, blocked: blockedCount }, 'news')
  if (routableCount > 0 && wasRoutable === false)
    log.info('accounts can take work again', { routable: routableCount, blocked: blockedCount })
}

function failingSources(snapshot: Snapshot): readonly string[] {
  return snapshot.health.sources.flatMap(({ id, outcome }) =>
    outcome.kind === 'failed' ? [`${id}: ${outcome.code}`] : [],
  )
}

const NO_PAST: Past = { previous: null, recordedChanges: [] }

/** Makes snapshots, each compared with the previous one. */
export function createEvaluator({
  observe,
  policy,
  takeRecorded,
  trends,
}: Pick<MonitorDeps, 'observe' | 'policy' | 'takeRecorded' | 'trends'>) {
  let current: Snapshot | null = null

  const pastOf = (observation: Observation, now: EpochMs): Past => {
    const recorded = takeRecorded()
    if (recorded === null) return NO_PAST
    const { changes, remembered } = recorded
    const own = { previous: current, recordedChanges: changes }
    if (remembered === null) return own
    const left = rememberedObservation(observation, remembered)
    return {
      ...own,
      previous: evaluateSnapshot(left, policy, now, { ...NO_PAST, standing: remembered }),
    }
  }

  return {
    /** Evaluates the present state; `previous` is null for the first snapshot. */
    evaluate(now: EpochMs) {
      const observation = observe(now)
      const previous = current
      const snapshot = evaluateSnapshot(observation, policy, now, {
        ...pastOf(observation, now),
        trends: trends(),
      })
      current = snapshot
      return { snapshot, previous }
    },
    /** Whether an account has regained quota since the last evaluation; true before the first. */
    isResetSince: (now: EpochMs) =>
      current === null || hasResetBetween(current.resetColumns, current.evaluatedAt, now),
  }
}
