import { openActions } from './open-action.ts'
import type { Snapshot } from './snapshot.ts'

/** The snapshot to show while no newer one can be made: its data keep their time, and an action reports the stall. */
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

/** Whether a newer snapshot is missing. */
export function isStalled({ health }: Pick<Snapshot, 'health'>): boolean {
  return health.actions.some(({ action }) => action.code === 'evaluation_stalled')
}
