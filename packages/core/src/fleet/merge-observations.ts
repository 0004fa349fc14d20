import type { AccountEvidence } from '../facts/account-evidence.ts'
import type { ObservedUpstream, ProxyObservation, SourceReadings } from '../facts/observation.ts'
import type { UpstreamName } from '../facts/upstream.ts'
import { mergeAccountEvidence } from './merge-account-evidence.ts'
import { mergedAccess, mergedReadings } from './merge-readings.ts'

/** Observation of one of several proxies. */
export interface NamedObservation {
  readonly name: UpstreamName
  /** Observation whose accounts carry the proxy's name and whose evidence is keyed by `fileKeyOf`. */
  readonly observed: ProxyObservation
}

/** Readings taken once for all proxies. */
export type SharedReadings = Pick<SourceReadings, 'client_labels' | 'benchmark'>

/**
 * Merges the observations of all configured proxies into one: every file of each proxy, with evidence of its account from the others. The order of
 * the proxies decides only the order of `upstreams`.
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

/** True if the proxy's account list is remembered or was not read yet: the pool's list counts as remembered only if this holds for every proxy. */
function isRememberedOrUnread({ accountListIsRemembered, sources }: ProxyObservation): boolean {
  return accountListIsRemembered || sources.accounts.lastGood === null
}

/** Providers queried through any proxy; left out if one proxy leaves them out. */
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

/** The version that all proxies share; null if they differ or report none. */
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
