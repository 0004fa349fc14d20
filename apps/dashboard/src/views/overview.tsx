import { countingDurationText, percentText, unitsText, wholeUnitsText } from '@svc/views/format'
import { BarKey, CapacityBar } from '../parts/bars.tsx'
import { FlowChart } from '../parts/flow-chart.tsx'
import { Icon, ToneIcon } from '../parts/icon.tsx'
import { Name, shown } from '../parts/name.tsx'
import { WindowCell } from '../parts/window-cell.tsx'
import {
  calmMs,
  elapsedSeconds,
  health,
  type PoolAccount,
  status,
  zone,
} from '../state/live-data.ts'
import { accountKeyOf, itemOf, rankedAccounts, reclaimOf } from '../state/pool.ts'
import { accountHref, viewHref } from '../state/route.ts'
import { strings } from '../words/strings.ts'

/** How far the two charts look back and ahead, in hours. */
const SPANS: Readonly<Record<string, readonly [past: number, ahead: number]>> = {
  '5h': [6, 6],
  week: [24, 48],
}
const CHART_HEIGHT = 104
const LIST_ROWS = 4
const RESET_ROWS = 6
const NEEDS_ROWS = 3
/** Rows that only a tall screen has room for. */
const MORE_ROWS = 5

/** How much is left, when more comes, which account next, and what is wrong. */
export function Overview() {
  const now = status.value
  if (now === null || !now.available) return <Cold />
  return (
    <>
      <div class="hero">
        {now.tabs.pool.windows.map(({ id }) => (
          <Window key={id} id={id} />
        ))}
      </div>
      <div class="three">
        <UseNext />
        <NeedsYou />
        <ComesBack />
      </div>
    </>
  )
}

/** Before the first reading there is nothing to show but what is to be done. */
function Cold() {
  return (
    <div class="empty">
      <p>{strings.waiting}</p>
      {(health.value?.actionCount ?? 0) > 0 && <NeedsYou />}
    </div>
  )
}

function Window({ id }: { readonly id: string }) {
  const tabs = status.value?.tabs
  const capacity = tabs?.pool.windows.find((window) => window.id === id)
  const trend = tabs?.trends.windows.find((window) => window.id === id)
  if (capacity === undefined || trend === undefined) return null
  const { knownUnits, staleUnits, unknownUnits, trackedUnits, percent } = capacity
  const parts = {
    measured: Math.max(0, knownUnits - staleUnits),
    stale: staleUnits,
    unknown: unknownUnits,
    tracked: trackedUnits,
  }
  const title = strings.windows[id] ?? capacity.label
  const [pastHours, aheadHours] = SPANS[id] ?? [6, 6]
  const past = trend.past.map(({ at, known }) => ({ atMs: Date.parse(at), units: known }))
  const ahead = trend.ahead.map(({ at, units, total }) => ({ atMs: Date.parse(at), units, total }))
  return (
    <section class="capacity" aria-labelledby={`title-${id}`}>
      <h2 id={`title-${id}`}>{title}</h2>
      {trackedUnits === 0 ? (
        <p class="big">{strings.nothingTracked}</p>
      ) : (
        <>
          <p class="big">
            <span>
              <b>{unitsText(knownUnits)}</b> {strings.ofTracked(wholeUnitsText(trackedUnits))}
            </span>
            {percent !== null && <span>{percentText(percent)}</span>}
          </p>
          <CapacityBar {...parts} />
          <BarKey {...parts} />
          <dl class="facts">
            <div>
              <dt>{strings.next}</dt>
              <dd>
                <Next nextReturn={capacity.nextRecovery} />
              </dd>
            </div>
            <div>
              <dt>{strings.pace}</dt>
              <dd>
                <Pace runway={trend.runway} />
              </dd>
            </div>
          </dl>
          <FlowChart
            label={strings.flowLabel(
              title,
              unitsText(past[0]?.units ?? knownUnits),
              unitsText(knownUnits),
              unitsText(ahead.at(-1)?.total ?? knownUnits),
            )}
            past={past}
            pastHours={pastHours}
            ahead={ahead}
            aheadHours={aheadHours}
            known={knownUnits}
            tracked={trackedUnits}
            height={CHART_HEIGHT}
          />
        </>
      )}
    </section>
  )
}

function Next({
  nextReturn,
}: {
  readonly nextReturn: { readonly at: string; readonly units: number } | null
}) {
  if (nextReturn === null) return <>{strings.noNext}</>
  const atMs = Date.parse(nextReturn.at)
  const { units, rest } = strings.nextReturn(
    unitsText(nextReturn.units),
    zone.value.whenText(atMs, calmMs.value),
    countingDurationText((atMs - calmMs.value) / 1000),
  )
  return (
    <span title={nextReturn.at}>
      <b>{units}</b> {rest}
    </span>
  )
}

type Runway = NonNullable<typeof status.value>['tabs']['trends']['windows'][number]['runway']

function Pace({ runway }: { readonly runway: Runway }) {
  const { burnPerHour, runsDryAt, verdict } = runway
  if (burnPerHour === null || verdict === 'unknown') return <>{strings.paceUnknown}</>
  const burn = unitsText(burnPerHour)
  if (runsDryAt === null)
    return <>{verdict === 'safe' ? strings.paceSafe(burn) : strings.paceTight(burn)}</>
  const dryMs = Date.parse(runsDryAt)
  const text = strings.paceLasts(
    burn,
    countingDurationText((dryMs - calmMs.value) / 1000),
    zone.value.momentText(dryMs, calmMs.value),
  )
  return verdict === 'runs-dry' ? (
    <span class="dry">
      <ToneIcon tone="warn" /> {text}
    </span>
  ) : (
    text
  )
}

