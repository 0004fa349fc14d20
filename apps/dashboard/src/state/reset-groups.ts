import { calmMs, elapsedSeconds, status } from './live-data.ts'

export type ResetRow = NonNullable<
  typeof status.value
>['tabs']['resets']['columns'][number]['rows'][number]

/** Resets of one window that return something within the same minute. */
export interface ResetGroup {
  readonly windowId: string
  /** The first of them, by the page's calm clock. */
  readonly atMs: number
  /** What they return together, in Plus units. */
  readonly units: number
  /** Soonest first, at least one. */
  readonly rows: readonly [ResetRow, ...ResetRow[]]
}

const MINUTE_MS = 60_000

/** What comes back in one window, soonest first. A reset that returns nothing is in no group. */
export function resetGroups(windowId: string): readonly ResetGroup[] {
  const column = status.value?.tabs.resets.columns.find(({ id }) => id === windowId)
  const groups = new Map<number, ResetGroup>()
  for (const row of column?.rows ?? []) {
    const { units = 0, resetAt, resetsInSeconds } = row
    if (units === 0 || resetAt === null || resetsInSeconds === null) continue
    const minute = Math.floor(Date.parse(resetAt) / MINUTE_MS)
    const group = groups.get(minute)
    const atMs = calmMs.value + Math.max(0, resetsInSeconds - elapsedSeconds.value) * 1000
    groups.set(
      minute,
      group === undefined
        ? { windowId, atMs, units, rows: [row] }
        : { ...group, units: group.units + units, rows: [...group.rows, row] },
    )
  }
  return [...groups.values()]
}

/** A reset as it is drawn, with what the pool then has if nothing is used. */
export interface ResetStep {
  readonly atMs: number
  readonly units: number
  readonly total: number
}

/** The same as steps on top of what is known, never above what is tracked. */
export function resetSteps(
  groups: readonly ResetGroup[],
  known: number,
  tracked: number,
): readonly ResetStep[] {
  let total = known
  return groups.map(({ atMs, units }) => {
    total = Math.min(tracked, total + units)
    return { atMs, units, total }
  })
}
