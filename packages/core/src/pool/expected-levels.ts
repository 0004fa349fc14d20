import { type EpochMs, HOUR_MS } from '../facts/time.ts'
import { FIVE_HOUR, type PerWindow, WEEK } from '../facts/window.ts'
import type { RunwayContext, WalkStep } from './quota-walk.ts'

/** Quota of the pool in one window at a future time, in Plus units. `low` <= `expected` <= `high`. */
export interface ExpectedLevel {
  readonly at: EpochMs
  readonly expected: number
  /** Lower and upper quartile. */
  readonly low: number
  readonly high: number
}

/** The steps over `LEVEL_HOURS` at the expected burn, and at its upper and lower quartile. */
export interface ForecastWalks {
  readonly expected: readonly WalkStep[]
  readonly upperBurn: readonly WalkStep[]
  readonly lowerBurn: readonly WalkStep[]
}

/** Hours ahead for which levels are computed: the range in which each window is drawn. */
export const LEVEL_HOURS = { [FIVE_HOUR]: 6, [WEEK]: 48 } as const satisfies PerWindow<number>
/** Number of intervals between the regular points. */
const INTERVALS = 24
/** Maximum number of resets and other leaps shown at their exact time; smaller ones appear at the next regular point. */
const LEAPS_MAX = 8
const LEAP_UNITS_MIN = 0.05

/**
 * Future levels, oldest first: at regular times, before and after the largest leaps (resets and ended subscriptions), and where a walk runs dry. A
 * leap is two points at one instant. All walks have the same steps.
 */
export function expectedLevelsOf(
  { expected, upperBurn, lowerBurn }: ForecastWalks,
  { windowId, now }: RunwayContext,
): readonly ExpectedLevel[] {
  const intervalMs = (LEVEL_HOURS[windowId] * HOUR_MS) / INTERVALS
  const steps = expected.map(
    (step, index): StepOfEach => [step, upperBurn[index] ?? step, lowerBurn[index] ?? step],
  )
  const leaps = largestLeaps(steps)
  const dryAts = [expected, upperBurn, lowerBurn]
    .flatMap((walk) => walk.find(({ dryAt }) => dryAt !== null)?.dryAt ?? [])
    .sort((a, b) => a - b)
  return steps.flatMap((walks, index) => {
    const [{ startAt, endAt }] = walks
    const isRegular = (startAt - now) % intervalMs === 0
    const isLeap = leaps.has(walks)
    return [
      ...(isRegular || isLeap || dryAts.includes(startAt)
        ? [
            levelOf(
              startAt,
              walks.map(({ before }) => before),
            ),
          ]
        : []),
      ...(isLeap
        ? [
            levelOf(
              startAt,
              walks.map(({ start }) => start),
            ),
          ]
        : []),
      ...dryAts
        .filter((at) => at > startAt && at < endAt)
        .map((at) =>
          levelOf(
            at,
            walks.map((step) => unitsAt(step, at)),
          ),
        ),
      ...(index === steps.length - 1
        ? [
            levelOf(
              endAt,
              walks.map(({ end }) => end),
            ),
          ]
        : []),
    ]
  })
}

type StepOfEach = readonly [expected: WalkStep, upperBurn: WalkStep, lowerBurn: WalkStep]

function levelOf(at: EpochMs, [expected = 0, ...others]: readonly number[]): ExpectedLevel {
  return {
    at,
    expected,
    low: Math.min(expected, ...others),
    high: Math.max(expected, ...others),
  }
}

function largestLeaps(steps: readonly StepOfEach[]): ReadonlySet<StepOfEach> {
  const leapOf = (walks: StepOfEach) =>
    Math.max(...walks.map(({ start, before }) => Math.abs(start - before)))
  const leaps = steps.map((walks) => ({ walks, units: leapOf(walks) }))
  const largest = leaps
    .filter(({ units }) => units >= LEAP_UNITS_MIN)
    .sort((a, b) => b.units - a.units)
    .slice(0, LEAPS_MAX)
  return new Set(largest.map(({ walks }) => walks))
}

/** Units left at an instant of a step; burn is even until the step ends or runs dry. */
function unitsAt({ startAt, endAt, start, end, dryAt }: WalkStep, at: EpochMs): number {
  if (dryAt === null) return start + ((end - start) * (at - startAt)) / (endAt - startAt)
  return dryAt <= at ? 0 : (start * (dryAt - at)) / (dryAt - startAt)
}
