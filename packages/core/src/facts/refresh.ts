import type { ProxyObservation } from './observation.ts'
import type { SourceFailureCode } from './source.ts'
import type { EpochMs } from './time.ts'

/** Accounts queried by a manual refresh: all watched accounts, those disabled by the operator, or the one with this key. */
export type RefreshTarget =
  | { readonly scope: 'default' | 'disabled-diagnostics' }
  | { readonly scope: 'account'; readonly accountKey: string }

/** Kind of accounts a refresh queries. */
export type RefreshScope = RefreshTarget['scope']

/** Progress of a refresh. `done` includes failed queries, but not queries cancelled before they were sent. */
export interface RefreshTally {
  readonly queued: number
  readonly done: number
  readonly failed: number
  /** Accounts that are not queried because their vendor must not be asked yet; omitted if there are none. */
  readonly skipped?: SkippedAccounts
}

/** Accounts that a refresh does not query, because their vendor was asked recently or asked for a pause. */
export interface SkippedAccounts {
  readonly count: number
  /** Earliest time at which one of the accounts may be queried; null if none may be before a restart or a reload. */
  readonly nextAskAt: EpochMs | null
}

/**
 * Reason a refresh ended before every account was queried. For a refresh of one account, `no_direct_quota`: nothing can query its vendor;
 * `vendor_asks_to_wait`: the vendor asked for a pause. `asked_lately`: this account was refreshed less than a minute ago, or every account was
 * skipped.
 */
export type RefreshFailure =
  | SourceFailureCode
  | 'quota_off'
  | 'deadline'
  | 'cancelled'
  | 'no_direct_quota'
  | 'vendor_asks_to_wait'
  | 'asked_lately'

export interface RunningRefresh {
  readonly status: 'running'
  readonly target: RefreshTarget
  readonly startedAt: EpochMs
  /** Expected end of the refresh at the current pace; null while no query may be sent. */
  readonly expectedEndAt: EpochMs | null
  readonly tally: RefreshTally
}

/**
 * A refresh that has ended. `partial`: it was cancelled, or some accounts failed or were not queried; `failed`: all accounts failed or were not
 * queried. `failure` is null if every account was queried.
 */
export interface EndedRefresh {
  readonly status: 'completed' | 'partial' | 'failed'
  readonly target: RefreshTarget
  readonly startedAt: EpochMs
  readonly completedAt: EpochMs
  readonly tally: RefreshTally
  readonly failure: RefreshFailure | null
}

/** State of this process's manual refresh: none so far, running, or the result of the last one. */
export type RefreshState = { readonly status: 'idle' } | RunningRefresh | EndedRefresh

/** Another monitor of the same history queries the vendor, so this one cannot refresh. */
export interface RefreshElsewhere {
  readonly status: 'standby'
  /** The monitor that queries the vendor; null if unknown. */
  readonly holder: string | null
}

/** Kind of change in `latest()` of a source: `content` is new content, `times` the same content read again later. */
export type SourceChange = 'content' | 'times'

/** Source of observations: the live proxy or the built-in sample pool. */
export interface SnapshotSource {
  /** Begins to observe. Calls `onChange` whenever the result of `latest()` changes; `change` defaults to `content`. */
  start(onChange: (change?: SourceChange) => void): void
  /** The observation at `now`. Returns at once. */
  latest(now: EpochMs): ProxyObservation
  /** Ends all loops and pending calls. Safe to call twice. */
  stop(): Promise<void>
}

/** Queries quota on an operator's request. */
export interface QuotaRefresher {
  /** Whether a refresh is possible: the management key, if one is required, exists and can be read. */
  available(): boolean
  /** Whether `text` is the current management key; null if there is no key to compare with. */
  isManagementKey(text: string): boolean | null
  /** Begins to query every account in scope once. Only one run can be active: a new one ends the previous one. */
  begin(target: RefreshTarget): RefreshRun
}

/** A running set of queries for one manual refresh. */
export interface RefreshRun {
  /** Progress so far. Returns at once. */
  tally(): RefreshTally
  /** Milliseconds until all queries are expected to be answered, given their budget and pace; null while no query may be sent. Returns at once. */
  expectedMs(): number | null
  /** Resolves once no query is left: with null, or with the reason why the rest were not sent. Never rejects. */
  readonly ended: Promise<RefreshFailure | null>
  /** Cancels the queries that were not sent yet. A pending query is completed, and its answer is used as usual. */
  cancel(): void
}

/** The program's clock. Only the two composition roots read the time directly. */
export interface Clock {
  /** Wall time; may jump. */
  now(): EpochMs
  /** Monotonic time in milliseconds; for all intervals and deadlines. */
  monotonicMs(): number
  /** Calls `task` once after `delayMs`; the returned function cancels it. */
  schedule(delayMs: number, task: () => void): () => void
}

/** Largest number of milliseconds by which `schedule` may call a task early. */
export const TIMER_EARLY_MS = 100

/** Fields of a log line besides its event. Null means that the field has no value. */
export type LogFields = Readonly<
  Record<string, string | number | boolean | null | readonly string[]>
>

/**
 * A repeated `fault` is logged once a minute. `news`, such as a change of state, is always logged, so that the last line about a state is current.
 */
export type LogKind = 'fault' | 'news'

/** The program's log. `event` is a fixed text of our own; foreign text goes into fields. */
export interface Log {
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  /** `kind` defaults to `fault`. */
  warn(event: string, fields?: LogFields, kind?: LogKind): void
  /** `kind` defaults to `fault`. */
  error(event: string, fields?: LogFields, kind?: LogKind): void
}
