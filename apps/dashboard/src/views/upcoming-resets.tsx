import { unitsText } from '@svc/views/format'
import { NameLink } from '../parts/text.tsx'
import { calmMs, status, zone } from '../state/live-data.ts'
import { rowKeyOf } from '../state/pool.ts'
import { listedReturns, type ResetGroup } from '../state/reset-groups.ts'
import { accountHref, viewHref } from '../state/route.ts'
import { strings } from '../words/strings.ts'
import { shortDurationText } from '../words/times.ts'

const ROWS = 6
/** Rows shown only on a tall screen. */
const MORE_ROWS = 5

/** The next resets, of any window, that return quota. */
export function UpcomingResets() {
  const groups = listedReturns(ROWS).slice(0, ROWS + MORE_ROWS)
  // Accounts that were not read have resets too.
  const isLowerBound =
    status.value?.tabs.pool.windows.some(({ atLeast }) => atLeast === true) ?? false
  const largest = Math.max(...groups.map(({ units }) => units))
  return (
    <section class="back" aria-labelledby="title-back">
      <header>
        <h2 id="title-back">
          {isLowerBound && groups.length > 0 ? strings.comesBackAtLeast : strings.comesBack}
        </h2>
        <a href={viewHref('resets')}>{strings.allResets}</a>
      </header>
      {groups.length === 0 ? (
        <p class="empty">{strings.noResets}</p>
      ) : (
        <ol class="returns">
          {groups.map((group, index) => (
            <Row
              key={`${group.windowId} ${group.rows[0].resetAt}`}
              group={group}
              share={group.units / largest}
              isMore={index >= ROWS}
            />
          ))}
        </ol>
      )}
    </section>
  )
}

interface RowProps {
  readonly group: ResetGroup
  /** Share of the largest return in the list, 0 to 1. */
  readonly share: number
  readonly isMore: boolean
}

function Row({ group: { windowId, atMs, lastMs, units, rows }, share, isMore }: RowProps) {
  const [first] = rows
  const moment = zone.value.momentText(atMs, calmMs.value)
  return (
    <li class={isMore ? 'more' : undefined}>
      <span>{shortDurationText((atMs - calmMs.value) / 1000)}</span>
      <b>{`+${unitsText(units)}`}</b>
      <svg class="bar" aria-hidden="true">
        <rect class="known" width={`${(share * 100).toFixed(1)}%`} height="100%" />
      </svg>
      <span class="dim">{strings.shortWindows[windowId] ?? windowId}</span>
      {rows.length === 1 ? (
        <NameLink title={first.account} href={accountHref(rowKeyOf(first))} />
      ) : (
        <a href={viewHref('resets')}>{strings.accountCount(rows.length)}</a>
      )}
      <span class="dim" title={first.resetAt ?? undefined}>
        {lastMs - atMs < 60_000 ? moment : strings.momentSpan(moment, zone.value.clockText(lastMs))}
      </span>
    </li>
  )
}
