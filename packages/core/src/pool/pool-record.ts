import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import { MESSAGE_RESET_DRIFT_MS } from '../account/merge-evidence.ts'
import { UNEXPECTED_RISE_MIN } from '../account/quota-course.ts'
import { resetAtOf } from '../account/quota-window.ts'
import { ASSUMED_PROVIDER, type ProviderId } from '../facts/provider.ts'
import { type EpochMs, plusMs } from '../facts/time.ts'
import { isMainWindowId, mainWindows } from '../facts/window.ts'
import type { WindowCapacity } from './capacity.ts'
import { type CapacityPoint, type WindowReadingRecord, windowNameOf } from './capacity-point.ts'
import type { EvaluatedPool } from './evaluated-pool.ts'
import { allAccountsOf, ownWindows, providerPoolOf } from './provider-pool.ts'
import type { RecentChange } from './recent-changes.ts'

/** A point is recorded at least this often, so that a quiet hour differs from an unwatched one. */
const POINT_EVERY_MS = 15 * 60_000
/** Longest time between two points of a watched pool. */
const GAP_MS = 2 * POINT_EVERY_MS

const FULL = 100

/** Last recorded state of one account's window. */
interface RecordedWindow extends Pick<WindowReadingRecord, 'percent' | 'resetAt'> {
  /** Lowest percent seen in this window since its last refill; only a drop below it counts as burn. */
  readonly lowest: number
  /** Percent of the last reading if it is so far above the lowest that a second one like it means a refill; else null. */
  readonly risenTo: number | null
  /** Time the reading was taken; null if an earlier process recorded it. */
  readonly sampledAt: EpochMs | null
}

export interface PoolMemory {
  readonly readings: ReadonlyMap<string, RecordedWindow>
  /** By `windowNameOf`. */
  readonly points: ReadonlyMap<string, CapacityPoint>
  /** Units used since the last recorded point, by `windowNameOf`. */
  readonly burnedUnits: ReadonlyMap<string, number>
}

/** The memory of a pool without records. */
export const nothingRecorded: PoolMemory = {
  readings: new Map(),
  points: new Map(),
  burnedUnits: new Map(),
}

/** A memory that starts from the readings of an earlier process. */
export function memoryOf(readings: readonly WindowReadingRecord[]): PoolMemory {
  return {
    ...nothingRecorded,
    readings: new Map(
      readings.map(({ accountKey, windowId, percent, resetAt }) => [
        keyOf(accountKey, windowId),
        { percent, resetAt, lowest: percent, risenTo: null, sampledAt: null },
      ]),
    ),
  }
}

/** Changes in the course of a pool since the last record, to be stored. */
export interface PoolRecord {
  readonly points: readonly CapacityPoint[]
  readonly readings: readonly WindowReadingRecord[]
  /** Oldest first. */
  readonly changes: readonly RecentChange[]
}

/**
 * Compares a pool with its last recorded state. The points and readings are worth storing: changes, and an occasional proof that the pool
 * was watched. Burn is weight × each drop in percent below the lowest seen in the same window; an account
 * that was unknown before, or does not count now, burns nothing. Several files of an account count as one: the newest reading of its newest
 * window. See docs/rules.md#runway.
 */
