import type { QuotaCourse } from '@svc/views'
import { percentText } from '@svc/views/format'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { zone } from '../state/live-data.ts'
import {
  followQuotaHistory,
  type HistoryPoint,
  historyFailed,
  historyRange,
  type Level,
  levelAt,
  levelsIn,
  quotaHistory,
  stairPath,
  type WindowHistory,
} from '../state/quota-history.ts'
import { accountWords } from '../words/account-words.ts'
import { cycleWords } from '../words/chart-words.ts'
import { statsWords } from '../words/stats-words.ts'
import { strings } from '../words/strings.ts'
import { countingDurationText } from '../words/times.ts'
import { Heads } from './rows.tsx'
import './quota-history.css'
import { TryNow } from './button.tsx'
import { CycleBars, cycleCount, cycleReadout, cycleRows } from './cycle-bars.tsx'
import { RadioChoice } from './radio-choice.tsx'
import { useChosenMs } from './slider.ts'
import { Coded } from './text.tsx'

const RANGES = ['24h', '7d', '30d'] as const
const WIDTH = 320
const HEIGHT = 64
/** Number of resets above which short strokes mark them, because full ones would hide the line. */
const FULL_MARKS_MAX = 40
const SHORT_MARK = 5
/** Number of steps that the keys divide the range into. */
const STEPS = 96

interface QuotaHistoryProps {
  readonly accountKey: string
  /** Ids of windows that the account lacks. The history has another window's quota under them, which is not drawn. */
  readonly absent: readonly string[]
}

export function QuotaHistoryCharts({ accountKey, absent }: QuotaHistoryProps) {
  const range = historyRange.value
  useEffect(() => followQuotaHistory(accountKey, range), [accountKey, range])
  const now = quotaHistory.value?.accountKey === accountKey ? quotaHistory.value : null
  return (
    <>
      <h3>{accountWords.courseTitle}</h3>
      <RadioChoice
        label={statsWords.range}
        name="course-range"
        choices={RANGES.map((id) => [id, strings.ranges[id]])}
        chosen={range}
        onChoose={(id) => {
          historyRange.value = id
        }}
      />
      {now === null ? (
        <p class="dim small">
          {historyFailed.value ? strings.chartFailed : statsWords.loading}{' '}
          {historyFailed.value && <TryNow />}
        </p>
      ) : now.available ? (
        now.windows
          .filter(({ id }) => !absent.includes(id))
          .map((window) => <WindowChart key={window.id} window={window} now={now} />)
      ) : (
        <p class="dim small">
          <Coded
            text={now.reason === 'no_store' ? accountWords.courseNoStore : strings.chartFailed}
          />
        </p>
      )}
    </>
  )
}

interface WindowProps {
  readonly window: WindowHistory
  readonly now: QuotaCourse
}

function WindowChart({ window, now }: WindowProps) {
  const title = strings.windowTitles[window.id] ?? window.label
  const [startMs, endMs] = [Date.parse(now.range.start), Date.parse(now.range.end)]
  const { chosenMs, press, handlers } = useChosenMs({ startMs, endMs })
  const standings = levelsIn(window, { startMs, endMs })
  if (standings.length === 0) return <p class="dim small">{accountWords.courseEmpty(title)}</p>

  const atMs = Math.min(endMs, Math.max(startMs, chosenMs ?? endMs))
  // Over days the line of a window is a comb; how full each was is what can be read.
  const cycles = now.range.id === '24h' ? [] : window.cycles
  const hasBars = cycles.length > 0
  const words = hasBars
    ? cycleReadout(cycles, atMs, endMs)
    : describeReading(standings, atMs, endMs)
  const x = (ms: number) => ((ms - startMs) / (endMs - startMs)) * WIDTH
  const inside = (ms: number) => Math.min(WIDTH, Math.max(0, x(ms)))
  const stepMs = (endMs - startMs) / STEPS
  const moves: Readonly<Record<string, number>> = {
    ArrowLeft: atMs - stepMs,
    ArrowRight: atMs + stepMs,
    Home: startMs,
    End: endMs,
  }
  return (
    <figure class="course">
      <figcaption>
        <b>{hasBars ? cycleWords.barTitle(title) : title}</b> <span>{words}</span>
      </figcaption>
      <p class="scale dim small" aria-hidden="true">
        <span>{percentText(100)}</span>
        <span>{percentText(0)}</span>
      </p>
      <div
        role="slider"
        tabIndex={0}
        aria-label={accountWords.courseLabel(title, strings.ranges[now.range.id] ?? now.range.id)}
        aria-valuemin={0}
        aria-valuemax={STEPS}
        aria-valuenow={Math.round((atMs - startMs) / stepMs)}
        aria-valuetext={words}
        {...handlers}
        onKeyDown={(event) => press(event, moves[event.key])}
      >
        <Plot window={window} x={x} at={chosenMs === null ? null : atMs}>
          {hasBars ? (
            <CycleBars cycles={cycles} x={inside} y={y} />
          ) : (
            <Lines window={window} standings={standings} x={x} />
          )}
        </Plot>
      </div>
      <p class="dim small ends">
        <span>{zone.value.momentText(startMs, endMs)}</span>
        <span>{zone.value.momentText((startMs + endMs) / 2, endMs)}</span>
        <span>{strings.now}</span>
      </p>
      {hasBars ? (
        <Rows
          summary={cycleCount(cycles)}
          heads={cycleWords.heads}
          rows={() => cycleRows(cycles, endMs)}
        />
      ) : (
        <Rows
          summary={accountWords.courseTable(window.points.length, window.resets.length)}
          heads={accountWords.courseHeads}
          rows={() => readingRows(window, endMs)}
        />
      )}
    </figure>
  )
}

