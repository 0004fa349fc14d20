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

/** `12.4M`, `54.8k`, `812`. */
export function shortCountText(count: number): string {
  if (count >= 999_950_000) return `${(count / 1e9).toFixed(1)}B`
  if (count >= 999_950) return `${(count / 1e6).toFixed(1)}M`
  return count >= 1000 ? `${(count / 1000).toFixed(1)}k` : String(Math.round(count))
}

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

export function zoneOf(timeZone: string): Zone {
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', ...options })
  const clocks = format({ hour: '2-digit', minute: '2-digit' })
  const days = format({ weekday: 'short' })
  const dates = format({ day: 'numeric', month: 'short' })
  const offsets = format({ timeZoneName: 'longOffset' })
  const dayNumbers = format({ day: 'numeric' })
  const clock = (ms: number) => clocks.format(ms)
  const moment = (ms: number, nowMs: number) => {
    const awayMs = Math.abs(ms - nowMs)
    if (awayMs < 12 * HOUR_MS) return clock(ms)
    return awayMs < 168 * HOUR_MS ? `${days.format(ms)} ${clock(ms)}` : `${dates.format(ms)} ${clock(ms)}`
  }
  return {
    clock,
    moment,
    when: (ms, nowMs) => (Math.abs(ms - nowMs) < 12 * HOUR_MS ? `at ${clock(ms)}` : moment(ms, nowMs)),
    dayAndDate: (ms) => `${days.format(ms)} ${dayNumbers.format(ms)}`,
    offsetMs(ms) {
      const [, sign, hours, minutes] = /GMT([+-])(\d{2}):(\d{2})/.exec(offsets.format(ms)) ?? []
      return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
    },
  }
}