export function poolStep(
  memory: PoolMemory,
  pool: Pick<EvaluatedPool, 'pools' | 'evaluatedAt'>,
): Pick<PoolRecord, 'points' | 'readings'> & { readonly memory: PoolMemory } {
  const at = pool.evaluatedAt
  const known = new Map<string, RecordedWindow>()
  const readings: WindowReadingRecord[] = []
  const burnedUnits = new Map(memory.burnedUnits)
  const all = allAccountsOf(pool)
  const newest = newestQuotas(all)
  for (const { account, selector, capacityWeight, countedInCapacity } of all) {
    const { provider } = account
    if (!countedInCapacity || capacityWeight === 0) continue
    for (const { id: windowId } of mainWindows) {
      const key = keyOf(selector.accountKey, windowId)
      const reading = newest.get(key)
      if (reading === undefined) continue
      const before = memory.readings.get(key)
      const standing = before === undefined ? null : refilledBy(reading, standingAt(before, at))
      // This account has no newer reading, or its reading is behind the recorded one: so is one in use whose reset has passed.
      if (
        before !== undefined &&
        standing !== null &&
        (isOlder(reading, standing) || (isWithoutReset(reading) && before.resetAt !== null))
      ) {
        known.set(key, before)
        continue
      }
      const { percent, resetAt, origin, sampledAt } = reading
      if (standing !== null) {
        const name = windowNameOf({ provider, windowId })
        const burned = (capacityWeight * burnedSince(standing, reading)) / 100
        burnedUnits.set(name, (burnedUnits.get(name) ?? 0) + burned)
      }
      const isNews =
        before === undefined || before.percent !== percent || !isSameReset(before.resetAt, resetAt)
      known.set(key, {
        percent,
        // Keeps the recorded reset, so that small steps cannot add up unnoticed.
        resetAt: isNews ? resetAt : before.resetAt,
        lowest: lowestSince(standing, reading),
        risenTo: standing?.risenTo ?? null,
        sampledAt,
      })
      if (isNews && reading.isOwn)
        readings.push({
          accountKey: selector.accountKey,
          windowId,
          at,
          percent,
          resetAt,
          origin,
          sampledAt,
        })
    }
  }
  const points = new Map(memory.points)
  const news: CapacityPoint[] = []
  for (const { name, ...of } of recordedWindows(pool)) {
    const point = pointOf(of, at, burnedUnits.get(name) ?? 0)
    if (!isWorthKeeping(point, points.get(name) ?? null)) continue
    points.set(name, point)
    burnedUnits.set(name, 0)
    news.push(point)
  }
  return { points: news, readings, memory: { readings: known, points, burnedUnits } }
}

interface RecordedCapacity {
  readonly provider: ProviderId
  readonly capacity: WindowCapacity
}

/** The capacity of every pool in its windows. Codex is recorded without an account too, because its points show when the pool was watched. */
function recordedWindows({
  pools,
  evaluatedAt,
}: Pick<EvaluatedPool, 'pools' | 'evaluatedAt'>): readonly (RecordedCapacity & {
  readonly name: string
})[] {
  const hasCodex = pools.some(({ provider }) => provider === ASSUMED_PROVIDER)
  const codex = hasCodex ? [] : [providerPoolOf(ASSUMED_PROVIDER, [], evaluatedAt)]
  return [...codex, ...pools].flatMap((pool) => {
    const { provider } = pool
    const ids = provider === ASSUMED_PROVIDER ? mainWindows.map(({ id }) => id) : ownWindows(pool)
    return ids.map((windowId) => ({
      name: windowNameOf({ provider, windowId }),
      provider,
      capacity: pool.capacity[windowId],
    }))
  })
}

type Taken = Pick<RecordedWindow, 'resetAt' | 'sampledAt'>
interface Reading extends Required<Omit<WindowReadingRecord, 'accountKey' | 'windowId' | 'at'>> {
  /** Null if unknown. */
  readonly beganAt: EpochMs | null
  /** False for the reading of a window that has no course of its own, such as a month that meters a missing week. */
  readonly isOwn: boolean
}

/** The newest reading of the newest window of each account, from any of its files. */
function newestQuotas(accounts: readonly EvaluatedAccount[]): ReadonlyMap<string, Reading> {
  const newest = new Map<string, Reading>()
  for (const { selector, quota } of accounts) {
    for (const { id } of mainWindows) {
      const { metered, percent } = quota[id]
      if (percent === null || metered.state === 'unknown') continue
      const key = keyOf(selector.accountKey, id)
      const { origin, sampledAt, periodSeconds } = metered
      const resetAt = resetAtOf(metered)
      const beganAt =
        resetAt === null || periodSeconds === null ? null : plusMs(resetAt, -periodSeconds * 1000)
      const isOwn = isMainWindowId(metered.id)
      const reading = { percent, resetAt, beganAt, origin, sampledAt, isOwn }
      const other = newest.get(key)
      if (other === undefined || isOlder(other, reading)) newest.set(key, reading)
    }
  }
  return newest
}

