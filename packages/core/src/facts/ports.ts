import type { ProxyObservation } from './observation.ts'
import type { RefreshFailure, RefreshTally, RefreshTarget } from './refresh.ts'
import type { EpochMs } from './time.ts'

/** Kind of change in `latest()` of a source: other content, or the same content read again, with later times. */
export type SourceChange = 'content' | 'times'

/** Brings observations: the live proxy or the built-in sample pool. */
export interface SnapshotSource {
  /** Begins to observe. Calls `onChange` whenever `latest()` would return something new; `change` defaults to `content`. */
  start(onChange: (change?: SourceChange) => void): void
  /** The observation at `now`. Never waits. */
  latest(now: EpochMs): ProxyObservation
  /** Ends every loop and call under way. Safe to call twice. */
  stop(): Promise<void>
}

/** Asks for quota on demand. */
export interface QuotaRefresher {
  /** Whether a refresh is possible at all: a management key, if one is needed, exists and can be read. */
  available(): boolean
  /** Whether `text` is the present management key; null if there is no key to compare with. */
  isManagementKey(text: string): boolean | null
  /** Begins to query every account in scope once. One run at a time: a second one ends the first. */
  begin(target: RefreshTarget): RefreshRun
}

/** Queries that were asked for and are under way. */
export interface RefreshRun {
  /** Never waits. */
  tally(): RefreshTally
  /** Milliseconds until all queries are answered, as their budget and pace allow; null while none may be sent. Never waits. */
  expectedMs(): number | null
  /** Resolves once nothing is left to query: null, or the reason the rest is not queried. Never rejects. */
  readonly ended: Promise<RefreshFailure | null>
  /** Drops the queries that were not sent yet. One under way goes on, and its answer counts like any other. */
  cancel(): void
}

/** The program's clock. Everything outside the two composition roots reads the time through it alone. */
export interface Clock {
  /** Wall time; may jump. */
  now(): EpochMs
  /** Milliseconds that only ever grow; for every interval and deadline. */
  monotonicMs(): number
  /** Calls `task` once after `delayMs`; the returned function cancels it. */
  schedule(delayMs: number, task: () => void): () => void
}

/** Fields of a log line besides its event. A null field means there is nothing to report. */
export type LogFields = Readonly<
  Record<string, string | number | boolean | null | readonly string[]>
>

/**
 * A `fault` is written once a minute while it repeats. `news`, such as a change of state, is always written, so that the last line about a state is the
 * true one.
 */
export type LogKind = 'fault' | 'news'

/** Log of the program. `event` is our own fixed text; foreign strings go into fields. */
export interface Log {
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  /** A `fault` by default. */
  warn(event: string, fields?: LogFields, kind?: LogKind): void
  /** A `fault` by default. */
  error(event: string, fields?: LogFields, kind?: LogKind): void
}
