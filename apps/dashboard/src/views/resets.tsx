import { countingDurationText, unitsText, wholeUnitsText } from '@svc/views/format'
import { PercentBar, WindowBar } from '../parts/bars.tsx'
import { FlowChart } from '../parts/flow-chart.tsx'
import { Name } from '../parts/name.tsx'
import { leftText } from '../parts/window-cell.tsx'
import { HORIZONS, horizon } from '../state/horizon.ts'
import { calmMs, elapsedSeconds, status, zone } from '../state/live-data.ts'
import { fileKeyOf } from '../state/pool.ts'
import { accountHref } from '../state/route.ts'
import { strings } from '../words/strings.ts'

const CHART_HEIGHT = 170

type Column = NonNullable<typeof status.value>['tabs']['resets']['columns'][number]
type ResetRow = Column['rows'][number]

/** What expires unused, and what comes back when. */
export function Resets({ title }: { readonly title: string }) {
  const tabs = status.value?.tabs
  if (tabs === undefined) return <p class="empty">{strings.waiting}</p>
  return (
    <>
      <h2 class="sr">{title}</h2>
      <Lane />
      <div class="hero">
        {tabs.resets.columns.map((column) => (
          <ResetColumn key={column.id} column={column} />
        ))}
      </div>
    </>
  )
}

function Lane() {
  const rows = status.value?.tabs.resets.reclaim ?? []
  return (
    <section class="lane" aria-labelledby="title-lane">
      <h2 id="title-lane">{strings.lane}</h2>
      {rows.length === 0 && <p class="empty">{strings.nothingExpires}</p>}
      <ul>
        {rows.map((row) => {
          const seconds = Math.max(0, row.resetsInSeconds - elapsedSeconds.value)
          return (
            <li key={fileKeyOf(row)} class="reclaim">
              <a class="account" href={accountHref(fileKeyOf(row))}>
                <Name text={row.account} />
              </a>
              <span class="badge">{row.badge}</span>
              <span>
                <b>{strings.expires(unitsText(row.units))}</b>{' '}
                {zone.value.whenText(calmMs.value + seconds * 1000, calmMs.value)}
              </span>
              <span class="window-left">{row.percentText}</span>
              <PercentBar percent={row.percent} />
              <span>
                <b>{countingDurationText(seconds)}</b> {strings.toUse}
              </span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function ResetColumn({ column }: { readonly column: Column }) {
  const { id } = column
  const capacity = status.value?.tabs.pool.windows.find((window) => window.id === id)
  if (capacity === undefined) return null
  const hours = horizon.value[id] ?? 6
  return (
    <section class="capacity" aria-labelledby={`title-resets-${id}`}>
      <header>
        <h2 id={`title-resets-${id}`}>{strings.resetTitles[id] ?? column.label}</h2>
        <HorizonChoice id={id} hours={hours} />
      </header>
      {capacity.trackedUnits > 0 && (
        <Course
          column={column}
          hours={hours}
          known={capacity.knownUnits}
          tracked={capacity.trackedUnits}
        />
      )}
      {column.rows.length === 0 ? (
        <p class="empty">{strings.noResets}</p>
      ) : (
        <Rows column={column} />
      )}
    </section>
  )
}

function HorizonChoice({ id, hours }: { readonly id: string; readonly hours: number }) {
  return (
    <fieldset class="choice">
      <legend class="sr">{strings.range}</legend>
      {[...(HORIZONS[id] ?? [])]
        .sort((a, b) => a - b)
        .map((choice) => (
          <label key={choice}>
            <input
              type="radio"
              name={`horizon-${id}`}
              checked={choice === hours}
              onChange={() => {
                horizon.value = { ...horizon.value, [id]: choice }
              }}
            />
            <span>{strings.horizons[choice]}</span>
          </label>
        ))}
    </fieldset>
  )
}

interface CourseProps {
  readonly column: Column
  readonly hours: number
  readonly known: number
  readonly tracked: number
}

/** What the window has, as resets arrive within the hours that are chosen. */
function Course({ column, hours, known, tracked }: CourseProps) {
  const endMs = calmMs.value + hours * 3_600_000
  const steps = stepsOf(column.rows, known, tracked)
  const coming = steps.filter(({ atMs }) => atMs <= endMs)
  const sum = coming.reduce((total, { units }) => total + units, 0)
  const whens = coming.map(
    ({ atMs, total }) => `${unitsText(total)} ${zone.value.whenText(atMs, calmMs.value)}`,
  )
  return (
    <>
      <p class="sum">
        <b>{strings.resetSum(unitsText(sum))}</b>{' '}
        {strings.resetSumRest(
          strings.horizons[hours] ?? '',
          unitsText(coming.at(-1)?.total ?? known),
          wholeUnitsText(tracked),
        )}
      </p>
      <FlowChart
        label={strings.resetsLabel(column.label, whens.join(', '))}
        past={[]}
        pastHours={0}
        ahead={steps}
        aheadHours={hours}
        known={known}
        tracked={tracked}
        height={CHART_HEIGHT}
      />
    </>
  )
}

interface Step {
  readonly atMs: number
  readonly units: number
  readonly total: number
}

/** The rows that return something, in their order, with what the pool then has if nothing is used. */
function stepsOf(rows: readonly ResetRow[], known: number, tracked: number): readonly Step[] {
  let total = known
  return rows.flatMap(({ units, resetsInSeconds }) => {
    if (units === undefined || resetsInSeconds === null) return []
    total = Math.min(tracked, total + units)
    return [
      {
        atMs: calmMs.value + Math.max(0, resetsInSeconds - elapsedSeconds.value) * 1000,
        units,
        total,
      },
    ]
  })
}

/** More than anybody reads; the rest is in the table of accounts. */
const ROWS_MAX = 200

function Rows({ column: { id, rows, label } }: { readonly column: Column }) {
  const { resetHeads } = strings
  return (
    <table class="resets">
      <caption class="sr">{strings.resetTitles[id] ?? label}</caption>
      <thead>
        <tr>
          <th scope="col">{resetHeads.in}</th>
          <th scope="col">{resetHeads.at}</th>
          <th scope="col">{resetHeads.account}</th>
          <th scope="col" class="number">
            {resetHeads.plus}
          </th>
          <th scope="col" class="left">
            {resetHeads.left}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, ROWS_MAX).map((row) => (
          <tr key={`${row.authIndex} ${row.account}`}>
            <td class="in">
              {row.resetsInSeconds === null
                ? row.rolledOver === true
                  ? strings.resetUnproven
                  : row.remainingText
                : countingDurationText(Math.max(0, row.resetsInSeconds - elapsedSeconds.value))}
            </td>
            <td class="dim" title={row.resetAt ?? undefined}>
              {row.timeText}
            </td>
            <th scope="row">
              <span class="named">
                <a class="account" href={accountHref(row.authIndex)}>
                  <Name text={row.account} />
                </a>
                <Note row={row} windowId={id} />
              </span>
            </th>
            <td class="number">
              {row.units === undefined ? '0' : <b>{`+${unitsText(row.units)}`}</b>}
            </td>
            <td class="left">
              <span class="left-cell">
                <span class="window-left">{leftText(row)}</span>
                <WindowBar window={row} />
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Note({ row, windowId }: { readonly row: ResetRow; readonly windowId: string }) {
  const text =
    windowId === '5h' && row.displayResetSource === 'week'
      ? strings.waitsForWeek
      : row.units === undefined && row.percent !== 100
        ? strings.notCounted
        : null
  return text === null ? null : <span class="note">{text}</span>
}
