import { computed } from '@preact/signals'
import { isWhollyUnknown } from '@svc/core/pool'
import { capitalised, unitsText, wholeUnitsText } from '@svc/views/format'
import { PercentBar } from '../parts/bars.tsx'
import { FlowChart } from '../parts/flow-chart.tsx'
import { ProviderMark } from '../parts/place.tsx'
import { RadioChoice } from '../parts/radio-choice.tsx'
import { Marked, Name, Term } from '../parts/text.tsx'
import { usePrinting } from '../parts/visible-rows.ts'
import { accountsTableHref } from '../state/account-links.ts'
import { HORIZONS, horizon } from '../state/display-state.ts'
import { calmMs, elapsedSeconds, status, zone } from '../state/live-data.ts'
import {
  accountKeyOf,
  expiryMs,
  type ReclaimRow,
  reclaimRows,
  rowKeyOf,
  shownAccounts,
} from '../state/pool.ts'
import {
  countedWindows,
  findPool,
  isOfAll,
  providerOf,
  shownPool,
  unitText,
} from '../state/providers.ts'
import { gainSteps, resetGroups } from '../state/reset-groups.ts'
import { accountHref } from '../state/route.ts'
import { findCapacity, readForecast, usableQuota } from '../state/window-quota.ts'
import { poolsWords } from '../words/pools-words.ts'
import { resetsWords } from '../words/resets-words.ts'
import { statsWords } from '../words/stats-words.ts'
import { strings } from '../words/strings.ts'
import { countingDurationText } from '../words/times.ts'
import { LazyPools, LazySetUp } from './lazy-parts.ts'
import { ResetTable } from './reset-table.tsx'

const CHART_HEIGHT = 170

type Column = NonNullable<typeof status.value>['tabs']['resets']['columns'][number]

/** Quota that expires unused, and the resets of each window. */
export function Resets({ title }: { readonly title: string }) {
  const tabs = status.value?.tabs
  if (tabs === undefined || status.value?.available !== true) return <LazySetUp title={title} />
  return (
    <>
      <h2 class="sr">{title}</h2>
      <Lane />
      {isOfAll.value ? (
        <>
          <p class="empty">{resetsWords.byProvider}</p>
          <LazyPools />
        </>
      ) : (
        <Columns />
      )}
    </>
  )
}

/** The listed resets of each counted window. Those of one quantity in several windows are of any of them that has a list. */
function Columns() {
  const isCounted = ({ id }: Column) =>
    countedWindows.value.some((window) => window.id === id) ||
    shownPool.value?.windows.some((window) => window.id === id && window.sharedBy !== undefined)
  const columns = status.value?.tabs.resets.columns.filter(isCounted) ?? []
  const [first] = countedWindows.value
  if (columns.length === 0)
    return (
      <p class="empty">
        {first === undefined
          ? capitalised(poolsWords.noWindow)
          : (first.nextRecovery?.text ?? nothingListedText(strings.noResets))}
      </p>
    )
  return (
    <div class="hero">
      {columns.map((column) => (
        <ResetColumn key={column.id} column={column} />
      ))}
    </div>
  )
}

/** Maximum number of listed rows of expiring quota; the others are in the table of accounts. */
const LANE_ROWS = 8

/** List of quota that is lost at its reset if it is not used. */
function Lane() {
  const rows = reclaimRows.value
  const sum = rows.reduce((total, { units }) => total + units, 0)
  const listed = usePrinting() ? rows : rows.slice(0, LANE_ROWS)
  const rest = rows.length - listed.length
  // Only 5h quota is listed.
  const hasFiveHours = isOfAll.value || countedWindows.value.some(({ id }) => id === '5h')
  if (rows.length === 0 && !hasFiveHours) return null
  return (
    <section class="lane" aria-labelledby="title-lane">
      <h2 id="title-lane">
        <Term id="reclaim">{resetsWords.lane}</Term>
      </h2>
      {rows.length === 0 ? (
        <p class="empty">
          {nothingListedText(isUnread() ? strings.waiting : resetsWords.nothingExpires)}
        </p>
      ) : isOfAll.value ? (
        <p class="sum">{resetsWords.laneSumOfAll(strings.accountCount(rows.length))}</p>
      ) : (
        <p class="sum">
          <b>{unitText(unitsText(sum))}</b> {resetsWords.laneSum(strings.accountCount(rows.length))}
        </p>
      )}
      <ul>
        {listed.map((row) => (
          <LaneRow key={rowKeyOf(row)} row={row} />
        ))}
      </ul>
      {rest > 0 && (
        <p>
          <a href={accountsTableHref({ f: 'reclaim' })}>{statsWords.rest(rest)}</a>
        </p>
      )}
    </section>
  )
}

