import type { Tone } from '../account/account-status.ts'
import type { DiskRoom, HistoryState } from '../facts/history-state.ts'
import type { ProxyGeneration } from '../facts/management-access.ts'
import {
  type DirectQuotaTally,
  type Observation,
  type ObservedUpstream,
  type PausedProvider,
  watchedProxies,
} from '../facts/observation.ts'
import {
  offBecause,
  type SourceFailureCode,
  type SourceId,
  type SourceOutcome,
  type SourceReading,
  sourceIds,
  sourceTable,
} from '../facts/source.ts'
import type { EpochMs } from '../facts/time.ts'
import type { UpstreamName } from '../facts/upstream.ts'
import type { EvaluatedPool } from '../pool/evaluated-pool.ts'

/** State of one source as health shows it. */
export interface HealthSource {
  readonly id: SourceId
  readonly tone: Tone
  readonly outcome: SourceOutcome
  readonly failuresInARow: number
  readonly lastGoodAt: EpochMs | null
  /** Time this process first saw the source in its present state: answering, failing, off or not queried yet. */
  readonly since: EpochMs
  /** The proxy of the source; left out if the configuration lists none, and for sources of all proxies. */
  readonly upstream?: UpstreamName
  /** Seconds of the last 24 h in which usage may have been missed; only for the history. */
  readonly missedSeconds?: number
  readonly disk?: DiskRoom
  /** The way usage comes; only for usage that is read. `shared`: by subscription because another program seems to subscribe. */
  readonly usageWay?: UsageWayShown
  /** Vendors that are not queried now; only for direct quota, left out for none. */
  readonly paused?: readonly PausedProvider[]
  /** Address of a failing source; omitted if it works or has no single address. */
  readonly address?: string
  /** Page on which a person changes the data of the source; omitted if there is none. */
  readonly pageUrl?: string
  /** Generation of the proxy's management API; only for the account list, and omitted before the first one. */
  readonly generation?: ProxyGeneration
}

export type UsageWayShown = 'legacy' | 'http' | 'lpop' | 'subscribe' | 'shared'

type UndatedSource = Omit<HealthSource, 'since'>

/** Direct queries count as degraded when more than half of at least this many failed. */
const DEGRADED_QUERIES_MIN = 4

/** Failures retried only after a long time. Waiting for a second failure would hide them. */
const HELD_CODES: ReadonlySet<SourceFailureCode> = new Set<SourceFailureCode>([
  'unauthorized',
  'forbidden',
  'banned',
  'no_key',
])

/** State of each source, always in the same order. `previous` are the sources of the last evaluation, empty at the first. */
export function evaluateSources(
  observation: Observation,
  pool: EvaluatedPool,
  previous: readonly HealthSource[],
): readonly HealthSource[] {
  return sourcesOf(observation, pool).map((shown) => {
    const before = previous.find(
      ({ id, upstream }) => id === shown.id && upstream === shown.upstream,
    )
    const isAsBefore = before?.outcome.kind === shown.outcome.kind
    return { ...shown, since: isAsBefore ? before.since : pool.evaluatedAt }
  })
}

/** True if most of the newest direct queries failed for reasons that say nothing about an account. */
export function areDirectQueriesDegraded({ lastGood }: SourceReading<DirectQuotaTally>): boolean {
  const tally = lastGood?.value
  return (
    tally !== undefined &&
    tally.recentCount >= DEGRADED_QUERIES_MIN &&
    tally.recentFailed * 2 > tally.recentCount
  )
}

function sourcesOf(observation: Observation, pool: EvaluatedPool): readonly UndatedSource[] {
  return sourceIds.flatMap((id) => {
    if (!sourceTable[id].perUpstream || id === 'history')
      return [
        {
          ...sourceOf(id, readingOf(id, observation), { observation, pool }),
          ...(id === 'history' ? figuresOf(observation.history) : {}),
        },
      ]
    return watchedProxies(observation).map((of) => ({
      ...sourceOf(id, of.sources[id], { observation: of, pool: standingIn(pool, of.name) }),
      ...(of.name === undefined ? {} : { upstream: of.name }),
    }))
  })
}

function sourceOf(
  id: SourceId,
  { outcome, failuresInARow, lastGood, address, pageUrl, generation }: SourceReading<unknown>,
  seen: Seen,
): UndatedSource {
  const tone = toneOf(id, outcome, failuresInARow)
  const shown = {
    id,
    tone,
    outcome,
    failuresInARow,
    lastGoodAt: lastGood?.at ?? null,
    ...(address === undefined || outcome.kind !== 'failed' ? {} : { address }),
    ...(pageUrl === undefined ? {} : { pageUrl }),
    ...(generation === undefined ? {} : { generation }),
  }
  return closerLooks[id]?.(shown, seen) ?? shown
}