/** A window as of `at`: once its reset has passed it is a new window, and full. */
function standingAt(window: RecordedWindow, at: EpochMs): RecordedWindow {
  return window.resetAt === null || window.resetAt > at
    ? window
    : { ...window, resetAt: null, lowest: FULL }
}

/** A window whose quota came back within it: once two readings in a row show that, drops from the first of them on count as burn. */
function refilledBy(reading: Reading, standing: RecordedWindow): RecordedWindow {
  const { lowest, risenTo } = standing
  const isRisen = reading.percent - lowest >= UNEXPECTED_RISE_MIN
  if (!isRisen || !isSameReset(standing.resetAt, reading.resetAt))
    return { ...standing, risenTo: null }
  if (reading.sampledAt === standing.sampledAt) return standing
  return risenTo === null
    ? { ...standing, risenTo: reading.percent }
    : { ...standing, lowest: risenTo, risenTo: null }
}

/** Percent used of a reading's window: the drop below its lowest, or all of the missing percent if the window began since then. */
function burnedSince(standing: RecordedWindow, reading: Reading): number {
  if (isSameReset(standing.resetAt, reading.resetAt))
    return Math.max(0, standing.lowest - reading.percent)
  const { beganAt } = reading
  const hasBegun = beganAt !== null && standing.sampledAt !== null && beganAt >= standing.sampledAt
  return hasBegun ? FULL - reading.percent : 0
}

/** The lowest percent of a reading's window, including this reading. */
function lowestSince(standing: RecordedWindow | null, { percent, resetAt }: Reading): number {
  return standing !== null && isSameReset(standing.resetAt, resetAt)
    ? Math.min(standing.lowest, percent)
    : percent
}

/** Whether a window is in use and names no reset to come. */
function isWithoutReset({ percent, resetAt }: Pick<Reading, 'percent' | 'resetAt'>): boolean {
  return resetAt === null && percent < FULL
}

/** Whether a reading is of an older window than another, or was taken earlier in the same window. A window without a reset has not begun. */
function isOlder(one: Taken, other: Taken): boolean {
  const [reset, otherReset] = [one.resetAt ?? 0, other.resetAt ?? 0]
  if (Math.abs(reset - otherReset) >= MESSAGE_RESET_DRIFT_MS) return reset < otherReset
  return one.sampledAt !== null && other.sampledAt !== null && one.sampledAt < other.sampledAt
}

function keyOf(accountKey: string, windowId: string): string {
  return `${windowId} ${accountKey}`
}

function isSameReset(one: EpochMs | null, other: EpochMs | null): boolean {
  if (one === null || other === null) return one === other
  return Math.abs(one - other) < MESSAGE_RESET_DRIFT_MS
}

function pointOf(
  { provider, capacity }: RecordedCapacity,
  at: EpochMs,
  burnedUnits: number,
): CapacityPoint {
  const { windowId, knownUnits, usableUnits, trackedUnits, unknownUnits } = capacity
  return {
    provider,
    windowId,
    at,
    knownUnits,
    usableUnits,
    trackedUnits,
    unknownUnits,
    burnedUnits,
  }
}

/** Whether the pool was unwatched between two consecutively recorded points of a window. */
export function isGapBetween(before: CapacityPoint, after: CapacityPoint): boolean {
  return after.at - before.at > GAP_MS
}

function isWorthKeeping(point: CapacityPoint, before: CapacityPoint | null): boolean {
  if (before === null || point.burnedUnits > 0 || point.at - before.at >= POINT_EVERY_MS)
    return true
  return (
    point.knownUnits !== before.knownUnits ||
    point.usableUnits !== before.usableUnits ||
    point.trackedUnits !== before.trackedUnits ||
    point.unknownUnits !== before.unknownUnits
  )
}
