/** Times as people in one zone read them. Instants are milliseconds since 1970. Cheap enough for thousands of instants at a time. */
export interface Zone {
  readonly displayTimezone: string
  /** The zone with the offset in force at `now`, as in `Asia/Shanghai (UTC+08:00)`. */
  zoneLabel(now: number): string
  /** The instant as payloads carry it, as in `2026-11-20T23:53:37.000Z`. */
  iso(at: number): string
  /** `21:38`. */
  clockText(at: number): string
  /** `30 Nov 21:38`. */
  dateText(at: number): string
  /** `21:38`; 12 h away or more `Sun 09:00`, a week or more `30 Nov 09:00`, most of a year or more `30 Nov 2027 09:00`. */
  momentText(at: number, now: number): string
  /** The moment inside a sentence: `at 21:38`, `on Sun 09:00`. */
  whenText(at: number, now: number): string
  /** A moment that has just been, inside a sentence and to the second: `at 21:38:07`; 12 h ago or more as `whenText`. */
  justNowText(at: number, now: number): string
  /** `Sun 22`. */
  dayAndDateText(at: number): string
  /** How far the clock of the zone is ahead of UTC then. */
  offsetMs(at: number): number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** From how far away a bare clock time, a weekday and a date without its year mislead. The first two: dashboard, "Numbers and time". */
const CLOCK_MS_MAX = 12 * HOUR_MS
const WEEKDAY_MS_MAX = 7 * DAY_MS
const YEARLESS_MS_MAX = 300 * DAY_MS

/** No zone changes its offset inside a quarter of an hour of UTC. */
const OFFSET_BUCKET_MS = 15 * MINUTE_MS
const OFFSET_BUCKETS_MAX = 4096
/** Two resets and a sample of each of ten thousand accounts. */
const INSTANTS_REMEMBERED_MAX = 30_000

/** 1970-01-01 was a Thursday. */
const WEEKDAYS = ['Thu', 'Fri', 'Sat', 'Sun', 'Mon', 'Tue', 'Wed']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The texts of one IANA zone. Create it once and keep it. Throws RangeError for a zone the platform does not know. */
export function createZone(displayTimezone: string): Zone {
  // A formatter takes longer to make than a page takes to draw.
  const formatter =
    displayTimezone === 'UTC'
      ? null
      : new Intl.DateTimeFormat('en-US', { timeZone: displayTimezone, timeZoneName: 'longOffset' })
  const offsetMinutesByBucket = new Map<number, number>()

  const offsetMinutesAt = (at: number): number => {
    if (formatter === null) return 0
    const bucket = Math.floor(at / OFFSET_BUCKET_MS)
    const known = offsetMinutesByBucket.get(bucket)
    if (known !== undefined) return known
    if (offsetMinutesByBucket.size >= OFFSET_BUCKETS_MAX) offsetMinutesByBucket.clear()
    const offsetMinutes = offsetMinutesIn(formatter.format(at))
    offsetMinutesByBucket.set(bucket, offsetMinutes)
    return offsetMinutes
  }
  // A reset is shown again in every snapshot until it has passed.
  const localByInstant = new Map<number, LocalTime>()
  const localAt = (at: number): LocalTime => {
    const known = localByInstant.get(at)
    if (known !== undefined) return known
    if (localByInstant.size >= INSTANTS_REMEMBERED_MAX) localByInstant.clear()
    const local = localTimeOf(at, at + offsetMinutesAt(at) * MINUTE_MS)
    localByInstant.set(at, local)
    return local
  }

  const momentText = (at: number, now: number): string => {
    const { clock, weekday, date, year } = localAt(at)
    const awayMs = Math.abs(at - now)
    if (awayMs < CLOCK_MS_MAX) return clock
    if (awayMs < WEEKDAY_MS_MAX) return `${weekday} ${clock}`
    return awayMs < YEARLESS_MS_MAX ? `${date} ${clock}` : `${date} ${year} ${clock}`
  }

  const whenText = (at: number, now: number): string =>
    `${Math.abs(at - now) < CLOCK_MS_MAX ? 'at' : 'on'} ${momentText(at, now)}`

  return {
    displayTimezone,
    zoneLabel: (now) => `${displayTimezone} (UTC${offsetText(offsetMinutesAt(now))})`,
    iso: (at) => localAt(at).iso,
    clockText: (at) => localAt(at).clock,
    dateText(at) {
      const { clock, date } = localAt(at)
      return `${date} ${clock}`
    },
    momentText,
    whenText,
    justNowText(at, now) {
      if (Math.abs(at - now) >= CLOCK_MS_MAX) return whenText(at, now)
      // No zone is off by seconds.
      return `at ${localAt(at).clock}:${isoText(at).slice(-7, -5)}`
    },
    dayAndDateText(at) {
      const { weekday, date } = localAt(at)
      return `${weekday} ${date.split(' ')[0]}`
    },
    offsetMs: (at) => offsetMinutesAt(at) * MINUTE_MS,
  }
}

function isoText(at: number): string {
  return new Date(at).toISOString()
}

/** Instants that read round on a clock of the zone, every so long, from `fromMs` on and before `toMs`. */
export function roundInstants(
  zone: Pick<Zone, 'offsetMs'>,
  everyMs: number,
  fromMs: number,
  toMs: number,
): readonly number[] {
  const offsetMs = zone.offsetMs(fromMs)
  const found: number[] = []
  for (
    let at = Math.ceil((fromMs + offsetMs) / everyMs) * everyMs - offsetMs;
    at < toMs;
    at += everyMs
  )
    found.push(at)
  return found
}

/** Time left or gone, rounded down: `41min`, `3h 05min`, `2d 4h`, and `<1min` below a minute. */
export function durationText(seconds: number): string {
  const minutes = Math.floor(Math.max(0, seconds) / 60)
  if (minutes < 1) return '<1min'
  return minutes < 60 ? `${minutes}min` : hoursText(minutes)
}

/** The same for a text that counts along: seconds below a minute, as in `8 s`. */
export function countingDurationText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  return whole < 60 ? `${whole} s` : durationText(whole)
}

