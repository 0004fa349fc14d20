import { roundInstants, unitsText } from '@svc/views/format'
import { isNarrow, theme } from '../state/display-state.ts'
import { isSilent, shownMs, zone } from '../state/live-data.ts'
import { unitName } from '../state/providers.ts'
import type { ResetStep } from '../state/reset-groups.ts'
import type { Forecast } from '../state/window-quota.ts'
import { flowWords } from '../words/chart-words.ts'
import { strings } from '../words/strings.ts'
import './flow-chart.css'
import { AmountAxis, FlowLayers, percent, type Scale, TOP } from './flow-layers.tsx'
import {
  expectedCourse,
  type FlowCourse,
  FlowReader,
  flowReadingAt,
  flowReadingText,
  type PastPoint,
  unusedCourse,
} from './flow-reader.tsx'

export interface FlowChartProps {
  /** Name of the window. */
  readonly name: string
  /** Oldest first; empty to draw only the future. */
  readonly past: readonly PastPoint[]
  readonly pastHours: number
  readonly resets: readonly ResetStep[]
  readonly aheadHours: number
  /** Forecast; null to draw the remaining quota as if none is used. */
  readonly forecast: Forecast | null
  /** Units usable now. */
  readonly usable: number
  /** Units on blocked accounts now. */
  readonly held: number
  readonly height: number
  /** Expected dry time in epoch milliseconds; null if unknown. */
  readonly dryMs: number | null
}

const HOUR_MS = 3_600_000
/** Letter size in the e-ink theme, as a multiple of that in other themes. */
const LETTERS_OF_EINK = 1.2
const lettersOfTheme = () => (theme.value === 'eink' ? LETTERS_OF_EINK : 1)
/** Height of the row of times under the axis, in pixels. */
const FOOT = 20
/** Smallest return that gets a label, as a share of the chart's height. */
const LABEL_SHARE_MIN = 0.05
/** Longest time ahead, in hours, for which the axis shows clock times; beyond it, days. */
const CLOCK_HOURS_MAX = 24
/** Width reserved for the label of a reset, in percent of the chart's. */
const LABEL_WIDTH = 16
const LABEL_WIDTH_NARROW = 32
/** Smallest distance of the record's start from the edge, in percent of the width, at which the start gets a label. */
const SINCE_ROOM = 20
const SINCE_ROOM_NARROW = 42

/** Chart of quota over time: a line until now, then the forecast, or without one a stair that rises at each reset as if no quota is used. */
export function FlowChart(props: FlowChartProps) {
  const { name, pastHours, aheadHours, forecast, usable, held, height, dryMs } = props
  const nowMs = shownMs.value
  const floor = height - FOOT
  const startMs = nowMs - pastHours * HOUR_MS
  const endMs = nowMs + aheadHours * HOUR_MS
  const past = props.past.filter(({ atMs }) => atMs >= startMs && atMs <= nowMs)
  const steps = props.resets.filter(({ atMs }) => atMs > nowMs && atMs <= endMs)
  const times = { usable, held, startMs, nowMs, endMs }
  const course: FlowCourse = {
    past,
    coming: forecast === null ? unusedCourse(steps, times) : expectedCourse(forecast.points, times),
    kind: forecast === null ? 'unused' : forecast.isRough ? 'rough' : 'expected',
    ...times,
  }
  const top = roundAbove(
    Math.max(
      usable + held,
      ...past.map(({ units, held: more = 0 }) => units + more),
      ...course.coming.map(({ high, expected, held: more = 0 }) => Math.max(high, expected + more)),
    ),
  )
  const x = (ms: number) => ((ms - startMs) / (endMs - startMs)) * 100
  const y = (units: number) => floor - (units / top) * (floor - TOP)
  const scale = { x, y, floor }
  const summary = flowWords.summary(
    name,
    unitsText(past[0]?.units ?? usable),
    unitsText(usable),
    unitName.value,
    flowReadingText(flowReadingAt(course, endMs), nowMs),
  )
  return (
    <div class="flow-box">
      <svg class="flow" height={height} role="img" aria-label={summary}>
        <AmountAxis top={top} y={y} />
        <FlowLayers course={course} scale={scale} height={height} />
        <StepLabels
          steps={withLabel(steps, top, x)}
          course={course}
          scale={scale}
          hours={aheadHours}
        />
        <TimeAxis course={course} scale={scale} dryMs={dryMs} />
      </svg>
      <FlowReader
        label={flowWords.reader(name)}
        course={course}
        x={x}
        y={y}
        height={height}
        noteAt={(ms) =>
          forecast !== null || dryMs === null || ms < dryMs
            ? ''
            : flowWords.dryNote(zone.value.momentText(dryMs, nowMs))
        }
      />
    </div>
  )
}

