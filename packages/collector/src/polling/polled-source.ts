import { isDeepStrictEqual } from 'node:util'
import type { SourceReading } from '@svc/core'
import type { Clock, Log, SourceChange, SourceFailureCode } from '@svc/core/service'
import { isHeld } from '../proxy/management-access.ts'
import type { UpstreamError } from '../proxy/upstream-error.ts'
import { SourceError, sourceFailureOf } from './source-error.ts'

/** See docs/limits.md#pace-and-back-off. */
const BASE_MS = 1000
/** Failures in a row after which every wait has the maximum length. */
const OPEN_AFTER_FAILURES = 5

/** Milliseconds to wait after the n-th failure in a row (n >= 1): uniform in 0..min(max, base × 2^n), then always `maxMs`. */
export function backoffMs(failuresInARow: number, maxMs: number, random: () => number): number {
  if (failuresInARow >= OPEN_AFTER_FAILURES) return maxMs
  return random() * Math.min(maxMs, BASE_MS * 2 ** failuresInARow)
}

const LIVELY_BACKOFF_SECONDS_MIN = 30

/**
 * Longest wait after a failure of gateway, account list or usage. All other sources depend on the first two, and the proxy keeps usage only briefly,
 * so these sources retry within two periods of the proxy's return.
 */
export function livelyBackoffSecondsMax(periodSeconds: number): number {
  return Math.max(2 * periodSeconds, LIVELY_BACKOFF_SECONDS_MIN)
}

/** A random factor of 0.9 to 1.1 that keeps schedules from running in step. */
export function jitterFactor(random: () => number): number {
  return 0.9 + 0.2 * random()
}

/** Least time between two log lines of a source. See docs/limits.md#pace-and-back-off. */
const QUIET_MS = 60_000

type SourceState =
  | { readonly kind: 'ok' }
  | { readonly kind: 'failed'; readonly code: SourceFailureCode; readonly message: string }

/**
 * Logs when a source starts to answer or to fail, and once a minute while it still fails. A change within a minute of the last line is logged when
 * the minute ends, with the state at that time; `changes` counts the changes since the last line.
 */
export function createSourceLog(
  source: string,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): (state: SourceState) => void {
  let last: string | null = null
  let changes = 0
  let quietUntilMs = Number.NEGATIVE_INFINITY
  let cancelLater = () => {}
  const put = (state: SourceState) => {
    cancelLater()
    const counted = changes > 1 ? { changes } : {}
    changes = 0
    quietUntilMs = clock.monotonicMs() + QUIET_MS
    if (state.kind === 'ok') log.info('source answers', { source, ...counted })
    else log.warn('source fails', { source, code: state.code, reason: state.message, ...counted })
  }
  return (state) => {
    const word = state.kind === 'ok' ? 'ok' : state.code
    if (word !== last) changes += 1
    last = word
    if (changes === 0 && word === 'ok') return
    const leftMs = quietUntilMs - clock.monotonicMs()
    if (leftMs <= 0) return put(state)
    cancelLater()
    if (changes > 0) cancelLater = clock.schedule(leftMs, () => put(state))
  }
}

export type SettledPoll =
  | { readonly kind: 'ok'; readonly change: SourceChange; readonly seconds: number }
  | {
      readonly kind: 'failed' | 'held'
      readonly error: SourceError | UpstreamError
      readonly seconds: number
    }

export interface PollPlan<Value> {
  /** Name of the source in the log. */
  readonly source: string
  readonly periodSeconds: number
  /** Longest wait after a failure. */
  readonly backoffSecondsMax: number
  /** One attempt. Throws SourceError or UpstreamError. */
  readonly poll: (stop: AbortSignal) => Promise<Value>
  /** Milliseconds until an attempt makes sense; Infinity: only after an outside change, such as another key. */
  readonly heldForMs: () => number
  /** Called after each attempt, once `reading()` has its outcome. */
  readonly onSettled: (settled: SettledPoll) => void
}

/** A source that is read repeatedly, one attempt at a time. Its last good value survives every failure. */
export interface PolledSource<Value> {
  reading(): SourceReading<Value>
  /** Reads at once; ignored while an attempt is under way. */
  pollNow(): void
  /** Reads again after any attempt under way; true if the new attempt succeeded. */
  pollAfresh(): Promise<boolean>
  stop(): Promise<void>
}

export interface PollDeps {
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
}

