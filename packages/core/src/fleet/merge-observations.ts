import type { AccountEvidence } from '../facts/account-evidence.ts'
import type { ManagementAccess } from '../facts/management-access.ts'
import type {
  AccountList,
  DirectQuotaTally,
  ObservedUpstream,
  PausedProvider,
  ProxyObservation,
  RequestCounters,
  SourceReadings,
  UsageFeedState,
} from '../facts/observation.ts'
import type { ProviderId } from '../facts/provider.ts'
import type { SourceOutcome, SourceReading } from '../facts/source.ts'
import { lastInstant } from '../facts/time.ts'
import type { UpstreamName } from '../facts/upstream.ts'
import { mergeAccountEvidence } from './merge-account-evidence.ts'

export interface NamedObservation {
  readonly name: UpstreamName
  /** Observation in which accounts carry the proxy's name and evidence is keyed by `fileKeyOf`. */
  readonly observed: ProxyObservation
}

/** Readings of sources that are read once for all proxies. */
export type SharedReadings = Pick<SourceReadings, 'client_labels' | 'benchmark'>

/**
 * Merges the observations of all configured proxies: every file of each proxy, with evidence of the same account from other proxies. The order of the
 * proxies affects only the order of `upstreams`.
 */
export function mergeObservations(
  members: readonly [NamedObservation, ...NamedObservation[]],
  shared: SharedReadings,
): ProxyObservation {
  const [first] = members
  const byName = [...members].sort((a, b) => (a.name < b.name ? -1 : 1))
  const observations = byName.map(({ observed }) => observed)
  const sources = mergedReadings(observations.map((observed) => observed.sources))
  const accounts = sources.accounts.lastGood?.value.accounts ?? []
  return {
    kind: first.observed.kind,
    accountRefreshSeconds: Math.max(
      ...observations.map((observed) => observed.accountRefreshSeconds),
    ),
    management: mergedAccess(observations.map((observed) => observed.management)),
    openSecretFiles: [...new Set(observations.flatMap((observed) => observed.openSecretFiles))],
    sources: { ...sources, ...shared },
    accountListIsRemembered: observations.every(isRememberedOrUnread),
    usageRivalSuspected: observations.some((observed) => observed.usageRivalSuspected),
    evidenceByAuthName: mergeAccountEvidence(accounts, ownEvidence(observations)),
    ...queriedAnywhere(observations),
    upstreamVersion: commonVersion(observations),
    clockSkewSeconds: widestSkew(observations),
    upstreams: members.map(observedUpstream),
  }
}

function observedUpstream({ name, observed }: NamedObservation): ObservedUpstream {
  const { evidenceByAuthName: _evidence, upstreams: _upstreams, ...rest } = observed
  return { name, ...rest }
}

/** True if the proxy's account list is remembered or was not read yet. The pool's list counts as remembered only if this is true of every proxy. */
function isRememberedOrUnread({ accountListIsRemembered, sources }: ProxyObservation): boolean {
  return accountListIsRemembered || sources.accounts.lastGood === null
}

/** Providers queried through any proxy; omitted if any proxy omits them, because then all are queried. */
function queriedAnywhere(
  observations: readonly ProxyObservation[],
): Pick<ProxyObservation, 'queriedProviders'> {
  const queried = observations.map(({ queriedProviders }) => queriedProviders)
  return queried.includes(undefined)
    ? {}
    : { queriedProviders: new Set(queried.flatMap((one) => [...(one ?? [])])) }
}

function ownEvidence(
  observations: readonly ProxyObservation[],
): ReadonlyMap<string, AccountEvidence> {
  return new Map(observations.flatMap(({ evidenceByAuthName }) => [...evidenceByAuthName]))
}

/** The version that all proxies report; null if versions differ or none is reported. */
function commonVersion(observations: readonly ProxyObservation[]): string | null {
  const [version = null, ...others] = new Set(observations.map((one) => one.upstreamVersion))
  return others.length === 0 ? version : null
}

function widestSkew(observations: readonly ProxyObservation[]): number | null {
  return observations
    .flatMap(({ clockSkewSeconds: skew }) => (skew === null ? [] : [skew]))
    .reduce<number | null>(
      (widest, skew) => (widest === null || isWider(skew, widest) ? skew : widest),
      null,
    )
}

function isWider(skew: number, other: number): boolean {
  return Math.abs(skew) > Math.abs(other) || (Math.abs(skew) === Math.abs(other) && skew > other)
}

/**
 * The merged readings of several proxies. A source is good if it is good at one proxy; its values come from all. Sources that are read once for all
 * proxies are not included.
 */
