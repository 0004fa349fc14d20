import { DEFAULT_MULTIPLIER, type WeeklyToFiveHourMultiplier } from './account/account-quota.ts'
import type { EvaluatedAccount } from './account/evaluated-account.ts'
import { plannedIntervalSeconds } from './account/probe-schedule.ts'
import { type ScoringPolicy, scoringPolicy } from './account/routing-score.ts'
import {
  type Observation,
  type ObservedUpstream,
  type WatchedProxy,
  watchedProxies,
} from './facts/observation.ts'
import { proxySourceIds, sourceTable } from './facts/source.ts'
import type { EpochMs } from './facts/time.ts'
import { evaluateHealth } from './health/evaluate-health.ts'
import type { HealthThresholds } from './health/pool-actions.ts'
import type { Snapshot } from './health/snapshot.ts'
import { bankedWatchOf, nothingBanked, wasSpent } from './pool/banked-watch.ts'
import { changesToKeep } from './pool/change-rows.ts'
import type { EvaluatedPool, ProxyStanding, SnapshotSourceKind } from './pool/evaluated-pool.ts'
import { firstRoundOf } from './pool/first-round.ts'
import {
  countedAt,
  poolsOf,
  primaryPool,
  type UncountedStanding,
  uniqueAccounts,
  upstreamsByAccountKey,
} from './pool/provider-pool.ts'
import { rankedPool } from './pool/rank-pool.ts'
import { changesBetween, namedIn, type RecentChange } from './pool/recent-changes.ts'
import type { TrendsByProvider } from './pool/runway.ts'
import { nothingSighted, vendorWatchOf } from './pool/vendor-reset.ts'

/** Age of an account list, in refresh intervals, beyond which it is stale. See docs/rules.md#snapshot-source. */
const STALE_INTERVALS = 3

/** Settings of the rules that an operator may change. */
export interface EvaluationPolicy {
  readonly multiplier: WeeklyToFiveHourMultiplier
  readonly thresholds: HealthThresholds
  /** The listen address if other machines can reach it; else null. */
  readonly exposedHost: string | null
  readonly scoring: ScoringPolicy
  /** Largest number of direct quota queries per minute, which limits the speed of the first round. */
  readonly quotaProbesPerMinute: number
}

/** The policy of a service without configuration. */
export const defaultPolicy: EvaluationPolicy = {
  multiplier: DEFAULT_MULTIPLIER,
  thresholds: {
    alertFiveHourMinPlus: 'off',
    alertWeeklyMinPlus: 'off',
    alertRoutableMin: 'off',
  },
  exposedHost: null,
  scoring: scoringPolicy,
  quotaProbesPerMinute: 30,
}

/** State carried over from the previous evaluation. */
export interface Past {
  readonly previous: Snapshot | null
  /** The proxy's state as an earlier process last saw it; null if unknown. */
  readonly standing?: ProxyStanding | null
  /** Changes recorded by an earlier process and read from the store, newest first. */
  readonly recordedChanges: readonly RecentChange[]
  /** Previous forecast of how long each provider's pool lasts; omitted if there was none. */
  readonly trends?: TrendsByProvider
}

