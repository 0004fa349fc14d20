import { wholeUnitsText } from '@svc/views/format'
import { useRef } from 'preact/hooks'
import { unitName } from '../state/providers.ts'
import type { ComingPoint } from '../state/window-quota.ts'
import type { FlowCourse, PastPoint } from './flow-reader.tsx'

/** Layers of a chart of past and coming quota. */

/** Space above the chart for its labels, in pixels. */
export const TOP = 18

/** Maps a time to percent of the width, and an amount to pixels from the top. */
export interface Scale {
  readonly x: (ms: number) => number
  readonly y: (units: number) => number
  readonly floor: number
}

export const percent = (value: number): string => `${value.toFixed(2)}%`

interface AmountAxisProps {
  /** Amount at the top of the chart. */
  readonly top: number
  readonly y: Scale['y']
}

/** Lines at the top of the chart and halfway up, with their amounts beside the chart, where nothing crosses them. */
export function AmountAxis({ top, y }: AmountAxisProps) {
  const amounts = [top, top / 2, 0]
  return (
    <>
      <text class="amount" x={-AMOUNTS_WIDTH} y={TOP - 10} style={{ textAnchor: 'start' }}>
        {unitName.value}
      </text>
      {amounts.map((units) => (
        <g key={units}>
          {units > 0 && <line class="grid" x1="0" x2="100%" y1={y(units)} y2={y(units)} />}
          <text class="amount" x={-AWAY} y={y(units) + 4}>
            {wholeUnitsText(units)}
          </text>
        </g>
      ))}
    </>
  )
}

/** Distance of the amounts from the chart, in pixels. */
const AWAY = 6
/** Room for the amounts, in pixels; `--amounts` of the style sheet. A longer name of the unit goes on above the chart. */
const AMOUNTS_WIDTH = 36

interface LayerProps {
  readonly course: FlowCourse
  readonly scale: Scale
}

/** The course in a separate SVG that is stretched to the width of the chart. */
export function FlowLayers({ course, scale, height }: LayerProps & { readonly height: number }) {
  return (
    <svg
      width="100%"
      height={height}
      viewBox={`0 0 100 ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {course.past.length > 0 && <Past course={course} scale={scale} />}
      <Coming course={course} scale={scale} />
    </svg>
  )
}

/** Number of times the usable quota has risen since it was first drawn. */
function useRises(usable: number): number {
  const last = useRef({ usable, rises: 0 })
  if (usable > last.current.usable) last.current.rises += 1
  last.current.usable = usable
  return last.current.rises
}

/** The recorded line of usable quota until now, interrupted by gaps, with what is held outlined above it. Its last part grows once when a reset arrives. */
function Past({ course: { past, usable, held, nowMs }, scale: { x, y, floor } }: LayerProps) {
  const rises = useRises(usable)
  const stretches: Place[][] = []
  const isSplit = past.at(-1)?.held !== undefined
  const now: PastPoint = {
    atMs: nowMs,
    ...(isSplit ? { units: usable, held } : { units: usable + held }),
  }
  const points = [...past, now]
  for (const { atMs, units, isAfterGap = false } of points) {
    if (isAfterGap || stretches.length === 0) stretches.push([])
    stretches.at(-1)?.push({ x: x(atMs), y: y(units) })
  }
  const areas = stretches.map((places) => {
    const onFloor = [places.at(-1), places[0]].map((place) => ({ x: place?.x ?? 0, y: floor }))
    return `${pathOf([...places, ...onFloor])}Z`
  })
  const riser = rises === 0 ? [] : (stretches.at(-1)?.slice(-2) ?? [])
  const line =
    riser.length < 2
      ? stretches
      : [...stretches.slice(0, -1), (stretches.at(-1) ?? []).slice(0, -1)]
  return (
    <>
      <path class="area" d={areas.join('')} />
      <path class="line" d={line.map(pathOf).join('')} />
      {/* A new element begins its animation anew. */}
      {riser.length > 1 && <path key={rises} class="line riser" d={pathOf(riser)} />}
      <path class="held-line" d={heldPath(points, { x, y })} />
    </>
  )
}

/** The coming quota: steps above today's level if nothing is used, or the band between the quartiles with the expected line. */
function Coming({ course: { coming, kind, usable }, scale: { x, y } }: LayerProps) {
  const placesOf = (unitsOf: (point: ComingPoint) => number): readonly Place[] =>
    coming.map((point) => ({ x: x(point.atMs), y: y(unitsOf(point)) }))
  const between = (upper: readonly Place[], lower: readonly Place[]) =>
    `${pathOf([...upper, ...lower.toReversed()])}Z`
  const expected = placesOf((point) => point.expected)
  const now = placesOf(() => usable)
  return (
    <>
      {kind === 'unused' ? (
        <>
          <path
            class="hold"
            d={between(
              now,
              placesOf(() => 0),
            )}
          />
          <path class="gain" d={between(expected, now)} />
        </>
      ) : (
        <path
          class="band"
          d={between(
            placesOf(({ high }) => high),
            placesOf(({ low }) => low),
          )}
        />
      )}
      {kind === 'expected' && (
        <path
          class="held-line"
          d={heldPath(
            coming.map((point) => ({ ...point, units: point.expected })),
            { x, y },
          )}
        />
      )}
      {kind !== 'rough' && <path class="step" d={pathOf(expected)} />}
    </>
  )
}

/** The line above what is usable, wherever something is held. A riser is part of the line below it alone. */
function heldPath(points: readonly PastPoint[], { x, y }: Pick<Scale, 'x' | 'y'>): string {
  const placeOf = ({ atMs, units, held = 0 }: PastPoint) => ({ x: x(atMs), y: y(units + held) })
  return points
    .flatMap((point, index) => {
      const before = points[index - 1]
      if (before === undefined || point.isAfterGap || before.atMs === point.atMs) return []
      const isHeld = (before.held ?? 0) > 0 || (point.held ?? 0) > 0
      return isHeld ? [pathOf([placeOf(before), placeOf(point)])] : []
    })
    .join('')
}

interface Place {
  readonly x: number
  readonly y: number
}

const pathOf = (places: readonly Place[]): string =>
  `M${places.map(({ x, y }) => `${x.toFixed(2)} ${y.toFixed(1)}`).join('L')}`
