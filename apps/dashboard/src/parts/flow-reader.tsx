import { capacityTexts, unitsText, wholeUnitsText } from '@svc/views/format'
import { isSilent, zone } from '../state/live-data.ts'
import { unitName, unitText } from '../state/providers.ts'
import type { ResetStep } from '../state/reset-groups.ts'
import type { ComingPoint } from '../state/window-quota.ts'
import { flowWords } from '../words/chart-words.ts'
import { strings } from '../words/strings.ts'
import { sliderSteps, useChosenMs } from './slider.ts'

interface FlowReaderProps {
  readonly label: string
  readonly course: FlowCourse
  /** Position of a time in percent of the width. */
  readonly x: (ms: number) => number
  /** Position of an amount in pixels from the top. */
  readonly y: (units: number) => number
  readonly height: number
  /** Note about a time, shown beside its amount; empty for none. */
  readonly noteAt: (ms: number) => string
}

/** Overlay of a chart that shows the value under the pointer or finger, or at the stop chosen by keys. */
export function FlowReader({ label, course, x, y, height, noteAt }: FlowReaderProps) {
  const { chosenMs, press, handlers } = useChosenMs(course)
  const { nowMs } = course
  const reading = flowReadingAt(course, chosenMs ?? nowMs)
  const words = `${flowReadingText(reading, nowMs)}${noteAt(reading.atMs)}`
  const stops = readerStops(course)
  return (
    <div
      class="flow-reader"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={stops.length - 1}
      aria-valuenow={Math.max(
        0,
        stops.findLastIndex((ms) => ms <= reading.atMs),
      )}
      aria-valuetext={words}
      {...handlers}
      onKeyDown={(event) => press(event, stopAfter(event.key, stops, reading.atMs))}
    >
      {chosenMs !== null && <Mark reading={reading} x={x} y={y} height={height} words={words} />}
    </div>
  )
}

interface MarkProps extends Pick<FlowReaderProps, 'x' | 'y' | 'height'> {
  readonly reading: FlowReading
  readonly words: string
}

function Mark({ reading, words, x, y, height }: MarkProps) {
  const { atMs } = reading
  const units = shownUnits(reading)
  const place = `${x(atMs).toFixed(2)}%`
  return (
    <>
      <svg height={height} aria-hidden="true">
        <line class="cursor" x1={place} x2={place} y1="0" y2={y(0)} />
        {units !== null && <circle class="dot" cx={place} cy={y(units)} r="3.5" />}
      </svg>
      {/* Placed beside the pointer, on the side with more room. */}
      <span
        class="flow-words"
        style={x(atMs) > 50 ? { right: `${(100 - x(atMs)).toFixed(2)}%` } : { left: place }}
      >
        {words}
      </span>
    </>
  )
}

/** The amount on the line of the chart; null if the line has a gap there. */
function shownUnits(reading: FlowReading): number | null {
  if ('units' in reading) return reading.units
  return reading.when === 'rough' ? null : reading.expected
}

export function flowReadingText(reading: FlowReading, nowMs: number): string {
  const { atMs, when } = reading
  const moment =
    when === 'now' && !isSilent.value ? strings.now : zone.value.momentText(atMs, nowMs)
  switch (when) {
    case 'past':
    case 'now':
      return reading.units === null
        ? flowWords.unknown(moment)
        : flowWords.usable(moment, unitText(unitsText(reading.units)), heldText(reading))
    case 'unused':
      return flowWords.unused(moment, unitText(unitsText(reading.expected)))
    case 'expected': {
      const { expected, low, high } = reading
      return flowWords.expected(
        moment,
        unitText(unitsText(expected)),
        unitsText(low),
        unitsText(high),
      )
    }
    case 'rough': {
      // In whole units outwards, because more digits would be too precise.
      const [low, high] = [Math.floor(reading.low), Math.ceil(reading.high)]
      return flowWords.rough(moment, wholeUnitsText(low), wholeUnitsText(high), unitName.value)
    }
    default:
      return reading satisfies never
  }
}

/** Held units, which with the usable ones add up to the shown sum; empty if there are none. */
const heldText = ({ units, held }: { readonly units: number | null; readonly held: number }) =>
  held > 0 ? capacityTexts({ usable: units ?? 0, stale: 0, held }).held : ''

/** The stop that a key moves to; undefined for other keys. */
function stopAfter(key: string, stops: readonly number[], fromMs: number): number | undefined {
  const steps = sliderSteps(key)
  if (steps === undefined) return undefined
  const from =
    steps < 0 ? stops.findIndex((ms) => ms >= fromMs) : stops.findLastIndex((ms) => ms <= fromMs)
  return stops[Math.min(stops.length - 1, Math.max(0, from + steps))]
}

/** An amount in units at a time in epoch milliseconds. */
export interface PastPoint {
  readonly atMs: number
  /** Usable units; all known ones if `held` is undefined. */
  readonly units: number
  /** Units on blocked accounts; undefined if they were not recorded. */
  readonly held?: number | undefined
  /** Whether nothing is known between the previous point and this one. */
  readonly isAfterGap?: boolean
}

