import type { Account } from './account.ts'
import type { AccountEvidence } from './account-evidence.ts'
import type { HistoryState } from './history-state.ts'
import type { ProxyLease } from './leases.ts'
import type { ManagementAccess, SecretFile } from './management-access.ts'
import type { NotifyStanding } from './notify.ts'
import type { ProviderId } from './provider.ts'
import type { Scheduler } from './scheduler.ts'
import { type ProxySourceId, proxySourceIds, type SourceReading } from './source.ts'
import type { ClockDoubt, EpochMs } from './time.ts'
import type { UpstreamName } from './upstream.ts'

/** The account list as read from the proxy. */
export interface AccountList {
  readonly accounts: readonly Account[]
  readonly skipped: readonly SkippedEntry[]
  /** The proxy's own request totals; null if it has none. */
  readonly requestCounters: RequestCounters | null
}

/** An entry that was left out. Its name is not kept: it is often missing, and otherwise contains an address. */
export interface SkippedEntry {
  /** Position in the proxy's list, from 1. */
  readonly position: number
  /** `bad_name`: not a file name. `repeated`: an earlier entry has the same name. `too_many`: beyond the number of entries that are read. */
  readonly reason: 'not_an_object' | 'no_name' | 'bad_name' | 'repeated' | 'too_many'
}

/** Requests of every account the proxy lists, of all providers. Never decreases while we watch. */
export interface RequestCounters {
  readonly success: number
  readonly failed: number
  /** Null if the proxy counts only requests. */
  readonly tokens: number | null
  /** Time the proxy was last seen to start counting from zero again; null if never. */
  readonly restartedAt: EpochMs | null
}

/** Direct quota queries since the start, and the results of the newest ones. */
export interface DirectQuotaTally {
  readonly succeeded: number
  readonly failed: number
  /** Failures among the last `recentCount` queries that say nothing about their account. */
  readonly recentFailed: number
  readonly recentCount: number
  /** Vendors that are not queried now; empty for none. */
  readonly paused: readonly PausedProvider[]
}

/** A vendor whose queries wait because it refused one. */
export interface PausedProvider {
  readonly provider: ProviderId
  /** Null: until a restart or a reload. */
  readonly until: EpochMs | null
  readonly reason: 'throttled' | 'blocked' | 'revoked'
}

/** Recommendation of an external benchmark run. Shown, never applied. A member the run does not state is null. */
export interface BenchmarkSummary {
  readonly generatedAt: EpochMs | null
  /** Median speed-up of the run; 1 means none. */
  readonly speedup: number | null
  /** Tokens used per token of the baseline run; 1 means equally many. */
  readonly tokenOverheadRatio: number | null
  readonly weeklyToFiveHourMultiplier: number | null
}

/** State of the intake of usage records. */
export interface UsageFeedState {
  readonly kind: 'legacy' | 'queue'
  /** Seconds the proxy keeps unread records; null if it keeps all of them. */
  readonly retentionSeconds: number | null
  /** Totals of a legacy tree; null for a queue, which has none. */
  readonly counters: RequestCounters | null
}

/** Type of the last good value of each source that rules read. For a source without an entry here, only whether it was read counts. */
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

/** The reading of each source that watches the proxy. */
export type SourceReadings = {
  readonly [Id in ProxySourceId]: SourceReading<SourceValue<Id>>
}

/** Asks for the reading of every source that watches the proxy. */
export function readSources(
  readOne: <Id extends ProxySourceId>(id: Id) => SourceReading<SourceValue<Id>>,
): SourceReadings {
  // Each id comes with its own source's reading.
  return Object.fromEntries(proxySourceIds.map((id) => [id, readOne(id)])) as SourceReadings
}

/** Everything a source knows about the proxy at one time. */
export interface ProxyObservation {
  readonly kind: 'live' | 'demo'
  readonly accountRefreshSeconds: number
  readonly management: ManagementAccess
  /** Files that every user of this machine can read. Only a warning: they are used anyway. */
  readonly openSecretFiles: readonly SecretFile[]
  readonly sources: SourceReadings
  /** True if the account list comes from an earlier process and this one has read none yet. */
  readonly accountListIsRemembered: boolean
  /** True if another program seems to take records out of the proxy's queue. */
  readonly usageRivalSuspected: boolean
  /** By `fileKeyOf`. An account without an entry was never queried. */
  readonly evidenceByAuthName: ReadonlyMap<string, AccountEvidence>
  /** Providers whose accounts are queried; left out: all of them. */
  readonly queriedProviders?: ReadonlySet<ProviderId>
  /** Version reported by the proxy; null if it reports none. */
  readonly upstreamVersion: string | null
  /** The proxy's clock minus ours, in whole seconds; null before the first answer. */
  readonly clockSkewSeconds: number | null
  /** Each configured proxy separately; all other members then cover all proxies. Left out if the configuration lists none. */
  readonly upstreams?: readonly ObservedUpstream[]
}

/** Observation of one of several proxies, without the evidence of its accounts. */
export interface ObservedUpstream
  extends Omit<ProxyObservation, 'evidenceByAuthName' | 'upstreams'> {
  readonly name: UpstreamName
}

/** One watched proxy; without a name if the configuration lists none. */
export type WatchedProxy = Omit<ObservedUpstream, 'name'> & { readonly name?: UpstreamName }

/** Every watched proxy, in the order of the configuration. */
export function watchedProxies(observation: ProxyObservation): readonly WatchedProxy[] {
  return observation.upstreams ?? [observation]
}

/** State of the service's own history and clock, independent of the proxy. */
export interface ServiceObservation {
  readonly history: HistoryState
  /** Requests of the last 15 min by account key, if usage is kept; else empty. */
  readonly recentUsage: ReadonlyMap<string, UsageMeasures>
  /** Reason our clock is not believed; null while it is believed. */
  readonly clockDoubt: ClockDoubt | null
  /** Monitor that acts for each proxy, if several monitors may share the history; else left out. */
  readonly leases?: readonly ProxyLease[]
  /** Each target of messages; left out without targets. */
  readonly notify?: readonly NotifyStanding[]
  /** Schedulers that asked for the ranking; left out before the first question. */
  readonly schedulers?: readonly Scheduler[]
}

/** Everything observed of the proxies and the service at one time. */
export interface Observation extends ProxyObservation, ServiceObservation {}

/** Counts of usage: whole numbers, >= 0. Sums are exact, and stop growing at the largest exact number. */
export interface UsageMeasures {
  readonly requests: number
  readonly tokens: number
  /** Failed requests, included in `requests`. */
  readonly failed: number
}
