import './stats-windows.css'
import { signal } from '@preact/signals'
import type { StatsWindows } from '@svc/views'
import { countText, percentText, unitsText } from '@svc/views/format'
import { useEffect } from 'preact/hooks'
import { TryNow } from '../parts/button.tsx'
import { Heads } from '../parts/rows.tsx'
import { Marked } from '../parts/text.tsx'
import { followAnswer } from '../state/ask-regularly.ts'
import { allPools, providerTitle, unitOf, unitText } from '../state/providers.ts'
import { question } from '../state/usage-question.ts'
import { filterParameters, ofProvider } from '../state/usage-series.ts'
import { cycleWords } from '../words/chart-words.ts'
import { statsWords } from '../words/stats-words.ts'
import { strings } from '../words/strings.ts'
import { durationText, unitNames } from '../words/times.ts'

/** The last answer about past windows; null before the first. */
export const statsWindows = signal<StatsWindows | null>(null)
/** Whether the last request failed. */
export const statsWindowsFailed = signal(false)

/** Poll interval in milliseconds; the answer changes no more often. */
const REFRESH_MS = 5 * 60_000

/** Path to the past windows of the accounts and the chosen time of the question. */
function windowsPath(): string {
  const { filter, from, to } = question.value
  const { account } = filter
  const parameters = filterParameters({ filter: account === undefined ? {} : { account } })
  for (const [name, value] of Object.entries({ ...ofProvider(), from, to }))
    if (value !== '') parameters.set(name, value)
  return ['/api/v1/stats/windows', String(parameters)].filter(Boolean).join('?')
}

type WindowUse = StatsWindows['windows'][number]

/**
 * Facts for deciding whether the pool has too many accounts: the quota that expired unused, and the windows that ran dry. Renders nothing without a
 * store; the chart then says so.
 */
export function WindowUse() {
  const path = windowsPath()
  useEffect(() => followAnswer(path, statsWindows, statsWindowsFailed, REFRESH_MS), [path])
  const now = statsWindows.value
  if (now?.reason === 'no_store') return null
  if (now === null && !statsWindowsFailed.value) return null
  return (
    <section class="window-use">
      <h3>
        {now === null || allPools.value.length < 2
          ? cycleWords.title
          : strings.reading(providerTitle(now.provider), cycleWords.title)}
      </h3>
      {now?.available !== true ? (
        <p class="dim">
          {cycleWords.failed} <TryNow />
        </p>
      ) : (
        <Use now={now} />
      )}
    </section>
  )
}

function Use({ now }: { readonly now: StatsWindows }) {
  const week = now.windows.find(({ id }) => id === 'week')
  return (
    <>
      {week !== undefined && (
        <Weekly week={week} watchedSeconds={now.watchedSeconds} unit={unitOf(now.provider)} />
      )}
      <table>
        <thead>
          <Heads words={cycleWords.tableHeads} />
        </thead>
        <tbody>
          {now.windows.map(({ id, label, dryPercent, dryCount, endedCount, knownCount }) => (
            <tr key={id}>
              <th scope="row">{strings.windowTitles[id] ?? label}</th>
              <td>
                {dryPercent === null ? (
                  statsWords.notKnown
                ) : (
                  <>
                    <b>{percentText(dryPercent)}</b>{' '}
                    <span class="dim">
                      {cycleWords.dryOf(countText(dryCount), countText(knownCount))}
                    </span>
                  </>
                )}
              </td>
              <td>{countText(endedCount - knownCount)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="dim small">{cycleWords.note(now.range.label, unitNames[unitOf(now.provider)])}</p>
    </>
  )
}

const bold = (part: string) => <b>{part}</b>

interface WeeklyProps {
  readonly week: WindowUse
  readonly watchedSeconds: number
  readonly unit: keyof typeof unitNames
}

const WEEK_SECONDS = 7 * 86_400

/** Units of an average week; renders nothing while no account counts. Only weekly windows count, because nobody can use up every 5h window. */
function Weekly({ week, watchedSeconds, unit }: WeeklyProps) {
  const { expiredUnits, notBegunUnits, trackedUnits, endedCount, knownCount } = week
  if (expiredUnits === null || notBegunUnits === null || trackedUnits === null)
    return watchedSeconds >= WEEK_SECONDS ? null : (
      <p class="dim">{cycleWords.tooShort(durationText(watchedSeconds))}</p>
    )
  return (
    <p class="totals">
      <span>
        <Marked
          text={cycleWords.expiredUnits(
            unitText(unitsText(expiredUnits), unit),
            knownCount < endedCount,
          )}
        >
          {bold}
        </Marked>
      </span>
      {notBegunUnits > 0 && (
        <span>
          <Marked text={cycleWords.notBegunUnits(unitText(unitsText(notBegunUnits), unit))}>
            {bold}
          </Marked>
        </span>
      )}
      <span>{cycleWords.trackedUnits(unitText(unitsText(trackedUnits), unit))}</span>
    </p>
  )
}
