import { DAY_MS, type EpochMs, type Snapshot, type WeeklyToFiveHourMultiplier } from '@svc/core'
import {
  accountQuotasOf,
  type CapacityPoint,
  hourOf,
  memoryOf,
  nothingRecorded,
  type PoolRecord,
  type ProviderPool,
  type ProxyStanding,
  poolStep,
  type RecentChange,
  runwayOf,
  type Trends,
  type TrendsByProvider,
  type WindowReadingRecord,
  windowNameOf,
} from '@svc/core/pool'
import { type Clock, perWindow, providerRowOf } from '@svc/core/service'
import type { TrendSeed } from '../store/store-threads.ts'

export interface TrendWatchDeps {
  readonly everySeconds: number
  readonly multiplier: WeeklyToFiveHourMultiplier
  /**
   * Stores a course and the state of the proxy at its end; null without a store. Rejects if it is not stored; the course is then passed again with
   * the next one.
   */
  readonly keep: ((course: PoolRecord, standing: ProxyStanding) => Promise<void>) | null
  /** Whether this process stores the course, rather than another one with the same store. */
  readonly keeps: () => boolean
  /** Whether another process is known to store the course now; none does while the store is away. */
  readonly anotherKeeps: () => boolean
  readonly clock: Clock
}

/** Tolerance for a snapshot that comes slightly early, which saves waiting for the next evaluation. */
const SAMPLE_EARLY_MS = 5_000
const PAST_MS = DAY_MS
const PAST_POINTS_MAX = 5_000
const BURN_HOURS_KEPT = 15 * 24
/** Maximum number of entries that wait while nothing can be stored. */
const UNKEPT_MAX = 20_000
const NO_COURSE = { points: [], readings: [] }
/** Longest wait for a store that cannot be opened. */
const SEED_MS_MAX = 60_000

/** Follows the pool's capacity over time and forecasts how long it lasts. */
export function createTrendWatch({
  everySeconds,
  multiplier,
  keep,
  keeps,
  anotherKeeps,
  clock,
}: TrendWatchDeps) {
  let memory = nothingRecorded
  let lastSnapshot: Snapshot | null = null
  let takenAtMs = Number.NEGATIVE_INFINITY
  const past = createPast()
  let trends: TrendsByProvider = new Map()
  const keeper = keep === null ? null : createCourseKeeper(keep)
  // Usage from unwatched times would be lost without the earlier records.
  let seeded = keep === null
  const createdAtMs = clock.monotonicMs()

  const forecast = (snapshot: Snapshot) => {
    const now = snapshot.evaluatedAt
    const trendsIn = ({ provider, accounts }: ProviderPool): Trends => {
      const quotas = accountQuotasOf(accounts, now)
      const cap = providerRowOf(provider).weekCapsFiveHour ? multiplier : 'off'
      return perWindow(({ id: windowId }) => {
        const name = windowNameOf({ provider, windowId })
        return {
          runway: runwayOf(quotas, past.hoursOf(name), { windowId, multiplier: cap, now }),
          past: past.pointsOf(name, now),
        }
      })
    }
    const isListed = snapshot.pools.some(({ provider }) => provider === snapshot.provider)
    const pools = isListed ? snapshot.pools : [snapshot, ...snapshot.pools]
    trends = new Map(pools.map((pool) => [pool.provider, trendsIn(pool)]))
  }

  return {
    /** Continues from the records of another process, instead of this one's observations. */
    follow(seed: TrendSeed) {
      seeded = true
      memory = memoryOf(seed.readings)
      past.forget()
      past.begin(seed)
      keeper?.forget()
      if (lastSnapshot !== null) forecast(lastSnapshot)
    },
    /** Continues from earlier records; the observations of this process are added. */
    seed(seed: TrendSeed) {
      seeded = true
      memory = {
        ...memory,
        readings: new Map([...memoryOf(seed.readings).readings, ...memory.readings]),
      }
      keeper?.alreadyKept(seed.changes)
      past.begin(seed)
      if (lastSnapshot !== null) forecast(lastSnapshot)
    },
    onSnapshot(snapshot: Snapshot) {
      const nowMs = clock.monotonicMs()
      if (!seeded && nowMs - createdAtMs < SEED_MS_MAX) return
      if (!snapshot.available || nowMs - takenAtMs < everySeconds * 1000 - SAMPLE_EARLY_MS) return
      takenAtMs = nowMs
      lastSnapshot = snapshot
      if (!keeps()) {
        // The monitor that stores the course has seen the same changes. Without one, they wait until one can store them.
        if (anotherKeeps()) keeper?.alreadyKept(snapshot.recentChanges)
        void keeper?.keep(NO_COURSE, { ...snapshot, recentChanges: [] })
        return forecast(snapshot)
      }
      const step = poolStep(memory, snapshot)
      memory = step.memory
      past.add(step.points, snapshot.evaluatedAt)
      void keeper?.keep(step, snapshot)
      forecast(snapshot)
    },
    /** The trends of each provider's pool. Never waits. */
    latest: (): TrendsByProvider => trends,
  }
}

