import type { Tone } from '../account/account-status.ts'
import type { HistoryState } from '../facts/history-state.ts'
import type { Observation } from '../facts/observation.ts'
import type { SourceFailureCode, SourceId, SourceOutcome, SourceReading } from '../facts/source.ts'
import type { EpochMs } from '../facts/time.ts'
import type { EvaluatedPool } from '../pool/evaluated-pool.ts'
import {
  accessActions,
  accountActions,
  type HealthThresholds,
  historyActions,
  snapshotActions,
  type ToneAction,
  thresholdActions,
} from './health-actions.ts'
import { type OpenAction, openActions } from './open-action.ts'

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

/** Health at one time: what an operator must act on, and the state of each source. */
export interface HealthEvaluation {
  /** `unknown` until the first round has ended. */
  readonly state: Tone
  /** Worst first. */
  readonly actions: readonly OpenAction[]
  readonly sources: readonly HealthSource[]
}

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

const TONE_RANK: Readonly<Record<Tone, number>> = { bad: 0, warn: 1, unknown: 2, good: 3 }

/** What an operator must act on, and how each source does. `previous` is the last evaluation, null at the first. */
export function evaluateHealth(
  observation: Observation,
  pool: EvaluatedPool,
  settings: { readonly thresholds: HealthThresholds; readonly exposedHost: string | null },
  previous: HealthEvaluation | null,
): HealthEvaluation {
  const sources = dated(sourcesOf(observation, pool), previous?.sources ?? [], pool.evaluatedAt)
  // Before the first round has ended nothing is wrong yet, and nothing is known to be right.
  if (observation.accountList.outcome.kind === 'pending' && pool.source !== 'demo')
    return { state: 'unknown', actions: [], sources }

  const failedSources = sources
    .filter((source) => source.outcome.kind === 'failed')
    .map((source) => source.id)
  const found = [
    ...accessActions(observation),
    ...snapshotActions(pool, failedSources),
    ...accountActions(pool),
    ...thresholdActions(pool, settings.thresholds),
    ...directQuotaActions(observation),
    ...historyActions(observation),
    ...exposureActions(settings.exposedHost),
  ].sort((a, b) => TONE_RANK[a.tone] - TONE_RANK[b.tone])
  const actions = openActions(found, previous?.actions ?? [], pool.evaluatedAt)
  return {
    state: worstOf([
      ...actions.map((action) => action.tone),
      ...sources.map((source) => source.tone),
    ]),
    actions,
    sources,
  }
}

function dated(
  sources: readonly UndatedSource[],
  previous: readonly HealthSource[],
  now: EpochMs,
): readonly HealthSource[] {
  return sources.map((shown) => {
    const before = previous.find(({ id }) => id === shown.id)
    return { ...shown, since: before?.outcome.kind === shown.outcome.kind ? before.since : now }
  })
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
    source('direct_quota', directQuota, isDegraded(observation) ? 'warn' : 'good'),
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

function isDegraded(observation: Observation): boolean {
  const tally = observation.directQuota.lastGood?.value
  return (
    tally !== undefined &&
    tally.recentCount >= DEGRADED_QUERIES_MIN &&
    tally.recentFailed * 2 > tally.recentCount
  )
}

function directQuotaActions(observation: Observation): readonly ToneAction[] {
  const tally = observation.directQuota.lastGood?.value
  if (tally === undefined || !isDegraded(observation)) return []
  const { recentFailed, recentCount } = tally
  return [{ tone: 'warn', action: { code: 'direct_quota_degraded', recentFailed, recentCount } }]
}

function exposureActions(exposedHost: string | null): readonly ToneAction[] {
  return exposedHost === null
    ? []
    : [{ tone: 'warn', action: { code: 'risky_listener', host: exposedHost } }]
}

/** The worst tone; what is off or not yet known does not count. */
function worstOf(tones: readonly Tone[]): Tone {
  return tones.reduce<Tone>(
    (worst, tone) => (tone !== 'unknown' && TONE_RANK[tone] < TONE_RANK[worst] ? tone : worst),
    'good',
  )
}
