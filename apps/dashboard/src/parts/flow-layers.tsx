import { wholeUnitsText } from '@svc/views/format'
import { zone } from '../state/live-data.ts'
import { flowWords } from '../words/flow-words.ts'
import type { FlowStep, PastPoint } from './flow-reading.ts'

/** The layers of a chart of past quota and coming resets. */

/** Pixels above the chart, for its labels. */
export const TOP = 14

/** Maps a time to percent of the width, and an amount to pixels from the top. */
export interface Scale {
  readonly x: (ms: number) => number
  readonly y: (units: number) => number
  readonly floor: number
}

/** A percentage as SVG text. */
export const percent = (value: number): string => `${value.toFixed(2)}%`

/** Lines at all tracked units and at half of them. */
export function Grid({
  tracked,
  y,
}: {
  readonly tracked: number
  readonly y: (units: number) => number
}) {
  return (
    <>
      {[tracked, tracked / 2].map((units) => (
        <line key={units} class="grid" x1="0" x2="100%" y1={y(units)} y2={y(units)} />
      ))}
    </>
  )
}

/** Amounts of the grid's lines. Drawn above the course, which would otherwise cross them out. */
export function GridLabels({
  tracked,
  y,
}: {
  readonly tracked: number
  readonly y: (units: number) => number
}) {
  return (
    <>
      {[tracked, tracked / 2].map((units) => (
        <text key={units} class="amount" x="0" y={y(units) - 4}>
          {units === tracked ? flowWords.units(wholeUnitsText(units)) : wholeUnitsText(units)}
        </text>
      ))}
    </>
  )
}

interface PastProps {
  readonly points: readonly PastPoint[]
  readonly scale: Scale
  readonly nowX: number
  readonly height: number
}

/** The line until now, in a separate SVG as wide as the past. Gaps split it. */
export function Past({ points, scale: { x, y, floor }, nowX, height }: PastProps) {
  const stretches: { readonly x: string; readonly y: string }[][] = []
  for (const { atMs, units, isAfterGap = false } of points) {
    if (isAfterGap || stretches.length === 0) stretches.push([])
    const place = { x: ((x(atMs) / nowX) * 100).toFixed(2), y: y(units).toFixed(1) }
    stretches.at(-1)?.push(place)
  }
  const lines = stretches.map((places) => places.map((place) => `${place.x} ${place.y}`).join('L'))
  const areas = stretches.map(
    (places, index) => `M${places[0]?.x} ${floor}L${lines[index]}L${places.at(-1)?.x} ${floor}Z`,
  )
  return (
    <svg
      x="0"
      y="0"
      width={percent(nowX)}
      height={height}
      viewBox={`0 0 100 ${height}`}
      preserveAspectRatio="none"
    >
      <path class="area" d={areas.join('')} />
      <path class="line" d={lines.map((line) => `M${line}`).join('')} />
    </svg>
  )
}

interface DryProps {
  readonly dry: DryMark
  readonly nowMs: number
  readonly endMs: number
  readonly scale: Scale
}

/** Band of the likely dry times, with a mark at the expected one. */
export function Dry({ dry: { atMs, fromMs, toMs }, nowMs, endMs, scale: { x, floor } }: DryProps) {
  const [fromX, toX] = [x(Math.max(nowMs, fromMs)), x(Math.min(endMs, toMs))]
  return (
    <>
      <rect
        class="dry-band"
        x={percent(fromX)}
        width={percent(Math.max(0, toX - fromX))}
        y={TOP}
        height={floor - TOP}
      />
      {atMs <= endMs && (
        <>
          <line class="dry-mark" x1={percent(x(atMs))} x2={percent(x(atMs))} y1={TOP} y2={floor} />
          <text
            class="dry-label"
            x={percent(x(atMs))}
            y={TOP + 12}
            dx={x(atMs) > 75 ? -4 : 4}
            text-anchor={x(atMs) > 75 ? 'end' : 'start'}
          >
            {flowWords.dryAt(zone.value.clockText(atMs))}
          </text>
        </>
      )}
    </>
  )
}

interface StairsProps {
  readonly steps: readonly FlowStep[]
  readonly known: number
  readonly now: number
  readonly scale: Scale
}

/** Areas added by the resets, and the stair line above them. */
export function Stairs({ steps, known, now, scale: { x, y } }: StairsProps) {
  const stair = stairOf(steps, known)
  const last = steps.at(-1) ?? { atMs: now, total: known }
  return (
    <>
      {stair.map(({ fromMs, total, before }) => (
        <rect
          key={`g${fromMs}`}
          class="gain"
          x={percent(x(fromMs))}
          width={percent(100 - x(fromMs))}
          y={y(total)}
          height={Math.max(0, y(before) - y(total))}
        />
      ))}
      {stair.map(({ fromMs, before, total, previousMs }) => (
        <g key={`s${fromMs}`}>
          <line
            class="step"
            x1={percent(x(previousMs ?? now))}
            x2={percent(x(fromMs))}
            y1={y(before)}
            y2={y(before)}
          />
          <line
            class="step"
            x1={percent(x(fromMs))}
            x2={percent(x(fromMs))}
            y1={y(before)}
            y2={y(total)}
          />
        </g>
      ))}
      <line
        class="step"
        x1={percent(x(last.atMs))}
        x2="100%"
        y1={y(last.total)}
        y2={y(last.total)}
      />
    </>
  )
}

interface Stair {
  readonly fromMs: number
  readonly before: number
  readonly total: number
  /** Null for the first step. */
  readonly previousMs: number | null
}

function stairOf(steps: readonly FlowStep[], known: number): readonly Stair[] {
  return steps.map(({ atMs, total }, index) => {
    const previous = steps[index - 1]
    return {
      fromMs: atMs,
      total,
      before: previous?.total ?? known,
      previousMs: previous?.atMs ?? null,
    }
  })
}

/** Expected time at which a window runs dry, and the likely range around it. */
export interface DryMark {
  readonly atMs: number
  readonly fromMs: number
  readonly toMs: number
}

/** Note on a time inside the likely dry range; empty outside it. */
export function dryNote(dry: DryMark | null, ms: number): string {
  if (dry === null || ms < dry.fromMs || ms > dry.toMs) return ''
  return flowWords.dryNote(zone.value.clockText(dry.atMs))
}
