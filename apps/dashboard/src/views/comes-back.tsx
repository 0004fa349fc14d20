import { countingDurationText, unitsText } from '@svc/views/format'
import { Name } from '../parts/name.tsx'
import { elapsedSeconds, status } from '../state/live-data.ts'
import { fileKeyOf } from '../state/pool.ts'
import { accountHref, viewHref } from '../state/route.ts'
import { strings } from '../words/strings.ts'

const ROWS = 6
/** Rows that only a tall screen has room for. */
const MORE_ROWS = 5

/** The next resets of any window that return something. */
export function ComesBack() {
  const columns = status.value?.tabs.resets.columns ?? []
  const rows = columns
    .flatMap(({ id, rows: ofWindow }) => ofWindow.map((row) => ({ ...row, id })))
    .flatMap((row) =>
      row.units === undefined || row.resetsInSeconds === null ? [] : [{ ...row, units: row.units }],
    )
    .sort((a, b) => (a.resetsInSeconds ?? 0) - (b.resetsInSeconds ?? 0))
    .slice(0, ROWS + MORE_ROWS)
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
                class={index >= ROWS ? 'more' : undefined}
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
                <a class="account" href={accountHref(fileKeyOf(row))}>
                  <Name text={row.account} />
                </a>
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
