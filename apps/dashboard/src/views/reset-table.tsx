import { capitalised, unitsText } from '@svc/views/format'
import { useState } from 'preact/hooks'
import { WindowBar } from '../parts/bars.tsx'
import { Icon } from '../parts/icon.tsx'
import { NameLink } from '../parts/text.tsx'
import { useGrowingCount, usePrinting } from '../parts/visible-rows.ts'
import { shareText } from '../parts/window-cell.tsx'
import { calmMs, elapsedSeconds, type status, zone } from '../state/live-data.ts'
import { rowKeyOf } from '../state/pool.ts'
import { unitName } from '../state/providers.ts'
import type { ResetRow } from '../state/reset-groups.ts'
import { chooseLineMinutes, type ResetLine, resetLines } from '../state/reset-lines.ts'
import { accountHref } from '../state/route.ts'
import { resetsWords } from '../words/resets-words.ts'
import { strings } from '../words/strings.ts'
import { shortDurationText } from '../words/times.ts'
import './reset-table.css'

type Column = NonNullable<typeof status.value>['tabs']['resets']['columns'][number]

interface ResetTableProps {
  readonly column: Column
  /** Hours covered by the lines of a long table; the last line takes all later resets. */
  readonly hours: number
}

/** Table of resets by account. In a long table a line covers a time slot and can be unfolded into its rows. */
export function ResetTable({ column: { id, label }, hours }: ResetTableProps) {
  const { resetHeads } = resetsWords
  const [opened, setOpened] = useState<Opened>({ minutes: null, ids: [] })
  const isPrinting = usePrinting()
  // Open lines keep their stretch while readings arrive.
  const minutes = opened.ids.length > 0 ? opened.minutes : chooseLineMinutes(id, hours)
  const fold: Fold = {
    windowId: id,
    isPrinting,
    isOpen: (line) => isPrinting || opened.ids.includes(line),
    toggle(line) {
      const others = opened.ids.filter((each) => each !== line)
      const isOpen = others.length < opened.ids.length
      setOpened({ minutes, ids: isOpen ? others : [...others, line] })
    },
  }
  return (
    <table class="resets">
      <caption class="sr">{resetsWords.resetTitles[id] ?? label}</caption>
      <thead>
        <tr>
          <th scope="col">{resetHeads.in}</th>
          <th scope="col" class="at">
            {resetHeads.at}
          </th>
          <th scope="col">{resetHeads.account}</th>
          <th scope="col" class="number">
            {capitalised(unitName.value)}
          </th>
          <th scope="col" class="left">
            {resetHeads.left}
          </th>
        </tr>
      </thead>
      <tbody>
        {resetLines(id, minutes).map((line) => (
          <Line key={line.id} line={line} fold={fold} />
        ))}
      </tbody>
    </table>
  )
}

/** The open lines, and the time slot when they were opened. */
interface Opened {
  readonly minutes: number | null
  readonly ids: readonly string[]
}

interface Fold {
  readonly windowId: string
  readonly isPrinting: boolean
  readonly isOpen: (id: string) => boolean
  readonly toggle: (id: string) => void
}

interface LineProps {
  readonly line: ResetLine
  readonly fold: Fold
}

function Line({ line, fold }: LineProps) {
  const { id, rows, lines } = line
  if (rows.length === 1) return <AccountRow row={rows[0]} windowId={fold.windowId} />
  return (
    <>
      <LineHead line={line} fold={fold} />
      {fold.isOpen(id) &&
        (lines.length > 0 ? (
          lines.map((each) => <Line key={each.id} line={each} fold={fold} />)
        ) : (
          <LineRows rows={rows} fold={fold} />
        ))}
    </>
  )
}

