import { calmMs, status } from './live-data.ts'
import { fileKeyOf } from './pool.ts'
import { type ResetGroup, type ResetRow, resetGroups } from './reset-groups.ts'

/** Why resets return nothing that counts, in the order in which the table has them. */
export const idleReasons = ['unproven', 'notStarted', 'full', 'uncounted', 'unknown'] as const
export type IdleReason = (typeof idleReasons)[number]

/** What stands on one line of a table of resets: the reset of one account, or several that a press opens. */
export interface ResetLine {
  readonly id: string
  /** What they return together, in Plus units. */
  readonly units: number
  /** From when to when they are; null where all of them return nothing. */
  readonly span: { readonly atMs: number; readonly lastMs: number } | null
  /** Null where they return something, and where a row says it for itself. */
  readonly reason: IdleReason | null
  /** At least one. */
  readonly rows: readonly [ResetRow, ...ResetRow[]]
  /** The lines of the same rows that are opened first; empty where the rows are. */
  readonly lines: readonly ResetLine[]
}

/** So many rows are read one by one. */
const ROWS_MAX = 20
/** Lines of what comes back, so that the table is no longer than about a screen. */
const LINES_MAX = 16
/** How long a stretch may be whose resets stand on one line, in minutes. */
const STRETCHES = [1, 5, 15, 30, 60, 180, 360, 720, 1440] as const
const LONGEST_STRETCH = 1440
const HOUR_MS = 3_600_000

/** The shortest stretch, in minutes, by which so many lines reach as far as these hours; null where each row has its line. */
export function stretchOf(windowId: string, hours: number): number | null {
  if (rowsOf(windowId).length <= ROWS_MAX) return null
  const endMs = calmMs.value + hours * HOUR_MS
  const reachesEnd = (minutes: number) => {
    const next = resetGroups(windowId, minutes)[LINES_MAX]
    return next === undefined || next.atMs > endMs
  }
  return STRETCHES.find(reachesEnd) ?? LONGEST_STRETCH
}

/** The table of one window: what comes back by stretches of so many minutes, soonest first, then what returns nothing, by the reason. */
export function resetLines(windowId: string, minutes: number | null): readonly ResetLine[] {
  const rows = rowsOf(windowId)
  if (minutes === null) return rows.map(lineOfRow)
  const groups = resetGroups(windowId, minutes).map((group) => lineOfGroup(group, minutes))
  const later = groups.slice(LINES_MAX - 1)
  return [
    ...(later.length > 1 ? [...groups.slice(0, LINES_MAX - 1), ...lineOfLater(later)] : groups),
    ...idleReasons.flatMap((reason) =>
      lineOfIdle(
        reason,
        rows.filter((row) => idleReasonOf(row) === reason),
      ),
    ),
  ]
}

function rowsOf(windowId: string): readonly ResetRow[] {
  return status.value?.tabs.resets.columns.find(({ id }) => id === windowId)?.rows ?? []
}

const lineOfRow = (row: ResetRow): ResetLine => ({
  id: `${fileKeyOf(row)} ${row.account}`,
  units: row.units ?? 0,
  span: null,
  reason: null,
  rows: [row],
  lines: [],
})

/** The line of a stretch is named by the stretch, so that it stays open while its first resets pass. */
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

/** Why a reset is in no group of what comes back; null for one that is. */
function idleReasonOf(row: ResetRow): IdleReason | null {
  const { units = 0, percent, resetAt, resetsInSeconds, notStarted, rolledOver } = row
  const hasTime = resetAt !== null && resetsInSeconds !== null
  if (units > 0 && hasTime) return null
  if (rolledOver === true && !hasTime) return 'unproven'
  if (notStarted === true) return 'notStarted'
  if (!hasTime) return 'unknown'
  return percent === 100 ? 'full' : 'uncounted'
}
