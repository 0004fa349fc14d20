import type { WeeklyToFiveHourMultiplier } from '../account/account-quota.ts'
import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import type { ClockDoubt } from '../facts/clock-doubt.ts'
import type { ProxyLease } from '../facts/leases.ts'
import type { BenchmarkSummary, RequestCounters, SkippedEntry } from '../facts/observation.ts'
import type { EpochMs } from '../facts/time.ts'
import type { UpstreamName } from '../facts/upstream.ts'
import type { PerWindow } from '../facts/window.ts'
import type { WindowCapacity } from './capacity.ts'
import type { FirstRound } from './first-round.ts'
import type { ResetColumn } from './reset-schedule.ts'

/** How far the snapshot can be trusted. See docs/rules.md#snapshot-source. */
export type SnapshotSourceKind = 'live' | 'partial' | 'stale' | 'unavailable' | 'demo'

/** How the proxy stands, or stood when it was last asked. */
export interface ProxyStanding {
  /** Null before the first round has ended. */
  readonly source: SnapshotSourceKind | null
  readonly gatewayUp: boolean | null
}

/** How one of several proxies stands. */
export interface UpstreamStanding {
  readonly name: UpstreamName
  readonly source: SnapshotSourceKind
  /** False until its account list was read. */
  readonly available: boolean
  /** When its account list was read, null before that. */
  readonly sampledAt: EpochMs | null
  /** Null before the first answer. */
  readonly gatewayUp: boolean | null
  readonly version: string | null
  readonly clockSkewSeconds: number | null
  /** Entries of its account list that were left out. */
  readonly skipped: readonly SkippedEntry[]
  readonly otherProviders: ReadonlyMap<string, number>
  /** Files of its account list that are watched. */
  readonly fileCount: number
  /** Those of them that may be used now. */
  readonly routableCount: number
}

/** The pool under all rules at one time, before it is compared with what was and with what should be. */
export interface EvaluatedPool {
  readonly evaluatedAt: EpochMs
  readonly source: SnapshotSourceKind
  /** False until an account list was read. */
  readonly available: boolean
  /** When the account list was read, null before that. */
  readonly sampledAt: EpochMs | null
  /** Null before the first answer. */
  readonly gatewayUp: boolean | null
  /** How the proxy stood when it was last asked, by this process or one before it; changes are found by it. */
  readonly standing: ProxyStanding
  /** Ranked: routable first, best first. */
  readonly accounts: readonly EvaluatedAccount[]
  readonly otherProviders: ReadonlyMap<string, number>
  /** Entries of the account list that were left out. */
  readonly skipped: readonly SkippedEntry[]
  readonly requestCounters: RequestCounters | null
  readonly routableCount: number
  readonly blockedCount: number
  readonly topScore: number
  /** When the next blocked account is expected back; null when none is, or nobody knows. */
  readonly nextRoutableAt: EpochMs | null
  readonly capacity: PerWindow<WindowCapacity>
  /** How the week caps 5h in it. */
  readonly multiplier: WeeklyToFiveHourMultiplier
  /** Null when no first round is under way. */
  readonly firstRound: FirstRound | null
  /** How far apart direct queries of an account are planned that waits for nothing. */
  readonly sampleEverySeconds: number
  readonly resetColumns: readonly ResetColumn[]
  readonly accountRefreshSeconds: number
  readonly upstreamVersion: string | null
  readonly clockSkewSeconds: number | null
  /** Why our clock is not believed; null while it is. */
  readonly clockDoubt: ClockDoubt | null
  /** Who acts for each proxy, where several monitors may share the history; left out elsewhere. */
  readonly leases?: readonly ProxyLease[]
  /** Null until one was read. */
  readonly benchmark: BenchmarkSummary | null
  /** Each of several proxies, in the order of the configuration; left out where one is watched. */
  readonly upstreams?: readonly UpstreamStanding[]
  /** The proxies that list each account, in their alphabetical order, by accountKey; left out where one is watched. */
  readonly seenAt?: ReadonlyMap<string, readonly UpstreamName[]>
}