interface PlotProps {
  readonly window: WindowHistory
  readonly x: (ms: number) => number
  readonly at: number | null
  readonly children: ComponentChildren
}

/** Plot of a window with its gaps and the chosen time; `children` is its content. */
function Plot({ window, x, at, children }: PlotProps) {
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {window.gaps.map(({ from, to }) => (
        <rect
          key={from}
          class="gap"
          x={x(Date.parse(from))}
          width={x(Date.parse(to)) - x(Date.parse(from))}
          y={0}
          height={HEIGHT}
        />
      ))}
      {children}
      {at !== null && <path class="cursor" d={`M${x(at).toFixed(1)} 0V${HEIGHT}`} />}
    </svg>
  )
}

const y = (percent: number) => HEIGHT - 1 - (percent / 100) * (HEIGHT - 2)

interface LinesProps extends Pick<PlotProps, 'window' | 'x'> {
  readonly standings: readonly Level[]
}

function Lines({ window, standings, x }: LinesProps) {
  const markTop = window.resets.length > FULL_MARKS_MAX ? HEIGHT - SHORT_MARK : 0
  return (
    <>
      {window.resets.map((reset) => {
        const place = x(Date.parse(reset.at))
        return (
          <path
            key={reset.at}
            class={reset.expected ? 'reset' : 'reset unexpected'}
            d={`M${place.toFixed(1)} ${markTop}V${HEIGHT}`}
          />
        )
      })}
      <path class="line" d={stairPath(standings, { x, y })} />
    </>
  )
}

function describeReading(standings: readonly Level[], atMs: number, endMs: number): string {
  const moment = zone.value.momentText(atMs, endMs)
  const standing = levelAt(standings, atMs)
  return standing === null
    ? strings.reading(moment, statsWords.notKnown)
    : strings.reading(moment, strings.percentLeft(percentText(standing.point.percent)))
}

interface Row {
  readonly key: string
  readonly head: string
  readonly what: string
  readonly detail: string
}

interface RowsProps {
  readonly summary: string
  readonly heads: readonly string[]
  readonly rows: () => readonly Row[]
}

/** A chart as a table, newest first; built only once opened. */
function Rows({ summary, heads, rows }: RowsProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && (
        <table>
          <thead>
            <Heads words={heads} />
          </thead>
          <tbody>
            {rows().map(({ key, head, what, detail }) => (
              <tr key={key}>
                <th scope="row">{head}</th>
                <td>{what}</td>
                <td>{detail}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  )
}

function readingRows({ points, resets, gaps }: WindowHistory, endMs: number): readonly Row[] {
  const readings = points.map((point) => ({
    ms: Date.parse(point.t),
    what: strings.percentLeft(percentText(point.percent)),
    detail: originText(point),
  }))
  const refills = resets.map(({ at, percentBefore, percentAfter, expected }) => ({
    ms: Date.parse(at),
    what: expected ? accountWords.courseReset : accountWords.courseUnexpectedReset,
    detail: `${percentText(percentBefore)} → ${percentText(percentAfter)}`,
  }))
  const holes = gaps.map(({ from, to }) => ({
    ms: Date.parse(from),
    what: statsWords.notKnown,
    detail: countingDurationText((Date.parse(to) - Date.parse(from)) / 1000),
  }))
  return [...readings, ...refills, ...holes]
    .sort((one, other) => other.ms - one.ms)
    .map(({ ms, what, detail }) => ({
      key: `${ms} ${what}`,
      head: zone.value.momentText(ms, endMs),
      what,
      detail,
    }))
}

function originText({ origin, ageSeconds, rolledOver }: HistoryPoint): string {
  if (rolledOver) return accountWords.courseUnproven
  if (origin === null) return ''
  const name = strings.originsLong[origin] ?? origin
  return ageSeconds === null
    ? name
    : strings.listOf([name, strings.old(countingDurationText(ageSeconds))])
}