function UseNext() {
  const now = status.value
  if (now === null) return null
  const { routableCount, blockedCount } = now.summary
  const [best, ...others] = rankedAccounts.value.slice(0, LIST_ROWS + MORE_ROWS)
  const { nextRecovery } = now.summary
  return (
    <section aria-labelledby="title-use">
      <header>
        <h2 id="title-use">{strings.useNext}</h2>
        <a href={viewHref('accounts')}>{strings.counts(routableCount, blockedCount)}</a>
      </header>
      {best === undefined ? (
        <p class="empty">
          {routableCount + blockedCount === 0 ? strings.noAccounts : strings.nothingRoutable}{' '}
          {nextRecovery !== null &&
            strings.firstBack(
              unitsText(nextRecovery.units),
              zone.value.whenText(Date.parse(nextRecovery.at), calmMs.value),
            )}
        </p>
      ) : (
        <Best account={best} />
      )}
      <ol class="then" start={2}>
        {others.map((account, index) => (
          <li key={accountKeyOf(account)} class={index >= LIST_ROWS - 1 ? 'more' : undefined}>
            <span class="dim">{index + 2}</span>
            <a class="account" href={accountHref(accountKeyOf(account))}>
              <Name text={account.title} />
            </a>
            <span class="badge">{account.badge}</span>
            <span class="score">{account.score}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Best({ account }: { readonly account: PoolAccount }) {
  const reclaim = reclaimOf(account)
  const seconds =
    reclaim === undefined ? 0 : Math.max(0, reclaim.resetsInSeconds - elapsedSeconds.value)
  const parts = itemOf(account)?.scoreParts ?? []
  return (
    <div class="best">
      <p class="who">
        <a class="account" href={accountHref(accountKeyOf(account))}>
          <Name text={account.title} />
        </a>
        <span class="badge">{account.badge}</span>
      </p>
      <p class="points">
        <b>{account.score}</b> {strings.ofHundred}
      </p>
      <div class="windows">
        {account.windows.slice(0, 2).map((window) => (
          <WindowCell key={window.id} window={window} />
        ))}
      </div>
      <ul class="why">
        {reclaim !== undefined && (
          <li>
            <Icon name="clock" />
            <span>
              <b>{strings.expires(unitsText(reclaim.units))}</b>{' '}
              {strings.inSpan(
                zone.value.whenText(calmMs.value + seconds * 1000, calmMs.value),
                countingDurationText(seconds),
              )}
            </span>
          </li>
        )}
        {(['capacity', 'health', 'load'] as const).map((component) => {
          const reason = parts.find(({ id }) => id === component)?.reason
          return (
            reason !== undefined && (
              <li key={component}>
                {component === 'health' ? (
                  <ToneIcon tone={account.status.tone} />
                ) : (
                  <Icon name={component === 'load' ? 'load' : 'health'} />
                )}
                <span>{shown(reason)}</span>
              </li>
            )
          )
        })}
      </ul>
    </div>
  )
}

function NeedsYou() {
  const actions = health.value?.actions ?? []
  return (
    <section aria-labelledby="title-need">
      <header>
        <h2 id="title-need">{strings.needsYou}</h2>
        <a href={viewHref('health')}>{strings.healthLink}</a>
      </header>
      {actions.length === 0 ? (
        <p class="empty">{strings.nothingToDo}</p>
      ) : (
        <ul class="needs">
          {actions.slice(0, NEEDS_ROWS + MORE_ROWS).map((action, index) => (
            <li key={action.id} class={index >= NEEDS_ROWS ? 'more' : undefined}>
              <ToneIcon tone={action.tone} />
              <div>
                <b>{shown(action.title)}</b>
                <p>{shown(action.summary)}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function ComesBack() {
  const columns = status.value?.tabs.resets.columns ?? []
  const rows = columns
    .flatMap(({ id, rows: ofWindow }) => ofWindow.map((row) => ({ ...row, id })))
    .flatMap((row) =>
      row.units === undefined || row.resetsInSeconds === null ? [] : [{ ...row, units: row.units }],
    )
    .sort((a, b) => (a.resetsInSeconds ?? 0) - (b.resetsInSeconds ?? 0))
    .slice(0, RESET_ROWS + MORE_ROWS)
  const largest = Math.max(...rows.map(({ units }) => units))
  return (
    <section class="back" aria-labelledby="title-back">
      <header>
        <h2 id="title-back">{strings.comesBack}</h2>
        <a href={viewHref('resets')}>{strings.allResets}</a>
      </header>
      {rows.length === 0 ? (
        <p class="empty">{strings.noResets}</p>
      ) : (
        <ol class="returns">
          {rows.map((row, index) => {
            const seconds = Math.max(0, (row.resetsInSeconds ?? 0) - elapsedSeconds.value)
            return (
              <li
                key={`${row.id} ${row.authIndex} ${row.account}`}
                class={index >= RESET_ROWS ? 'more' : undefined}
              >
                <span>{countingDurationText(seconds)}</span>
                <b>{`+${unitsText(row.units)}`}</b>
                <svg class="bar" aria-hidden="true">
                  <rect
                    class="known"
                    width={`${((row.units / largest) * 100).toFixed(1)}%`}
                    height="100%"
                  />
                </svg>
                <span class="dim">{strings.shortWindows[row.id] ?? row.id}</span>
                <Name text={row.account} />
                <span class="dim" title={row.resetAt ?? undefined}>
                  {row.timeText}
                </span>
              </li>
            )
          })}
        </ol>
      )}
    </section>
  )
}
