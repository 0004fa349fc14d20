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

/** One thing that is read again and again. */
export interface Source<Value> {
  readonly id: SourceId
  /** What is known now. Never waits. */
  reading(): SourceReading<Value>
  /** Begins to read. A source that needs the management key begins when there is one. */
  start(): void
  /** The proxy answers again: what has failed is tried at once. */
  retry(): void
  /** Reads its file again, as a restart would. */
  reload(): void
  /** Ends what is under way. */
  stop(): Promise<void>
}

/** Who hears of what a source brings. */
export interface SourceListeners {
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
  readonly report: Pick<CollectorReport, 'count'>
  /** The observation is another one now. */
  readonly onChange: (change?: SourceChange) => void
}

export interface SourcePlan<Value> extends Omit<PollPlan<Value>, 'source' | 'onSettled'> {
  readonly id: SourceId
  /** Name of its call in metrics; null where it calls nobody. */
  readonly endpoint: string | null
  /** Called after each attempt, before anybody else hears of it. */
  readonly onSettled?: (settled: SettledPoll) => void
}

/** A poll whose failed calls are counted and whose news is passed on. */
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

/** A source that reads a file, once a period and when it is told to. */
export function createFileSource<Value>(
  {
    id,
    periodSeconds,
    read,
  }: {
    readonly id: SourceId
    readonly periodSeconds: number
    /** Throws SourceError. */
    readonly read: () => Promise<Value>
  },
  listeners: SourceListeners,
): Source<Value> {
  const plan = { id, endpoint: null, periodSeconds, backoffSecondsMax: periodSeconds }
  const poll = createSourcePoll({ ...plan, poll: read, heldForMs: () => 0 }, listeners)
  return { ...sourceOf(id, poll), start: poll.pollNow, reload: () => void poll.pollAfresh() }
}

/** A source made of one poll that nothing starts yet and that nothing but its period repeats. */
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

/** Counts a call that failed; one that was held back, and what failed on this machine, is none. */
export function countFailure(
  endpoint: string,
  settled: SettledPoll,
  { report }: Pick<SourceListeners, 'report'>,
): void {
  if (settled.kind === 'failed' && settled.error instanceof UpstreamError)
    report.count({ counter: 'upstream_errors_total', endpoint })
}

/** What has failed may have failed more often than before. */
export function changeOf(settled: SettledPoll): SourceChange {
  return settled.kind === 'ok' ? settled.change : 'content'
}

export function retryIfFailed(poll: Pick<PolledSource<unknown>, 'reading' | 'pollNow'>): void {
  if (poll.reading().outcome.kind === 'failed') poll.pollNow()
}
