import { calmMs, status } from './live-data.ts'
import { findTrend } from './window-quota.ts'

export type ResetRow = NonNullable<
  typeof status.value
>['tabs']['resets']['columns'][number]['rows'][number]

/** Resets of one window that return units within the same time slot, by default a minute. */
export interface ResetGroup {
  readonly windowId: string
  /** Instant of the first reset as sent by the monitor, so that it reads the same everywhere. */
  readonly atMs: number
  /** Instant of the last reset. */
  readonly lastMs: number
  /** Sum of their returned units. */
  readonly units: number
  /** Resets of the group, soonest first; at least one. */
  readonly rows: readonly [ResetRow, ...ResetRow[]]
}

const MINUTE_MS = 60_000

/** The resets of a window, one per file. */
export const allResetRows = (windowId: string): readonly ResetRow[] =>
  status.value?.tabs.resets.columns.find(({ id }) => id === windowId)?.rows ?? []

/** Groups of one window's resets, soonest first. Resets that return nothing are omitted. */
export function resetGroups(windowId: string, minutes = 1): readonly ResetGroup[] {
  const groups = new Map<number, ResetGroup>()
  for (const row of allResetRows(windowId)) {
    const { units = 0, resetAt, resetsInSeconds } = row
    if (units === 0 || resetAt === null || resetsInSeconds === null) continue
    const stretch = Math.floor(Date.parse(resetAt) / (minutes * MINUTE_MS))
    // A reset that has passed since the status was made counts as due now.
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

/** Shortest time that a full list of returns must cover, in milliseconds. */
const LIST_AHEAD_MS = 45 * MINUTE_MS
/** Longest time slot of one row, in minutes. */
const LONGEST_STRETCH = 60

/** Returns of all windows, soonest first. A group is a minute, or longer if `rows` minutes would not cover enough time. */
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

/** Quota that becomes usable within a minute, with what could then be spent if nothing is used until then. */
export interface ResetStep {
  readonly atMs: number
  readonly units: number
  readonly total: number
}

/** Gains of usable quota in a window, soonest first: those of the next days, or all. */
export function gainSteps(windowId: string, isAll = false): readonly ResetStep[] {
  const trend = findTrend(windowId)
  const steps = new Map<number, ResetStep>()
  for (const { at, units, usable } of [
    ...(trend?.gains ?? []),
    ...(isAll ? (trend?.later ?? []) : []),
  ]) {
    const minute = Math.floor(Date.parse(at) / MINUTE_MS)
    const { atMs = Math.max(calmMs.value, Date.parse(at)), units: before = 0 } =
      steps.get(minute) ?? {}
    steps.set(minute, { atMs, units: before + units, total: usable })
  }
  return [...steps.values()]
}
