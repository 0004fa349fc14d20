import type { Account } from './account.ts'
import type { AccountEvidence } from './account-evidence.ts'
import type { ClockDoubt } from './clock-doubt.ts'
import type { HistoryState } from './history-state.ts'
import type { ProxyLease } from './leases.ts'
import type { ManagementAccess, SecretFile } from './management-access.ts'
import { type ProxySourceId, proxySourceIds, type SourceReading } from './source.ts'
import type { EpochMs } from './time.ts'
import type { UpstreamName } from './upstream.ts'
import type { UsageMeasures } from './usage-measures.ts'

/** The account list of the proxy, as it was read. */
export interface AccountList {
  readonly accounts: readonly Account[]
  /** Entries of providers we do not watch, counted by provider name. */
  readonly otherProviders: ReadonlyMap<string, number>
  readonly skipped: readonly SkippedEntry[]
  /** What the proxy has counted; null when it does not count. */
  readonly requestCounters: RequestCounters | null
}

/** An entry that was left out. Its name is not kept: often it has none, and else it is an address. */
export interface SkippedEntry {
  /** Its place in the list of its proxy, from 1. */
  readonly position: number
  /** `bad_name`: its name is no file name. `repeated`: an entry before it has its name. */
  readonly reason: 'not_an_object' | 'no_name' | 'bad_name' | 'repeated'
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

/** What rules read of the last good value of a source. Where a source has no line here, only whether it was read counts. */
interface SourceValues {
  readonly accounts: AccountList
  readonly direct_quota: DirectQuotaTally
  readonly usage_statistics: { readonly enabled: boolean }
  readonly usage: UsageFeedState
  readonly benchmark: BenchmarkSummary
}

/** The last good value of a source. */
export type SourceValue<Id extends ProxySourceId> = Id extends keyof SourceValues
  ? SourceValues[Id]
  : unknown

/** How each source does that watches the proxy. */
export type SourceReadings = {
  readonly [Id in ProxySourceId]: SourceReading<SourceValue<Id>>
}

/** Asks for the reading of every source that watches the proxy. */
export function readSources(
  readOne: <Id extends ProxySourceId>(id: Id) => SourceReading<SourceValue<Id>>,
): SourceReadings {
  // Each id comes with the reading of its own source.
  return Object.fromEntries(proxySourceIds.map((id) => [id, readOne(id)])) as SourceReadings
}

/** What a source knows of the proxy at one time. */
export interface ProxyObservation {
  readonly kind: 'live' | 'demo'
  readonly accountRefreshSeconds: number
  readonly management: ManagementAccess
  /** Files that every user of this machine can read; a warning, which keeps none of them from being used. */
  readonly openSecretFiles: readonly SecretFile[]
  readonly sources: SourceReadings
  /** The account list is of an earlier process; this one has read none yet. */
  readonly accountListIsRemembered: boolean
  /** Somebody else seems to take records out of the proxy's queue. */
  readonly usageRivalSuspected: boolean
  /** By `fileKeyOf`: of the default proxy by authName. An account without an entry was never queried. */
  readonly evidenceByAuthName: ReadonlyMap<string, AccountEvidence>
  /** Version the proxy says it has, null when it does not say. */
  readonly upstreamVersion: string | null
  /** The proxy's clock minus ours, in whole seconds; null before the first answer. */
  readonly clockSkewSeconds: number | null
  /** Each of several proxies by itself; the rest is then of all of them. Left out where one is watched. */
  readonly upstreams?: readonly ObservedUpstream[]
}

/** One of several proxies, without what it says of each account. */
export interface ObservedUpstream
  extends Omit<ProxyObservation, 'evidenceByAuthName' | 'upstreams'> {
  readonly name: UpstreamName
}

/** What the service knows of its own history and its own clock, whatever the proxy says. */
export interface ServiceObservation {
  readonly history: HistoryState
  /** Requests of the last 15 min by account key, where usage is kept; empty elsewhere. */
  readonly recentUsage: ReadonlyMap<string, UsageMeasures>
  /** Why our clock is not believed; null while it is. */
  readonly clockDoubt: ClockDoubt | null
  /** Who acts for each proxy, where several monitors may share the history; left out elsewhere. */
  readonly leases?: readonly ProxyLease[]
}

/** Everything that is known at one time. */
export interface Observation extends ProxyObservation, ServiceObservation {}