function standingIn(pool: EvaluatedPool, upstream: UpstreamName | undefined): Seen['pool'] {
  return pool.upstreams?.find(({ name }) => name === upstream) ?? pool
}

function readingOf(id: SourceId, { sources, history }: Observation): SourceReading<unknown> {
  return id === 'history' ? historyReading(history) : sources[id]
}

function figuresOf(history: HistoryState): Pick<HealthSource, 'missedSeconds' | 'disk'> {
  if (history.kind !== 'ok') return {}
  const { missedSeconds, disk } = history
  return { missedSeconds, ...(disk === undefined ? {} : { disk }) }
}

/** The history store as a source. Does not report the last write before a failure. */
function historyReading(history: HistoryState): SourceReading<null> {
  const none = { failuresInARow: 0, lastGood: null } as const
  switch (history.kind) {
    case 'off':
      return offBecause('no_store')
    case 'opening':
      return { ...none, outcome: { kind: 'pending' } }
    case 'ok': {
      const { at } = history
      return { ...none, outcome: { kind: 'ok', at }, lastGood: { value: null, at } }
    }
    case 'failing': {
      const { since: at } = history
      const outcome = { kind: 'failed', code: 'store_unavailable', at } as const
      return { ...none, outcome, failuresInARow: 1 }
    }
    default:
      return history satisfies never
  }
}

function toneOf(id: SourceId, outcome: SourceOutcome, failuresInARow: number): Tone {
  if (outcome.kind === 'ok') return 'good'
  if (outcome.kind !== 'failed') return 'unknown'
  const { badAfterFailures } = sourceTable[id]
  if (badAfterFailures === null) return 'warn'
  return failuresInARow >= badAfterFailures || HELD_CODES.has(outcome.code) ? 'bad' : 'warn'
}

/** Data, besides a source's own reading, that the rules for that source may use; with several proxies, only that of its own proxy. */
interface Seen {
  readonly observation: Pick<ObservedUpstream, 'sources'>
  readonly pool: Pick<EvaluatedPool, 'source' | 'skipped'>
}

type CloserLook = (shown: UndatedSource, seen: Seen) => UndatedSource

/** Extra rules for sources that can answer and still be degraded or off. */
const closerLooks: Readonly<Partial<Record<SourceId, CloserLook>>> = {
  accounts: (shown, { pool }) =>
    degradedWhere(pool.source === 'stale' || pool.skipped.length > 0, shown),
  direct_quota(shown, { observation: { sources } }) {
    const paused = sources.direct_quota.lastGood?.value.paused ?? []
    // A throttle ends by itself; a vendor that was given up waits for an operator.
    const isGivenUp = paused.some(({ reason }) => reason === 'revoked')
    return degradedWhere(
      isGivenUp || areDirectQueriesDegraded(sources.direct_quota),
      paused.length === 0 ? shown : { ...shown, paused },
    )
  },
  usage(shown, { observation: { sources } }) {
    const feed = sources.usage.lastGood?.value
    if (shown.outcome.kind !== 'ok' || feed === undefined) return shown
    const usageWay = feed.notice === 'shared' ? 'shared' : (feed.way ?? null)
    if (feed.kind === 'legacy') return { ...shown, usageWay: 'legacy' }
    return usageWay === null ? shown : { ...shown, usageWay }
  },
  usage_statistics: (shown, { observation }) =>
    areStatisticsOff(observation.sources.usage_statistics)
      ? { ...shown, tone: 'unknown', outcome: { kind: 'off', reason: 'switched_off' } }
      : shown,
}

/** Lowers a source that answers to `warn` if it is degraded. */
function degradedWhere(isDegraded: boolean, shown: UndatedSource): UndatedSource {
  return isDegraded && shown.outcome.kind === 'ok' ? { ...shown, tone: 'warn' } : shown
}

/** True if the proxy's statistics are off or not supported. */
function areStatisticsOff({
  outcome,
  lastGood,
}: SourceReading<{ readonly enabled: boolean }>): boolean {
  return (
    lastGood?.value.enabled === false ||
    (outcome.kind === 'failed' && outcome.code === 'unsupported')
  )
}