/** Sum of several resets, with the button that unfolds their rows. */
function LineHead({ line: { id, units, span, reason, rows }, fold }: LineProps) {
  const isOpen = fold.isOpen(id)
  const at = span === null ? '' : spanText(span.atMs, span.lastMs)
  const note = reason === null ? null : resetsWords.idleReasons[reason]
  const count = strings.accountCount(rows.length)
  return (
    <tr class={isOpen ? 'part' : undefined}>
      <td class="in" data-at={at}>
        {span !== null && shortDurationText((span.atMs - calmMs.value) / 1000)}
      </td>
      <td class="at dim">{at}</td>
      <th scope="row">
        <span class="named">
          <button
            type="button"
            class="opens"
            aria-expanded={isOpen}
            aria-label={strings.reading(count, note ?? at)}
            onClick={() => fold.toggle(id)}
          >
            {count}
            <Icon name={isOpen ? 'up' : 'down'} />
          </button>
          {note !== null && <span class="note">{note}</span>}
        </span>
      </th>
      <Units units={units} />
      <td class="left" />
    </tr>
  )
}

function LineRows({ rows, fold }: { readonly rows: readonly ResetRow[]; readonly fold: Fold }) {
  const drawn = useGrowingCount(rows.length)
  return (
    <>
      {rows.slice(0, fold.isPrinting ? undefined : drawn).map((row) => (
        <AccountRow
          key={`${rowKeyOf(row)} ${row.account}`}
          row={row}
          windowId={fold.windowId}
          isPart
        />
      ))}
    </>
  )
}

interface AccountRowProps {
  readonly row: ResetRow
  readonly windowId: string
  /** Whether the row belongs to an open line. */
  readonly isPart?: boolean
}

function AccountRow({ row, windowId, isPart = false }: AccountRowProps) {
  const note = noteText(row, windowId)
  return (
    <tr class={isPart ? 'part' : undefined}>
      <td class={row.notStarted === true ? 'in wraps' : 'in'} data-at={timeOf(row)}>
        {inText(row)}
      </td>
      <td class="at dim" title={row.resetAt ?? undefined}>
        {timeOf(row)}
      </td>
      <th scope="row">
        <span class="named">
          <NameLink title={row.account} href={accountHref(rowKeyOf(row))} />
          {note !== null && <span class="note">{note}</span>}
        </span>
      </th>
      <Units units={row.units ?? 0} />
      <td class="left">
        <span class="left-cell">
          <span class="window-left">{shareText(row)}</span>
          <WindowBar window={row} />
        </span>
      </td>
    </tr>
  )
}

function Units({ units }: { readonly units: number }) {
  return (
    <td class="number">
      {units === 0 ? <span class="dim">0</span> : <b>{`+${unitsText(units)}`}</b>}
    </td>
  )
}

/** Span of two times; a single time if both lie within one minute. */
function spanText(atMs: number, lastMs: number): string {
  const { clockText, dayAndDateText, momentText } = zone.value
  const from = momentText(atMs, calmMs.value)
  if (lastMs - atMs < 60_000) return from
  const isOneDay = dayAndDateText(atMs) === dayAndDateText(lastMs)
  return strings.momentSpan(from, isOneDay ? clockText(lastMs) : momentText(lastMs, calmMs.value))
}

/** Time of the row's reset; empty while the window has not started, because its reset then moves with the clock. */
function timeOf({ notStarted, timeText }: ResetRow): string {
  return notStarted === true ? '' : timeText
}

/** Text for the time to the row's reset, or a word if there is none. */
function inText({ resetsInSeconds, notStarted, rolledOver, remainingText }: ResetRow): string {
  if (rolledOver === true && resetsInSeconds === null) return strings.resetUnproven
  // The reset moves with the clock until the first use.
  if (notStarted === true) return strings.notStarted
  if (resetsInSeconds === null) return remainingText
  return shortDurationText(resetsInSeconds - elapsedSeconds.value)
}

/** Reason why a reset waits for the week, or returns nothing; null if it returns units. */
function noteText(row: ResetRow, windowId: string): string | null {
  if (windowId === '5h' && row.displayResetSource === 'week') return strings.waitsForWeek
  if ((row.units ?? 0) > 0) return null
  return resetsWords.idleReasons[row.percent === 100 ? 'full' : 'uncounted']
}
