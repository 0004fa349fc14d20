import {
  DAY_MS,
  defaultPolicy,
  type EpochMs,
  epochMs,
  evaluateSnapshot,
  HOUR_MS,
  mainWindows,
  plusMs,
} from '@svc/core'
import {
  type HealthHistory,
  healthHistoryOf,
  healthSpanOf,
  QUARTER_MS,
  type QuarterShares,
  quarterSharesOf,
} from '@svc/core/health'
import { type CapacityPoint, nothingRecorded, poolStep, windowNameOf } from '@svc/core/pool'
import { demoServiceAt, exampleObservationAt } from './example-observation.ts'
import { maintenanceBetween } from './maintenance.ts'
import { demoRecentChanges } from './recent-changes.ts'
import { scatter } from './request-slots.ts'

const DAYS = 8
/** Step of the last day, which charts show, so it has more points than the week before. */
const FINE_MS = HOUR_MS / 4

/** The capacity of the sample pool over its last days, in the form of a stored history. */
export function demoCapacityPoints(now: EpochMs, days = DAYS): readonly CapacityPoint[] {
  const points: CapacityPoint[] = []
  let memory = nothingRecorded
  for (
    let at: EpochMs = epochMs(now - days * 24 * HOUR_MS);
    at < now;
    at = epochMs(at + (now - at > 24 * HOUR_MS ? HOUR_MS : FINE_MS))
  ) {
    const observation = { ...exampleObservationAt(at), ...demoServiceAt(at) }
    const pool = evaluateSnapshot(observation, defaultPolicy, at, {
      previous: null,
      recordedChanges: [],
    })
    const step = poolStep(memory, pool)
    memory = step.memory
    points.push(...step.points)
  }
  return points
}

/** Share of its quota that the sample pool has left between two busy times. */
const CALM_SHARE = 0.6
/** Hour of the day, in UTC, at which most is used. */
const BUSIEST_HOUR = 15
/** Hours before and after the busiest one in which the pool is busy. */
const BUSY_HOURS = 5

/** The health of the sample pool over thirty days: of the last one as its points have it, of the days before by how busy each was. */
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
