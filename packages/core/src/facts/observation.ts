import type { QuotaSample } from '../account/quota-window.ts'
import type { ClockDoubt } from '../clock/time-witnesses.ts'
import type { UsageMeasures } from '../usage/usage.ts'
import type { Account } from './account.ts'
import type { EpochMs } from './time.ts'

/** Why a source could not be read. Closed, so that health can say what to do about each. */
export type SourceFailureCode =
  | 'unreachable'
  | 'timeout'
  | 'tls'
  | 'dns'
  | 'too_large'
  | 'bad_payload'
  | 'redirected'
  | 'throttled'
  | 'server_error'
  | 'management_disabled'
  | 'unsupported'
  | 'forbidden'
  | 'unauthorized'
  | 'banned'
  | 'no_key'
  | 'blocked_by_vendor'
  | 'unexpected_status'
  | 'file_unreadable'
  | 'store_unavailable'
  | 'clock_doubted'

/** Why a source is not asked: what it needs is missing, nothing was configured for it, or somebody switched it off. */
export type OffReason = 'no_store' | 'no_key' | 'not_configured' | 'switched_off'

/** What the last attempt at a source brought. */
export type SourceOutcome =
  | { readonly kind: 'pending' }
  | { readonly kind: 'off'; readonly reason: OffReason }
  | { readonly kind: 'ok'; readonly at: EpochMs }
  | { readonly kind: 'failed'; readonly code: SourceFailureCode; readonly at: EpochMs }

/** A source that is not asked, and why. */
export function offBecause(reason: OffReason): SourceReading<never> {
  return { outcome: { kind: 'off', reason }, failuresInARow: 0, lastGood: null }
}

/** One source: its last outcome, and the last good value, which a failure never takes away. */
export interface SourceReading<Value> {
  readonly outcome: SourceOutcome
  readonly failuresInARow: number
  readonly lastGood: { readonly value: Value; readonly at: EpochMs } | null
}

export interface AccountList {
  readonly accounts: readonly Account[]
  /** Entries of providers we do not watch, counted by provider name. */
  readonly otherProviders: ReadonlyMap<string, number>
  /** Entries that could not be read and were left out. */
  readonly skippedCount: number
  /** What the proxy has counted; null when it does not count. */
  readonly requestCounters: RequestCounters | null
}

/** Requests of every account the proxy lists, of all providers. Never goes backwards while we watch. */
export interface RequestCounters {
  readonly success: number
  readonly failed: number
  /** Null where the proxy counts requests alone. */
  readonly tokens: number | null
  /** When the proxy was last seen to count from the beginning again; null before that. */
  readonly restartedAt: EpochMs | null
}

/** Direct quota queries since the start, and how the newest ones went. */
export interface DirectQuotaTally {
  readonly succeeded: number
  readonly failed: number
  /** Failures among the last `recentCount` queries that say nothing about an account. */
  readonly recentFailed: number
  readonly recentCount: number
}

/** What an external benchmark run recommends. Shown, never applied. A member it does not state is null. */
export interface BenchmarkSummary {
  readonly generatedAt: EpochMs | null
  /** Median speed-up of the run; 1 is none. */
  readonly speedup: number | null
  /** Tokens used for each token of the run it was compared with; 1 is as many. */
  readonly tokenOverheadRatio: number | null
  readonly weeklyToFiveHourMultiplier: number | null
}

/** How usage records come in. */
export interface UsageFeedState {
  readonly kind: 'legacy' | 'queue'
  /** How long the proxy keeps records that nobody has read; null where it keeps all of them. */
  readonly retentionSeconds: number | null
  /** Totals of a legacy tree; null of a queue, which has none. */
  readonly counters: RequestCounters | null
}

/** Why the history store cannot be used as it should. Closed, so that health can say what to do about each. */
export type HistoryFailureCode =
  | 'module_missing'
  | 'sqlite_too_old'
  | 'cannot_open'
  | 'network_file_system'
  | 'not_a_database'
  | 'not_ours'
  | 'newer_version'
  | 'corrupt'
  | 'locked'
  | 'several_names'
  | 'busy'
  | 'read_only'
  | 'disk_full'
  | 'io_error'
  | 'replaced'
  | 'crashed'
  | 'not_answering'

/** The history store cannot be read, though it may be written. */
export interface ReadFailure {
  readonly since: EpochMs
  /** Null when the reader does not know. */
  readonly reason: HistoryFailureCode | null
}

/** How the history store does. */
export type HistoryState =
  | { readonly kind: 'off' }
  | { readonly kind: 'opening' }
  | {
      readonly kind: 'ok'
      readonly at: EpochMs
      readonly walBytes: number
      /** Of the last 24 h, how long usage may have been missed. */
      readonly missedSeconds: number
      /** How much older than the history reaches back its oldest row is; null before anything was forgotten. */
      readonly backlogSeconds: number | null
      /** Null while it can be read. */
      readonly readFailure: ReadFailure | null
    }
  | { readonly kind: 'failing'; readonly code: HistoryFailureCode; readonly since: EpochMs }