function hoursText(minutes: number): string {
  const hours = Math.floor(minutes / 60)
  return hours < 24
    ? `${hours}h ${twoDigits(minutes % 60)}min`
    : `${Math.floor(hours / 24)}d ${hours % 24}h`
}

/** Whole percent, `<1%` for anything between nothing and one. */
export function percentText(percent: number): string {
  return percent > 0 && percent < 1 ? '<1%' : `${Math.round(percent)}%`
}

/** Plus units with one decimal, `<0.1` for less than it can show. */
export function unitsText(units: number): string {
  const text = units.toFixed(1)
  return units > 0 && text === '0.0' ? '<0.1' : text
}

/** Plus units that are whole by nature, without `.0`. */
export function wholeUnitsText(units: number): string {
  return unitsText(units).replace(/\.0$/, '')
}

/** `1,204`. */
export function countText(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** `950`, `12.4k`, `26.0M`, `2.0B`, rounded half up; what rounds to a thousand of one unit is one of the next. */
export function compactText(count: number): string {
  const scale = SCALES.find(({ from }) => tenthsOf(count, from / 1000) >= 10_000)
  return scale === undefined
    ? String(Math.round(count))
    : `${(tenthsOf(count, scale.from) / 10).toFixed(1)}${scale.suffix}`
}

/** Tenths of a unit, to the nearest. */
export function tenthsOf(count: number, unit: number): number {
  return Math.round((count * 10) / unit)
}

const SCALES = [
  { from: 1e12, suffix: 'T' },
  { from: 1e9, suffix: 'B' },
  { from: 1e6, suffix: 'M' },
  { from: 1e3, suffix: 'k' },
] as const

/** `1 account`, `1,204 accounts`. */
export function countedText(count: number, noun: string, plural = `${noun}s`): string {
  return `${countText(count)} ${count === 1 ? noun : plural}`
}

/** The first letter large, the rest as it is. */
export function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

interface LocalTime {
  readonly iso: string
  readonly clock: string
  readonly weekday: string
  readonly date: string
  readonly year: string
}

/** `shifted` is the instant whose UTC clock reads what the local one shows. */
function localTimeOf(at: number, shifted: number): LocalTime {
  // Counted from the end, because the year may have more than four digits.
  const local = isoText(shifted)
  return {
    iso: isoText(at),
    clock: local.slice(-13, -8),
    weekday: WEEKDAYS.at(Math.floor(shifted / DAY_MS) % 7) ?? '',
    date: `${Number(local.slice(-16, -14))} ${MONTHS[Number(local.slice(-19, -17)) - 1] ?? ''}`,
    year: local.slice(0, -20),
  }
}

/** Reads the offset off a formatted date such as `11/21/2026, GMT+05:45`. */
function offsetMinutesIn(formatted: string): number {
  const [, sign, hours, minutes] = /GMT([+-])(\d{2}):(\d{2})/.exec(formatted) ?? []
  if (sign === undefined) return 0
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

function offsetText(offsetMinutes: number): string {
  const minutes = Math.abs(offsetMinutes)
  return `${offsetMinutes < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
