import type { Snapshot } from '@svc/core'
import { actionChanges, type Log } from '@svc/core/service'

/** Logs what an operator looks for afterwards: each action that opens or is resolved, when no account could be used, how good the data was. */
export function logTransition(log: Log, previous: Snapshot | null, next: Snapshot): void {
  if (previous?.source !== next.source || previous.health.state !== next.health.state) {
    log.info('snapshot', {
      source: next.source,
      health: next.health.state,
      accounts: next.accounts.length,
      routable: next.routableCount,
      failing: failingSources(next),
      actions: [...new Set(next.health.actions.map(({ action }) => action.code))],
    })
  }
  logActions(log, previous, next)
  logRoutable(log, previous, next)
}

function logActions(log: Log, previous: Snapshot | null, next: Snapshot): void {
  const { opened, resolved } = actionChanges(previous?.health.actions ?? [], next.health.actions)
  for (const { code, tone, count } of opened)
    log.warn('action opened', { code, tone, count }, 'news')
  for (const { code, tone, count } of resolved) log.info('action resolved', { code, tone, count })
}

/** From some accounts to none, and back. */
function logRoutable(
  log: Log,
  previous: Snapshot | null,
  { available, routableCount, blockedCount }: Snapshot,
): void {
  const wasRoutable = previous?.available === true ? previous.routableCount > 0 : null
  if (!available) return
  if (routableCount === 0 && wasRoutable !== false)
    log.warn('no account can take work', { routable: 0, blocked: blockedCount }, 'news')
  if (routableCount > 0 && wasRoutable === false)
    log.info('accounts can take work again', { routable: routableCount, blocked: blockedCount })
}

function failingSources(snapshot: Snapshot): readonly string[] {
  return snapshot.health.sources.flatMap(({ id, outcome }) =>
    outcome.kind === 'failed' ? [`${id}: ${outcome.code}`] : [],
  )
}
