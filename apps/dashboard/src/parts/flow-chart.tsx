import { roundInstants, unitsText, wholeUnitsText } from '@svc/views/format'
import { calmMs, zone } from '../state/live-data.ts'
import { strings } from '../words/strings.ts'

interface PastPoint {
  readonly atMs: number
  readonly units: number
}

interface Step {
  readonly atMs: number
  readonly units: number
  readonly total: number
}

/** When the window is expected to run dry, and between which times that most likely is. */
export interface DryMark {
  readonly atMs: number
  readonly fromMs: number
  readonly toMs: number
  /** Whether the forecast is too rough for a clock time. */
  readonly isRough: boolean
}

export interface FlowChartProps {
  readonly label: string
  /** Oldest first; empty where only what comes is drawn. */
  readonly past: readonly PastPoint[]
  readonly pastHours: number
  readonly ahead: readonly Step[]
  readonly aheadHours: number
  readonly known: number
  readonly tracked: number
  readonly height: number
  /** Null where it does not run dry as far as anybody can see. */
  readonly dry?: DryMark | null
}

const HOUR_MS = 3_600_000
const TOP = 14
/** Room for the times under the axis. */
const FOOT = 20
/** A step is named only when it returns this part of all that is tracked. */
const LABEL_SHARE_MIN = 0.05
/** A chart of more than so many hours tells days. */
const CLOCK_HOURS_MAX = 24
/** Two names closer than this, in percent of the width, would run into each other. */
const LABEL_GAP = 16

/** Where a time and an amount are drawn: in percent of the width, and in pixels from the top. */
interface Scale {
  readonly x: (ms: number) => number
  readonly y: (units: number) => number
  readonly floor: number
}

const percent = (value: number) => `${value.toFixed(2)}%`

/** What was, what is and what comes back: a line until now, then a stair as high as the pool gets if nothing is used. */
export function FlowChart(props: FlowChartProps) {
  const { label, pastHours, ahead, aheadHours, known, tracked, height, dry = null } = props
  const now = calmMs.value
  const floor = height - FOOT
  const startMs = now - pastHours * HOUR_MS
  const endMs = now + aheadHours * HOUR_MS
  const x = (ms: number) => ((ms - startMs) / (endMs - startMs)) * 100
  const y = (units: number) => floor - (Math.min(units, tracked) / tracked) * (floor - TOP)
  const scale = { x, y, floor }
  const nowX = x(now)
  const past = [
    ...props.past.filter(({ atMs }) => atMs >= startMs && atMs <= now),
    { atMs: now, units: known },
  ]
  const steps = ahead.filter(({ atMs }) => atMs > now && atMs <= endMs)
  return (
    <svg class="flow" height={height} role="img" aria-label={label}>
      <line class="grid" x1="0" x2="100%" y1={TOP} y2={TOP} />
      <text x="0" y={TOP - 4}>
        {wholeUnitsText(tracked)}
      </text>
      {pastHours > 0 && past.length > 1 && (
        <Past points={past} scale={scale} nowX={nowX} height={height} />
      )}
      <rect
        class="hold"
        x={percent(nowX)}
        width={percent(100 - nowX)}
        y={y(known)}
        height={floor - y(known)}
      />
      <Stairs steps={steps} known={known} now={now} scale={scale} />
      {dry !== null && dry.fromMs < endMs && (
        <Dry dry={dry} endMs={endMs} nowMs={now} scale={scale} />
      )}
      <line class="axis" x1="0" x2="100%" y1={floor} y2={floor} />
      {pastHours > 0 && (
        <line class="now" x1={percent(nowX)} x2={percent(nowX)} y1={TOP - 8} y2={floor} />
      )}
      {labelled(steps, tracked, x).map(({ atMs, units, total }) => (
        <text
          key={`l${atMs}`}
          class="step-label"
          x={percent(x(atMs))}
          y={Math.max(10, y(total) - 5)}
          text-anchor={x(atMs) > 75 ? 'end' : 'start'}
        >
          {`+${unitsText(units)} ${timeLabel(atMs, aheadHours)}`}
        </text>
      ))}
      {ticks(startMs, endMs, now, pastHours > 0).map((atMs) => (
        <text key={atMs} x={percent(x(atMs))} y={height - 4} text-anchor="middle">
          {timeLabel(atMs, pastHours + aheadHours)}
        </text>
      ))}
      <text
        class="strong"
        x={percent(nowX)}
        y={height - 4}
        text-anchor={pastHours > 0 ? 'middle' : 'start'}
      >
        {strings.now}
      </text>
    </svg>
  )
}