/** Applies all rules to one observation. */
export function evaluateSnapshot(
  observation: Observation,
  policy: EvaluationPolicy,
  now: EpochMs,
  past: Past,
): Snapshot {
  const { sources } = observation
  const list = sources.accounts.lastGood
  const ranked = rankedPool({ ...observation, accounts: list?.value.accounts ?? [] }, policy, now)
  const listed = poolsOf(ranked, now)
  const { provider: homeProvider } = primaryPool(listed, now)
  const pools = listed.map((one) => {
    const earlier = past.previous?.pools.find(({ provider }) => provider === one.provider)
    const firstRound = firstRoundOf(uniqueAccounts(one.accounts), one.capacity, observation, {
      quotaProbesPerMinute: policy.quotaProbesPerMinute,
      now,
      previous: earlier?.firstRound ?? null,
    })
    // Vendors that nobody named are not asked.
    const isAsked = one.provider === homeProvider || firstRound?.readCount !== 0
    return { ...one, firstRound: isAsked ? firstRound : null }
  })
  const home = primaryPool(pools, now)
  const source = sourceKindOf(observation, now)
  const gatewayUp = gatewayUpOf(observation)
  const before = past.previous?.standing ?? past.standing ?? null
  const pool = {
    ...home,
    pools,
    evaluatedAt: now,
    source,
    available: list !== null,
    sampledAt: list?.at ?? null,
    gatewayUp,
    // Until the first round has ended, the earlier values of `source` and `gatewayUp` remain valid.
    standing: {
      source: sources.accounts.outcome.kind === 'pending' ? (before?.source ?? null) : source,
      gatewayUp: gatewayUp ?? before?.gatewayUp ?? null,
    },
    skipped: list?.value.skipped ?? [],
    // A usage tree also counts tokens, and usage that belongs to no current account.
    requestCounters: sources.usage.lastGood?.value.counters ?? list?.value.requestCounters ?? null,
    sampleEverySeconds: plannedIntervalSeconds(
      { quotaClass: 'primary', provider: home.provider },
      askedCount(ranked, observation),
      policy.quotaProbesPerMinute,
    ),
    multiplier: policy.multiplier,
    accountRefreshSeconds: observation.accountRefreshSeconds,
    upstreamVersion: observation.upstreamVersion,
    clockSkewSeconds: observation.clockSkewSeconds,
    clockDoubt: observation.clockDoubt,
    ...(observation.leases === undefined ? {} : { leases: observation.leases }),
    benchmark: sources.benchmark.lastGood?.value ?? null,
    ...placesOf(observation, ranked, now),
  }
  const changes =
    past.previous === null
      ? []
      : changesBetween({ ...past.previous, standing: before ?? past.previous.standing }, pool)
  // In the sample pool windows begin again long before their resets.
  const watched = observation.kind === 'demo' ? { ...pool, pools: [] } : pool
  const banked = bankedWatchOf(watched, past.previous?.bankedWatch ?? nothingBanked, namedIn(pool))
  const { watch, found } = vendorWatchOf(
    watched,
    past.previous?.vendorWatch ?? nothingSighted,
    past.recordedChanges,
    (accountKey, at) => wasSpent(banked.watch, accountKey, at),
  )
  const resets = [...found, ...banked.found].map((detail): RecentChange => {
    return { at: now, tone: detail.code === 'banked_reset_lapsed' ? 'warn' : 'good', detail }
  })
  const news = [...resets, ...changes, ...past.recordedChanges]
  const known = past.previous?.recentChanges ?? []
  const settings = { ...policy, trends: past.trends ?? new Map() }
  const health = evaluateHealth(
    observation,
    pool,
    settings,
    past.previous?.health ?? null,
    past.standing?.open,
  )
  // Sorted, so that no order of proxies shows.
  const open = [...health.actions, ...health.left]
    .map(({ id, since }) => ({ id, since }))
    .sort((one, other) => (one.id < other.id ? -1 : 1))
  return {
    ...pool,
    standing: { ...pool.standing, open },
    health,
    recentChanges:
      news.length === 0
        ? known
        : changesToKeep([...resets, ...changes, ...known, ...past.recordedChanges]),
    vendorWatch: watch,
    bankedWatch: banked.watch,
    ...(observation.notify === undefined ? {} : { notify: observation.notify }),
    ...(observation.schedulers === undefined ? {} : { schedulers: observation.schedulers }),
  }
}

/** The state of each proxy, and the proxies that list each account; empty if the configuration lists none. */
function placesOf(
  { upstreams }: Observation,
  accounts: readonly EvaluatedAccount[],
  now: EpochMs,
): Pick<EvaluatedPool, 'upstreams' | 'seenAt'> {
  if (upstreams === undefined) return {}
  const standings = upstreams.map((one) => standingOf(one, now))
  return {
    upstreams: countedAt(standings, accounts),
    seenAt: upstreamsByAccountKey(accounts),
  }
}

/** Number of queried accounts. An account listed by several proxies is queried through one of them, so it counts once. */
function askedCount(
  accounts: readonly EvaluatedAccount[],
  { upstreams }: Pick<Observation, 'upstreams'>,
): number {
  return upstreams === undefined
    ? accounts.length
    : new Set(accounts.map(({ selector }) => selector.accountKey)).size
}

/** Kind of the snapshot's source. With several proxies: their common kind, else `stale` if none is better, else `partial`. */
function sourceKindOf(observation: Observation, now: EpochMs): SnapshotSourceKind {
  const kinds = new Set(watchedProxies(observation).map((one) => sourceKindOfOne(one, now)))
  const [first = 'unavailable', ...others] = kinds
  if (others.length === 0) return first
  return [...kinds].every((kind) => kind === 'stale' || kind === 'unavailable')
    ? 'stale'
    : 'partial'
}

function sourceKindOfOne(observation: WatchedProxy, now: EpochMs): SnapshotSourceKind {
  if (observation.kind === 'demo') return 'demo'
  const list = observation.sources.accounts.lastGood
  if (list === null) return 'unavailable'
  if (observation.accountListIsRemembered) return 'stale'
  if (now - list.at > STALE_INTERVALS * observation.accountRefreshSeconds * 1000) return 'stale'
  const isPartial = proxySourceIds.some(
    (id) => sourceTable[id].makesPartial && observation.sources[id].outcome.kind === 'failed',
  )
  return isPartial ? 'partial' : 'live'
}

function gatewayUpOf({ sources }: Pick<ObservedUpstream, 'sources'>): boolean | null {
  const { kind } = sources.gateway.outcome
  return kind === 'pending' || kind === 'off' ? null : kind === 'ok'
}

function standingOf(upstream: ObservedUpstream, now: EpochMs): UncountedStanding {
  const list = upstream.sources.accounts.lastGood
  return {
    name: upstream.name,
    source: sourceKindOfOne(upstream, now),
    available: list !== null,
    sampledAt: list?.at ?? null,
    gatewayUp: gatewayUpOf(upstream),
    version: upstream.upstreamVersion,
    clockSkewSeconds: upstream.clockSkewSeconds,
    skipped: list?.value.skipped ?? [],
  }
}
