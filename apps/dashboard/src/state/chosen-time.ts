import { zone } from './live-data.ts'
import { DAY, parseTime } from './usage-question.ts'

/** Milliseconds since 1970 of a start or end of a chosen time. */
export function timeMs(text: string): number {
  if (!DAY.test(text)) return Date.parse(text)
  return instantOf(Date.parse(text))
}

/** The instant at which clocks in the display timezone show this time, given as if it were UTC. */
function instantOf(wall: number): number {
  const offsetMs = (at: number) => Date.parse(`${zone.value.iso(at).slice(0, 19)}Z`) - at
  // The offset at the same time of UTC may be that before or after a change of clocks.
  return wall - offsetMs(wall - offsetMs(wall))
}

/** Value of a date-time input in the display timezone; empty for no time. */
export function localText(text: string): string {
  return text === '' ? '' : zone.value.iso(timeMs(text)).slice(0, 16)
}

/** Time of a date-time input's value: its day at midnight, else the instant; undefined if the value is incomplete or before 2000. */
export function timeOfLocal(local: string): string | undefined {
  if (local === '') return ''
  const [day = '', clock] = local.split('T')
  if (parseTime(day) === undefined || day < '2000') return undefined
  if (clock === '00:00') return day
  return minuteText(instantOf(Date.parse(`${local.slice(0, 16)}Z`)))
}

/** Text of an instant, to the minute. */
export function minuteText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16)}:00Z`
}

const HOUR_MS = 3_600_000

/** Width of the buckets of a chosen time; null for the width that the service chooses. */
export function bucketOfSpan(ms: number): string | null {
  if (ms > 300 * 24 * HOUR_MS) return null
  if (ms > 14 * 24 * HOUR_MS) return '1d'
  if (ms > 3 * 24 * HOUR_MS) return '6h'
  return ms > 24 * HOUR_MS ? '1h' : null
}
