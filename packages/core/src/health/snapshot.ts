import type { NotifyStanding } from '../facts/notify.ts'
import type { Scheduler } from '../facts/scheduler.ts'
import type { UpstreamName } from '../facts/upstream.ts'
import type { BankedWatch } from '../pool/banked-watch.ts'
import type { EvaluatedPool } from '../pool/evaluated-pool.ts'
import { poolAtUpstream } from '../pool/pool-at-upstream.ts'
import type { RecentChange } from '../pool/recent-changes.ts'
import type { VendorWatch } from '../pool/vendor-reset.ts'
import { failedIn, type HealthEvaluation, stateOf } from './evaluate-health.ts'
import type { HealthAction } from './health-actions.ts'
import { type OpenAction, openActions } from './open-actions.ts'

/** The evaluated, immutable result of one observation at one time. */
export interface Snapshot extends EvaluatedPool {
  readonly health: HealthEvaluation
  /** Newest first, as many as the list of at most 50 rows needs; see `changeRowsOf`. */
  readonly recentChanges: readonly RecentChange[]
  /** State of each notification target; omitted without targets. */
  readonly notify?: readonly NotifyStanding[]
  /** Schedulers that asked for the ranking; left out before the first question. */
  readonly schedulers?: readonly Scheduler[]
  /** Readings for comparison in the next evaluation, and the last vendor resets. */
  readonly vendorWatch: VendorWatch
  readonly bankedWatch: BankedWatch
}

/** A snapshot of one proxy: its files, its sources, and the actions about it or about no proxy; null for a proxy that is not watched. */
export function snapshotAtUpstream(snapshot: Snapshot, name: UpstreamName): Snapshot | null {
  const pool = poolAtUpstream(snapshot, name)
  if (pool === null) return null
  const isOfIt = (upstream = name) => upstream === name
  return {
    ...pool,
    health: healthOf(pool, isOfIt),
    recentChanges: pool.recentChanges.filter(({ detail }) =>
      isOfIt('upstream' in detail ? detail.upstream : undefined),
    ),
    ...(pool.schedulers === undefined
      ? {}
      : { schedulers: pool.schedulers.filter(({ upstream }) => isOfIt(upstream)) }),
  }
}

function healthOf(
  { health, source, accounts }: Snapshot,
  isOfIt: (upstream: UpstreamName | undefined) => boolean,
): HealthEvaluation {
  const sources = health.sources.filter(({ upstream }) => isOfIt(upstream))
  const keys = new Set(accounts.map(({ selector }) => selector.accountKey))
  const concernsIt = ({ action, upstream }: OpenAction) => {
    if (upstream !== undefined) return isOfIt(upstream)
    // An action about the combined snapshot is kept if it also holds for this proxy.
    if (action.code.startsWith('snapshot_')) return action.code === `snapshot_${source}`
    return !('accounts' in action) || action.accounts.some(({ accountKey }) => keys.has(accountKey))
  }
  const actions = health.actions.filter(concernsIt).map((open): OpenAction => {
    if (open.action.code !== 'snapshot_partial') return open
    const failed = sources.filter(({ outcome }) => outcome.kind === 'failed')
    return { ...open, action: { code: open.action.code, ...failedIn(failed) } }
  })
  return {
    ...health,
    state: health.state === 'unknown' ? 'unknown' : stateOf(actions, sources),
    actions,
    sources,
  }
}

/** The snapshot to show while evaluation is stalled. Its data keep their time, and an action reports the stall. */
export function stalledSnapshot(snapshot: Snapshot): Snapshot {
  const { health, evaluatedAt } = snapshot
  const stalled = openActions(
    [{ tone: 'bad', action: { code: 'evaluation_stalled', since: evaluatedAt } }],
    [],
    evaluatedAt,
  )
  return {
    ...snapshot,
    health: { ...health, state: 'bad', actions: [...stalled, ...health.actions] },
  }
}

/** Whether the snapshot reports that evaluation is stalled. */
export function isStalled({ health }: Pick<Snapshot, 'health'>): boolean {
  return health.actions.some(({ action }) => action.code === 'evaluation_stalled')
}

/** A proxy that has not answered for this long since the start counts as unreachable. */
const UNREACHABLE_SECONDS_MIN = 30

/** Causes of a missing account list that only an operator can fix. */
const DECIDED: ReadonlySet<HealthAction['code']> = new Set<HealthAction['code']>([
  'management_key_missing',
  'management_key_unreadable',
  'management_key_refused',
  'management_banned',
])

/** Reason a monitor is not ready. `store_held`: another process owns the history file and acts. */
export type Unready = 'not_ready' | 'store_held' | 'store_unavailable'

/**
 * Whether the monitor has all data available for now. `once_watched`: ready after a failing proxy was watched for 30 s, because it may be slow to
 * start.
 */
export type Readiness = 'ready' | 'once_watched' | Unready

/**
 * `ready`: accounts were read, or only an operator can make them readable. A monitor without its database is not ready: it neither acts nor sees
 * other monitors, which may work better.
 */
export function readinessOf({ available, health }: Snapshot): Readiness {
  const unusable = health.actions.map(({ action }) => unusableStore(action))
  const why = unusable.find((one) => one !== null)
  if (why !== undefined && why !== null) return why
  if (available || isDecided(health)) return 'ready'
  const lists = health.sources.filter(({ id }) => id === 'accounts')
  return lists.some(({ outcome }) => outcome.kind === 'failed') ? 'once_watched' : 'not_ready'
}

/** True if an operator's decision keeps accounts from being read; with several proxies, at every one. */
function isDecided({ actions, sources }: Snapshot['health']): boolean {
  const decided = actions.filter(({ action }) => DECIDED.has(action.code))
  const names = sources.flatMap(({ id, upstream }) =>
    id === 'accounts' && upstream !== undefined ? [upstream] : [],
  )
  return (
    decided.length > 0 && names.every((name) => decided.some(({ upstream }) => upstream === name))
  )
}

function unusableStore(action: HealthAction): Unready | null {
  if (action.code !== 'history_failing') return null
  if (action.reason === 'locked') return 'store_held'
  return action.engine === 'postgres' ? 'store_unavailable' : null
}

/** Reason the service is not ready, given the seconds for which the proxy was watched; null if it is ready. */
export function unreadyOf(readiness: Readiness, watchedSeconds: number): Unready | null {
  if (readiness === 'ready') return null
  if (readiness !== 'once_watched') return readiness
  return watchedSeconds >= UNREACHABLE_SECONDS_MIN ? null : 'not_ready'
}