/** Least pause before the next poll, used after a poll that took longer than its period. */
const GAP_MS_MIN = 1000

/** Creates a source that is idle until its first `pollNow`. */
export function createPolledSource<Value>(
  plan: PollPlan<Value>,
  deps: PollDeps,
): PolledSource<Value> {
  const { clock, random } = deps
  const tell = createSourceLog(plan.source, deps)
  const stopping = new AbortController()
  let reading: SourceReading<Value> = {
    outcome: { kind: 'pending' },
    failuresInARow: 0,
    lastGood: null,
  }
  let cancelNext = () => {}

  const attempts = createSingleFlight(async () => {
    if (stopping.signal.aborted) return false
    cancelNext()
    const startedAtMs = clock.monotonicMs()
    const result = await plan.poll(stopping.signal).then(
      (value) => ({ kind: 'ok', value }) as const,
      (error: unknown) => ({ kind: 'failed', error: sourceFailureOf(error) }) as const,
    )
    if (stopping.signal.aborted) return false
    const elapsedMs = clock.monotonicMs() - startedAtMs
    if (result.kind === 'ok') succeed(result.value, elapsedMs)
    else fail(result.error, elapsedMs)
    return result.kind === 'ok'
  })

  const succeed = (value: Value, elapsedMs: number) => {
    const at = clock.now()
    const isSame =
      reading.outcome.kind === 'ok' && isDeepStrictEqual(reading.lastGood?.value, value)
    reading = { outcome: { kind: 'ok', at }, failuresInARow: 0, lastGood: { value, at } }
    tell({ kind: 'ok' })
    scheduleIn(Math.max(GAP_MS_MIN, plan.periodSeconds * 1000 * jitterFactor(random) - elapsedMs))
    plan.onSettled({ kind: 'ok', change: isSame ? 'times' : 'content', seconds: elapsedMs / 1000 })
  }

  const fail = (error: SourceError | UpstreamError, elapsedMs: number) => {
    const { code, message } = error
    const held = !(error instanceof SourceError) && isHeld(error)
    // A held attempt belongs to the failure that began the hold and does not count again.
    const failuresInARow = held ? Math.max(1, reading.failuresInARow) : reading.failuresInARow + 1
    const isNews = !held || reading.outcome.kind !== 'failed'
    reading = { ...reading, outcome: { kind: 'failed', code, at: clock.now() }, failuresInARow }
    deps.log.debug('poll failed', { source: plan.source, code, reason: message })
    if (code !== 'no_key' && isNews) tell({ kind: 'failed', code, message })
    scheduleIn(waitAfterFailure(error, failuresInARow, plan, random))
    plan.onSettled({ kind: held ? 'held' : 'failed', error, seconds: elapsedMs / 1000 })
  }

  const scheduleIn = (delayMs: number) => {
    if (Number.isFinite(delayMs)) cancelNext = clock.schedule(delayMs, attempts.run)
  }

  return {
    reading: () => reading,
    pollNow: () => void attempts.run(),
    pollAfresh: attempts.runAfresh,
    async stop() {
      stopping.abort()
      cancelNext()
      await attempts.settled()
    },
  }
}

/** Milliseconds until the next attempt; Infinity: only after an outside change, such as another key. */
function waitAfterFailure(
  error: SourceError | UpstreamError,
  failuresInARow: number,
  plan: Pick<PollPlan<unknown>, 'heldForMs' | 'backoffSecondsMax'>,
  random: () => number,
): number {
  const heldForMs = plan.heldForMs()
  if (heldForMs > 0) return heldForMs
  if (!(error instanceof SourceError) && error.retryAfterSeconds !== null)
    return error.retryAfterSeconds * 1000
  return backoffMs(failuresInARow, plan.backoffSecondsMax * 1000, random)
}

export function createSingleFlight<Result>(attempt: () => Promise<Result>) {
  let underWay: Promise<Result> | null = null
  let next: Promise<Result> | null = null

  const run = () => {
    underWay ??= attempt().finally(() => {
      underWay = null
    })
    return underWay
  }

  return {
    /** Begins an attempt or joins the one under way. */
    run,
    /** Begins another attempt after the one under way, or joins an attempt that is already waiting. */
    runAfresh() {
      next ??= Promise.resolve(underWay).then(() => {
        next = null
        return run()
      })
      return next
    },
    /** Waits for the attempt under way. */
    async settled() {
      await underWay
    },
  }
}
