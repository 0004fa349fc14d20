import {
  capacityWeightOf,
  type EpochMs,
  epochMs,
  mainWindows,
  planKindOf,
  plusMs,
  type QuotaSample,
  type ReadingOrigin,
  type WindowReading,
} from '@svc/core'
import {
  type CourseQuery,
  type CourseReading,
  courseSpanOf,
  type Stretch,
  silentMsMaxOf,
  type WindowCourse,
  windowCourseOf,
} from '@svc/core/account'
import { CYCLES_RANGE, type PoolCycles, poolCyclesOf } from '@svc/core/pool'
import { SAMPLE_POOL } from './example-pool.ts'
import type { ExampleRow } from './example-row.ts'
import { isUnderMaintenance, maintenanceBetween } from './maintenance.ts'
import { burntShare } from './moving-windows.ts'
import { scatter } from './request-slots.ts'
import { evidenceAt, windowPhaseMs } from './sampling.ts'

/** Default of `history_write_seconds`: a reading is recorded within this time. */
const WRITE_SECONDS = 60
/** Interval of an account's queries. */
const STEP_MS = 5 * 60_000
/** Range of the percent left at the end of a past cycle; less than nothing is a cycle that ran dry before its end. */
const LEFT = { min: -8, max: 72 }
/** Number of unused cycles before an unused current cycle. */
const IDLE_CYCLES = 2

/**
 * Course of an account's quota in the sample pool, in the form of a stored one: cycle after cycle up to the state at `now`. Depends on
 * `now` alone. Null for an account outside the pool.
 */
export function demoQuotaCourse(query: CourseQuery, now: EpochMs): readonly WindowCourse[] | null {
  const row = SAMPLE_POOL.find(({ accountKey }) => accountKey === query.accountKey)
  if (row === undefined) return null
  const span = courseSpanOf(query.range, now)
  const unwatched = maintenanceBetween(span.from, span.to)
  const silentMsMax = silentMsMaxOf(WRITE_SECONDS)
  return mainWindows.map(({ id: windowId }) => {
    const readings = recordedReadings(row, windowId, span)
    return windowCourseOf({ windowId, readings, unwatched }, span, silentMsMax)
  })
}

/** Past windows of these accounts of the sample pool, as from a store. Depends on `now` and the weights alone. */
export function demoPoolCycles(weights: ReadonlyMap<string, number>, now: EpochMs): PoolCycles {
  const span = courseSpanOf(CYCLES_RANGE, now)
  const unwatched = maintenanceBetween(span.from, span.to)
  const accounts = SAMPLE_POOL.flatMap((row) =>
    mainWindows.map(({ id: windowId }) => ({
      accountKey: row.accountKey,
      windowId,
      readings: recordedReadings(row, windowId, span),
    })),
  )
  return poolCyclesOf({ accounts, unwatched }, weights, span)
}

/** Cycles of a window, by number: 0 is the cycle of the newest reading, earlier ones are negative. */
interface Cycles {
  readonly startAt: EpochMs
  readonly periodMs: number
  /** Percent left in the newest reading, with its time and origin. */
  readonly percent: number
  readonly sampledAt: EpochMs
  readonly origin: ReadingOrigin
  /** Makes the past of two accounts differ. */
  readonly phaseMs: number
}

/** Readings that differ from the one before, starting with the newest one before the span. */
function recordedReadings(
  row: ExampleRow,
  windowId: string,
  span: Stretch,
): readonly CourseReading[] {
  // Accounts without capacity weight are not recorded.
  const { provider, plan } = row
  if (capacityWeightOf({ provider, plan: planKindOf({ provider, name: plan }) }) === 0) return []
  const sample = (evidenceAt(row, span.to)?.samples ?? [])
    .toSorted((one, other) => other.sampledAt - one.sampledAt)
    .find(({ windows }) => windows.some(({ id }) => id === windowId))
  const newest = sample?.windows.find(({ id }) => id === windowId)
  if (sample === undefined || newest === undefined) return []
  // Requests deny a zero that the vendor left out.
  if (newest.note === 'derived' && row.requestsPerSlot > 0) return []

  const cycles = cyclesOf(newest, sample, windowPhaseMs(row))
  const lastStep = Math.floor((span.to - sample.sampledAt) / STEP_MS)
  const firstStep = -Math.ceil((sample.sampledAt - span.from + cycles.periodMs) / STEP_MS)
  const readings: CourseReading[] = []
  for (let step = firstStep; step <= lastStep; step += 1) {
    const reading = readingAt(cycles, plusMs(sample.sampledAt, step * STEP_MS))
    if (isUnderMaintenance(reading.at) || reading.at > span.to) continue
    const before = readings.at(-1)
    if (before?.percent !== reading.percent || before.resetAt !== reading.resetAt)
      readings.push(reading)
  }
  const standing = readings.findLastIndex(({ at }) => at <= span.from)
  return readings.slice(Math.max(0, standing))
}

function cyclesOf(
  { percent, resetAt, periodSeconds }: WindowReading,
  { origin, sampledAt }: QuotaSample,
  phaseMs: number,
): Cycles {
  const periodMs = (periodSeconds ?? 0) * 1000
  const startAt = resetAt === null ? sampledAt : plusMs(resetAt, -periodMs)
  return { startAt, periodMs, percent, origin, sampledAt, phaseMs }
}

/** The reading recorded around `at`. The newest reading holds until its reset, after which the window counts as full. */
function readingAt(cycles: Cycles, at: EpochMs): CourseReading {
  const { startAt, periodMs, origin, sampledAt, phaseMs } = cycles
  const takenAt = epochMs(Math.min(at, sampledAt))
  const recorded = {
    at: plusMs(at, phaseMs % (WRITE_SECONDS * 1000)),
    origin,
    sampledAt: takenAt,
  }
  const number = Math.floor((takenAt - startAt) / periodMs)
  const resetAt = plusMs(startAt, (number + 1) * periodMs)
  if (resetAt <= recorded.at) return { ...recorded, percent: 100, resetAt: null }
  const [left, endAt] =
    number === 0 ? [cycles.percent, sampledAt] : [leftAfter(cycles, number), resetAt]
  const cycleStart = startAt + number * periodMs
  const progress = endAt > cycleStart ? (takenAt - cycleStart) / (endAt - cycleStart) : 1
  const percent = Math.round(100 - (100 - left) * burntShare(progress))
  return { ...recorded, percent: Math.max(0, percent), resetAt }
}

/** Percent left at the end of a past cycle. */
function leftAfter({ percent, phaseMs }: Cycles, number: number): number {
  if (percent === 100 && number >= -IDLE_CYCLES) return 100
  return LEFT.min + (LEFT.max - LEFT.min) * scatter(number * 7_919 + (phaseMs % 1_000_003))
}
