import type { HealthAction } from './health-actions.ts'
import type { Snapshot } from './snapshot.ts'

/** A proxy that has not answered for this long since the start counts as unreachable. */
const UNREACHABLE_SECONDS_MIN = 30

/** Reasons for having no account list that only an operator can change. */
const DECIDED: ReadonlySet<HealthAction['code']> = new Set<HealthAction['code']>([
  'management_key_missing',
  'management_key_unreadable',
  'management_key_refused',
  'management_banned',
])

/** Reason a monitor is not ready. `store_held`: another process holds the history file, and acts. */
export type Unready = 'not_ready' | 'store_held' | 'store_unavailable'

/** Whether the snapshot has all data readable for now; `once_watched`: only if this stays so, for the proxy may be slow to start. */
export type Readiness = 'ready' | 'once_watched' | Unready

/**
 * `ready`: accounts were read, or cannot be read for a reason that waiting does not change. Without its database a monitor neither acts nor learns of
 * others, which may do better.
 */
export function readinessOf({ available, health }: Snapshot): Readiness {
  const unusable = health.actions.map(({ action }) => unusableStore(action))
  const why = unusable.find((one) => one !== null)
  if (why !== undefined && why !== null) return why
  if (available || isDecided(health)) return 'ready'
  const lists = health.sources.filter(({ id }) => id === 'accounts')
  return lists.some(({ outcome }) => outcome.kind === 'failed') ? 'once_watched' : 'not_ready'
}

/** True if an operator's decision keeps accounts from being read; with several proxies, at each of them. */
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
