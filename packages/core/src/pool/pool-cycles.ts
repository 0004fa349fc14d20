import { type CourseRangeId, joinInside } from '../account/quota-course.ts'
import { type CycleReading, cyclesOf, lacksWindow } from '../account/window-cycles.ts'
import { type EpochMs, epochMs, type Interval } from '../facts/time.ts'
import {
  type MainWindowId,
  mainWindowOf,
  type PerWindow,
  perWindow,
  WEEK_SECONDS,
} from '../facts/window.ts'

/** Default range over which the cycles of a pool are counted: several weeks of every account. */
export const CYCLES_RANGE = '30d' satisfies CourseRangeId

/** The cycles of one window, of all accounts together. */
export interface WindowCycles {
  /** Cycles that ended within the span, at their announced reset. */
  readonly endedCount: number
  /** Ended cycles whose quota left at the end is known. */
  readonly knownCount: number
  /** Ended cycles known to have had nothing left at the end. */
  readonly dryCount: number
  /** Plus units a week; null before a week of watching, or if no account has a weight. */
  readonly weekly: WeeklyUnits | null
}

/** Plus units of a window in an average week. */
export interface WeeklyUnits {
  /** Units left when cycles ended, where known. */
  readonly expired: number
  /** Units of windows that were read as full and waited for a first request. */
  readonly notBegun: number
  /** Units that a pool in constant use could spend. */
  readonly tracked: number
}

/** Cycles of a pool within a span. */
export interface PoolCycles {
  readonly watchedSeconds: number
  readonly windows: PerWindow<WindowCycles>
}

/** Recorded readings of one window of one account. */
export interface AccountReadings {
  readonly accountKey: string
  readonly windowId: MainWindowId
  /** Readings within the span and the last one before it, oldest first. */
  readonly readings: readonly CycleReading[]
}

/** Recorded data of all accounts over a span. */
export interface PoolCycleRecord {
  readonly accounts: readonly AccountReadings[]
  readonly unwatched: readonly Interval[]
}

/** Sums the cycles of the accounts in `weights`: Plus units of a full window, by account key. See docs/rules.md#cycles-of-a-window. */
export function poolCyclesOf(
  { accounts, unwatched }: PoolCycleRecord,
  weights: ReadonlyMap<string, number>,
  span: Interval,
): PoolCycles {
  const silences = joinInside(unwatched, span)
  const watchedMs = watchedIn(span, silences)
  const sums = perWindow(() => ({
    ended: 0,
    known: 0,
    dry: 0,
    expired: 0,
    notBegun: 0,
    tracked: 0,
  }))
  for (const { accountKey, windowId, readings } of accounts) {
    const weight = weights.get(accountKey) ?? 0
    const [first] = readings
    if (weight === 0 || first === undefined || lacksWindow({ windowId, readings })) continue
    const sum = sums[windowId]
    const unitsOf = (ms: number) => (weight * ms) / (mainWindowOf(windowId).seconds * 1000)
    const since = { from: latest(first.at, span.from), to: span.to }
    sum.tracked += unitsOf(watchedIn(since, silences))
    const unknown = joinInside([...silences, ...unreadIntervals(readings, span.to)], since)
    let restMs = watchedIn(since, unknown)
    for (const cycle of cyclesOf({ windowId, readings, unwatched }, span)) {
      const { from, to, state, expiredPercent } = cycle
      restMs -= watchedIn({ from: latest(from, since.from), to: earliest(to, since.to) }, unknown)
      if (state !== 'ended') continue
      sum.ended += 1
      if (expiredPercent === null) continue
      sum.known += 1
      if (expiredPercent === 0) sum.dry += 1
      sum.expired += (weight * expiredPercent) / 100
    }
    sum.notBegun += unitsOf(Math.max(0, restMs))
  }
  const weeks = watchedMs / (WEEK_SECONDS * 1000)
  const isKnown = weeks >= 1 && [...weights.values()].some((weight) => weight > 0)
  return {
    watchedSeconds: Math.round(watchedMs / 1000),
    windows: perWindow(({ id }) => {
      const { ended, known, dry, expired, notBegun, tracked } = sums[id]
      const weekly = {
        expired: expired / weeks,
        notBegun: notBegun / weeks,
        tracked: tracked / weeks,
      }
      return {
        endedCount: ended,
        knownCount: known,
        dryCount: dry,
        weekly: isKnown ? weekly : null,
      }
    }),
  }
}

/** Sums the cycles of two parts of a pool that have different accounts and the same span. */
export function addedCycles(one: PoolCycles, other: PoolCycles): PoolCycles {
  return {
    watchedSeconds: one.watchedSeconds,
    windows: perWindow(({ id }) => {
      const [a, b] = [one.windows[id], other.windows[id]]
      return {
        endedCount: a.endedCount + b.endedCount,
        knownCount: a.knownCount + b.knownCount,
        dryCount: a.dryCount + b.dryCount,
        weekly: a.weekly &&
          b.weekly && {
            expired: a.weekly.expired + b.weekly.expired,
            notBegun: a.weekly.notBegun + b.weekly.notBegun,
            tracked: a.weekly.tracked + b.weekly.tracked,
          },
      }
    }),
  }
}

/**
 * Time without a valid reading. A reading is valid until the reset it names; one without a reset, as after a reset that passed unread, is never
 * valid.
 */
function unreadIntervals(readings: readonly CycleReading[], end: EpochMs): readonly Interval[] {
  return readings.map(({ at, resetAt }, index) => ({
    from: latest(at, resetAt ?? at),
    to: readings[index + 1]?.at ?? end,
  }))
}

/** Watched time of an interval in milliseconds; 0 if it ends before it begins. `silences` must not overlap. */
function watchedIn({ from, to }: Interval, silences: readonly Interval[]): number {
  const silentMs = silences.reduce(
    (sum, silence) => sum + Math.max(0, earliest(to, silence.to) - latest(from, silence.from)),
    0,
  )
  return Math.max(0, to - from - silentMs)
}

function latest(one: EpochMs, other: EpochMs): EpochMs {
  return epochMs(Math.max(one, other))
}

function earliest(one: EpochMs, other: EpochMs): EpochMs {
  return epochMs(Math.min(one, other))
}
