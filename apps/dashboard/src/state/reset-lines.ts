import { calmMs } from './live-data.ts'
import { listResetRows, rowKeyOf } from './pool.ts'
import { type ResetGroup, type ResetRow, resetGroups } from './reset-groups.ts'

/** Reasons why resets return nothing, in the order of the table. */
export const idleReasons = ['unproven', 'notStarted', 'full', 'uncounted', 'unknown'] as const
export type IdleReason = (typeof idleReasons)[number]

/** A line in a table of resets: one account's reset, or several resets that can be unfolded. */
export interface ResetLine {
  readonly id: string
  /** Sum of their returned units. */
  readonly units: number
  /** Times of the first and the last reset; null for a single row, and if no reset returns anything. */
  readonly span: { readonly atMs: number; readonly lastMs: number } | null
  /** Why the resets return nothing; null if they return something or the row has its own note. */
  readonly reason: IdleReason | null
  /** Resets of the line; at least one. */
  readonly rows: readonly [ResetRow, ...ResetRow[]]
  /** Lines to unfold first, with the same rows; empty if the line unfolds directly into its rows. */
  readonly lines: readonly ResetLine[]
}

/** Maximum number of rows for which each row gets its own line. */
const ROWS_MAX = 20
/** Maximum number of lines of returns, so that the table fits on about one screen. */
const LINES_MAX = 16
/** Possible time slots of a line, in minutes. */
const STRETCHES = [1, 5, 15, 30, 60, 180, 360, 720, 1440] as const
const LONGEST_STRETCH = 1440
const HOUR_MS = 3_600_000

/** Shortest time slot in minutes with which `LINES_MAX` lines cover these hours; null if each row has its own line. */
export function chooseLineMinutes(windowId: string, hours: number): number | null {
  if (listResetRows(windowId).length <= ROWS_MAX) return null
  const endMs = calmMs.value + hours * HOUR_MS
  const reachesEnd = (minutes: number) => {
    const next = resetGroups(windowId, minutes)[LINES_MAX]
    return next === undefined || next.atMs > endMs
  }
  return STRETCHES.find(reachesEnd) ?? LONGEST_STRETCH
}

/** Lines of one window's table: returns by time slots of this length, soonest first, then resets that return nothing, by reason. */
export function resetLines(windowId: string, minutes: number | null): readonly ResetLine[] {
  const rows = listResetRows(windowId)
  return [
    ...(minutes === null
      ? rows.filter((row) => idleReason(row) === null).map(lineOfRow)
      : linesByStretch(windowId, minutes)),
    ...idleReasons.flatMap((reason) =>
      lineOfIdle(
        reason,
        rows.filter((row) => idleReason(row) === reason),
      ),
    ),
  ]
}

function linesByStretch(windowId: string, minutes: number): readonly ResetLine[] {
  const groups = resetGroups(windowId, minutes).map((group) => lineOfGroup(group, minutes))
  const later = groups.slice(LINES_MAX - 1)
  return later.length > 1 ? [...groups.slice(0, LINES_MAX - 1), ...lineOfLater(later)] : groups
}

const lineOfRow = (row: ResetRow): ResetLine => ({
  id: `${rowKeyOf(row)} ${row.account}`,
  units: row.units ?? 0,
  span: null,
  reason: null,
  rows: [row],
  lines: [],
})

/** The line of a time slot. Its id depends on the slot alone, so that it stays open when its first resets have passed. */
function lineOfGroup({ atMs, lastMs, units, rows }: ResetGroup, minutes: number): ResetLine {
  const stretch = Math.floor(Date.parse(rows[0].resetAt ?? '') / (minutes * 60_000))
  const id = `${minutes} ${stretch}`
  return { id, units, span: { atMs, lastMs }, reason: null, rows, lines: [] }
}

function lineOfLater(lines: readonly ResetLine[]): readonly ResetLine[] {
  const [first, ...others] = lines.flatMap(({ rows }) => rows)
  const [from, to] = [lines[0]?.span, lines.at(-1)?.span]
  if (first === undefined || from == null || to == null) return []
  const units = lines.reduce((total, line) => total + line.units, 0)
  const span = { atMs: from.atMs, lastMs: to.lastMs }
  return [{ id: 'later', units, span, reason: null, rows: [first, ...others], lines }]
}

function lineOfIdle(reason: IdleReason, rows: readonly ResetRow[]): readonly ResetLine[] {
  const [first, ...others] = rows
  if (first === undefined) return []
  return [{ id: reason, units: 0, span: null, reason, rows: [first, ...others], lines: [] }]
}

/** Reason why a reset returns nothing; null if it returns units. */
function idleReason(row: ResetRow): IdleReason | null {
  const { units = 0, percent, resetAt, resetsInSeconds, notStarted, rolledOver } = row
  const hasTime = resetAt !== null && resetsInSeconds !== null
  if (units > 0 && hasTime) return null
  if (rolledOver === true && !hasTime) return 'unproven'
  if (notStarted === true) return 'notStarted'
  if (!hasTime) return 'unknown'
  return percent === 100 ? 'full' : 'uncounted'
}
