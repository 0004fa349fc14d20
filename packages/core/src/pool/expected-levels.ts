import { type EpochMs, epochMs, HOUR_MS } from '../facts/time.ts'
import { FIVE_HOUR, type PerWindow, WEEK } from '../facts/window.ts'
import type { RunwayContext, WalkStep } from './quota-walk.ts'

/** Usable quota of the pool in one window at a future time, in Plus units. `low` <= `expected` <= `high`. */
export interface ExpectedLevel {
  readonly at: EpochMs
  readonly expected: number
  /** Lower and upper quartile. */
  readonly low: number
  readonly high: number
  /** Units on blocked accounts at the expected burn. */
  readonly held: number
}

/** The steps of the forecast at the expected burn, and at its upper and lower quartile. */
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
 * Future levels, oldest first: at regular times, before and after the largest leaps (resets, freed accounts and ended subscriptions), and where a walk
 * runs dry. A leap is two points at one instant. All walks have the same steps.
 */
export function expectedLevelsOf(
  { expected, upperBurn, lowerBurn }: ForecastWalks,
  { windowId, now }: RunwayContext,
): readonly ExpectedLevel[] {
  const intervalMs = (LEVEL_HOURS[windowId] * HOUR_MS) / INTERVALS
  const shownUntil = now + LEVEL_HOURS[windowId] * HOUR_MS
  const steps = expected
    .map((step, index): StepOfEach => [step, upperBurn[index] ?? step, lowerBurn[index] ?? step])
    .filter(([{ startAt }]) => startAt < shownUntil)
  const leaps = largestLeaps(steps)
  const dryAts = [0, 1, 2]
    .flatMap((walk) => steps.find((each) => each[walk]?.dryAt != null)?.[walk]?.dryAt ?? [])
    .sort((a, b) => a - b)
  return steps.flatMap((walks, index) => {
    const [{ startAt, endAt, held }] = walks
    const heldBefore = steps[index - 1]?.[0].held ?? held
    const isRegular = (startAt - now) % intervalMs === 0
    const isDry = dryAts.includes(startAt)
    const isLeap = leaps.has(walks) || (isDry && walks.some(({ before, start }) => before > start))
    return [
      ...(isRegular || isLeap || isDry
        ? [
            levelOf(
              startAt,
              isLeap ? heldBefore : held,
              walks.map(({ before }) => before),
            ),
          ]
        : []),
      ...(isLeap
        ? [
            levelOf(
              startAt,
              held,
              walks.map(({ start }) => start),
            ),
          ]
        : []),
      ...dryAts
        .filter((at) => at > startAt && at < endAt)
        .map((at) =>
          levelOf(
            at,
            held,
            walks.map((step) => unitsAt(step, at)),
          ),
        ),
      ...(index === steps.length - 1
        ? [
            levelOf(
              endAt,
              held,
              walks.map(({ end }) => end),
            ),
          ]
        : []),
    ]
  })
}

type StepOfEach = readonly [expected: WalkStep, upperBurn: WalkStep, lowerBurn: WalkStep]

function levelOf(at: EpochMs, held: number, units: readonly number[]): ExpectedLevel {
  const [expected = 0] = units
  return { at, held, expected, low: Math.min(...units), high: Math.max(...units) }
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

/** Whether usable quota is expected: `risk` if it may be used up, `unknown` without a forecast. */
export type ForecastState = 'usable' | 'risk' | 'dry' | 'unknown'

/** A stretch of the forecast with one state. */
export interface ForecastSpan {
  readonly from: EpochMs
  readonly to: EpochMs
  readonly state: ForecastState
}

/**
 * The forecast as spans without gaps, oldest first. Dry where nothing is left at the expected burn, at low confidence (`isRough`) even at its lower
 * quartile; at risk where nothing is left at the upper quartile. All walks have the same steps.
 */
export function forecastSpansOf(
  { expected, upperBurn, lowerBurn }: ForecastWalks,
  isRough: boolean,
): readonly ForecastSpan[] {
  return joinedSpans(
    expected.flatMap((step, index) => {
      const { startAt: from, endAt: to } = step
      const risky = [step, upperBurn[index] ?? step].map(dryFrom)
      const certain = isRough ? [step, lowerBurn[index] ?? step].map(dryFrom) : [dryFrom(step)]
      const dryAt = Math.max(...certain)
      const riskAt = Math.min(dryAt, ...risky)
      return spansBetween([
        [from, 'usable'],
        [epochMs(Math.min(to, riskAt)), 'risk'],
        [epochMs(Math.min(to, dryAt)), 'dry'],
        [to, 'dry'],
      ])
    }),
  )
}

/** Instant of a step from which nothing is left; infinite if the quota lasts. */
function dryFrom({ startAt, start, dryAt }: WalkStep): number {
  return start <= 0 ? startAt : (dryAt ?? Number.POSITIVE_INFINITY)
}

function spansBetween(
  cuts: readonly (readonly [from: EpochMs, state: ForecastState])[],
): readonly ForecastSpan[] {
  return cuts.flatMap(([from, state], index) => {
    const to = cuts[index + 1]?.[0] ?? from
    return to > from ? [{ from, to, state }] : []
  })
}

function joinedSpans(spans: readonly ForecastSpan[]): readonly ForecastSpan[] {
  const joined: ForecastSpan[] = []
  for (const span of spans) {
    const last = joined.at(-1)
    if (last?.state === span.state) joined[joined.length - 1] = { ...last, to: span.to }
    else joined.push(span)
  }
  return joined
}

const WORST_FIRST: readonly ForecastState[] = ['dry', 'unknown', 'risk', 'usable']

/** The worst state of several forecasts over the same time; empty if there is none. */
export function worstSpansOf(
  forecasts: readonly (readonly ForecastSpan[])[],
): readonly ForecastSpan[] {
  const starts = [...new Set(forecasts.flat().map(({ from }) => from))].sort((a, b) => a - b)
  const ends = forecasts.flatMap((spans) => spans.at(-1)?.to ?? [])
  const stateAt = (at: EpochMs) =>
    WORST_FIRST.find((state) =>
      forecasts.some((spans) =>
        spans.some((span) => span.state === state && span.from <= at && at < span.to),
      ),
    ) ?? 'unknown'
  const last = ends[0]
  return last === undefined
    ? []
    : joinedSpans(spansBetween([...starts.map((at) => [at, stateAt(at)] as const), [last, 'dry']]))
}
