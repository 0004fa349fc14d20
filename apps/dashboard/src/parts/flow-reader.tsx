import { unitsText, wholeUnitsText } from '@svc/views/format'
import { useState } from 'preact/hooks'
import { isSilent, zone } from '../state/live-data.ts'
import { unitName, unitText } from '../state/providers.ts'
import { flowWords } from '../words/flow-words.ts'
import { strings } from '../words/strings.ts'
import { type FlowCourse, type FlowReading, readingAt, stopsOf } from './flow-reading.ts'
import { sliderSteps } from './slider-keys.ts'

interface FlowReaderProps {
  readonly label: string
  readonly course: FlowCourse
  /** Position of a time in percent of the width. */
  readonly x: (ms: number) => number
  /** Position of an amount in pixels from the top. */
  readonly y: (units: number) => number
  readonly height: number
  /** Note on a time beside its amount; empty for none. */
  readonly noteAt: (ms: number) => string
}

/** Overlay of a chart that shows the value under the pointer or finger, or at the stop chosen by keys. */
export function FlowReader({ label, course, x, y, height, noteAt }: FlowReaderProps) {
  const [chosenMs, setChosen] = useState<number | null>(null)
  const { startMs, nowMs, endMs } = course
  const reading = readingAt(course, chosenMs ?? nowMs)
  const words = `${readingText(reading, nowMs)}${noteAt(reading.atMs)}`
  const stops = stopsOf(course)
  const readPointer = ({ clientX, currentTarget }: PointerEvent) => {
    if (!(currentTarget instanceof Element)) return
    const { left, width } = currentTarget.getBoundingClientRect()
    setChosen(startMs + ((clientX - left) / width) * (endMs - startMs))
  }
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
      onPointerDown={readPointer}
      onPointerMove={readPointer}
      onPointerLeave={({ pointerType }) => {
        // A value chosen by touch stays.
        if (pointerType === 'mouse') setChosen(null)
      }}
      onBlur={() => setChosen(null)}
      onKeyDown={(event) => {
        const ms = stopAfter(event.key, stops, reading.atMs)
        if (ms === undefined) return
        event.preventDefault()
        setChosen(ms)
      }}
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

/** The amount that the line of the chart shows; null where it has none. */
function shownUnits(reading: FlowReading): number | null {
  if ('units' in reading) return reading.units
  return reading.when === 'rough' ? null : reading.expected
}

/** A reading in words. */
export function readingText(reading: FlowReading, nowMs: number): string {
  const { atMs, when } = reading
  const moment =
    when === 'now' && !isSilent.value ? strings.now : zone.value.momentText(atMs, nowMs)
  switch (when) {
    case 'past':
    case 'now':
      return reading.units === null
        ? flowWords.unknown(moment)
        : flowWords.left(moment, unitText(unitsText(reading.units)))
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

/** The stop that a key moves to; undefined for other keys. */
function stopAfter(key: string, stops: readonly number[], fromMs: number): number | undefined {
  const steps = sliderSteps(key)
  if (steps === undefined) return undefined
  const from =
    steps < 0 ? stops.findIndex((ms) => ms >= fromMs) : stops.findLastIndex((ms) => ms <= fromMs)
  return stops[Math.min(stops.length - 1, Math.max(0, from + steps))]
}