const accountByKey = computed(
  () => new Map(shownAccounts.value.map((account) => [accountKeyOf(account), account])),
)

function LaneRow({ row }: { readonly row: ReclaimRow }) {
  const seconds = row.resetsInSeconds - elapsedSeconds.value
  const when = zone.value.whenText(expiryMs(row), calmMs.value)
  const account = accountByKey.value.get(rowKeyOf(row))
  const provider = account === undefined ? '' : providerOf(account)
  const loss = strings.expires(unitText(unitsText(row.units), findPool(provider)?.unit), when, null)
  return (
    <li class="reclaim">
      <a class="account" href={accountHref(rowKeyOf(row))}>
        <ProviderMark provider={provider} /> <Name text={row.account} />
      </a>
      {/* The suffix of an ambiguous name may say the plan already. */}
      <span class="badge">{!row.account.includes(` · ${row.badge}`) && row.badge}</span>
      <span>
        <Marked text={loss}>{(part) => <b key={part}>{part}</b>}</Marked>
      </span>
      <span class="window-left">{row.percentText}</span>
      <PercentBar percent={row.percent} />
      <span>
        <Marked text={resetsWords.toUse(countingDurationText(seconds))}>
          {(part) => <b key={part}>{part}</b>}
        </Marked>
      </span>
    </li>
  )
}

/** Text for an empty list: that there are no accounts, or else `text`. */
const nothingListedText = (text: string) =>
  shownAccounts.value.length === 0 ? resetsWords.noAccounts : text

/** Whether no account has a reading, so that no resets are known. */
function isUnread(): boolean {
  const windows = status.value?.tabs.pool.windows ?? []
  return windows.every(isWhollyUnknown)
}

function ResetColumn({ column }: { readonly column: Column }) {
  const { id } = column
  const capacity = findCapacity(id)
  if (capacity === undefined) return null
  const hours = horizon.value[id] ?? 6
  return (
    <section class="capacity" aria-labelledby={`title-resets-${id}`}>
      <header>
        <h2 id={`title-resets-${id}`}>{resetsWords.resetTitles[id] ?? column.label}</h2>
        <HorizonChoice id={id} hours={hours} />
      </header>
      {!isWhollyUnknown(capacity) && <Course column={column} hours={hours} capacity={capacity} />}
      {column.rows.length === 0 ? (
        <p class="empty">{nothingListedText(strings.noResets)}</p>
      ) : (
        <ResetTable column={column} hours={hours} />
      )}
    </section>
  )
}

function HorizonChoice({ id, hours }: { readonly id: string; readonly hours: number }) {
  const choices = [...(HORIZONS[id] ?? [])].sort((a, b) => a - b)
  return (
    <RadioChoice
      label={statsWords.range}
      name={`horizon-${id}`}
      choices={choices.map((choice) => [choice, resetsWords.horizons[choice]])}
      chosen={hours}
      onChoose={(choice) => {
        horizon.value = { ...horizon.value, [id]: choice }
      }}
    />
  )
}

interface CourseProps {
  readonly column: Column
  readonly hours: number
  readonly capacity: NonNullable<typeof status.value>['tabs']['pool']['windows'][number]
}

/** Chart of a window's quota with the resets of the chosen hours. */
function Course({ column, hours, capacity }: CourseProps) {
  const { usable, held } = usableQuota(capacity)
  const endMs = calmMs.value + hours * 3_600_000
  const steps = gainSteps(column.id, true)
  const coming = steps.filter(({ atMs }) => atMs <= endMs)
  const total = coming.at(-1)?.total ?? usable
  const returned = resetGroups(column.id)
    .filter(({ atMs }) => atMs <= endMs)
    .reduce((sum, { units }) => sum + units, 0)
  const freed = unitsText(Math.max(0, total - usable - returned))
  return (
    <>
      <p class="sum">
        {capacity.atLeast === true && `${strings.atLeast} `}
        <b>{`+${unitText(unitsText(total - usable))}`}</b>{' '}
        {resetsWords.resetSumRest(
          resetsWords.horizons[hours] ?? '',
          unitsText(total),
          wholeUnitsText(capacity.trackedUnits),
        ) + (freed === unitsText(0) ? '' : resetsWords.freed(freed))}
      </p>
      <FlowChart
        name={resetsWords.resetTitles[column.id] ?? column.label}
        past={[]}
        pastHours={0}
        resets={steps}
        aheadHours={hours}
        forecast={null}
        usable={usable}
        held={held}
        height={CHART_HEIGHT}
        dryMs={readForecast(column.id)?.dryMs ?? null}
      />
    </>
  )
}
