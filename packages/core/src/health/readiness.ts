import type { HealthAction } from './health-actions.ts'
import type { Snapshot } from './snapshot.ts'

/** A proxy that has not answered for so long since the start is taken to be unreachable. */
const UNREACHABLE_SECONDS_MIN = 30

/** Reasons for having no account list that only an operator can change. */
const DECIDED: ReadonlySet<HealthAction['code']> = new Set<HealthAction['code']>([
  'management_key_missing',
  'management_key_unreadable',
  'management_key_refused',
  'management_banned',
])

/** Whether what is served is all there is to be had for now; `once_watched`: if it stays so, because the proxy may only be slow to start. */
export type Readiness = 'ready' | 'once_watched' | 'pending'

/** Ready: accounts were read, or there is a reason why they cannot be read that waiting does not change. */
export function readinessOf({ available, health }: Snapshot): Readiness {
  if (available || isDecided(health)) return 'ready'
  const lists = health.sources.filter(({ id }) => id === 'accounts')
  return lists.some(({ outcome }) => outcome.kind === 'failed') ? 'once_watched' : 'pending'
}

/** Of several proxies each must have such a reason. */
function isDecided({ actions, sources }: Snapshot['health']): boolean {
  const decided = actions.filter(({ action }) => DECIDED.has(action.code))
  const names = sources.flatMap(({ id, upstream }) =>
    id === 'accounts' && upstream !== undefined ? [upstream] : [],
  )
  return (
    decided.length > 0 && names.every((name) => decided.some(({ upstream }) => upstream === name))
  )
}

/** `watchedSeconds`: how long the proxy has been watched. */
export function isReady(readiness: Readiness, watchedSeconds: number): boolean {
  return (
    readiness === 'ready' ||
    (readiness === 'once_watched' && watchedSeconds >= UNREACHABLE_SECONDS_MIN)
  )
}
