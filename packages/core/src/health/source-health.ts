import type { Tone } from '../account/account-status.ts'
import type { HistoryState } from '../facts/history-state.ts'
import type { Observation } from '../facts/observation.ts'
import type { SourceFailureCode, SourceId, SourceOutcome, SourceReading } from '../facts/source.ts'
import type { EpochMs } from '../facts/time.ts'
import type { EvaluatedPool } from '../pool/evaluated-pool.ts'

/** State of one source as health shows it. */
export interface HealthSource {
  readonly id: SourceId
  readonly tone: Tone
  readonly outcome: SourceOutcome
  readonly failuresInARow: number
  readonly lastGoodAt: EpochMs | null
  /** When this process first saw it as it is now: answering, failing, off or not asked yet. */
  readonly since: EpochMs
}

type UndatedSource = Omit<HealthSource, 'since'>

/** A source turns bad after this many failures in a row. See docs/rules.md#health. */
const BAD_AFTER_FAILURES = 2
/** Direct queries count as degraded when more than half of at least this many failed. */
const DEGRADED_QUERIES_MIN = 4

/** Failures that no further attempt is made to mend, so that waiting for a second one would hide them. */
const HELD_CODES: ReadonlySet<SourceFailureCode> = new Set<SourceFailureCode>([
  'unauthorized',
  'forbidden',
  'banned',
  'no_key',
])

/** How each source does, always in one order. `previous` is what was said of them last, nothing at the first evaluation. */
export function evaluateSources(
  observation: Observation,
  pool: EvaluatedPool,
  previous: readonly HealthSource[],
): readonly HealthSource[] {
  return sourcesOf(observation, pool).map((shown) => {
    const before = previous.find(({ id }) => id === shown.id)
    const isAsBefore = before?.outcome.kind === shown.outcome.kind
    return { ...shown, since: isAsBefore ? before.since : pool.evaluatedAt }
  })
}

/** Most of the newest direct queries have failed, for reasons that say nothing about an account. */
export function areDirectQueriesDegraded({
  directQuota,
}: Pick<Observation, 'directQuota'>): boolean {
  const tally = directQuota.lastGood?.value
  return (
    tally !== undefined &&
    tally.recentCount >= DEGRADED_QUERIES_MIN &&
    tally.recentFailed * 2 > tally.recentCount
  )
}

function sourcesOf(observation: Observation, pool: EvaluatedPool): readonly UndatedSource[] {
  const {
    gateway,
    accountList,
    directQuota,
    usageStatistics,
    usageFeed,
    history,
    clientLabels,
    benchmark,
  } = observation
  const statisticsOff =
    usageStatistics.lastGood?.value.enabled === false ||
    (usageStatistics.outcome.kind === 'failed' && usageStatistics.outcome.code === 'unsupported')
  return [
    source('gateway', gateway),
    source('accounts', accountList, pool.source === 'stale' ? 'warn' : 'good'),
    source('direct_quota', directQuota, areDirectQueriesDegraded(observation) ? 'warn' : 'good'),
    statisticsOff
      ? {
          ...source('usage_statistics', usageStatistics),
          tone: 'unknown',
          outcome: { kind: 'off', reason: 'switched_off' },
        }
      : source('usage_statistics', usageStatistics),
    withoutAlarm(source('usage', usageFeed)),
    historySource(history),
    withoutAlarm(source('client_labels', clientLabels)),
    withoutAlarm(source('benchmark', benchmark)),
  ]
}

/** `whenOk` is the tone of a source that answers but is not all it should be. */
function source<Value>(
  id: SourceId,
  reading: SourceReading<Value>,
  whenOk: Tone = 'good',
): UndatedSource {
  const { outcome, failuresInARow, lastGood } = reading
  return {
    id,
    tone: toneOf(outcome, failuresInARow, whenOk),
    outcome,
    failuresInARow,
    lastGoodAt: lastGood?.at ?? null,
  }
}

/** The store as a source: it fails at once, because every write it misses counts. */
function historySource(history: HistoryState): UndatedSource {
  const base = { id: 'history', failuresInARow: 0, lastGoodAt: null } as const
  switch (history.kind) {
    case 'off':
      return { ...base, tone: 'unknown', outcome: { kind: 'off', reason: 'no_store' } }
    case 'opening':
      return { ...base, tone: 'unknown', outcome: { kind: 'pending' } }
    case 'ok':
      return {
        ...base,
        tone: 'good',
        outcome: { kind: 'ok', at: history.at },
        lastGoodAt: history.at,
      }
    case 'failing':
      return {
        ...base,
        tone: 'bad',
        outcome: { kind: 'failed', code: 'store_unavailable', at: history.since },
        failuresInARow: 1,
      }
    default:
      return history satisfies never
  }
}

/** Nothing depends on it, or what does says so itself. */
function withoutAlarm(shown: UndatedSource): UndatedSource {
  return shown.tone === 'bad' ? { ...shown, tone: 'warn' } : shown
}

function toneOf(outcome: SourceOutcome, failuresInARow: number, whenOk: Tone): Tone {
  if (outcome.kind === 'ok') return whenOk
  if (outcome.kind !== 'failed') return 'unknown'
  return failuresInARow >= BAD_AFTER_FAILURES || HELD_CODES.has(outcome.code) ? 'bad' : 'warn'
}
