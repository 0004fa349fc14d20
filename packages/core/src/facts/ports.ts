import type { ProxyObservation } from './observation.ts'
import type { RefreshFailure, RefreshTally, RefreshTarget } from './refresh.ts'
import type { EpochMs } from './time.ts'

/** What `latest()` of a source would answer anew: other content, or the same content read again, with later times. */
export type SourceChange = 'content' | 'times'

/** Brings observations: the live proxy or the built-in sample pool. */
export interface SnapshotSource {
  /** Begins to observe. `onChange` is called whenever `latest()` would answer something new; `content` where it does not say what. */
  start(onChange: (change?: SourceChange) => void): void
  /** What is known at `now`. Never waits. */
  latest(now: EpochMs): ProxyObservation
  /** Ends every loop and call under way. Safe to call twice. */
  stop(): Promise<void>
}

/** Asks for quota on demand. */
export interface QuotaRefresher {
  /** Whether a refresh may be asked for at all: where a management key is needed, it is there and can be read. */
  available(): boolean
  /** Whether this is the management key of now; null where there is none to compare with. */
  isManagementKey(text: string): boolean | null
  /** Begins to ask once about every account in scope. One run at a time: a second one ends the first. */
  begin(target: RefreshTarget): RefreshRun
}

/** Queries that were asked for and are under way. */
export interface RefreshRun {
  /** Never waits. */
  tally(): RefreshTally
  /** Milliseconds until all are asked and answered, as the budget of queries and their pace allow; null while none may be sent. Never waits. */
  expectedMs(): number | null
  /** Resolves once nothing is left to ask: null, or why the rest is not asked. Never rejects. */
  readonly ended: Promise<RefreshFailure | null>
  /** Takes back what has not been asked yet. A query under way goes on, and its answer counts as any other. */
  cancel(): void
}

/** Time as the program sees it. The only way to it for everything outside the two composition roots. */
export interface Clock {
  /** Wall time; may jump. */
  now(): EpochMs
  /** Milliseconds that only ever grow; for every interval and deadline. */
  monotonicMs(): number
  /** Calls `task` once after `delayMs`; the returned function cancels it. */
  schedule(delayMs: number, task: () => void): () => void
}

/** What a log line says besides its event. Null says that there is nothing to say. */
export type LogFields = Readonly<
  Record<string, string | number | boolean | null | readonly string[]>
>

/**
 * A `fault` is written once a minute while it repeats. `news`, such as a change of state, is always written, so that the last line about a state is the
 * true one.
 */
export type LogKind = 'fault' | 'news'

/** Where the program says what it does. `event` is our own fixed text; foreign strings go into fields. */
export interface Log {
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  /** A `fault` by default. */
  warn(event: string, fields?: LogFields, kind?: LogKind): void
  /** A `fault` by default. */
  error(event: string, fields?: LogFields, kind?: LogKind): void
}
