import { useEffect } from 'preact/hooks'
import { Heads } from '../parts/heads.tsx'
import { Coded } from '../parts/text.tsx'
import { TryNow } from '../parts/try-now.tsx'
import {
  type DayState,
  type DayStretch,
  followHealthHistory,
  type HealthDay,
  healthHistory,
  healthHistoryFailed,
  splitIntoDays,
} from '../state/health-days.ts'
import { calmMs, shownUpstream, zone } from '../state/live-data.ts'
import { allPools, homeProvider, providerTitle } from '../state/providers.ts'
import { fleetWords, providerWords } from '../words/fleet-words.ts'
import { healthWords as words } from '../words/health-words.ts'
import { strings } from '../words/strings.ts'
import { countingDurationText } from '../words/times.ts'
import './health-days.css'

/** Width of the drawing of a day, in hours. */
const WIDTH = 24
const HEIGHT = 12
/** Height of each state, so that they differ in shape too. */
const HEIGHTS: Readonly<Record<DayState, number>> = {
  good: 3,
  low: 7,
  dry: HEIGHT,
  away: HEIGHT,
  unknown: 0,
}
const STATES = ['good', 'low', 'dry', 'away', 'unknown'] as const
/** Maximum number of stretches of a day that are listed with their times; more are summarised. */
const TIMES_MAX = 2

/** The pool's health over thirty days, a row for each day. */
export function HealthDays() {
  useEffect(followHealthHistory, [])
  return (
    <section class="days" aria-labelledby="title-days">
      <h2 id="title-days">{words.days}</h2>
      <Days />
    </section>
  )
}

function Days() {
  const now = healthHistory.value
  if (now === null)
    return (
      <p class="dim small">
        {healthHistoryFailed.value ? words.notRead : strings.loading}{' '}
        {healthHistoryFailed.value && <TryNow />}
      </p>
    )
  const days = splitIntoDays(now, zone.value)
  if (!now.available || days.length === 0)
    return (
      <p class="empty">
        <Coded
          text={
            now.reason === 'no_store' ? words.noStore : now.available ? words.noDays : words.notRead
          }
        />
      </p>
    )
  return (
    <>
      {shownUpstream.value !== '' && <p class="dim">{fleetWords.daysOfAll}</p>}
      {allPools.value.length > 1 && (
        <p class="dim">{providerWords.onlyOf(providerTitle(homeProvider.value))}</p>
      )}
      <p class="dim small">{words.daysAbout}</p>
      <ul class="states small">
        {STATES.map((state) => (
          <li key={state}>
            <Drawing stretches={[{ state, start: 0, end: 4 }]} width={4} />
            {words.states[state]}
          </li>
        ))}
      </ul>
      <table>
        <caption class="sr">{words.days}</caption>
        <colgroup>
          <col class="day" />
          <col />
          <col class="happened" />
        </colgroup>
        <thead class="sr">
          <Heads words={words.heads} />
        </thead>
        <tbody>
          {days.map((day) => (
            <DayRow key={day.startMs} day={day} />
          ))}
        </tbody>
        <tfoot aria-hidden="true">
          <tr>
            <td />
            <td>
              <span class="hours">
                {['00', '06', '12', '18', '24'].map((hour) => (
                  <span key={hour}>{hour}</span>
                ))}
              </span>
            </td>
            <td />
          </tr>
        </tfoot>
      </table>
      {now.awaySince !== null && (
        <p class="dim small">
          {words.awaySince(zone.value.momentText(Date.parse(now.awaySince), calmMs.value))}
        </p>
      )}
    </>
  )
}

function DayRow({ day }: { readonly day: HealthDay }) {
  return (
    <tr>
      <th scope="row">{zone.value.dayAndDateText(day.startMs)}</th>
      <td>
        <Drawing stretches={day.stretches} width={WIDTH} />
      </td>
      <td class={day.stretches.every(({ state }) => state === 'good') ? 'calm' : undefined}>
        {happenedOn(day)}
      </td>
    </tr>
  )
}

interface DrawingProps {
  readonly stretches: readonly (Pick<DayStretch, 'state' | 'start' | 'end'> & Partial<DayStretch>)[]
  readonly width: number
}

function Drawing({ stretches, width }: DrawingProps) {
  return (
    <svg viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {stretches.map(({ state, start, end, fromMs, toMs }) => {
        const height = HEIGHTS[state]
        return (
          <g key={fromMs ?? start} class={state}>
            {fromMs !== undefined && toMs !== undefined && (
              <title>{timesText(state, fromMs, toMs)}</title>
            )}
            {state === 'unknown' ? (
              <path d={`M${start} ${HEIGHT - 1.5}H${end}`} />
            ) : (
              <rect x={start} width={end - start} y={HEIGHT - height} height={height} />
            )}
            {state === 'away' && <path d={`M${start} ${HEIGHT}L${end} 0`} />}
          </g>
        )
      })}
    </svg>
  )
}

function timesText(state: DayState, fromMs: number, toMs: number): string {
  const { clockText } = zone.value
  return words.between(words.happened[state], clockText(fromMs), clockText(toMs))
}

/** Text of the states of a day other than good, or of its only state. */
function happenedOn({ stretches }: HealthDay): string {
  const [first] = stretches
  // Where the clock is set back, a state may have two stretches in succession.
  if (first !== undefined && stretches.every(({ state }) => state === first.state))
    return words.happened[first.state]
  const told = stretches.filter(({ state }) => state !== 'good')
  if (told.length <= TIMES_MAX)
    return strings.listOf(told.map(({ state, fromMs, toMs }) => timesText(state, fromMs, toMs)))
  return strings.listOf(
    STATES.flatMap((state) => {
      const ms = told
        .filter((stretch) => stretch.state === state)
        .reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
      return ms === 0 ? [] : [words.lasting(words.happened[state], countingDurationText(ms / 1000))]
    }),
  )
}
