import { type EpochMs, epochMs, HOUR_MS, type Interval, MINUTE_MS } from '../facts/time.ts'
import { type MainWindowId, mainWindowOf, PERIOD_TOLERANCE } from '../facts/window.ts'
import { MESSAGE_RESET_DRIFT_MS } from './merge-evidence.ts'

/** States of a cycle. `refilled`: the window was full again before the announced reset. */
export const cycleStates = ['running', 'ended', 'refilled'] as const
/** Whether a cycle is still running, or how it ended. */
export type CycleState = (typeof cycleStates)[number]

/** One run of a window with some use, from its start to its reset. */
export interface Cycle extends Interval {
  readonly state: CycleState
  /** Largest use shown by any reading, 0 < percent <= 100. If `expiredPercent` is null, more may have been used after the last reading. */
  readonly usedPercent: number
  /** Percent left at the end, which expired; null while the cycle runs, or if no reading is close enough to its end. */
  readonly expiredPercent: number | null
}

/** The part of a recorded reading that determines cycles. */
export interface CycleReading {
  readonly at: EpochMs
  readonly percent: number
  readonly resetAt: EpochMs | null
  readonly sampledAt?: EpochMs | null
}

export interface CycleRecord {
  readonly windowId: MainWindowId
  /** Oldest first. */
  readonly readings: readonly CycleReading[]
  readonly unwatched: readonly Interval[]
}

/** Largest share of a window that may lie between the last reading and the window's end if the end is to count as known. */
const UNREAD_SHARE_MAX = 0.05
/** Time after which every account of a newly watched pool has been read. */
const ROUND_MS = 15 * MINUTE_MS
/** Longest interval at which readings are recorded; the first reading after a reset may take this long. */
const RECORD_MS_MAX = HOUR_MS

/**
 * The cycles of a window that ended within a span or still run at its end, oldest first and without overlap. See docs/rules.md#cycles-of-a-window.
 */
export function cyclesOf(record: CycleRecord, span: Interval): readonly Cycle[] {
  const lengthMs = mainWindowOf(record.windowId).seconds * 1000
  const seen = lacksWindow(record) ? [] : seenCycles(record.readings, lengthMs)
  const cycles: Cycle[] = []
  for (const [index, cycle] of seen.entries()) {
    const { resetAt, lowest } = cycle
    const next = seen[index + 1]
    const from = epochMs(Math.max(resetAt - lengthMs, cycles.at(-1)?.to ?? 0))
    const refilledAt =
      cycle.refilledAt ??
      (next !== undefined && next.resetAt - lengthMs < resetAt - lengthMs * PERIOD_TOLERANCE
        ? next.firstAt
        : null)
    const isRefilled = refilledAt !== null
    const to = isRefilled ? epochMs(Math.max(from, Math.min(refilledAt, resetAt))) : resetAt
    const state = isRefilled ? 'refilled' : to > span.to ? 'running' : 'ended'
    const isKnown = state === 'ended' && isKnownAtEnd(cycle, record.unwatched, lengthMs)
    const expiredPercent = isKnown ? cycle.percent : null
    cycles.push({ from, to, state, usedPercent: 100 - lowest, expiredPercent })
  }
  return cycles.filter(({ to }) => to > span.from)
}

/** Whether an account's plan lacks this window because another one meters it: most resets are further away than a window of this length allows. */
export function lacksWindow({ windowId, readings }: Omit<CycleRecord, 'unwatched'>): boolean {
  const longestMs = longestLeftMs(mainWindowOf(windowId).seconds * 1000)
  const leftMs = readings.flatMap((reading) =>
    reading.resetAt === null ? [] : [reading.resetAt - takenAt(reading)],
  )
  return leftMs.filter((left) => left > longestMs).length > leftMs.length / 2
}

function longestLeftMs(lengthMs: number): number {
  return lengthMs * (1 + PERIOD_TOLERANCE)
}

interface SeenCycle {
  readonly resetAt: EpochMs
  readonly firstAt: EpochMs
  lowest: number
  /** The last reading and the time it was taken. */
  percent: number
  takenAt: number
  /**
   * Time of the first reading that named a later reset before this one was due; null if there is none, or if a later reading names this reset again.
   */
  refilledAt: EpochMs | null
  /** The first reading recorded after the reset; undefined if there is none. */
  next?: CycleReading
}

/** Groups readings by reset, one cycle each. A full window has not started, and implausible readings are ignored. */
function seenCycles(readings: readonly CycleReading[], lengthMs: number): readonly SeenCycle[] {
  const cycles: SeenCycle[] = []
  for (const reading of readings) {
    const { at, percent, resetAt } = reading
    const last = cycles.at(-1)
    if (last !== undefined && last.resetAt <= at) last.next ??= reading
    if (resetAt === null || !(percent >= 0 && percent <= 100) || !isOfLength(reading, lengthMs))
      continue
    const latest = { percent, takenAt: takenAt(reading), refilledAt: null }
    const laterMs = resetAt - (last?.resetAt ?? 0)
    if (last === undefined || laterMs >= MESSAGE_RESET_DRIFT_MS) {
      if (last !== undefined && latest.takenAt < last.resetAt - MESSAGE_RESET_DRIFT_MS)
        last.refilledAt ??= at
      if (percent < 100) cycles.push({ resetAt, firstAt: at, lowest: percent, ...latest })
    } else if (laterMs > -MESSAGE_RESET_DRIFT_MS)
      Object.assign(last, latest, { lowest: Math.min(last.lowest, percent) })
  }
  return cycles
}

function takenAt({ at, sampledAt }: CycleReading): number {
  return Math.min(at, sampledAt ?? at)
}

/** Whether a reading's reset is still to come and no further away than the window is long. */
function isOfLength(reading: CycleReading, lengthMs: number): boolean {
  const leftMs = (reading.resetAt ?? 0) - takenAt(reading)
  return leftMs > 0 && leftMs <= longestLeftMs(lengthMs)
}

/** Whether the pool was watched and the account was read close enough to the end of a cycle. A used-up window needs no later reading. */
function isKnownAtEnd(
  { resetAt, percent, takenAt: lastAt, next }: SeenCycle,
  unwatched: readonly Interval[],
  lengthMs: number,
): boolean {
  if (percent === 0) return true
  const nearMs = lengthMs * UNREAD_SHARE_MAX
  const dueMs = Math.min(nearMs, RECORD_MS_MAX)
  const silences = unwatched.filter(
    ({ from, to }) => from < resetAt + dueMs && to > resetAt - ROUND_MS,
  )
  const watchedUntil = Math.min(resetAt, ...silences.map(({ from }) => from))
  const dueAt = Math.max(resetAt, ...silences.map(({ to }) => to)) + dueMs
  // A reading taken before the reset but recorded after it dates the last query. If it comes late, the account was not queried meanwhile.
  const nextTakenAt = next !== undefined && next.at <= dueAt ? next.sampledAt : null
  const knownUntil = Math.max(lastAt, Math.min(nextTakenAt ?? lastAt, watchedUntil))
  return resetAt - knownUntil <= nearMs
}
