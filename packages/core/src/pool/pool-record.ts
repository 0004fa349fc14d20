import { type QuotaWindow, resetAtOf } from '../account/quota-window.ts'
import type { EpochMs } from '../facts/time.ts'
import { mainWindows, type PerWindow, perWindow } from '../facts/window.ts'
import type { WindowCapacity } from './capacity.ts'
import type { CapacityPoint, WindowReadingRecord } from './capacity-point.ts'
import type { EvaluatedPool } from './evaluated-pool.ts'
import type { RecentChange } from './recent-changes.ts'

/** A point is recorded at least this often, so that a quiet hour differs from one that nobody watched. */
const POINT_EVERY_MS = 15 * 60_000
/** A reset that moves by less is the same one. */
const SAME_RESET_MS = 60_000

/** What was recorded last, to compare with. */
export interface PoolMemory {
  /** By account and window. */
  readonly readings: ReadonlyMap<string, Pick<WindowReadingRecord, 'percent' | 'resetAt'>>
  readonly points: PerWindow<CapacityPoint | null>
  /** Used since the last point that was recorded. */
  readonly burnedUnits: PerWindow<number>
}

/** The memory of a pool of which nothing was recorded yet. */
export const nothingRecorded: PoolMemory = {
  readings: new Map(),
  points: perWindow(() => null),
  burnedUnits: perWindow(() => 0),
}

/** A memory that begins with what an earlier process recorded. */
export function memoryOf(readings: readonly WindowReadingRecord[]): PoolMemory {
  return {
    ...nothingRecorded,
    readings: new Map(
      readings.map((reading) => [keyOf(reading.accountKey, reading.windowId), reading]),
    ),
  }
}

/** The course of a pool since the last time, to be kept. */
export interface PoolRecord {
  readonly points: readonly CapacityPoint[]
  readonly readings: readonly WindowReadingRecord[]
  /** Oldest first. */
  readonly changes: readonly RecentChange[]
}

/** What is worth keeping: what has changed, and a sign of life now and then. */
export interface PoolStep extends Pick<PoolRecord, 'points' | 'readings'> {
  readonly memory: PoolMemory
}

/**
 * Compares a pool with what was recorded of it. Burn is weight × each fall in percent of an account's window; a rise is a refill, and an account that
 * was not known before, or is not counted now, burns nothing. See docs/rules.md#runway.
 */
export function poolStep(
  memory: PoolMemory,
  pool: Pick<EvaluatedPool, 'accounts' | 'capacity' | 'evaluatedAt'>,
): PoolStep {
  const at = pool.evaluatedAt
  const known = new Map<string, Pick<WindowReadingRecord, 'percent' | 'resetAt'>>()
  const readings: WindowReadingRecord[] = []
  const burnedUnits = { ...memory.burnedUnits }
  for (const { selector, quota, capacityWeight, countedInCapacity } of pool.accounts) {
    if (!countedInCapacity || capacityWeight === 0) continue
    for (const { id: windowId } of mainWindows) {
      const { window, metered, percent } = quota[windowId]
      if (percent === null) continue
      const key = keyOf(selector.accountKey, windowId)
      const before = memory.readings.get(key)
      const reading = { percent, resetAt: resetAtOf(window) }
      if (before !== undefined && percent < before.percent)
        burnedUnits[windowId] += (capacityWeight * (before.percent - percent)) / 100
      const isNews =
        before === undefined ||
        before.percent !== percent ||
        !isSameReset(before.resetAt, reading.resetAt)
      known.set(key, isNews ? reading : before)
      if (isNews)
        readings.push({
          accountKey: selector.accountKey,
          windowId,
          at,
          ...reading,
          ...provenanceOf(metered),
        })
    }
  }
  const points = { ...memory.points }
  const news: CapacityPoint[] = []
  for (const { id: windowId } of mainWindows) {
    const point = pointOf(pool.capacity[windowId], at, burnedUnits[windowId])
    if (!isWorthKeeping(point, points[windowId])) continue
    points[windowId] = point
    burnedUnits[windowId] = 0
    news.push(point)
  }
  return { points: news, readings, memory: { readings: known, points, burnedUnits } }
}

function provenanceOf(window: QuotaWindow): Pick<WindowReadingRecord, 'origin' | 'sampledAt'> {
  return window.state === 'unknown' ? {} : { origin: window.origin, sampledAt: window.sampledAt }
}

function keyOf(accountKey: string, windowId: string): string {
  return `${windowId} ${accountKey}`
}

function isSameReset(one: EpochMs | null, other: EpochMs | null): boolean {
  if (one === null || other === null) return one === other
  return Math.abs(one - other) < SAME_RESET_MS
}

function pointOf(
  { windowId, knownUnits, trackedUnits, unknownUnits }: WindowCapacity,
  at: EpochMs,
  burnedUnits: number,
): CapacityPoint {
  return { windowId, at, knownUnits, trackedUnits, unknownUnits, burnedUnits }
}

function isWorthKeeping(point: CapacityPoint, before: CapacityPoint | null): boolean {
  if (before === null || point.burnedUnits > 0 || point.at - before.at >= POINT_EVERY_MS)
    return true
  return (
    point.knownUnits !== before.knownUnits ||
    point.trackedUnits !== before.trackedUnits ||
    point.unknownUnits !== before.unknownUnits
  )
}