function mergedReadings(
  readings: readonly SourceReadings[],
): Omit<SourceReadings, 'client_labels' | 'benchmark'> {
  return {
    gateway: mergeSource(
      readings.map(({ gateway }) => gateway),
      ([first]) => first,
    ),
    accounts: mergeSource(
      readings.map(({ accounts }) => accounts),
      mergedLists,
    ),
    direct_quota: mergeSource(
      readings.map(({ direct_quota }) => direct_quota),
      mergedTallies,
    ),
    usage_statistics: mergeSource(
      readings.map(({ usage_statistics }) => usage_statistics),
      (values) => ({ enabled: values.every(({ enabled }) => enabled) }),
    ),
    usage: mergeSource(
      readings.map(({ usage }) => usage),
      mergedFeeds,
    ),
  }
}

/** Merged access to the proxies: accepted if any proxy accepts our key, else the state of the first proxy with a problem. */
function mergedAccess(accesses: readonly ManagementAccess[]): ManagementAccess {
  return (
    accesses.find(({ kind }) => kind === 'accepted') ??
    accesses.find(({ kind }) => kind !== 'unproven') ?? { kind: 'unproven' }
  )
}

type Values<Value> = readonly [Value, ...Value[]]

function mergeSource<Value>(
  readings: readonly SourceReading<Value>[],
  mergeValues: (values: Values<Value>) => Value,
): SourceReading<Value> {
  const good = readings.flatMap(({ lastGood }) => (lastGood === null ? [] : [lastGood]))
  const [first, ...others] = good.map(({ value }) => value)
  const at = lastInstant(good.map((one) => one.at))
  return {
    outcome: mergedOutcome(readings.map(({ outcome }) => outcome)),
    failuresInARow: Math.min(...readings.map(({ failuresInARow }) => failuresInARow)),
    lastGood:
      first === undefined || at === null ? null : { value: mergeValues([first, ...others]), at },
  }
}

/** Rank of outcomes when proxies are merged; the lowest wins, so that a source is good if it is good at any proxy. */
const OUTCOME_RANK: Readonly<Record<SourceOutcome['kind'], number>> = {
  ok: 0,
  pending: 1,
  failed: 2,
  off: 3,
}

function mergedOutcome(outcomes: readonly SourceOutcome[]): SourceOutcome {
  const [best = { kind: 'pending' } as const] = [...outcomes].sort(
    (a, b) => OUTCOME_RANK[a.kind] - OUTCOME_RANK[b.kind] || atOf(b) - atOf(a),
  )
  return best
}

function atOf(outcome: SourceOutcome): number {
  return 'at' in outcome ? outcome.at : 0
}

function mergedLists(lists: Values<AccountList>): AccountList {
  return {
    accounts: lists.flatMap(({ accounts }) => accounts),
    skipped: lists.flatMap(({ skipped }) => skipped),
    requestCounters: mergedCounters(lists.map(({ requestCounters }) => requestCounters)),
  }
}

/** Sum of all proxies' counters; null if no proxy has counters. `tokens` is null unless every proxy with counters counts tokens. */
function mergedCounters(all: readonly (RequestCounters | null)[]): RequestCounters | null {
  const counters = all.filter((one) => one !== null)
  if (counters.length === 0) return null
  const tokens = counters.flatMap((one) => (one.tokens === null ? [] : [one.tokens]))
  return {
    success: sum(counters.map(({ success }) => success)),
    failed: sum(counters.map(({ failed }) => failed)),
    tokens: tokens.length < counters.length ? null : sum(tokens),
    restartedAt: lastInstant(counters.map(({ restartedAt }) => restartedAt)),
  }
}

function mergedTallies(tallies: Values<DirectQuotaTally>): DirectQuotaTally {
  return {
    succeeded: sum(tallies.map(({ succeeded }) => succeeded)),
    failed: sum(tallies.map(({ failed }) => failed)),
    recentFailed: sum(tallies.map(({ recentFailed }) => recentFailed)),
    recentCount: sum(tallies.map(({ recentCount }) => recentCount)),
    paused: longestPauses(tallies.flatMap(({ paused }) => paused)),
  }
}

function longestPauses(pauses: readonly PausedProvider[]): readonly PausedProvider[] {
  const longest = new Map<ProviderId, PausedProvider>()
  for (const pause of pauses) {
    const known = longest.get(pause.provider)
    if (known === undefined || endOf(pause) > endOf(known)) longest.set(pause.provider, pause)
  }
  return [...longest.values()]
}

function endOf({ until }: PausedProvider): number {
  return until ?? Number.POSITIVE_INFINITY
}

/** The shortest retention of all proxies; counters only if every proxy has a legacy tree. */
function mergedFeeds(feeds: Values<UsageFeedState>): UsageFeedState {
  const [first] = feeds
  const kept = feeds.flatMap(({ retentionSeconds: seconds }) => (seconds === null ? [] : [seconds]))
  const isTree = feeds.every(({ counters }) => counters !== null)
  return {
    ...first,
    kind: feeds.some(({ kind }) => kind === 'queue') ? 'queue' : first.kind,
    retentionSeconds: kept.length === 0 ? null : Math.min(...kept),
    counters: isTree ? mergedCounters(feeds.map(({ counters }) => counters)) : null,
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