const ROUND = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]
const LEAST_SCALE = 0.1

/** The nearest round number that is not below these units, and whose half has one decimal at most. */
function roundAbove(units: number): number {
  const scale = Math.max(LEAST_SCALE, 10 ** Math.floor(Math.log10(Math.max(LEAST_SCALE, units))))
  const hasShortHalf = (round: number) => Number.isInteger(Number((round * scale * 5).toFixed(6)))
  const round = ROUND.find((each) => each * scale >= units && hasShortHalf(each)) ?? 10
  return Number((round * scale).toFixed(1))
}

interface TimeAxisProps {
  readonly course: FlowCourse
  readonly scale: Scale
  readonly dryMs: number | null
}

/**
 * Times under the chart: now, the dry time and, if well inside the chart, the start of the record. Without points the start is omitted, because they
 * may still be loading from the store.
 */
function TimeAxis({ course, scale: { x, floor }, dryMs }: TimeAxisProps) {
  const { past, startMs, nowMs, endMs } = course
  const nowX = x(nowMs)
  const textY = floor + FOOT - 4
  const sinceMs = past[0]?.atMs ?? startMs
  const dry = dryMs === null || dryMs > endMs ? null : dryPlace(x(Math.max(nowMs, dryMs)), nowX)
  return (
    <>
      <line class="axis" x1="0" x2="100%" y1={floor} y2={floor} />
      {nowX > 0 && (
        <line class="now" x1={percent(nowX)} x2={percent(nowX)} y1={TOP - 8} y2={floor} />
      )}
      {x(sinceMs) > (isNarrow.value ? SINCE_ROOM_NARROW : SINCE_ROOM) && (
        <text x="0" y={floor - 6}>
          {flowWords.since(zone.value.momentText(sinceMs, nowMs))}
        </text>
      )}
      {ticks(course)
        .filter((atMs) => dry === null || Math.abs(x(atMs) - dry.middle) >= dryRoom())
        .map((atMs) => (
          <text key={atMs} class="tick" x={percent(x(atMs))} y={textY} text-anchor="middle">
            {timeLabel(atMs, (endMs - startMs) / HOUR_MS)}
          </text>
        ))}
      <text class="strong" x={percent(nowX)} y={textY} text-anchor={nowX > 0 ? 'middle' : 'start'}>
        {isSilent.value ? zone.value.clockText(nowMs) : strings.now}
      </text>
      {dryMs !== null && dry !== null && (
        <>
          <line
            class="dry-mark"
            x1={percent(dry.x)}
            x2={percent(dry.x)}
            y1={floor - DRY_UP}
            y2={floor + DRY_DOWN}
          />
          <text
            class="dry-label"
            x={percent(dry.labelX)}
            y={textY}
            dx={dry.dx}
            text-anchor={dry.anchor}
          >
            {flowWords.dryAt(zone.value.momentText(dryMs, nowMs))}
          </text>
        </>
      )}
    </>
  )
}

/** Length of the dry mark above and below the axis, in pixels. */
const DRY_UP = 12
const DRY_DOWN = 4
/** Half the width of the label for now, in pixels. */
const NOW_WIDTH = 24
/** Minimum distance between the label of the dry time and other times, in percent of the width. */
const dryRoom = () => (isNarrow.value ? 30 : 15)

