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
  /** The proxy's own request totals; null if it reports none. */
  readonly requestCounters: RequestCounters | null
}

/** A skipped entry of the list. Its name is not kept: it is often missing, and otherwise contains an e-mail address. */
export interface SkippedEntry {
  /** Position in the proxy's list, from 1. */
  readonly position: number
  /** `bad_name`: not a file name. `repeated`: an earlier entry has the same name. `too_many`: the list is longer than the limit. */
  readonly reason: 'not_an_object' | 'no_name' | 'bad_name' | 'repeated' | 'too_many'
}

/** Requests of all accounts that the proxy lists, of all providers. Never decreases while this process runs. */
export interface RequestCounters {
  readonly success: number
  readonly failed: number
  /** Null if the proxy counts requests only. */
  readonly tokens: number | null
  /** Time at which the proxy was last seen to restart its counters from zero; null if never. */
  readonly restartedAt: EpochMs | null
}

/** Counts of direct quota queries since the start, and results of the newest ones. */
export interface DirectQuotaTally {
  readonly succeeded: number
  readonly failed: number
  /** Failures among the last `recentCount` queries, without those caused by the account itself. */
  readonly recentFailed: number
  readonly recentCount: number
  /** Vendors whose queries are paused. */
  readonly paused: readonly PausedProvider[]
}

/** A vendor whose queries are paused after a refusal. */
export interface PausedProvider {
  readonly provider: ProviderId
  /** End of the pause; null if it lasts until a restart or a reload. */
  readonly until: EpochMs | null
  readonly reason: 'throttled' | 'blocked' | 'revoked'
}

/** Recommendation from an external benchmark run; shown, never applied. A member is null if the run does not state it. */
export interface BenchmarkSummary {
  readonly generatedAt: EpochMs | null
  /** Median speed-up of the run; 1 means none. */
  readonly speedup: number | null
  /** Tokens used per token of the baseline run; 1 means equally many. */
  readonly tokenOverheadRatio: number | null
  readonly weeklyToFiveHourMultiplier: number | null
}

/** Source of usage records and its state. */
export interface UsageFeedState {
  readonly kind: 'legacy' | 'queue'
  /** Seconds for which the proxy keeps unread records; null if it keeps all of them. */
  readonly retentionSeconds: number | null
  /** Totals of a legacy usage tree; null for a queue, which has none. */
  readonly counters: RequestCounters | null
  /** The way records come; left out for a tree. `lpop` and `subscribe` use a standing connection. */
  readonly way?: 'http' | 'lpop' | 'subscribe'
  /**
   * `shared`: another program seems to subscribe too, so this one does. `way_lost`: it should subscribe and cannot. `dropped`: the proxy ended the
   * subscription because we read too slowly.
   */
  readonly notice?: 'shared' | 'way_lost' | 'dropped'
}

/** Type of the last good value of each source that rules read. Of every other source only the outcome matters. */
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

/** Calls `readOne` for every source that watches the proxy. */
export function readSources(
  readOne: <Id extends ProxySourceId>(id: Id) => SourceReading<SourceValue<Id>>,
): SourceReadings {
  // Each id comes with its own source's reading.
  return Object.fromEntries(proxySourceIds.map((id) => [id, readOne(id)])) as SourceReadings
}

/** Everything a source knows about the proxy at one moment. */
export interface ProxyObservation {
  readonly kind: 'live' | 'demo'
  readonly accountRefreshSeconds: number
  readonly management: ManagementAccess
  /** Secret files that every user of this machine can read. They are used anyway, with a warning. */
  readonly openSecretFiles: readonly SecretFile[]
  readonly sources: SourceReadings
  /** True if the account list comes from an earlier process, because this one has not read one yet. */
  readonly accountListIsRemembered: boolean
  /** True if another program seems to take records from the proxy's queue. */
  readonly usageRivalSuspected: boolean
  /** Evidence by `fileKeyOf`. An account without an entry was never queried. */
  readonly evidenceByAuthName: ReadonlyMap<string, AccountEvidence>
  /** Providers whose accounts are queried; all providers if omitted. */
  readonly queriedProviders?: ReadonlySet<ProviderId>
  /** Version reported by the proxy; null if it reports none. */
  readonly upstreamVersion: string | null
  /** The proxy's clock minus ours, in whole seconds; null before the first answer. */
  readonly clockSkewSeconds: number | null
  /** Each configured proxy separately, while the other members cover all of them; omitted if the configuration lists none. */
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

/** State of the service itself, observed without the proxy. */
export interface ServiceObservation {
  readonly history: HistoryState
  /** Requests of the last 15 min by account key, if usage is kept; else empty. */
  readonly recentUsage: ReadonlyMap<string, UsageMeasures>
  /** Reason our clock is not trusted; null while it is. */
  readonly clockDoubt: ClockDoubt | null
  /** Monitor that acts for each proxy; omitted unless several monitors may share the history. */
  readonly leases?: readonly ProxyLease[]
  /** State of each notification target; omitted without targets. */
  readonly notify?: readonly NotifyStanding[]
  /** Schedulers that have requested the ranking; omitted before the first request. */
  readonly schedulers?: readonly Scheduler[]
}

export interface Observation extends ProxyObservation, ServiceObservation {}

/** Usage counts: whole numbers, >= 0. Sums are exact up to the largest safe integer, where they stop growing. */
export interface UsageMeasures {
  readonly requests: number
  readonly tokens: number
  /** Failed requests, included in `requests`. */
  readonly failed: number
}
