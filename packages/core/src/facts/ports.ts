import type { ProxyObservation } from './observation.ts'
import type { RefreshFailure, RefreshTally, RefreshTarget } from './refresh.ts'
import type { EpochMs } from './time.ts'

/** Kind of change in `latest()` of a source: new content, or the same content read again with later times. */
export type SourceChange = 'content' | 'times'

/** Brings observations: the live proxy or the built-in sample pool. */
export interface SnapshotSource {
  /** Begins to observe. Calls `onChange` whenever `latest()` would return something new; `change` defaults to `content`. */
  start(onChange: (change?: SourceChange) => void): void
  /** The observation at `now`. Never waits. */
  latest(now: EpochMs): ProxyObservation
  /** Ends all loops and calls under way. Safe to call twice. */
  stop(): Promise<void>
}

/** Queries quota on demand. */
export interface QuotaRefresher {
  /** Whether a refresh is possible at all: a required management key exists and can be read. */
  available(): boolean
  /** Whether `text` is the current management key; null if there is no key to compare with. */
  isManagementKey(text: string): boolean | null
  /** Begins to query every account in scope once. One run at a time: a second one ends the first. */
  begin(target: RefreshTarget): RefreshRun
}

/** The queries of one manual refresh. */
export interface RefreshRun {
  /** Never waits. */
  tally(): RefreshTally
  /** Milliseconds until all queries are answered, within their budget and pace; null while no query may be sent. Never waits. */
  expectedMs(): number | null
  /** Resolves once no query is left: null, or the reason why the rest are not sent. Never rejects. */
  readonly ended: Promise<RefreshFailure | null>
  /** Drops the queries that were not sent yet. A query under way goes on, and its answer counts like any other. */
  cancel(): void
}

/** The program's clock. Only the two composition roots read the time in another way. */
export interface Clock {
  /** Wall time; may jump. */
  now(): EpochMs
  /** Milliseconds that never decrease; for every interval and deadline. */
  monotonicMs(): number
  /** Calls `task` once after `delayMs`; the returned function cancels it. */
  schedule(delayMs: number, task: () => void): () => void
}

/** Largest lead with which a task of `schedule` may be called. */
export const TIMER_EARLY_MS = 100

/** Fields of a log line other than its event. A null field has no value to report. */
export type LogFields = Readonly<
  Record<string, string | number | boolean | null | readonly string[]>
>

/**
 * A `fault` is logged once a minute while it repeats. `news`, such as a change of state, is always logged, so that the last line about a
 * state is the current one.
 */
export type LogKind = 'fault' | 'news'

/** Log of the program. `event` is our own fixed text; foreign text goes into fields. */
export interface Log {
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  /** A `fault` by default. */
  warn(event: string, fields?: LogFields, kind?: LogKind): void
  /** A `fault` by default. */
  error(event: string, fields?: LogFields, kind?: LogKind): void
}
