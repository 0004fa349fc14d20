import type { UpstreamName } from '../facts/upstream.ts'
import { poolAtUpstream } from '../pool/pool-at-upstream.ts'
import { failedIn, type HealthEvaluation, stateOf } from './evaluate-health.ts'
import type { OpenAction } from './open-action.ts'
import type { Snapshot } from './snapshot.ts'

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
