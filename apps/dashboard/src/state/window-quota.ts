import { isUsableUnknown } from '@svc/core/pool'
import { unitsText } from '@svc/views/format'
import { strings } from '../words/strings.ts'
import { status } from './live-data.ts'
import { isPart } from './providers.ts'

/** Capacity of a window of the shown pool. */
export const findCapacity = (windowId: string) =>
  status.value?.tabs.pool.windows.find(({ id }) => id === windowId)

/** Past and forecast of a window of the shown pool. */
export const findTrend = (windowId: string) =>
  status.value?.tabs.trends.windows.find(({ id }) => id === windowId)

type Capacity = Pick<
  NonNullable<typeof status.value>['summary']['fiveHour'],
  'knownUnits' | 'usableUnits' | 'heldUnits' | 'percent' | 'usablePercent'
>

/** Usable quota of a window in units and percent, and the units held by blocked accounts. */
export function usableQuota({
  knownUnits,
  usableUnits,
  heldUnits,
  percent,
  usablePercent,
}: Capacity) {
  return {
    usable: usableUnits ?? knownUnits,
    held: heldUnits ?? 0,
    percent: usablePercent === undefined ? percent : usablePercent,
  }
}

/** The usable units as text, `?` if nothing is known of them, and whether they are a lower bound. */
export function usableAmount(
  capacity: Capacity & Omit<Parameters<typeof isUsableUnknown>[0], 'usableUnits'>,
  routableCount: number,
) {
  const { usable } = usableQuota(capacity)
  const isUnknown = isUsableUnknown({ ...capacity, usableUnits: usable }, routableCount)
  return {
    amount: isUnknown ? strings.question : unitsText(usable),
    isLowerBound: capacity.atLeast === true && usable > 0,
  }
}

/** Usable quota at a future time, in units. Two points with the same time are before and after a reset. */
export interface ComingPoint {
  readonly atMs: number
  readonly expected: number
  /** Lower and upper quartile. */
  readonly low: number
  readonly high: number
  /** Units on blocked accounts at that time, in addition to the expected ones. */
  readonly held?: number | undefined
}

export interface Forecast {
  /** Points of the forecast, soonest first. */
  readonly points: readonly ComingPoint[]
  /** Whether only the quartiles are reliable. */
  readonly isRough: boolean
  /** Expected dry time; null if it lies beyond the forecast, or is too uncertain for a clock time. */
  readonly dryMs: number | null
}

/** Forecast of a window; null if its rate of use is unknown, as for a part of the pool. */
export function readForecast(windowId: string): Forecast | null {
  const trend = findTrend(windowId)
  if (trend?.forecast === undefined || isPart.value) return null
  const { runsDryAt, confidence } = trend.runway
  const isRough = confidence !== 'high'
  return {
    points: trend.forecast.map(({ at, ...units }) => ({ atMs: Date.parse(at), ...units })),
    isRough,
    dryMs: runsDryAt === null || isRough ? null : Date.parse(runsDryAt),
  }
}