/** How we stand with the proxy's management API. */
export type ManagementAccess =
  | { readonly kind: 'unproven' }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'no_key' }
  | { readonly kind: 'unreadable_key'; readonly reason: KeyFileProblem }
  | { readonly kind: 'refused'; readonly at: EpochMs; readonly nextAttemptAt: EpochMs; readonly failure: 'unauthorized' | 'forbidden' }
  | { readonly kind: 'banned'; readonly until: EpochMs }

/** Why a key file cannot be used. */
export type KeyFileProblem = 'missing' | 'unreadable' | 'not_a_file' | 'foreign_owner' | 'writable_by_others' | 'too_large' | 'empty'

/** Files that hold secrets. */
export type SecretFile = 'management_key' | 'client_labels' | 'auth_files'

/** Which kind of direct query an account gets next. `none`: it is not queried. */
export type QuotaClass = 'primary' | 'recovery' | 'discovery' | 'none'

/** How the last direct query of an account failed. */
export interface ProbeFailure {
  readonly at: EpochMs
  /** `auth`: the vendor refused the login. `blocked`: it refused us, not the account. The rest says nothing of the account. */
  readonly kind: 'auth' | 'blocked' | 'throttled' | 'failed'
  /** Status the vendor answered with, null when no answer came. */
  readonly httpStatus: number | null
  /** Failed queries since the last good one, this one included. */
  readonly inARow: number
}

/** The vendor's refusals of an account's login. One alone proves nothing: the index may just have vanished. */
export interface RefusedLogin {
  readonly inARow: number
  readonly lastAt: EpochMs
  readonly httpStatus: number
}

/** Result of the last diagnostic query of an operator-disabled account. */
export type DisabledProbe =
  | { readonly state: 'unknown' }
  | {
      readonly state: 'ok' | 'exhausted' | 'auth_invalid' | 'error'
      readonly probedAt: EpochMs
      readonly httpStatus: number | null
      readonly sample: QuotaSample | null
    }

/** Everything read about one account besides its row in the account list. */
export interface AccountEvidence {
  /** Newest sample of each origin that has one. */
  readonly samples: readonly QuotaSample[]
  /** How the last direct query failed; null when it succeeded or none was made. */
  readonly probeFailure: ProbeFailure | null
  /** Direct queries the vendor refused with 401 or 402 since the last good one; null when there are none. */
  readonly refusedLogin: RefusedLogin | null
  /** How far apart this account's direct queries are planned; decides when a sample is stale. */
  readonly plannedIntervalSeconds: number
  readonly disabledProbe: DisabledProbe
}

/** Evidence that rests on these samples alone. */
export function evidenceFrom(samples: readonly QuotaSample[], plannedIntervalSeconds = 300): AccountEvidence {
  return { samples, probeFailure: null, refusedLogin: null, plannedIntervalSeconds, disabledProbe: { state: 'unknown' } }
}

/** Everything one source of snapshots knows at one time. */
export interface Observation {
  readonly kind: 'live' | 'demo'
  readonly accountRefreshSeconds: number
  readonly management: ManagementAccess
  /** Files that every user of this machine can read; a warning, which keeps none of them from being used. */
  readonly openSecretFiles: readonly SecretFile[]
  readonly gateway: SourceReading<{ readonly up: true }>
  readonly accountList: SourceReading<AccountList>
  /** The account list is of an earlier process; this one has read none yet. */
  readonly accountListIsRemembered: boolean
  readonly usageStatistics: SourceReading<{ readonly enabled: boolean }>
  readonly directQuota: SourceReading<DirectQuotaTally>
  /** Off without a history store. */
  readonly usageFeed: SourceReading<UsageFeedState>
  readonly history: HistoryState
  /** Requests of the last 15 min by account key, where usage is kept; empty elsewhere. */
  readonly recentUsage: ReadonlyMap<string, UsageMeasures>
  /** Somebody else seems to take records out of the proxy's queue. */
  readonly usageRivalSuspected: boolean
  /** Off unless a file is configured. */
  readonly clientLabels: SourceReading<{ readonly clientCount: number }>
  /** Off unless a summary file is configured. */
  readonly benchmark: SourceReading<BenchmarkSummary>
  /** By authName; an account without an entry was never queried. */
  readonly evidenceByAuthName: ReadonlyMap<string, AccountEvidence>
  /** Version the proxy says it has, null when it does not say. */
  readonly upstreamVersion: string | null
  /** The proxy's clock minus ours, in whole seconds; null before the first answer. */
  readonly clockSkewSeconds: number | null
  /** Why our clock is not believed; null while it is. */
  readonly clockDoubt: ClockDoubt | null
}
