import {
  type EpochMs,
  type MainWindowId,
  mainWindows,
  type Snapshot,
  type WeeklyToFiveHourMultiplier,
} from '@svc/core'
import {
  accountQuotasOf,
  type CapacityPoint,
  type Clock,
  hourOf,
  memoryOf,
  noTrends,
  nothingRecorded,
  type PoolRecord,
  type ProxyStanding,
  perWindow,
  poolStep,
  type RecentChange,
  runwayOf,
  type Trends,
  type WindowReadingRecord,
} from '@svc/core/service'
import type { TrendSeed } from '../store/store-threads.ts'

/** Follows the pool's capacity over time and says how long it will last. */
export interface TrendWatch {
  /** Goes on from what was known before; what this process saw meanwhile is added. */
  seed(seed: TrendSeed): void
  onSnapshot(snapshot: Snapshot): void
  /** Never waits. */
  latest(): Trends
}

export interface TrendWatchDeps {
  readonly everySeconds: number
  readonly multiplier: WeeklyToFiveHourMultiplier
  /** Keeps a course, and how the proxy stood at its end; rejects when it is not kept, and it is handed in again with the next. Null where nothing is kept. */
  readonly keep: ((course: PoolRecord, standing: ProxyStanding) => Promise<void>) | null
  readonly clock: Clock
}

/** A snapshot a little early is taken now rather than an evaluation later. */
const EARLY_MS = 5_000
const PAST_MS = 24 * 3_600_000
const PAST_POINTS_MAX = 5_000
const BURN_HOURS_KEPT = 15 * 24
/** What waits to be kept while nothing can be. */
const UNKEPT_MAX = 20_000
/** How long a store that cannot be opened is waited for. */
const SEED_MS_MAX = 60_000

interface HoursInWork {
  readonly unitsByHour: Map<number, number>
  firstAt: EpochMs | null
}

export function createTrendWatch({
  everySeconds,
  multiplier,
  keep,
  clock,
}: TrendWatchDeps): TrendWatch {
  let memory = nothingRecorded
  let lastSnapshot: Snapshot | null = null
  let takenAtMs = Number.NEGATIVE_INFINITY
  let past: readonly CapacityPoint[] = []
  let trends = noTrends
  let unkept: { points: readonly CapacityPoint[]; readings: readonly WindowReadingRecord[] } = {
    points: [],
    readings: [],
  }
  let keeping = false
  // Without what was kept before, what was used while nobody watched would be lost.
  let seeded = keep === null
  const createdAtMs = clock.monotonicMs()
  const keptChanges = new WeakSet<RecentChange>()
  const hours = perWindow((): HoursInWork => ({ unitsByHour: new Map(), firstAt: null }))

  const addUnits = (inWork: HoursInWork, hour: number, units: number) => {
    inWork.unitsByHour.set(hour, (inWork.unitsByHour.get(hour) ?? 0) + units)
  }

  const follow = (points: readonly CapacityPoint[], now: EpochMs) => {
    for (const { windowId, at, burnedUnits } of points) {
      const inWork = hours[windowId]
      addUnits(inWork, hourOf(at), burnedUnits)
      inWork.firstAt ??= at
      const oldest = hourOf(now) - BURN_HOURS_KEPT
      for (const hour of inWork.unitsByHour.keys())
        if (hour < oldest) inWork.unitsByHour.delete(hour)
    }
    past = [...past, ...points].filter(({ at }) => now - at <= PAST_MS).slice(-PAST_POINTS_MAX)
  }

  const store = async (snapshot: Snapshot): Promise<void> => {
    if (keep === null || keeping) return
    keeping = true
    const course = {
      ...unkept,
      changes: snapshot.recentChanges.filter((change) => !keptChanges.has(change)).toReversed(),
    }
    try {
      await keep(course, snapshot.standing)
      unkept = {
        points: unkept.points.slice(course.points.length),
        readings: unkept.readings.slice(course.readings.length),
      }
      for (const change of course.changes) keptChanges.add(change)
    } catch {
      // The store says itself that it fails.
    } finally {
      keeping = false
    }
  }

  const forecast = (snapshot: Snapshot) => {
    const quotas = accountQuotasOf(snapshot.accounts)
    const now = snapshot.evaluatedAt
    const trendOf = (windowId: MainWindowId) => ({
      runway: runwayOf(quotas, hours[windowId], { windowId, multiplier, now }),
      past: past.filter((point) => point.windowId === windowId && now - point.at <= PAST_MS),
    })
    trends = perWindow(({ id }) => trendOf(id))
  }

  return {
    seed(seed) {
      seeded = true
      memory = {
        ...memory,
        readings: new Map([...memoryOf(seed.readings).readings, ...memory.readings]),
      }
      for (const change of seed.changes) keptChanges.add(change)
      past = [...seed.points, ...past].slice(-PAST_POINTS_MAX)
      for (const { id: windowId } of mainWindows) {
        const { unitsByHour, firstAt } = seed.burnHours[windowId]
        for (const [hour, units] of unitsByHour) addUnits(hours[windowId], hour, units)
        hours[windowId].firstAt = firstAt ?? hours[windowId].firstAt
      }
      if (lastSnapshot !== null) forecast(lastSnapshot)
    },
    onSnapshot(snapshot) {
      const nowMs = clock.monotonicMs()
      if (!seeded && nowMs - createdAtMs < SEED_MS_MAX) return
      if (!snapshot.available || nowMs - takenAtMs < everySeconds * 1000 - EARLY_MS) return
      takenAtMs = nowMs
      lastSnapshot = snapshot
      const step = poolStep(memory, snapshot)
      memory = step.memory
      follow(step.points, snapshot.evaluatedAt)
      if (keep !== null)
        unkept = {
          points: [...unkept.points, ...step.points].slice(-UNKEPT_MAX),
          readings: [...unkept.readings, ...step.readings].slice(-UNKEPT_MAX),
        }
      void store(snapshot)
      forecast(snapshot)
    },
    latest: () => trends,
  }
}
