import { calmMs, status } from './live-data.ts'

export type ResetRow = NonNullable<
  typeof status.value
>['tabs']['resets']['columns'][number]['rows'][number]

/** Resets of one window that return something within the same stretch of time, a minute where nothing else is said. */
export interface ResetGroup {
  readonly windowId: string
  /** The first of them, as the monitor has it, so that it reads the same everywhere. */
  readonly atMs: number
  /** The last of them. */
  readonly lastMs: number
  /** What they return together, in Plus units. */
  readonly units: number
  /** Soonest first, at least one. */
  readonly rows: readonly [ResetRow, ...ResetRow[]]
}

const MINUTE_MS = 60_000

/** What comes back in one window, soonest first. A reset that returns nothing is in no group. */
export function resetGroups(windowId: string, minutes = 1): readonly ResetGroup[] {
  const column = status.value?.tabs.resets.columns.find(({ id }) => id === windowId)
  const groups = new Map<number, ResetGroup>()
  for (const row of column?.rows ?? []) {
    const { units = 0, resetAt, resetsInSeconds } = row
    if (units === 0 || resetAt === null || resetsInSeconds === null) continue
    const stretch = Math.floor(Date.parse(resetAt) / (minutes * MINUTE_MS))
    // What has passed since the status was made is due now.
    const atMs = Math.max(calmMs.value, Date.parse(resetAt))
    const group = groups.get(stretch)
    groups.set(
      stretch,
      group === undefined
        ? { windowId, atMs, lastMs: atMs, units, rows: [row] }
        : { ...group, lastMs: atMs, units: group.units + units, rows: [...group.rows, row] },
    )
  }
  return [...groups.values()]
}

/** A list of returns looks at least so far ahead, if there are as many. */
const LIST_AHEAD_MS = 45 * MINUTE_MS
/** Longest stretch whose resets are listed as one, in minutes. */
const LONGEST_STRETCH = 60

/** What comes back in any window, soonest first: by the minute, and by longer stretches where so many rows would all be of the next minutes. */
export function listedReturns(rows: number): readonly ResetGroup[] {
  const columns = status.value?.tabs.resets.columns ?? []
  const by = (minutes: number) =>
    columns.flatMap(({ id }) => resetGroups(id, minutes)).sort((a, b) => a.atMs - b.atMs)
  const reachesFar = (groups: readonly ResetGroup[]) => {
    const last = groups[rows - 1]
    return last === undefined || last.atMs - calmMs.value >= LIST_AHEAD_MS
  }
  return [1, 15].map(by).find(reachesFar) ?? by(LONGEST_STRETCH)
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
