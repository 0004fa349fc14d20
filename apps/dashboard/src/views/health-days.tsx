import { signal } from '@preact/signals'
import type { HealthHistoryPayload } from '@svc/views'
import type { Zone } from '@svc/views/format'
import { useEffect } from 'preact/hooks'
import { TryNow } from '../parts/button.tsx'
import { Heads } from '../parts/rows.tsx'
import { Coded } from '../parts/text.tsx'
import { followAnswer } from '../state/ask-regularly.ts'
import { calmMs, shownUpstream, zone } from '../state/live-data.ts'
import { allPools, homeProvider, providerTitle } from '../state/providers.ts'
import { fleetWords, providerWords } from '../words/fleet-words.ts'
import { healthWords as words } from '../words/health-words.ts'
import { statsWords } from '../words/stats-words.ts'
import { strings } from '../words/strings.ts'
import { countingDurationText } from '../words/times.ts'

type DayState = HealthHistoryPayload['stretches'][number]['state']

/** The last history received; null before the first answer. */
export const healthHistory = signal<HealthHistoryPayload | null>(null)
export const healthHistoryFailed = signal(false)

/** Poll interval in milliseconds. A cell is added every quarter of an hour, but the current one may get worse sooner. */
const REFRESH_MS = 5 * 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Requests the history now, and regularly while the page is visible. The returned function ends it. */
export function followHealthHistory(): () => void {
  return followAnswer('/api/v1/health/history', healthHistory, healthHistoryFailed, REFRESH_MS)
}

/** A stretch of time with one state within a day of the display zone. */
interface DayStretch {
  readonly state: DayState
  readonly fromMs: number
  readonly toMs: number
  /** Start and end in hours by the clock of that day, 0 to 24. */
  readonly start: number
  readonly end: number
}

/** A day of the display zone with its stretches, oldest first. */
interface HealthDay {
  readonly startMs: number
  readonly stretches: readonly DayStretch[]
}

/** The days from the first one with known state, newest first. If the clock is set back, the later of the two equal hours is shown. */
export function splitIntoDays(
  { start, end, stretches, stepSeconds }: HealthHistoryPayload,
  zone: Zone,
): readonly HealthDay[] {
  const days = new Map<number, { startMs: number; stretches: DayStretch[] }>()
  let isKnown = false
  for (const { from, to, state } of stretches) {
    isKnown ||= state !== 'unknown'
    const endMs = Date.parse(to)
    for (let ms = Date.parse(from); isKnown && ms < endMs; ) {
      // Clocks are set only at whole steps.
      const nextMs = Math.min(ms + stepSeconds * 1000, endMs)
      const local = ms + zone.offsetMs(ms)
      const number = Math.floor(local / DAY_MS)
      const day = days.get(number) ?? { startMs: ms, stretches: [] }
      days.set(number, day)
      const at = (local - number * DAY_MS) / HOUR_MS
      const until = at + (nextMs - ms) / HOUR_MS
      const newest = day.stretches.at(-1)
      if (newest?.state === state && newest.toMs === ms && at >= newest.start)
        day.stretches[day.stretches.length - 1] = { ...newest, toMs: nextMs, end: until }
      else day.stretches.push({ state, fromMs: ms, toMs: nextMs, start: at, end: until })
      ms = nextMs
    }
  }
  // The range begins within a day, which then is not told whole.
  const dayCount = Math.floor((Date.parse(end) - Date.parse(start)) / DAY_MS)
  return [...days.values()].reverse().slice(0, dayCount)
}

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
        {healthHistoryFailed.value ? words.notRead : statsWords.loading}{' '}
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