/** Place of the dry mark and of its label, which stands beside now and inside the chart. */
function dryPlace(x: number, nowX: number) {
  const room = dryRoom()
  if (x - nowX < room) {
    const dx = nowX > 0 ? NOW_WIDTH : 2 * NOW_WIDTH
    return { x, labelX: nowX, dx, anchor: 'start' as const, middle: nowX + room }
  }
  if (x > 100 - room / 2)
    return { x, labelX: 100, dx: 0, anchor: 'end' as const, middle: 100 - room / 2 }
  return { x, labelX: x, dx: 0, anchor: 'middle' as const, middle: x }
}

interface StepLabelsProps {
  readonly steps: readonly ResetStep[]
  readonly course: FlowCourse
  readonly scale: Scale
  readonly hours: number
}

/** Labels of the largest resets, with units and time. Each is placed above the line over the label's whole width. */
function StepLabels({ steps, course: { coming }, scale: { x, y }, hours }: StepLabelsProps) {
  return (
    <>
      {steps.map(({ atMs, units }) => {
        const { fromX, toX, anchor } = labelPlace(x(atMs))
        const around = coming.filter(
          (point, index) =>
            x(coming[index + 1]?.atMs ?? point.atMs) >= fromX &&
            x(coming[index - 1]?.atMs ?? point.atMs) <= toX,
        )
        return (
          <text
            key={atMs}
            class="step-label"
            x={percent(x(atMs))}
            y={y(Math.max(...around.map(({ high }) => high))) - 6}
            text-anchor={anchor}
          >
            {`+${unitsText(units)} ${timeLabel(atMs, hours)}`}
          </text>
        )
      })}
    </>
  )
}

/** Place reserved for the label of a reset, in percent of the chart's width: after the reset, or before it if the chart ends there. */
function labelPlace(x: number) {
  const width = (isNarrow.value ? LABEL_WIDTH_NARROW : LABEL_WIDTH) * lettersOfTheme()
  return x + width > 100
    ? { fromX: x - width, toX: x, anchor: 'end' as const }
    : { fromX: x, toX: x + width, anchor: 'start' as const }
}

/** Steps that get a label; the largest ones if there is not enough room. */
function withLabel(
  steps: readonly ResetStep[],
  top: number,
  x: (ms: number) => number,
): readonly ResetStep[] {
  const chosen: ResetStep[] = []
  const placeOf = ({ atMs }: ResetStep) => labelPlace(x(atMs))
  for (const step of [...steps].sort((a, b) => b.units - a.units)) {
    if (step.units < top * LABEL_SHARE_MIN) break
    const { fromX, toX } = placeOf(step)
    if (chosen.map(placeOf).every((other) => toX <= other.fromX || fromX >= other.toX))
      chosen.push(step)
  }
  return chosen
}

function timeLabel(atMs: number, hours: number): string {
  return hours <= CLOCK_HOURS_MAX ? zone.value.clockText(atMs) : zone.value.dayAndDateText(atMs)
}

/** About four round instants, none too close to now. */
function ticks({ startMs, nowMs, endMs }: FlowCourse): readonly number[] {
  const width = endMs - startMs
  const hours = width / HOUR_MS
  const letters = lettersOfTheme()
  const everyHours =
    (hours <= CLOCK_HOURS_MAX ? [1, 2, 3, 6, 12] : [24, 48]).find(
      (candidate) => hours / candidate <= (isNarrow.value ? 6 / letters : 7),
    ) ?? 48
  // On a phone the name of a day takes a sixth of the chart's width, more in the larger letters of e-ink; a time has room there.
  const [roomAfter, roomBeside] = isNarrow.value ? [0.2, 0.16] : [0.14, 0.09]
  const widening = hours > CLOCK_HOURS_MAX ? letters : 1
  const roomOfNow = width * widening * (startMs >= nowMs ? roomAfter : roomBeside)
  // Half of the name of a day must fit on each side of its position.
  const roomAtEdge = width * (isNarrow.value ? 0.08 : 0.04)
  return roundInstants(zone.value, everyHours * HOUR_MS, startMs, endMs).filter((at) => {
    const nearEdge = at - startMs < roomAtEdge || endMs - at < roomAtEdge
    return !nearEdge && Math.abs(at - nowMs) >= roomOfNow
  })
}
