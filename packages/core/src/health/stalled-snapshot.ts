import { openActions } from './open-action.ts'
import type { Snapshot } from './snapshot.ts'

/** A snapshot as it is shown while no newer one can be made: all of it is as of its time, and an action says so. */
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