interface PastProps {
  readonly points: readonly PastPoint[]
  readonly scale: Scale
  readonly nowX: number
  readonly height: number
}

/** The line until now, in a picture of its own as wide as the past. */
function Past({ points, scale: { x, y, floor }, nowX, height }: PastProps) {
  const places = points.map(
    ({ atMs, units }) => `${((x(atMs) / nowX) * 100).toFixed(2)} ${y(units).toFixed(1)}`,
  )
  const [startX] = places[0]?.split(' ') ?? []
  return (
    <svg
      x="0"
      y="0"
      width={percent(nowX)}
      height={height}
      viewBox={`0 0 100 ${height}`}
      preserveAspectRatio="none"
    >
      <path class="area" d={`M${startX} ${floor}L${places.join('L')}L100 ${floor}Z`} />
      <path class="line" d={`M${places.join('L')}`} />
    </svg>
  )
}

interface DryProps {
  readonly dry: DryMark
  readonly nowMs: number
  readonly endMs: number
  readonly scale: Scale
}

/** The band of times in which the window most likely runs dry, and the one that is expected. */
function Dry({
  dry: { atMs, fromMs, toMs, isRough },
  nowMs,
  endMs,
  scale: { x, floor },
}: DryProps) {
  const [fromX, toX] = [x(Math.max(nowMs, fromMs)), x(Math.min(endMs, toMs))]
  const text = isRough ? strings.dry : strings.dryAt(zone.value.clockText(atMs))
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
            {text}
          </text>
        </>
      )}
    </>
  )
}

interface StairsProps {
  readonly steps: readonly Step[]
  readonly known: number
  readonly now: number
  readonly scale: Scale
}

/** What each reset adds, and the line above it. */
function Stairs({ steps, known, now, scale: { x, y } }: StairsProps) {
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
  /** Null at the first step. */
  readonly previousMs: number | null
}

function stairOf(steps: readonly Step[], known: number): readonly Stair[] {
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

/** The steps worth a name, the largest first where there is no room for all. */
function labelled(
  steps: readonly Step[],
  tracked: number,
  x: (ms: number) => number,
): readonly Step[] {
  const chosen: Step[] = []
  for (const step of [...steps].sort((a, b) => b.units - a.units)) {
    if (step.units < tracked * LABEL_SHARE_MIN) break
    if (chosen.every(({ atMs }) => Math.abs(x(atMs) - x(step.atMs)) >= LABEL_GAP)) chosen.push(step)
  }
  return chosen
}

function timeLabel(atMs: number, hours: number): string {
  return hours <= CLOCK_HOURS_MAX ? zone.value.clockText(atMs) : zone.value.dayAndDateText(atMs)
}

/** Four or so round instants, none of them beside the one of now. */
function ticks(
  startMs: number,
  endMs: number,
  now: number,
  isNowInside: boolean,
): readonly number[] {
  const hours = (endMs - startMs) / HOUR_MS
  const everyHours =
    (hours <= CLOCK_HOURS_MAX ? [1, 2, 3, 6, 12] : [24, 48]).find(
      (candidate) => hours / candidate <= 7,
    ) ?? 48
  const width = endMs - startMs
  return roundInstants(zone.value, everyHours * HOUR_MS, startMs, endMs).filter((at) => {
    const nearEdge = at - startMs < width * 0.04 || endMs - at < width * 0.04
    const nearNow = Math.abs(at - now) < width * (isNowInside ? 0.07 : 0.1)
    return !nearEdge && !nearNow
  })
}
