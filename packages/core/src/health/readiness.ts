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

/** Whether the snapshot has all data readable for now; `once_watched`: only if this stays so, for the proxy may be slow to start. */
export type Readiness = 'ready' | 'once_watched' | 'pending'

/**
 * `ready`: accounts were read, or cannot be read for a reason that waiting does not change. Without its database a monitor neither acts nor learns of
 * others, which may do better.
 */
export function readinessOf({ available, health }: Snapshot): Readiness {
  if (health.actions.some(({ action }) => isOfDatabase(action))) return 'pending'
  if (available || isDecided(health)) return 'ready'
  const lists = health.sources.filter(({ id }) => id === 'accounts')
  return lists.some(({ outcome }) => outcome.kind === 'failed') ? 'once_watched' : 'pending'
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

function isOfDatabase(action: HealthAction): boolean {
  return action.code === 'history_failing' && action.engine === 'postgres'
}

/** Whether the service counts as ready, given the seconds that the proxy has been watched. */
export function isReady(readiness: Readiness, watchedSeconds: number): boolean {
  return (
    readiness === 'ready' ||
    (readiness === 'once_watched' && watchedSeconds >= UNREACHABLE_SECONDS_MIN)
  )
}
