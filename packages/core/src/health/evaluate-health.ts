import type { Tone } from '../account/account-status.ts'
import type { Observation } from '../facts/observation.ts'
import type { UpstreamName } from '../facts/upstream.ts'
import type { EvaluatedPool, SnapshotSourceKind } from '../pool/evaluated-pool.ts'
import type { TrendsByProvider } from '../pool/runway.ts'
import {
  accessActions,
  accountActions,
  directQuotaActions,
  exposureActions,
  type HealthAction,
  notifyActions,
  type ToneAction,
} from './health-actions.ts'
import { failingUsageActions, historyActions } from './history-actions.ts'
import {
  type LastingCause,
  type LeftAction,
  lastingCauses,
  type OpenAction,
  openActions,
  openCauses,
  stillLeft,
} from './open-actions.ts'
import {
  groupedFailing,
  type HealthThresholds,
  lapseActions,
  poolActions,
  thresholdActions,
} from './pool-actions.ts'
import { evaluateSources, type HealthSource } from './source-health.ts'

/** Health at one time: actions for an operator, and the state of each source. */
export interface HealthEvaluation {
  /** `unknown` until the first round has ended. */
  readonly state: Tone
  /** Worst first. */
  readonly actions: readonly OpenAction[]
  /** Causes whose action is about to open or close, carried over to the next evaluation. */
  readonly causes: readonly LastingCause[]
  readonly left: readonly LeftAction[]
  readonly sources: readonly HealthSource[]
}

const TONE_RANK: Readonly<Record<Tone, number>> = { bad: 0, warn: 1, unknown: 2, good: 3 }

/**
 * Evaluates the actions for an operator and the state of each source. `previous`: the previous evaluation, null at first; `left`: actions that an
 * earlier process left open, passed to the first evaluation.
 */
export function evaluateHealth(
  observation: Observation,
  pool: EvaluatedPool,
  settings: {
    readonly thresholds: HealthThresholds
    readonly exposedHost: string | null
    readonly trends: TrendsByProvider
  },
  previous: HealthEvaluation | null,
  left: readonly LeftAction[] = [],
): HealthEvaluation {
  const leftBefore = previous?.left ?? left
  const sources = evaluateSources(observation, pool, previous?.sources ?? [])
  // Until the first round has ended nothing counts as wrong, and nothing is known to be right.
  if (observation.sources.accounts.outcome.kind === 'pending' && pool.source !== 'demo')
    return {
      state: 'unknown',
      actions: [],
      causes: previous?.causes ?? [],
      left: leftBefore,
      sources,
    }

  const failed = sources.filter((source) => source.outcome.kind === 'failed')
  const causes = lastingCauses(
    poolActions(pool, settings.trends),
    previous?.causes ?? [],
    pool.evaluatedAt,
  )
  const access = accessActions(observation)
  const found = [
    ...access,
    ...snapshotActions(pool, failed, access.some(keepsFromReading)),
    ...accountActions(pool, previous?.actions ?? []),
    ...lapseActions(pool),
    ...thresholdActions(pool, settings.thresholds),
    ...groupedFailing(openCauses(causes)),
    ...directQuotaActions(observation),
    ...historyActions(observation),
    ...failingUsageActions(sources, pool.evaluatedAt),
    ...exposureActions(settings.exposedHost),
    ...notifyActions(observation),
  ].sort((a, b) => TONE_RANK[a.tone] - TONE_RANK[b.tone])
  const before = [...leftBefore, ...(previous?.actions ?? [])]
  const actions = openActions(found, before, pool.evaluatedAt)
  return {
    state: stateOf(actions, sources),
    actions,
    causes,
    left: stillLeft(leftBefore, actions, pool.evaluatedAt),
    sources,
  }
}

/** The worst tone of all actions and sources, without sources that are off or unknown. */
export function stateOf(actions: readonly OpenAction[], sources: readonly HealthSource[]): Tone {
  return [...actions, ...sources].reduce<Tone>(
    (worst, { tone }) => (tone !== 'unknown' && TONE_RANK[tone] < TONE_RANK[worst] ? tone : worst),
    'good',
  )
}

const KEEPING_FROM_READING: ReadonlySet<HealthAction['code']> = new Set<HealthAction['code']>([
  'gateway_down',
  'management_key_missing',
  'management_key_unreadable',
  'management_key_refused',
  'management_banned',
])

export const keepsFromReading = ({ action }: ToneAction): boolean =>
  KEEPING_FROM_READING.has(action.code)

/** Actions about the age and completeness of the snapshot. `isExplained`: another action already explains why the account list cannot be read. */
export function snapshotActions(
  pool: EvaluatedPool,
  failed: readonly Pick<HealthSource, 'id' | 'upstream'>[],
  isExplained: boolean,
): readonly ToneAction[] {
  if (pool.source === 'unavailable')
    return isExplained ? [] : [{ tone: 'bad', action: { code: 'snapshot_unavailable' } }]
  if (pool.source === 'stale' && pool.sampledAt !== null) {
    return [{ tone: 'warn', action: { code: 'snapshot_stale', sampledAt: pool.sampledAt } }]
  }
  // Without a failure a proxy has not answered yet.
  if (pool.source !== 'partial' || failed.length === 0) return []
  const { upstreams = [] } = pool
  const named = (kind: SnapshotSourceKind) =>
    upstreams.filter(({ source }) => source === kind).map(({ name }) => name)
  const lists = upstreams.length === 0 ? {} : { unread: named('unavailable'), old: named('stale') }
  return [{ tone: 'warn', action: { code: 'snapshot_partial', ...failedIn(failed, lists) } }]
}

/** Facts about failed sources; `lists` are the proxies whose account lists are missing or old. */
export function failedIn(
  failed: readonly Pick<HealthSource, 'id' | 'upstream'>[],
  lists: Partial<Readonly<Record<'unread' | 'old', readonly UpstreamName[]>>> = {},
) {
  const places = new Set(failed.flatMap(({ upstream }) => upstream ?? []))
  const areListsCurrent = Object.values(lists).every(({ length }) => length === 0)
  return {
    failedSources: [...new Set(failed.map(({ id }) => id))],
    ...(failed.every(({ upstream }) => upstream !== undefined) ? { failedAt: [...places] } : {}),
    ...lists,
    othersCurrent: areListsCurrent && failed.every(({ id }) => id !== 'accounts'),
  }
}
