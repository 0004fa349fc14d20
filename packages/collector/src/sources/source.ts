import { offBecause, type SourceReading } from '@svc/core'
import type { Clock, Log, OffReason, SourceChange, SourceId } from '@svc/core/service'
import type { CollectorReport } from '../polling/collector-report.ts'
import {
  createPolledSource,
  type PolledSource,
  type PollPlan,
  type SettledPoll,
} from '../polling/polled-source.ts'
import { UpstreamError } from '../proxy/upstream-error.ts'

/** One part of the observation, read periodically. */
export interface Source<Value> {
  readonly id: SourceId
  /** The latest reading; never waits. */
  reading(): SourceReading<Value>
  /** Starts reading. A source that needs the management key waits for it. */
  start(): void
  /** Retries everything that failed or was not yet read. Called when the proxy answers, or accepts the key, again. */
  retry(): void
  /** Reads again, like a restart. */
  reload(): void
  /** Stops and ends readings under way. */
  stop(): Promise<void>
}

/** Clock, log and listeners of a source. */
export interface SourceListeners {
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
  readonly report: CollectorReport
  /** Called when the observation has changed. */
  readonly onChange: (change?: SourceChange) => void
}

export interface SourcePlan<Value> extends Omit<PollPlan<Value>, 'source' | 'onSettled'> {
  readonly id: SourceId
  /** Name of the source's call in metrics; null if it makes no call. */
  readonly endpoint: string | null
  /** Called after each attempt, before any other listener. */
  readonly onSettled?: (settled: SettledPoll) => void
}

/** Creates a poll that counts failed calls and reports changes. */
export function createSourcePoll<Value>(
  { id, endpoint, ...plan }: SourcePlan<Value>,
  listeners: SourceListeners,
): PolledSource<Value> {
  return createPolledSource<Value>(
    {
      ...plan,
      source: id.replaceAll('_', ' '),
      onSettled(settled) {
        if (endpoint !== null) countFailure(endpoint, settled, listeners)
        plan.onSettled?.(settled)
        listeners.onChange(changeOf(settled))
      },
    },
    listeners,
  )
}

/** Creates a source that reads a file once a period and on reload. */
export function createFileSource<Value>(
  {
    id,
    periodSeconds,
    read,
  }: {
    readonly id: SourceId
    readonly periodSeconds: number
    /** Reads the file. Throws SourceError. */
    readonly read: () => Promise<Value>
  },
  listeners: SourceListeners,
): Source<Value> {
  const plan = { id, endpoint: null, periodSeconds, backoffSecondsMax: periodSeconds }
  const poll = createSourcePoll({ ...plan, poll: read, heldForMs: () => 0 }, listeners)
  return { ...sourceOf(id, poll), start: poll.pollNow, reload: () => void poll.pollAfresh() }
}

/** A source with one poll, repeated only after each period and not started yet. */
export function sourceOf<Value>(
  id: SourceId,
  { reading, stop }: Pick<PolledSource<Value>, 'reading' | 'stop'>,
): Source<Value> {
  return { id, reading, start() {}, retry() {}, reload() {}, stop }
}

/** A source that is never read. */
export function offSource(id: SourceId, reason: OffReason): Source<never> {
  return sourceOf(id, { reading: () => offBecause(reason), stop: () => Promise.resolve() })
}

/** Counts a failed proxy call; held calls and local failures do not count. */
export function countFailure(
  endpoint: string,
  settled: SettledPoll,
  { report }: Pick<SourceListeners, 'report'>,
): void {
  if (settled.kind === 'failed' && settled.error instanceof UpstreamError)
    report.count({ counter: 'upstream_errors_total', endpoint })
}

/** The change an attempt makes; a failure always counts as `content`, because the failure count may have grown. */
export function changeOf(settled: SettledPoll): SourceChange {
  return settled.kind === 'ok' ? settled.change : 'content'
}

/** A source that needs the management key and is first read once the proxy accepts the key. */
export function keyedSourceOf<Value>(id: SourceId, poll: PolledSource<Value>): Source<Value> {
  return {
    ...sourceOf(id, poll),
    retry() {
      if (poll.reading().outcome.kind !== 'ok') poll.pollNow()
    },
    reload: () => void poll.pollAfresh(),
  }
}