/** Capacity points of the last day, and the hourly use of the last weeks. */
function createPast() {
  let points: readonly CapacityPoint[] = []
  const hours = new Map<string, HoursInWork>()
  const hoursOf = (name: string): HoursInWork => {
    const known = hours.get(name) ?? { unitsByHour: new Map(), firstAt: null }
    hours.set(name, known)
    return known
  }
  return {
    /** Hourly use of the window with this name from `windowNameOf`. */
    hoursOf,
    pointsOf: (name: string, now: EpochMs) =>
      points.filter((point) => windowNameOf(point) === name && now - point.at <= PAST_MS),
    /** Puts the earlier records in front of the new ones. */
    begin({ points: earlier, burnHours }: TrendSeed) {
      points = [...earlier, ...points].slice(-PAST_POINTS_MAX)
      for (const [name, { unitsByHour, firstAt }] of burnHours) {
        const inWork = hoursOf(name)
        for (const [hour, units] of unitsByHour) addUnits(inWork, hour, units)
        inWork.firstAt = firstAt ?? inWork.firstAt
      }
    },
    add(more: readonly CapacityPoint[], now: EpochMs) {
      for (const { at, burnedUnits, ...window } of more) {
        const inWork = hoursOf(windowNameOf(window))
        addUnits(inWork, hourOf(at), burnedUnits)
        inWork.firstAt ??= at
        const oldest = hourOf(now) - BURN_HOURS_KEPT
        for (const hour of inWork.unitsByHour.keys())
          if (hour < oldest) inWork.unitsByHour.delete(hour)
      }
      points = [...points, ...more].filter(({ at }) => now - at <= PAST_MS).slice(-PAST_POINTS_MAX)
    },
    forget() {
      points = []
      hours.clear()
    },
  }
}

interface HoursInWork {
  readonly unitsByHour: Map<number, number>
  firstAt: EpochMs | null
}

function addUnits({ unitsByHour }: HoursInWork, hour: number, units: number): void {
  unitsByHour.set(hour, (unitsByHour.get(hour) ?? 0) + units)
}

/** Passes on the course of the pool, one part at a time; a part that could not be stored is passed on again with the next. */
function createCourseKeeper(keep: NonNullable<TrendWatchDeps['keep']>) {
  let points: readonly CapacityPoint[] = []
  let readings: readonly WindowReadingRecord[] = []
  let keeping = false
  const keptChanges = new WeakSet<RecentChange>()
  const alreadyKept = (changes: readonly RecentChange[]) => {
    for (const change of changes) keptChanges.add(change)
  }
  return {
    alreadyKept,
    /** Drops entries that another process has stored. */
    forget() {
      points = []
      readings = []
    },
    async keep(more: Omit<PoolRecord, 'changes'>, { recentChanges, standing }: Snapshot) {
      points = [...points, ...more.points].slice(-UNKEPT_MAX)
      readings = [...readings, ...more.readings].slice(-UNKEPT_MAX)
      if (keeping) return
      keeping = true
      const changes = recentChanges.filter((change) => !keptChanges.has(change)).toReversed()
      const course = { points, readings, changes }
      try {
        await keep(course, standing)
        points = points.slice(course.points.length)
        readings = readings.slice(course.readings.length)
        alreadyKept(changes)
      } catch {
        // The store reports its failure itself.
      } finally {
        keeping = false
      }
    },
  }
}
