import { strings } from './strings.ts'

/** Plus units with one decimal, `<0.1` for less than that shows. */
export function unitsText(units: number): string {
  const text = units.toFixed(1)
  return units > 0 && text === '0.0' ? '<0.1' : text
}

/** Units that are whole by nature, without `.0`. */
export const wholeUnitsText = (units: number): string => unitsText(units).replace(/\.0$/, '')

/** Whole percent, `<1%` for anything between nothing and one. */
export const percentText = (percent: number): string => (percent > 0 && percent < 1 ? '<1%' : `${Math.round(percent)}%`)

/** `1,204`. */
export const countText = (count: number): string => Math.round(count).toLocaleString('en-US')

/** `12.4M`, `54.8k`, `812`, rounded half up, as in the texts of the API. */
export function shortCountText(count: number): string {
  const scale = SCALES.find(([from]) => tenthsOf(count, from / 1000) >= 10_000)
  return scale === undefined ? String(Math.round(count)) : `${(tenthsOf(count, scale[0]) / 10).toFixed(1)}${scale[1]}`
}

const tenthsOf = (count: number, unit: number): number => Math.round((count * 10) / unit)

const SCALES = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const

/** `41 min`, `3h 05min`, `2d 4h`; below a minute seconds. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${hours}h ${String(minutes % 60).padStart(2, '0')}min`
  return `${Math.floor(hours / 24)}d ${hours % 24}h`
}

const HOUR_MS = 3_600_000

/** Instants that read round on a clock of the zone, every so long, from `fromMs` on and before `toMs`. */
export function roundInstants(zone: Zone, everyMs: number, fromMs: number, toMs: number): readonly number[] {
  const offsetMs = zone.offsetMs(fromMs)
  const found: number[] = []
  for (let at = Math.ceil((fromMs + offsetMs) / everyMs) * everyMs - offsetMs; at < toMs; at += everyMs) found.push(at)
  return found
}

/** Times as people in one zone read them. */
export interface Zone {
  /** `21:38`. */
  clock(ms: number): string
  /** `21:38`; 12 h away or more `Sun 09:00`, a week or more `30 Nov 09:00`. */
  moment(ms: number, nowMs: number): string
  /** Inside a sentence: `at 21:38`, `Sun 09:00`. */
  when(ms: number, nowMs: number): string
  /** `Sun 22`. */
  dayAndDate(ms: number): string
  /** How far the zone's clock is ahead of UTC then. */
  offsetMs(ms: number): number
}

/** Clocks are put ahead and back on the quarter of an hour. */
const OFFSET_STEP_MS = HOUR_MS / 4

export function zoneOf(timeZone: string): Zone {
  const offsetMs = timeZone === 'UTC' ? () => 0 : offsetsOf(timeZone)
  /** The same fields as the zone's clock shows, as if they were UTC. */
  const local = (ms: number) => new Date(ms + offsetMs(ms))
  const clock = (ms: number) => local(ms).toISOString().slice(11, 16)
  const day = (ms: number) => strings.weekdays[local(ms).getUTCDay()]
  const moment = (ms: number, nowMs: number) => {
    const awayMs = Math.abs(ms - nowMs)
    if (awayMs < 12 * HOUR_MS) return clock(ms)
    if (awayMs < 168 * HOUR_MS) return `${day(ms)} ${clock(ms)}`
    return `${local(ms).getUTCDate()} ${strings.months[local(ms).getUTCMonth()]} ${clock(ms)}`
  }
  return {
    clock,
    moment,
    when: (ms, nowMs) => (Math.abs(ms - nowMs) < 12 * HOUR_MS ? `at ${clock(ms)}` : moment(ms, nowMs)),
    dayAndDate: (ms) => `${day(ms)} ${local(ms).getUTCDate()}`,
    offsetMs,
  }
}

/** A formatter takes longer to make than the page takes to draw, so there is one for everything, and none for UTC. */
function offsetsOf(timeZone: string): (ms: number) => number {
  const fields = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  const offsets = new Map<number, number>()
  return (ms) => {
    const stepMs = Math.floor(ms / OFFSET_STEP_MS) * OFFSET_STEP_MS
    const known = offsets.get(stepMs)
    if (known !== undefined) return known
    const numbers = new Map(fields.formatToParts(stepMs).map(({ type, value }) => [type, Number(value)]))
    const of = (type: Intl.DateTimeFormatPartTypes) => numbers.get(type) ?? 0
    const offset = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute')) - stepMs
    offsets.set(stepMs, offset)
    return offset
  }
}