/** Content of a chart of past and coming quota, with now between its start and end. */
export interface FlowCourse {
  /** Points within the chart, oldest first. */
  readonly past: readonly PastPoint[]
  /** Points from now on within the chart, soonest first; at least one. */
  readonly coming: readonly ComingPoint[]
  /**
   * Meaning of `coming`. `unused`: the remaining quota if nothing is used. `expected`: the expected quota. `rough`: only the quartiles of the
   * expected quota.
   */
  readonly kind: 'unused' | 'expected' | 'rough'
  /** Units usable now, and on blocked accounts. */
  readonly usable: number
  readonly held: number
  readonly startMs: number
  readonly nowMs: number
  readonly endMs: number
}

/** Value of a chart at one time. */
type FlowReading =
  | {
      readonly when: 'past' | 'now'
      readonly atMs: number
      readonly units: number | null
      readonly held: number
    }
  | ({ readonly when: FlowCourse['kind'] } & ComingPoint)

/** Distance within which a time snaps to now or to a point beside a gap, as a share of the width. */
const NEAR_SHARE = 0.01

/** Value of the chart at a time. In the past the time snaps to the nearest recorded point; in the future it stays exact. */
export function flowReadingAt(course: FlowCourse, ms: number): FlowReading {
  const { past, coming, kind, usable, held, startMs, nowMs, endMs } = course
  const atMs = Math.min(endMs, Math.max(startMs, ms))
  const nearMs = (endMs - startMs) * NEAR_SHARE
  // An exact stop does not snap to now, or the arrow keys could not reach a stop close to it.
  const isStop = [...past, ...coming].some((each) => each.atMs === atMs)
  const isNow = atMs === nowMs || (!isStop && Math.abs(atMs - nowMs) <= nearMs)
  if (isNow) return { when: 'now', atMs: nowMs, units: usable, held }
  if (atMs > nowMs) return { when: kind, ...comingAt(coming, atMs) }
  const point = recordedAt(course, atMs, nearMs)
  return {
    when: 'past',
    atMs: point?.atMs ?? atMs,
    units: point?.units ?? null,
    held: point?.held ?? 0,
  }
}

/** The course at a coming time; after its last point it stays the same. */
function comingAt(coming: readonly ComingPoint[], atMs: number): ComingPoint {
  const from = coming.findLast((point) => point.atMs <= atMs)
  const to = coming.find((point) => point.atMs > atMs) ?? from
  if (from === undefined || to === undefined) throw new Error('the course begins later')
  const share = to === from ? 0 : (atMs - from.atMs) / (to.atMs - from.atMs)
  const between = (one = 0, other = 0) => one + (other - one) * share
  return {
    atMs,
    expected: between(from.expected, to.expected),
    low: between(from.low, to.low),
    high: between(from.high, to.high),
    held: between(from.held, to.held),
  }
}

/** The point next to a time; null in a gap, and before the first one. */
function recordedAt({ past }: FlowCourse, atMs: number, nearMs: number): PastPoint | null {
  const before = past.findLast((point) => point.atMs <= atMs) ?? null
  const after = past.find((point) => point.atMs > atMs) ?? null
  const isGap = before === null || after?.isAfterGap === true
  const isNearer = (one: PastPoint | null, other: PastPoint | null) =>
    one !== null && (other === null || Math.abs(one.atMs - atMs) < Math.abs(other.atMs - atMs))
  const nearest = isNearer(after, before) ? after : before
  if (nearest === null || (isGap && Math.abs(nearest.atMs - atMs) > nearMs)) return null
  return nearest
}

/** Times of all events, oldest first: each recorded point, now, and each point of the coming course. */
export function readerStops({ past, coming, nowMs, endMs }: FlowCourse): readonly number[] {
  return [
    ...new Set([...past, { atMs: nowMs }, ...coming, { atMs: endMs }].map(({ atMs }) => atMs)),
  ]
}

/** The forecast, from the remaining quota now to the end of the chart. */
export function expectedCourse(
  points: readonly ComingPoint[],
  { usable, held, nowMs, endMs }: Times,
): readonly ComingPoint[] {
  return [
    { atMs: nowMs, expected: usable, low: usable, high: usable, held },
    ...points.filter(({ atMs }) => atMs > nowMs && atMs < endMs),
    ...((points.at(-1)?.atMs ?? 0) >= endMs ? [comingAt(points, endMs)] : []),
  ]
}

type Times = Pick<FlowCourse, 'usable' | 'held' | 'nowMs' | 'endMs'>

/** The course if no quota is used: constant between resets, with a jump at each reset. */
export function unusedCourse(
  steps: readonly ResetStep[],
  { usable, held, nowMs, endMs }: Times,
): readonly ComingPoint[] {
  const point = (atMs: number, units: number): ComingPoint => ({
    atMs,
    expected: units,
    low: units,
    high: units,
  })
  return [
    { ...point(nowMs, usable), held },
    ...steps.flatMap(({ atMs, total }, index) => [
      point(atMs, steps[index - 1]?.total ?? usable),
      point(atMs, total),
    ]),
    point(endMs, steps.at(-1)?.total ?? usable),
  ]
}
