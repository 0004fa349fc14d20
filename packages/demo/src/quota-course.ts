import {
  capacityWeightOf,
  DAY_MS,
  defaultPolicy,
  type EpochMs,
  epochMs,
  HOUR_MS,
  type Interval,
  mainWindows,
  planKindOf,
  plusMs,
  type QuotaSample,
  type ReadingOrigin,
  rankPool,
  type WindowReading,
} from '@svc/core'
import {
  type CourseQuery,
  type CourseReading,
  courseSpanOf,
  silentMsMaxOf,
  type WindowCourse,
  windowCourseOf,
} from '@svc/core/account'
import {
  type HealthHistory,
  healthHistoryOf,
  healthSpanOf,
  QUARTER_MS,
  type QuarterShares,
  quarterSharesOf,
} from '@svc/core/health'
import {
  type CapacityPoint,
  nothingRecorded,
  type PoolCycles,
  poolCyclesOf,
  poolStep,
  poolsOf,
  windowNameOf,
} from '@svc/core/pool'
import { scatter } from './example-account.ts'
import { exampleObservationAt } from './example-observation.ts'
import { SAMPLE_POOL } from './example-pool.ts'
import type { ExampleRow } from './example-row.ts'
import { burntShare, isUnderMaintenance, maintenanceBetween } from './moving-windows.ts'
import { demoRecentChanges } from './recent-changes.ts'
import { evidenceAt, windowPhaseMs } from './sampling.ts'

/** Default of `history_write_seconds`: a reading is recorded within this time. */
const WRITE_SECONDS = 60
/** Interval of an account's queries. */
const STEP_MS = 5 * 60_000
/** Range of the percent left at the end of a past cycle; a negative value means that the quota ran out before the end. */
const LEFT = { min: -8, max: 72 }
/** Number of unused cycles before an unused current cycle. */
const IDLE_CYCLES = 2

/**
 * Course of an account's quota in the sample pool, in the format of a stored one: one cycle after the other up to the state at `now`. Depends on
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

/** Past windows of these accounts of the sample pool, in the format of the store. Depends on the span and the weights alone. */
export function demoPoolCycles(weights: ReadonlyMap<string, number>, span: Interval): PoolCycles {
  const unwatched = maintenanceBetween(span.from, span.to)
  const asked = SAMPLE_POOL.filter(({ accountKey }) => weights.has(accountKey))
  const accounts = asked.flatMap((row) =>
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

/** Readings that differ from their predecessor, starting with the last one before the span. */
function recordedReadings(
  row: ExampleRow,
  windowId: string,
  span: Interval,
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

const DAYS = 8
/** Step on the last day; it is finer than that of the week before, because charts show this day. */
const FINE_MS = HOUR_MS / 4

/** Capacity of the sample pool over its last days, in the format of a stored history. */
export function demoCapacityPoints(now: EpochMs, days = DAYS): readonly CapacityPoint[] {
  const points: CapacityPoint[] = []
  let memory = nothingRecorded
  for (
    let at: EpochMs = epochMs(now - days * 24 * HOUR_MS);
    at < now;
    at = epochMs(at + (now - at > 24 * HOUR_MS ? HOUR_MS : FINE_MS))
  ) {
    const { sources, evidenceByAuthName } = exampleObservationAt(at)
    const accounts = sources.accounts.lastGood?.value.accounts ?? []
    const pools = poolsOf(rankPool(accounts, evidenceByAuthName, defaultPolicy, at), at)
    const step = poolStep(memory, { pools, evaluatedAt: at })
    memory = step.memory
    points.push(...step.points)
  }
  return points
}

/** Share of its quota that the sample pool has left outside busy hours. */
const CALM_SHARE = 0.6
/** Busiest hour of the day, in UTC. */
const BUSIEST_HOUR = 15
/** Length of the busy time before and after the busiest hour, in hours. */
const BUSY_HOURS = 5

/** Health of the sample pool over thirty days. The last day follows from its capacity points, the others from how busy each day was. */
export function demoHealthHistory(now: EpochMs): HealthHistory {
  const span = healthSpanOf(now)
  const points = demoCapacityPoints(now, 1)
  const pointsFrom = points[0]?.at ?? now
  const earlier: QuarterShares[] = []
  for (let at: EpochMs = span.from; at < pointsFrom - QUARTER_MS; at = plusMs(at, QUARTER_MS)) {
    const share = shareOfBusyDay(at)
    earlier.push({ at, lowest: share, last: share })
  }
  return healthHistoryOf(
    {
      windows: mainWindows.map(({ id }) => [
        ...earlier,
        ...quarterSharesOf(points.filter((point) => windowNameOf(point) === id)),
      ]),
      unwatched: maintenanceBetween(span.from, span.to),
      changes: demoRecentChanges(now),
      changesSince: null,
    },
    span,
  )
}

function shareOfBusyDay(at: EpochMs): number {
  const day = Math.floor(at / DAY_MS)
  const hour = (at - day * DAY_MS) / HOUR_MS
  const busy = Math.max(0, 1 - Math.abs(hour - BUSIEST_HOUR) / BUSY_HOURS)
  return Math.max(0, CALM_SHARE - busy * scatter(day))
}
