import { roundInstants, unitsText } from '@svc/views/format'
import { isSilent, shownMs, zone } from '../state/live-data.ts'
import { isNarrow } from '../state/narrow.ts'
import { flowWords } from '../words/flow-words.ts'
import { strings } from '../words/strings.ts'
import './flow-chart.css'
import {
  Dry,
  type DryMark,
  dryNote,
  Grid,
  GridLabels,
  Past,
  percent,
  type Scale,
  Stairs,
  TOP,
} from './flow-layers.tsx'
import { FlowReader } from './flow-reader.tsx'
import type { FlowCourse, FlowStep, PastPoint } from './flow-reading.ts'

export interface FlowChartProps {
  /** Name of the value read at a time. */
  readonly name: string
  /** Text of the whole chart for screen readers. */
  readonly label: string
  /** Oldest first; empty to draw only the future. */
  readonly past: readonly PastPoint[]
  readonly pastHours: number
  readonly ahead: readonly FlowStep[]
  readonly aheadHours: number
  readonly known: number
  readonly tracked: number
  readonly height: number
  /** Null if the forecast shows no dry time. */
  readonly dry?: DryMark | null
}

const HOUR_MS = 3_600_000
/** Height of the row of times under the axis, in pixels. */
const FOOT = 20
/** Smallest part of all tracked units whose return gets a label. */
const LABEL_SHARE_MIN = 0.05
/** Hours above which the axis shows days instead of times. */
const CLOCK_HOURS_MAX = 24
/** Smallest distance between two labels, in percent of the width. */
const LABEL_GAP = 16
const LABEL_GAP_NARROW = 26
/** Smallest distance of the record's start from the edge, in percent of the width, at which the start gets a label. */
const SINCE_ROOM = 20
const SINCE_ROOM_NARROW = 42

/** Chart of quota over time: a line until now, then a stair that rises at each reset, without any further use. */
export function FlowChart(props: FlowChartProps) {
  const { name, label, pastHours, ahead, aheadHours, known, tracked, height, dry = null } = props
  const now = shownMs.value
  const floor = height - FOOT
  const startMs = now - pastHours * HOUR_MS
  const endMs = now + aheadHours * HOUR_MS
  const x = (ms: number) => ((ms - startMs) / (endMs - startMs)) * 100
  const y = (units: number) => floor - (Math.min(units, tracked) / tracked) * (floor - TOP)
  const scale = { x, y, floor }
  const nowX = x(now)
  const past = props.past.filter(({ atMs }) => atMs >= startMs && atMs <= now)
  const steps = ahead.filter(({ atMs }) => atMs > now && atMs <= endMs)
  const course = { past, steps, known, startMs, nowMs: now, endMs }
  return (
    <div class="flow-box">
      <svg class="flow" height={height} role="img" aria-label={label}>
        <Grid tracked={tracked} y={y} />
        {past.length > 0 && (
          <Past
            points={[...past, { atMs: now, units: known }]}
            scale={scale}
            nowX={nowX}
            height={height}
          />
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
        <GridLabels tracked={tracked} y={y} />
        <StepLabels
          steps={withLabel(steps, tracked, x)}
          all={steps}
          scale={scale}
          hours={aheadHours}
        />
        <TimeAxis course={course} scale={scale} />
      </svg>
      <FlowReader
        label={flowWords.reader(name)}
        course={course}
        x={x}
        y={y}
        height={height}
        noteAt={(ms) => dryNote(dry, ms)}
      />
    </div>
  )
}

interface TimeAxisProps {
  readonly course: FlowCourse
  readonly scale: Scale
}

/**
 * Times under the chart, including now and, if well inside the chart, the start of the record. Without points no start is shown, because
 * they may still be loading from the store.
 */
function TimeAxis({ course, scale: { x, floor } }: TimeAxisProps) {
  const { past, startMs, nowMs, endMs } = course
  const nowX = x(nowMs)
  const textY = floor + FOOT - 4
  const sinceMs = past[0]?.atMs ?? startMs
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
      {ticks(course).map((atMs) => (
        <text key={atMs} class="tick" x={percent(x(atMs))} y={textY} text-anchor="middle">
          {timeLabel(atMs, (endMs - startMs) / HOUR_MS)}
        </text>
      ))}
      <text class="strong" x={percent(nowX)} y={textY} text-anchor={nowX > 0 ? 'middle' : 'start'}>
        {isSilent.value ? zone.value.clockText(nowMs) : strings.now}
      </text>
    </>
  )
}

interface StepLabelsProps {
  readonly steps: readonly FlowStep[]
  /** All steps, including those without a label. */
  readonly all: readonly FlowStep[]
  readonly scale: Scale
  readonly hours: number
}

/** Labels of the largest resets, with units and time, placed above the stair across the width of the text. */
function StepLabels({ steps, all, scale: { x, y }, hours }: StepLabelsProps) {
  return (
    <>
      {steps.map(({ atMs, units, total }) => {
        const isAtEnd = x(atMs) > 75
        const endX = x(atMs) + (isAtEnd ? 0 : labelGap())
        const highest = all.findLast((step) => x(step.atMs) <= endX)?.total ?? total
        return (
          <text
            key={atMs}
            class="step-label"
            x={percent(x(atMs))}
            y={Math.max(10, y(highest) - 6)}
            text-anchor={isAtEnd ? 'end' : 'start'}
          >
            {`+${unitsText(units)} ${timeLabel(atMs, hours)}`}
          </text>
        )
      })}
    </>
  )
}

/** Width kept for a label, in percent. */
const labelGap = () => (isNarrow.value ? LABEL_GAP_NARROW : LABEL_GAP)

/** Steps with a label. If there is not enough room, the largest steps get one. */
function withLabel(
  steps: readonly FlowStep[],
  tracked: number,
  x: (ms: number) => number,
): readonly FlowStep[] {
  const chosen: FlowStep[] = []
  const gap = labelGap()
  for (const step of [...steps].sort((a, b) => b.units - a.units)) {
    if (step.units < tracked * LABEL_SHARE_MIN) break
    if (chosen.every(({ atMs }) => Math.abs(x(atMs) - x(step.atMs)) >= gap)) chosen.push(step)
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
  const everyHours =
    (hours <= CLOCK_HOURS_MAX ? [1, 2, 3, 6, 12] : [24, 48]).find(
      (candidate) => hours / candidate <= (isNarrow.value ? 6 : 7),
    ) ?? 48
  // On a phone the name of a day takes a sixth of the chart's width.
  const [roomAfter, roomBeside] = isNarrow.value ? [0.2, 0.16] : [0.14, 0.09]
  const roomOfNow = width * (startMs >= nowMs ? roomAfter : roomBeside)
  // Half of the name of a day must fit on each side of its position.
  const roomAtEdge = width * (isNarrow.value ? 0.08 : 0.04)
  return roundInstants(zone.value, everyHours * HOUR_MS, startMs, endMs).filter((at) => {
    const nearEdge = at - startMs < roomAtEdge || endMs - at < roomAtEdge
    return !nearEdge && Math.abs(at - nowMs) >= roomOfNow
  })
}
