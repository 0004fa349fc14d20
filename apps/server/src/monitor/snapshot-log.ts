import type { Log, Snapshot } from '@svc/core'

/** Tells each change of the pool's source or health, with what explains it: the sources that fail, and what must be acted on. */
export function logTransition(log: Log, previous: Snapshot | null, next: Snapshot): void {
  if (previous?.source === next.source && previous.health.state === next.health.state) return
  log.info('snapshot', {
    source: next.source,
    health: next.health.state,
    accounts: next.accounts.length,
    routable: next.routableCount,
    failing: failingSources(next),
    actions: [...new Set(next.health.actions.map(({ action }) => action.code))].join(' '),
  })
}

function failingSources(snapshot: Snapshot): string {
  return snapshot.health.sources.flatMap(({ id, outcome }) => (outcome.kind === 'failed' ? [`${id}: ${outcome.code}`] : [])).join(', ')
}
