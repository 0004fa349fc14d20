import type { WeeklyToFiveHourMultiplier } from '../account/account-quota.ts'
import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import type { ProxyLease } from '../facts/leases.ts'
import type { BenchmarkSummary, RequestCounters, SkippedEntry } from '../facts/observation.ts'
import type { CapacityUnit, ProviderId } from '../facts/provider.ts'
import type { ClockDoubt, EpochMs } from '../facts/time.ts'
import type { UpstreamName } from '../facts/upstream.ts'
import type { PerWindow, WindowId } from '../facts/window.ts'
import type { WindowCapacity } from './capacity.ts'
import type { FirstRound } from './first-round.ts'
import type { ResetColumn } from './reset-schedule.ts'

/** Trustworthiness of the snapshot. See docs/rules.md#snapshot-source. */
export type SnapshotSourceKind = 'live' | 'partial' | 'stale' | 'unavailable' | 'demo'

/** An open action as stored for the next process. */
export interface StandingAction {
  readonly id: string
  readonly since: EpochMs
}

/** State of the proxy at its last check. */
export interface ProxyStanding {
  /** Null before the first round has ended. */
  readonly source: SnapshotSourceKind | null
  readonly gatewayUp: boolean | null
  /** Actions that were open; left out if unknown, as in a store of an earlier version. */
  readonly open?: readonly StandingAction[]
}

/** State of one of several proxies. */
export interface UpstreamStanding {
  readonly name: UpstreamName
  readonly source: SnapshotSourceKind
  /** False until its account list was read. */
  readonly available: boolean
  /** Time its account list was read; null before that. */
  readonly sampledAt: EpochMs | null
  /** Null before the first answer. */
  readonly gatewayUp: boolean | null
  readonly version: string | null
  readonly clockSkewSeconds: number | null
  /** Entries of its account list that were skipped. */
  readonly skipped: readonly SkippedEntry[]
  readonly fileCount: number
  /** Number of files in its list that may be used now. */
  readonly routableCount: number
}

/** Accounts of one provider, ranked and counted separately from other providers. */
export interface ProviderPool {
  /** `all`, or names separated by commas, for a pool of several providers. */
  readonly provider: ProviderId
  /** `mixed` for several providers: such a pool has no capacity. */
  readonly unit: CapacityUnit | 'mixed'
  /** Ranked: routable first, best first. */
  readonly accounts: readonly EvaluatedAccount[]
  readonly routableCount: number
  readonly blockedCount: number
  /** Number of accounts whose plan does not count in the capacity. */
  readonly untrackedCount: number
  readonly topScore: number
  /** Time the next blocked account is expected to be free; null if no account is blocked, or no time is known. */
  readonly nextRoutableAt: EpochMs | null
  readonly capacity: PerWindow<WindowCapacity>
  /** Capacity in the provider's further windows, such as a month or a day, that some account has, shortest first. */
  readonly furtherCapacity: readonly WindowCapacity<WindowId>[]
  readonly resetColumns: readonly ResetColumn[]
  /** Null if no first round is under way, and for several providers. */
  readonly firstRound: FirstRound | null
}

/** The evaluated pool at one time, before comparison with earlier pools and with limits. Its `ProviderPool` members describe the default provider. */
export interface EvaluatedPool extends ProviderPool {
  /** The pool of each provider that has an account, in display order. */
  readonly pools: readonly ProviderPool[]
  readonly evaluatedAt: EpochMs
  readonly source: SnapshotSourceKind
  /** False until an account list was read. */
  readonly available: boolean
  /** Time the account list was read; null before that. */
  readonly sampledAt: EpochMs | null
  /** Null before the first answer. */
  readonly gatewayUp: boolean | null
  /** State of the proxy at its last check, by this process or an earlier one; changes are found by comparison with it. */
  readonly standing: ProxyStanding
  /** Entries of the account list that were skipped. */
  readonly skipped: readonly SkippedEntry[]
  readonly requestCounters: RequestCounters | null
  /** Factor by which the week caps 5h. */
  readonly multiplier: WeeklyToFiveHourMultiplier
  /** Seconds between planned direct queries of an account in class `primary`. */
  readonly sampleEverySeconds: number
  readonly accountRefreshSeconds: number
  readonly upstreamVersion: string | null
  readonly clockSkewSeconds: number | null
  /** Reason to doubt our clock; null while it is trusted. */
  readonly clockDoubt: ClockDoubt | null
  /** Monitor that acts for each proxy; omitted unless several monitors may share the history. */
  readonly leases?: readonly ProxyLease[]
  /** Null until a summary was read. */
  readonly benchmark: BenchmarkSummary | null
  /** Each proxy, in the order of the configuration; left out if the configuration lists none. */
  readonly upstreams?: readonly UpstreamStanding[]
  /** The proxies that list each account, in alphabetical order, by accountKey; left out if the configuration lists none. */
  readonly seenAt?: ReadonlyMap<string, readonly UpstreamName[]>
}
