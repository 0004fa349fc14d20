import { resetAtOf } from '../account/quota-window.ts'
import type { EpochMs } from '../facts/time.ts'
import { mainWindows, type PerWindow, perWindow } from '../facts/window.ts'
import type { WindowCapacity } from './capacity.ts'
import type { CapacityPoint, WindowReadingRecord } from './capacity-point.ts'
import type { EvaluatedPool } from './evaluated-pool.ts'
import type { RecentChange } from './recent-changes.ts'

/** A point is recorded at least this often, so that a quiet hour differs from one that nobody watched. */
const POINT_EVERY_MS = 15 * 60_000
/** Where two points are further apart than this, nobody watched the pool in between. */
const GAP_MS = 2 * POINT_EVERY_MS
/** A reset that moves by less is the same one. */
const SAME_RESET_MS = 60_000

/** A rise by no more than this, before the reset, is how exact readings are, and gives nothing back. */
const JITTER_PERCENT_MAX = 2

/** One account's window as it was last recorded. */
interface RecordedWindow extends Pick<WindowReadingRecord, 'percent' | 'resetAt'> {
  /** The least that was left since it was last refilled; only what is below it is burn. */
  readonly lowest: number
  /** When the reading was taken; null where an earlier process recorded it. */
  readonly sampledAt: EpochMs | null
}

/** What was recorded last, to compare with. */
export interface PoolMemory {
  /** By account and window. */
  readonly readings: ReadonlyMap<string, RecordedWindow>
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
      readings.map(({ accountKey, windowId, percent, resetAt }) => [
        keyOf(accountKey, windowId),
        { percent, resetAt, lowest: percent, sampledAt: null },
      ]),
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
 * Compares a pool with what was recorded of it. Burn is weight × each fall in percent of an account's window below the least it had since its refill; an
 * account that was not known before, or is not counted now, burns nothing. Several files of an account are one: its newest reading counts. See
 * docs/rules.md#runway.
 */
export function poolStep(
  memory: PoolMemory,
  pool: Pick<EvaluatedPool, 'accounts' | 'capacity' | 'evaluatedAt'>,
): PoolStep {
  const at = pool.evaluatedAt
  const known = new Map<string, RecordedWindow>()
  const readings: WindowReadingRecord[] = []
  const burnedUnits = { ...memory.burnedUnits }
  const newest = newestQuotas(pool.accounts)
  for (const { selector, capacityWeight, countedInCapacity } of pool.accounts) {
    if (!countedInCapacity || capacityWeight === 0) continue
    for (const { id: windowId } of mainWindows) {
      const key = keyOf(selector.accountKey, windowId)
      const reading = newest.get(key)
      if (reading === undefined) continue
      const before = memory.readings.get(key)
      // The reading of a file that has none of its own since.
      const isOutdated = before !== undefined && isOlder(reading, before)
      const { percent, resetAt } = isOutdated ? before : reading
      if (before !== undefined)
        burnedUnits[windowId] += (capacityWeight * Math.max(0, before.lowest - percent)) / 100
      const isNews =
        before === undefined || before.percent !== percent || !isSameReset(before.resetAt, resetAt)
      known.set(key, {
        percent,
        // Small steps must not add up unseen.
        resetAt: isNews ? resetAt : before.resetAt,
        lowest: lowestSince(before, { percent, resetAt }),
        sampledAt: isOutdated ? before.sampledAt : reading.sampledAt,
      })
      if (isNews)
        readings.push({
          accountKey: selector.accountKey,
          windowId,
          at,
          percent,
          resetAt,
          ...(!isOutdated && { origin: reading.origin, sampledAt: reading.sampledAt }),
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

type Taken = Pick<RecordedWindow, 'sampledAt'>
type Reading = Required<Omit<WindowReadingRecord, 'accountKey' | 'windowId' | 'at'>>

/** The newest reading of each window of each account, whichever of its files it is of. */
function newestQuotas(accounts: EvaluatedPool['accounts']): ReadonlyMap<string, Reading> {
  const newest = new Map<string, Reading>()
  for (const { selector, quota } of accounts) {
    for (const { id } of mainWindows) {
      const { window, metered, percent } = quota[id]
      if (percent === null || metered.state === 'unknown') continue
      const key = keyOf(selector.accountKey, id)
      const { origin, sampledAt } = metered
      const reading = { percent, resetAt: resetAtOf(window), origin, sampledAt }
      const other = newest.get(key)
      if (other === undefined || isOlder(other, reading)) newest.set(key, reading)
    }
  }
  return newest
}

/** The least that was left since the last refill, this reading included. */
function lowestSince(
  before: RecordedWindow | undefined,
  { percent, resetAt }: Pick<Reading, 'percent' | 'resetAt'>,
): number {
  if (before === undefined || percent <= before.lowest) return percent
  const isJitter =
    percent - before.lowest <= JITTER_PERCENT_MAX && isSameReset(before.resetAt, resetAt)
  return isJitter ? before.lowest : percent
}

function isOlder(one: Taken, other: Taken): boolean {
  return one.sampledAt !== null && other.sampledAt !== null && one.sampledAt < other.sampledAt
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

/** Whether nobody watched the pool between two points of a window, one recorded after the other. */
export function isGapBetween(before: CapacityPoint, after: CapacityPoint): boolean {
  return after.at - before.at > GAP_MS
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
